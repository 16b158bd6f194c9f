// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/kernels/log_softmax.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/errors.hpp"

#include "plumb/detail/core/random.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(log_softmax_suite)

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float no_number = std::numeric_limits<float>::quiet_NaN();

/// The slow oracle uses long double throughout.
double exact(const std::vector<float>& row) {
  long double highest = -std::numeric_limits<long double>::infinity();
  for (const float x : row) highest = std::max(highest, static_cast<long double>(x));
  long double sum = 0;
  for (const float x : row) sum += std::exp(static_cast<long double>(x) - highest);
  return static_cast<double>(highest + std::log(sum));
}

std::vector<float> random_row(RandomStream& random, std::size_t length, double scale,
                              double shift) {
  std::vector<float> row(length);
  for (float& x : row) x = static_cast<float>(shift + scale * (random.uniform() - 0.5));
  return row;
}

}  // namespace

BOOST_AUTO_TEST_CASE(small_rows_are_as_by_hand) {
  BOOST_TEST(std::abs(log_sum_exp(std::vector{0.0F, 0.0F}) - std::log(2.0)) < 1e-12);
  BOOST_TEST(std::abs(log_sum_exp(std::vector{1.0F, 2.0F, 3.0F}) - 3.4076059644443806) < 1e-6);
}

// The lengths are close to multiples of the sum's block size; the last is SmolLM2's vocabulary
// size.
BOOST_AUTO_TEST_CASE(random_rows_agree_with_long_double) {
  RandomStream random(1, "log_softmax");
  for (const std::size_t length : {2U, 7U, 33U, 1023U, 1024U, 1025U, 4096U, 5000U, 49152U}) {
    for (const double scale : {0.0, 1.0, 20.0, 60.0, 200.0}) {
      for (const double shift : {0.0, -30.0, 40.0}) {
        const auto row = random_row(random, length, scale, shift);
        BOOST_TEST_CONTEXT(length << " logits, scale " << scale << ", shift " << shift) {
          BOOST_TEST(std::abs(log_sum_exp(row) - exact(row)) < 1e-6);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(one_high_logit_among_many_low_ones_counts_right) {
  RandomStream random(2, "log_softmax");
  for (const std::size_t place : {0U, 1024U, 49151U}) {
    auto row = random_row(random, 49152, 10, 0);
    row[place] = 12;
    BOOST_TEST(std::abs(log_sum_exp(row) - exact(row)) < 1e-6);
  }
}

BOOST_AUTO_TEST_CASE(minus_infinity_is_probability_zero) {
  BOOST_TEST(std::abs(log_sum_exp(std::vector{-infinity, 0.5F, -infinity, 0.5F}) -
                      (0.5 + std::log(2.0))) < 1e-6);
  RandomStream random(3, "log_softmax");
  auto row = random_row(random, 3000, 8, 0);
  for (std::size_t i = 0; i < row.size(); i += 3) row[i] = -infinity;
  BOOST_TEST(std::abs(log_sum_exp(row) - exact(row)) < 1e-6);
  BOOST_TEST(log_sum_exp(std::vector(2000, -infinity)) == -infinity);
}

BOOST_AUTO_TEST_CASE(a_single_logit_is_its_own_sum) {
  for (const float x : {0.0F, -3.25F, 88.5F, 3e38F, -3e38F}) {
    BOOST_TEST(log_sum_exp(std::vector{x}) == static_cast<double>(x));
  }
}

BOOST_AUTO_TEST_CASE(an_empty_row_has_no_probability) {
  BOOST_TEST(log_sum_exp(std::vector<float>()) == -infinity);
}

BOOST_AUTO_TEST_CASE(huge_logits_do_not_overflow) {
  BOOST_TEST(log_sum_exp(std::vector{3e38F, -3e38F, 1.0F}) == static_cast<double>(3e38F));
  BOOST_TEST(log_sum_exp(std::vector{infinity, 1.0F}) == infinity);
}

BOOST_AUTO_TEST_CASE(a_row_that_is_no_number_somewhere_is_none) {
  for (const std::size_t length : {1U, 5U, 40U, 3000U}) {
    for (const std::size_t place : {std::size_t{0}, length / 2, length - 1}) {
      for (const float other : {1.0F, -infinity, infinity}) {
        std::vector<float> row(length, other);
        row[place] = no_number;
        BOOST_TEST(std::isnan(log_sum_exp(row)));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_token_without_a_logit_is_refused) {
  const std::vector<float> row{1, 2, 3};
  BOOST_TEST(log_probability(row, 2, 0.5) == 2.5);
  for (const TokenId token : {-1, 3, 1000}) {
    BOOST_CHECK_EXCEPTION(
        (void)log_probability(row, token, 0), Error,
        test::says(Fault::user, "tokenize: returned token " + std::to_string(token) +
                                    ", outside the vocabulary of 3"));
  }
}

BOOST_AUTO_TEST_SUITE_END()
