// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/norm.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(norm)

namespace {

void near(const std::vector<float>& is, const std::vector<double>& expected) {
  BOOST_TEST_REQUIRE(is.size() == expected.size());
  for (std::size_t i = 0; i < is.size(); ++i) {
    BOOST_TEST(std::abs(static_cast<double>(is[i]) - expected[i]) < 1e-5);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_layer_norm_takes_the_mean_away) {
  // With mean 4 and variance 4, the row (2, 6) becomes (−1, 1), to which weight and bias are then
  // applied.
  std::vector<float> rows{2, 6, 6, 2};
  Norm{{2, 3}, {1, 0}, 0}.apply(rows.data(), 2, 2);
  near(rows, {-1, 3, 3, -3});
  rows = {2, 6};
  Norm{{2, 3}, {}, 0}.apply(rows.data(), 1, 2);
  near(rows, {-2, 3});
  rows = {2, 6};
  Norm{{}, {}, 0}.apply(rows.data(), 1, 2);
  near(rows, {-1, 1});
}

BOOST_AUTO_TEST_CASE(an_rms_norm_does_not) {
  // The mean of 1² and 7² is 25.
  std::vector<float> row{1, 7};
  Norm{{5, 10}, {}, 0, NormKind::rms}.apply(row.data(), 1, 2);
  near(row, {1, 14});
  row = {3, 3, 3};  // the mean square 9 and ε = 16 add up to 25
  Norm{{}, {0, 1, 0}, 16, NormKind::rms}.apply(row.data(), 1, 3);
  near(row, {0.6, 1.6, 0.6});
}

// The sizes include the number of vector lanes, as well as smaller and larger numbers.
BOOST_AUTO_TEST_CASE(rows_of_any_length_are_normalised_as_in_doubles) {
  for (std::size_t size = 1; size < 40; ++size) {
    std::vector<float> row(size);
    double squares = 0;
    for (std::size_t i = 0; i < size; ++i) {
      row[i] = static_cast<float>(std::sin(static_cast<double>(i) + 1));
      squares += static_cast<double>(row[i]) * static_cast<double>(row[i]);
    }
    std::vector<double> expected;
    for (const float x : row) {
      expected.push_back(static_cast<double>(x) /
                         std::sqrt(squares / static_cast<double>(size) + 1e-6));
    }
    Norm{{}, {}, 1e-6F, NormKind::rms}.apply(row.data(), 1, size);
    near(row, expected);
  }
}

BOOST_AUTO_TEST_SUITE_END()
