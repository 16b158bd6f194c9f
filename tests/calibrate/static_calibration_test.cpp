// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/calibrate/static_calibration.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(static_calibration_suite)

namespace {

bool near(double a, double b) {
  return std::abs(a - b) < 1e-12;
}

/// A fact of a relation: its subject, its answer and the probability of every option.
struct Asked {
  std::string subject;
  std::size_t answer;
  std::vector<double> p;
};

void add_relation(ScoredModel& model, const std::string& code, const std::vector<Asked>& facts) {
  RelationPredictions& made = model.predictions.relations.emplace_back();
  BaseScores& base = model.base.emplace_back();
  made.relation.code = code;
  made.relation.options.assign(facts.front().p.size(), "option");
  for (const Asked& fact : facts) {
    made.relation.facts.push_back({.subject = fact.subject, .answer = fact.answer});
    for (const double p : fact.p) base.scores.push_back(std::log(p));
  }
}

}  // namespace

// Option 0 has probabilities 0.8 (right) and 0.6 (wrong), in separate bins; option 1 has 0.2
// (wrong) and 0.4 (right).
BOOST_AUTO_TEST_CASE(the_error_is_the_mean_over_options_of_their_ece) {
  ScoredModel model;
  add_relation(model, "P1", {{"a", 0, {0.8, 0.2}}, {"b", 1, {0.6, 0.4}}});
  const auto made = static_calibration(model, 10, {});
  BOOST_REQUIRE(made.has_value());
  BOOST_TEST(made->questions == 2U);
  BOOST_TEST(made->several_right == 0U);
  BOOST_TEST(near(made->error.value, ((0.2 + 0.6) / 2 + (0.2 + 0.6) / 2) / 2));
  BOOST_TEST(near(made->brier.value, (2 * 0.2 * 0.2 + 2 * 0.6 * 0.6) / 2));
  BOOST_TEST(!made->brier_several_right.exists());
  // In a single bin, gaps of opposite sign cancel: for each option, |0.2 − 0.6| over two questions.
  BOOST_TEST(near(static_calibration(model, 1, {})->error.value, 0.4 / 2));
}

BOOST_AUTO_TEST_CASE(the_error_is_in_its_own_interval) {
  ScoredModel model;
  std::vector<Asked> facts;
  for (int i = 0; i < 40; ++i) {
    facts.push_back({std::to_string(i), static_cast<std::size_t>(i % 4), {0.25, 0.25, 0.25, 0.25}});
  }
  add_relation(model, "P1", facts);
  const Estimate error = static_calibration(model, 10, {.resamples = 200})->error;
  BOOST_TEST(near(error.value, 0));
  BOOST_TEST(error.low == error.value);
  BOOST_TEST(error.high > 0.01);
  BOOST_TEST(error.high < 0.1);
}

BOOST_AUTO_TEST_CASE(rows_without_a_subject_are_separate_questions) {
  ScoredModel model;
  add_relation(model, "P1", {{"", 0, {0.8, 0.2}}, {"", 1, {0.6, 0.4}}});
  const auto made = static_calibration(model, 10, {});
  BOOST_TEST(made->questions == 2U);
  BOOST_TEST(made->several_right == 0U);
}

// "a" has two rows with the same scores. Options 0 and 2 are both right, each with a weight of one
// half.
BOOST_AUTO_TEST_CASE(a_subject_with_several_objects_is_one_question) {
  ScoredModel model;
  add_relation(model, "P1",
               {{"a", 0, {0.5, 0.1, 0.4}}, {"b", 1, {0.2, 0.7, 0.1}}, {"a", 2, {0.5, 0.1, 0.4}}});
  const auto made = static_calibration(model, 1, {});
  BOOST_REQUIRE(made.has_value());
  BOOST_TEST(made->questions == 2U);
  BOOST_TEST(made->several_right == 1U);
  BOOST_TEST(near(made->brier_several_right.value, 0.1 * 0.1 + 0.1 * 0.1));
  BOOST_TEST(near(made->brier.value, (0.02 + 0.2 * 0.2 + 0.3 * 0.3 + 0.1 * 0.1) / 2));
  // The sums of y − p for the three options are 0 − 0.2, −0.1 + 0.3 and 0.1 − 0.1.
  BOOST_TEST(near(made->error.value, (0.2 + 0.2 + 0) / 3 / 2));
}

BOOST_AUTO_TEST_CASE(relations_weigh_by_their_questions) {
  ScoredModel model;
  add_relation(model, "P1", {{"a", 0, {0.9, 0.1}}});
  add_relation(model, "P2", {{"a", 0, {0.5, 0.5}}, {"b", 0, {0.5, 0.5}}, {"c", 0, {0.5, 0.5}}});
  const auto made = static_calibration(model, 1, {});
  BOOST_TEST(near(made->error.value, (0.1 + 3 * 0.5) / 4));
}

BOOST_AUTO_TEST_CASE(choices_of_a_facts_own_are_options_of_the_relation) {
  ScoredModel model;
  RelationPredictions& made = model.predictions.relations.emplace_back();
  made.relation.options = {"x", "y", "z"};
  made.relation.facts = {{.subject = "a", .answer = 2}, {.subject = "a", .answer = 0}};
  BaseScores& base = model.base.emplace_back();
  base.add(std::vector{std::log(0.3), std::log(0.7)}, std::vector<std::uint32_t>{1, 2});
  base.add(std::vector{std::log(0.4), std::log(0.6)}, std::vector<std::uint32_t>{1, 0});
  const auto all = static_calibration(model, 1, {});
  BOOST_TEST(all->questions == 2U);  // same subject, different choices
  BOOST_TEST(near(all->error.value, (0.4 + 0.7 + 0.3) / 3 / 2));
}

BOOST_AUTO_TEST_CASE(a_facts_own_texts_are_no_classes) {
  ScoredModel model;
  add_relation(model, "P1", {{"a", 0, {0.9, 0.1}}});
  model.predictions.relations[0].relation.facts[0].choices = {"a text", "another"};
  BOOST_TEST(!static_calibration(model, 10, {}).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
