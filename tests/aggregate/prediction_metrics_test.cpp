// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/aggregate/prediction_metrics.hpp"

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "support/near.hpp"

using namespace plumb::detail;
using test::near;

BOOST_AUTO_TEST_SUITE(prediction_metrics_suite)

namespace {

/// Three facts with four options, under template 5 (the base) and template 2, which has a marker.
/// Paraphrases come first in each row.
RelationPredictions asked() {
  RelationPredictions made;
  made.relation.code = "capital";
  made.relation.domains = {"places"};
  made.relation.options = {"a", "b", "c", "d"};
  for (const std::size_t index : {5U, 2U}) made.add_template(index);
  made.paraphrases = 1;
  for (const std::size_t answer : {0U, 1U, 1U}) {
    made.relation.facts.push_back({.subject = "s", .answer = answer});
  }
  const auto cell = [&](std::vector<double> scores, std::size_t answer) {
    made.cells.push_back(predict(scores, answer));
  };
  cell({-1, -2, -3, -4}, 0);  // rank 1
  cell({-4, -2, -1, -3}, 0);  // rank 4
  cell({-1, -1, -2, -1}, 1);  // ties for the best with two others: a third of a hit
  cell({-1, -3, -3, -2}, 1);  // ties with one other for ranks 3 and 4
  cell({-5, -1, -2, -3}, 1);  // rank 1
  cell({-5, -2, -1, -3}, 1);  // rank 2
  return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(answers_stand_by_ascending_template) {
  const RelationPredictions table = asked();
  const AnswersView made = AnswersView::of_templates(table);
  BOOST_TEST(made.relation().code == "capital");
  BOOST_REQUIRE(made.size() == 2U);
  BOOST_TEST(made.setting(0).variant == 2U);
  BOOST_TEST(made.setting(1).variant == 5U);
  BOOST_REQUIRE(made.facts() == 3U);
  BOOST_TEST(made.answer(0, 0).rank.realistic() == 4);
  BOOST_TEST(made.answer(0, 1).rank.realistic() == 1);
  BOOST_TEST(made.answer(0, 0).option == 2U);
  BOOST_TEST((made.answer(1, 1).tie == BestTie::with_answer));
  BOOST_TEST(made.answer(1, 1).tied_options == 3U);
  BOOST_TEST(made.answer(1, 1).rank.realistic() == 2);
  BOOST_TEST(made.answer(1, 0).rank.realistic() == 3.5);
  BOOST_TEST(!made.answer(1, 0).is_tie());
}

// The ranks of each fact under its two templates: (4, 1), (3.5 and 2, the latter a third of a hit),
// (2, 1).
BOOST_AUTO_TEST_CASE(a_fact_counts_once_with_the_mean_over_its_templates) {
  const ProbeMetrics made = metrics_of({"mine", {asked()}});
  const GroupMetrics& all = made.overall;
  BOOST_TEST(all.facts == 3U);
  BOOST_TEST(near(all.accuracy.value, (0.5 + 1.0 / 6 + 0.5) / 3));
  BOOST_TEST(near(all.accuracy_first_wins.value, 1.0 / 3));
  BOOST_TEST(
      near(all.hit_at(3).value, (0.5 + 0.75 + 1) / 3));  // Hit@3 of the tied rank 3.5: (3 − 2) / 2
  BOOST_TEST(all.hit_at(5).count == 0U);                 // there are fewer than five options
  BOOST_TEST(near(all.mean_rank.value, (2.5 + 2.75 + 1.5) / 3));
  BOOST_TEST(near(all.mean_reciprocal_rank.value, (0.625 + (1 / 3.5 + 0.5) / 2 + 0.75) / 3));
  BOOST_TEST(all.ties_for_best.tied == 1U);
  BOOST_TEST(all.ties_with_answer == 2U);
  BOOST_TEST(made.domains.at("places").metrics.accuracy.value == all.accuracy.value);
  BOOST_TEST(made.cardinality.contains("N:1"));
  // Only the base template.
  const RelationPredictions table = asked();
  const auto base = AnswersView::of_setting(table, table.base);
  BOOST_TEST(near(probe_metrics({base}, {}, "base").overall.accuracy.value, (1 + 1.0 / 3 + 1) / 3));
}

BOOST_AUTO_TEST_SUITE_END()
