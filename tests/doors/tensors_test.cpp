// SPDX-License-Identifier: Apache-2.0

#include "plumb/tensors.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "plumb/probe.hpp"
#include "support/given_answers.hpp"

using namespace plumb;
namespace test = plumb::detail::test;
using test::answers_of_capitals;

BOOST_AUTO_TEST_SUITE(tensors_suite)

BOOST_AUTO_TEST_CASE(axes_are_facts_templates_and_candidates) {
  const Answers answers = answers_of_capitals({"[X], [Y]", "[Y], [X]", "[Y]: [X]"},
                                              {-1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12});
  const Answers::Table& table = answers.tables[0];
  const auto nats = log_likelihoods(table);
  BOOST_TEST(nats.shape(axis::facts) == 2U);
  BOOST_TEST(nats.shape(axis::templates) == 3U);
  BOOST_TEST(nats.shape(axis::candidates) == 2U);
  BOOST_TEST(nats(1, 0, 1) == -8.0);
  BOOST_TEST(&nats(0, 0, 0) == table.log_likelihoods.data());  // the accessor does not copy
  BOOST_TEST(token_counts(table)(1, 2, 1) == 4U);
  BOOST_TEST(byte_counts(table)(0, 0, 0) == 10U);
  const xt::xtensor<double, 2> mean = xt::mean(nats, {axis::templates});
  BOOST_TEST(mean(0, 1) == -4.0);
  BOOST_TEST(mean(1, 0) == -9.0);
  const xt::xtensor<std::size_t, 2> best = xt::argmax(nats, axis::candidates);
  BOOST_TEST(best(0, 2) == 0U);
}

BOOST_AUTO_TEST_CASE(softmax_sums_to_one_over_candidates_however_unlikely_they_are) {
  const Answers answers = answers_of_capitals({"[X], [Y]"}, {-5000, -5001, -3, -3});
  const auto p = softmax(log_likelihoods(answers.tables[0]));
  BOOST_TEST(p(0, 0, 0) == 1 / (1 + std::exp(-1.0)), boost::test_tools::tolerance(1e-12));
  BOOST_TEST(p(0, 0, 0) + p(0, 0, 1) == 1.0, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(p(1, 0, 0) == 0.5);
  BOOST_TEST(p(1, 0, 1) == 0.5);
}

BOOST_AUTO_TEST_CASE(a_relation_without_facts_is_empty) {
  Answers::Table table = test::capital_table({"[X], [Y]"}, {});
  table.relation.facts.clear();
  BOOST_TEST(log_likelihoods(table).size() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
