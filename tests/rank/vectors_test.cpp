// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/rank/vectors.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(vectors)

namespace {

VectorRows rows_of(const std::vector<float>& numbers, std::size_t dimension) {
  return {numbers.data(), static_cast<Eigen::Index>(numbers.size() / dimension),
          static_cast<Eigen::Index>(dimension)};
}

}  // namespace

// Sums of integers are exact in any order; 19 is not a multiple of the number of lanes.
BOOST_AUTO_TEST_CASE(a_product_is_the_sum_over_all_dimensions) {
  std::vector<float> a, b;
  double expected = 0;
  for (int i = 0; i < 19; ++i) {
    a.push_back(static_cast<float>(i));
    b.push_back(static_cast<float>(3 - i));
    expected += i * (3 - i);
  }
  BOOST_TEST(exact_dot(a.data(), b.data(), 19) == expected);
  BOOST_TEST(exact_dot(a.data(), b.data(), 0) == 0.0);
  BOOST_TEST(exact_dot(a.data() + 2, b.data() + 2, 1) == 2.0);
}

// 2²⁴ + 1 cannot be represented in single precision.
BOOST_AUTO_TEST_CASE(products_are_summed_in_double_precision) {
  const std::vector<float> a{16777216, 1, 0}, ones{1, 1, 1};
  BOOST_TEST(exact_dot(a.data(), ones.data(), 3) == 16777217.0);
}

BOOST_AUTO_TEST_CASE(a_quick_product_is_off_by_less_than_its_bound) {
  RandomStream random(0, "quick");
  for (const std::size_t dimension : {0U, 1U, 63U, 64U, 771U}) {
    for (const float size : {1.0F, 0x1.0p-48F, 0x1.0p48F}) {
      std::vector<float> a, b;
      for (std::size_t i = 0; i < dimension; ++i) {
        a.push_back(size * static_cast<float>(random.uniform()));  // no sum cancels
        b.push_back(size * static_cast<float>(random.uniform()));
      }
      const double exact = exact_dot(a.data(), b.data(), dimension);
      const auto quick = static_cast<double>(quick_dot(a.data(), b.data(), dimension));
      BOOST_TEST(std::abs(quick - exact) <= single_precision_bound(dimension) * exact);
    }
  }
  BOOST_TEST(single_precision_bound(768) < 5e-5);
}

BOOST_AUTO_TEST_CASE(lengths_are_those_of_the_rows) {
  const std::vector<float> numbers{3, 4, 0, -2, 1e-12F, 0};
  const std::vector<double> lengths = checked_lengths(rows_of(numbers, 2), "entities");
  BOOST_REQUIRE(lengths.size() == 3U);
  BOOST_TEST(lengths[0] == 5.0);
  BOOST_TEST(lengths[1] == 2.0);
  BOOST_TEST(std::abs(lengths[2] - 1e-12) < 1e-18);
}

BOOST_AUTO_TEST_CASE(zero_or_non_finite_row_is_rejected_with_its_number) {
  const auto refused = [](float number, const std::string& why) {
    const std::vector<float> numbers{1, 2, 0, number};
    BOOST_CHECK_EXCEPTION(
        (void)checked_lengths(rows_of(numbers, 2), "queries"), Error,
        says(Fault::user, "queries: row 1 is " + why + ", so it has no direction; remove it"));
  };
  refused(0, "a zero vector");
  refused(std::numeric_limits<float>::quiet_NaN(), "not finite");
  refused(-std::numeric_limits<float>::infinity(), "not finite");
}

BOOST_AUTO_TEST_CASE(lengths_whose_products_single_precision_does_not_hold_are_refused) {
  for (const float number : {1e-20F, 1e20F}) {
    const std::vector<float> numbers{number, 0};
    const std::string why = number < 1 ? "short" : "long";
    BOOST_CHECK_EXCEPTION(
        (void)checked_lengths(rows_of(numbers, 2), "entities"), Error,
        says(Fault::user, "entities: row 0 is too " + why + " for single precision"));
  }
}

BOOST_AUTO_TEST_SUITE_END()
