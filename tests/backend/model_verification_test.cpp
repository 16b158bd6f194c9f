// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/backend/model_verification.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(model_verification_suite)

BOOST_AUTO_TEST_CASE(rows_are_compared_normalised_and_down_to_a_floor) {
  const std::vector<float> raw{1, 1}, shifted{-7, -7}, sure{0, -1000}, surer{0, -3000};
  const VerifiedRow half{std::log(0.5F), std::log(0.5F)};
  BOOST_TEST(row_difference(half, raw) < 1e-6);
  BOOST_TEST(row_difference(half, shifted) < 1e-6);
  const VerifiedRow one{0, static_cast<float>(least_nats)};
  BOOST_TEST(row_difference(one, sure) < 1e-6);
  BOOST_TEST(row_difference(one, surer) < 1e-6);
  BOOST_TEST(std::abs(row_difference(half, sure) - (-least_nats - std::log(2.0))) < 1e-5);
  const std::vector<float> broken{0, std::numeric_limits<float>::quiet_NaN()};
  BOOST_TEST(std::isinf(row_difference(half, broken)));
}

BOOST_AUTO_TEST_CASE(rows_may_be_compared_at_the_tokens_that_are_asked_for) {
  const VerifiedRow even{std::log(0.25F), std::log(0.25F), std::log(0.25F), std::log(0.25F)};
  // The probabilities e^x / Σ are 1/2, 1/4, 1/8 and 1/8.
  const std::vector<float> row{std::log(4.0F), std::log(2.0F), 0, 0};
  const std::vector<TokenId> second{1}, both{1, 3}, none;
  BOOST_TEST(row_difference(even, row, second) < 1e-6);
  BOOST_TEST(std::abs(row_difference(even, row, both) - std::log(2.0)) < 1e-6);
  BOOST_TEST(row_difference(even, row, none) == 0);
  BOOST_TEST(std::isinf(row_difference({0}, row, none)));
}

BOOST_AUTO_TEST_CASE(vectors_are_compared_by_their_length) {
  const std::vector<float> b{3, 4};
  BOOST_TEST(vector_difference({3, 4}, b) == 0);
  // The vectors differ by a vector of length 1, and `b` has length 5.
  BOOST_TEST(std::abs(vector_difference({3, 3}, b) - 0.2) < 1e-6);
  BOOST_TEST(std::isinf(vector_difference({3}, b)));
}

BOOST_AUTO_TEST_CASE(the_first_place_is_that_of_the_first_form_that_differs) {
  const std::vector<std::vector<TokenId>> texts{{1, 2, 3, 4}, {5, 6, 7, 8}};
  const auto sequences = verified_sequences(texts, 0, 100, 1);
  DifferenceLog log(sequences, true, 0.1);
  log.begin("a");
  log.note({1, 2}, 0.05);
  log.end();
  log.begin("b");
  log.note({1, 3}, 0.2);  // differences may be noted in any order
  log.note({0, 4}, 0.3);
  log.note({2, 3}, std::nan(""));
  log.end();
  log.begin("c");
  log.note({0, 1}, 9);
  log.end();
  const ModelVerification& made = log.made();
  BOOST_TEST(!made.agrees());
  BOOST_TEST(made.first->form == "b");
  BOOST_TEST(made.first->text == 0U);
  BOOST_TEST(made.first->position == 4U);  // the position excludes BOS
  BOOST_TEST(made.first->description() == "b differs by 0.300 nats after 4 tokens of text 0");
  BOOST_TEST(made.worst->description() ==
             "b differs by no finite number nats after 3 tokens of text 0, its first half followed "
             "by tokens of text 1");
}

BOOST_AUTO_TEST_SUITE_END()
