// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/accuracy_spread.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "support/near.hpp"
#include "support/small_answers.hpp"

using namespace plumb::detail;
using test::by_seed;
using test::ic;
using test::near;
using test::under_settings;

BOOST_AUTO_TEST_SUITE(accuracy_spread)

namespace {

/// In "P1", 3 of 4 facts are right under the first seed and 1 of 4 under the second. In "P2", 1 of
/// 2 facts is right under the first seed and 2 of 2 under the second; P2 also has a seed that "P1"
/// lacks.
ModelAnswers two_relations() {
  return {"m", {by_seed("P1", {"1110", "1000"}), by_seed("P2", {"10", "11", "11"})}};
}

}  // namespace

BOOST_AUTO_TEST_CASE(groups_of_settings_have_names_of_their_own) {
  Setting spoken = ic(5), other = ic(5), bare = ic(5);
  spoken.by = "generation";
  other.separator = " is ";
  bare.separator = "";
  Setting quoted = ic(5);
  quoted.separator = "generation";
  BOOST_TEST(setting_name(ic(50, 3)) == "ic/50");
  BOOST_TEST(setting_name({"template"}) == "template");
  BOOST_TEST(setting_name(spoken) == "ic/5/generation");
  BOOST_TEST(setting_name(other) == "ic/5/\" is \"");
  std::set<std::string> names;
  for (const Setting& setting : {spoken, other, bare, quoted, ic(5), ic(50)}) {
    names.insert(setting_name(setting));
  }
  BOOST_TEST(names.size() == 6U);
}

BOOST_AUTO_TEST_CASE(groups_are_listed_once_in_order_without_their_variants) {
  const ModelAnswers model{
      "m",
      {under_settings("P1", {{ic(5, 2), "1"}, {ic(1, 2), "1"}, {ic(5, 3), "1"}}),
       under_settings("P2", {{ic(5, 0), "1"}, {ic(9, 1), "1"}}),
       under_settings("P3", {{ic(7), ""}})}};  // a relation without facts
  std::string names;
  for (const Setting& group : groups_of(model)) {
    names += setting_name(group) + " ";
    BOOST_TEST(group.variant == 0U);
  }
  BOOST_TEST(names == "ic/5 ic/1 ic/9 ");
}

BOOST_AUTO_TEST_CASE(variants_come_in_order) {
  const RelationAnswers relation =
      under_settings("P1", {{ic(5, 2), "1"}, {ic(1, 0), "1"}, {ic(5, 0), "1"}, {ic(5, 1), "1"}});
  std::string variants;
  for (const AnswersView& made : variants_of(relation, ic(5, 7))) {
    variants += std::to_string(made.setting().variant);
  }
  BOOST_TEST(variants == "012");
  BOOST_TEST(variants_of(relation, ic(50)).empty());
}

// The deviations from 4 are −2, −1 and 3: (4 + 1 + 9) / 2 = 7.
BOOST_AUTO_TEST_CASE(the_sample_deviation_divides_by_one_less) {
  BOOST_TEST(near(*sample_sd(std::vector<double>{2, 3, 7}), std::sqrt(7.0)));
  BOOST_TEST(*sample_sd(std::vector<double>{0.5, 0.5}) == 0.0);
  BOOST_TEST(!sample_sd(std::vector<double>{2}));
  BOOST_TEST(!sample_sd(std::vector<double>{}));
}

// P1 has the mean of 3/4 and 1/4; the deviations are ±1/4, so s² = 1/8. P2 has 1/2, 1 and 1 with
// mean 5/6; the deviations are −1/3, 1/6 and 1/6, so s² = (1/9 + 1/36 + 1/36) / 2 = 1/12.
BOOST_AUTO_TEST_CASE(a_relation_has_the_mean_over_variants_and_their_deviation) {
  const auto spreads = accuracy_spreads(two_relations());
  BOOST_TEST(spreads.size() == 1U);
  const auto& [code, one] = spreads[0].relations[0];
  BOOST_TEST(code == "P1");
  BOOST_TEST(one.accuracy.value == 0.5);
  BOOST_TEST(one.accuracy.count == 4U);
  BOOST_TEST(one.accuracy.method == "wilson");
  BOOST_TEST(one.accuracy.low == wilson(2, 4).low);
  BOOST_TEST(near(*one.sd, std::sqrt(1.0 / 8)));
  BOOST_TEST(one.variants == 2U);
  const AccuracySpread& two = spreads[0].relations[1].second;
  BOOST_TEST(near(two.accuracy.value, 5.0 / 6));
  BOOST_TEST(two.accuracy.count == 2U);
  BOOST_TEST(near(*two.sd, std::sqrt(1.0 / 12)));
  BOOST_TEST(two.variants == 3U);
}

// The mean is (1/2 + 5/6) / 2 = 2/3. Both relations have seeds 0 and 1, whose means are (3/4 + 1/2)
// / 2 = 5/8 and (1/4 + 1) / 2 = 5/8. The seeds' means do not vary, although both relations' values
// do. Across relations, the deviations are ±1/6.
BOOST_AUTO_TEST_CASE(over_relations_the_means_of_common_variants_deviate) {
  const GroupSpread spread = accuracy_spreads(two_relations())[0];
  BOOST_TEST(near(spread.overall.accuracy.value, 2.0 / 3));
  BOOST_TEST(spread.overall.accuracy.count == 6U);
  BOOST_TEST(spread.overall.accuracy.method == "clustered wilson");
  BOOST_TEST(spread.overall.accuracy.low < 2.0 / 3);
  BOOST_TEST(spread.overall.accuracy.high > 2.0 / 3);
  BOOST_TEST(near(*spread.overall.sd, 0));
  BOOST_TEST(spread.overall.variants == 2U);
  BOOST_TEST(near(*spread.sd_over_relations, std::sqrt(1.0 / 18)));
}

// The means are 5/8 and (1/4 + 1/2) / 2 = 3/8, so s² = 1/32.
BOOST_AUTO_TEST_CASE(means_that_move_have_their_deviation) {
  const ModelAnswers model{"m", {by_seed("P1", {"1110", "1000"}), by_seed("P2", {"10", "10"})}};
  BOOST_TEST(near(*accuracy_spreads(model)[0].overall.sd, std::sqrt(1.0 / 32)));
}

BOOST_AUTO_TEST_CASE(one_variant_has_no_deviation_and_one_relation_none_over_relations) {
  const ModelAnswers model{"m", {by_seed("P1", {"10"})}};
  const GroupSpread spread = accuracy_spreads(model)[0];
  BOOST_TEST(!spread.relations[0].second.sd);
  BOOST_TEST(!spread.overall.sd);
  BOOST_TEST(!spread.sd_over_relations);
  BOOST_TEST(spread.overall.variants == 1U);
}

BOOST_AUTO_TEST_CASE(relations_without_the_group_or_facts_are_not_in_the_mean) {
  const ModelAnswers model{
      "m", {by_seed("P1", {"10"}), under_settings("P2", {{ic(1), "11"}}), by_seed("P3", {""})}};
  const auto spreads = accuracy_spreads(model);
  BOOST_TEST(spreads[0].relations.size() == 1U);
  BOOST_TEST(spreads[0].overall.accuracy.value == 0.5);
  BOOST_TEST(spreads[1].relations[0].first == "P2");
  const GroupSpread none = group_spread({&model.relations[2]}, ic(50));
  BOOST_TEST(none.overall.accuracy.count == 0U);
  BOOST_TEST(none.relations.empty());
  BOOST_TEST(!none.overall.sd);
}

BOOST_AUTO_TEST_CASE(the_order_of_variants_does_not_matter) {
  ModelAnswers model = two_relations();
  const GroupSpread before = accuracy_spreads(model)[0];
  test::reverse_settings(model.relations[1]);
  const GroupSpread after = accuracy_spreads(model)[0];
  BOOST_TEST(before.overall.accuracy.low == after.overall.accuracy.low);
  BOOST_TEST(*before.overall.sd == *after.overall.sd);
}

// P2 has no results for 50 shots, so the curve covers only P1: 1/4, 3/4, 1.
BOOST_AUTO_TEST_CASE(the_curve_is_over_relations_that_have_every_number_of_shots) {
  Setting spoken = ic(50);
  spoken.by = "generation";
  const ModelAnswers model{
      "m",
      {under_settings("P1", {{ic(50), "1111"}, {ic(1), "1000"}, {ic(5), "1110"}, {spoken, "0000"}}),
       under_settings("P2", {{ic(1), "11"}, {ic(5), "11"}})}};
  const auto curve = shots_curve(model, ic(3));
  BOOST_TEST(curve.size() == 3U);
  BOOST_TEST(curve[0].group.shots == 1U);
  BOOST_TEST(curve[0].overall.accuracy.value == 0.25);
  BOOST_TEST(curve[1].overall.accuracy.value == 0.75);
  BOOST_TEST(curve[2].group.shots == 50U);
  BOOST_TEST(curve[2].overall.accuracy.value == 1.0);
  BOOST_TEST(curve[1].relations.size() == 1U);
  BOOST_TEST(shots_curve(model, {"eic"}).empty());
}

BOOST_AUTO_TEST_CASE(the_fewest_shots_that_reach_the_share_are_found) {
  const auto curve = [](const std::vector<std::string>& marks) {
    std::vector<std::pair<Setting, std::string>> settings;
    for (std::size_t i = 0; i < marks.size(); ++i) settings.emplace_back(ic(10 * i + 1), marks[i]);
    return shots_curve({"m", {under_settings("P1", settings)}}, ic(1));
  };
  const std::string all(20, '1');
  const std::string nineteen = std::string(19, '1') + "0";  // exactly 95%
  const std::string eighteen = std::string(18, '1') + "00";
  BOOST_TEST(*shots_for_share(curve({eighteen, nineteen, eighteen, all})) == 11U);
  BOOST_TEST(*shots_for_share(curve({eighteen, eighteen, all})) == 21U);
  BOOST_TEST(*shots_for_share(curve({eighteen, all}), 0.9) == 1U);
  BOOST_TEST(*shots_for_share(curve({all, eighteen})) == 1U);
  BOOST_TEST(!shots_for_share(curve({all, "00000000000000000000"})));
  BOOST_TEST(!shots_for_share({}));
}

// Two facts under two seeds: fact 0 is wrong at 0.05 and right at 0.30; fact 1 is right at 0.60 and
// wrong at 0.95.
BOOST_AUTO_TEST_CASE(accuracy_at_k_keeps_answers_above_the_threshold) {
  ModelAnswers model{"m", {by_seed("P1", {"01", "10"})}};
  RelationAnswers& relation = model.relations[0];
  test::cell(relation, 0, 0).confidence = 0.05;
  test::cell(relation, 0, 1).confidence = 0.60;
  test::cell(relation, 1, 0).confidence = 0.30;
  test::cell(relation, 1, 1).confidence = 0.95;
  const auto levels = accuracy_at_k(model.relations, ic(50));
  BOOST_TEST(levels.size() == 20U);
  BOOST_TEST(levels[0].threshold == 0.0);
  BOOST_TEST(levels[0].answers == 4U);
  BOOST_TEST(levels[0].accuracy.value == 0.5);
  BOOST_TEST(levels[0].accuracy.count == 2U);  // the number of facts
  BOOST_TEST(levels[0].accuracy.low == wilson_share(0.5, 2).low);
  BOOST_TEST(levels[1].threshold == 0.05);
  BOOST_TEST(levels[1].answers == 3U);  // 0.05 is not above 0.05
  BOOST_TEST(near(levels[1].accuracy.value, 2.0 / 3));
  BOOST_TEST(levels[6].threshold == 0.3);
  BOOST_TEST(levels[6].answers == 2U);
  BOOST_TEST(levels[6].accuracy.value == 0.5);
  BOOST_TEST(levels[6].accuracy.count == 1U);  // both answers are to fact 1
  BOOST_TEST(levels[12].accuracy.value == 0.0);
  BOOST_TEST(levels[18].answers == 1U);
  BOOST_TEST(levels[19].threshold == 0.95);
  BOOST_TEST(levels[19].answers == 0U);
  BOOST_TEST(levels[19].accuracy.count == 0U);
}

BOOST_AUTO_TEST_CASE(accuracy_at_k_pools_relations_and_knows_no_generation) {
  const ModelAnswers model = two_relations();
  const auto levels = accuracy_at_k(model.relations, ic(50));
  BOOST_TEST(levels[9].answers == 14U);  // 4 · 2 + 2 · 3 answers, all with confidence 0.5
  BOOST_TEST(near(levels[9].accuracy.value, 9.0 / 14));
  BOOST_TEST(levels[9].accuracy.count == 6U);
  BOOST_TEST(levels[10].answers == 0U);
  Setting spoken = ic(50);
  spoken.by = "generation";
  BOOST_TEST(accuracy_at_k(model.relations, spoken).empty());
  BOOST_TEST(accuracy_at_k(model.relations, ic(1))[0].answers == 0U);
}

// Under the two seeds, fact 0 has a four-way tie and then a two-way tie, fact 1 is right and then
// wrong, and fact 2 has a four-way tie both times. Seed 0 has (1/4 + 1 + 1/4) / 3 = 1/2, and seed 1
// has (1/2 + 0 + 1/4) / 3 = 1/4. Their mean is 3/8 and their deviation √(2 · (1/8)²). If the first
// option of a tie counts as the answer, only fact 1 under seed 0 is right: 1 of 6.
BOOST_AUTO_TEST_CASE(a_tie_of_n_counts_one_nth) {
  const ModelAnswers model{"m", {by_seed("P1", {"414", "204"})}};
  const GroupSpread spread = accuracy_spreads(model)[0];
  for (const AccuracySpread& one : {spread.overall, spread.relations[0].second}) {
    BOOST_TEST(near(one.accuracy.value, 0.375));
    BOOST_TEST(near(one.accuracy.low, wilson_share(0.375, 3).low));
    BOOST_TEST(near(*one.sd, std::sqrt(2.0 / 64)));
    BOOST_TEST(near(one.accuracy_first_wins.value, 1.0 / 6));
    BOOST_CHECK((one.ties == TieCount{4, 6}));
  }
}

// All choices are tied in both relations, which have 2 and 4 choices: (1/2 + 1/4) / 2.
BOOST_AUTO_TEST_CASE(equal_scores_for_all_choices_are_worth_a_guess) {
  ModelAnswers model{"m", {by_seed("P1", {"2222"}), by_seed("P2", {"44"})}};
  for (RelationAnswers& relation : model.relations) {
    Prediction& first = test::cell(relation, 0, 0);
    test::make_tie(first, first.tied_options, BestTie::answer_first);
  }
  const GroupSpread spread = accuracy_spreads(model)[0];
  BOOST_TEST(near(spread.overall.accuracy.value, 0.375));
  BOOST_TEST(near(spread.overall.accuracy_first_wins.value, (0.25 + 0.5) / 2));
  BOOST_TEST(near(spread.relations[0].second.accuracy.value, 0.5));
  BOOST_CHECK((spread.overall.ties == TieCount{6, 6}));
  const auto levels = accuracy_at_k(model.relations, ic(50));
  BOOST_TEST(near(levels[0].accuracy.value, (4 * 0.5 + 2 * 0.25) / 6));
}

BOOST_AUTO_TEST_CASE(without_ties_the_first_wins_changes_nothing) {
  const GroupSpread spread = accuracy_spreads(two_relations())[0];
  BOOST_TEST(spread.overall.accuracy_first_wins.value == spread.overall.accuracy.value);
  BOOST_TEST(spread.overall.accuracy_first_wins.low == spread.overall.accuracy.low);
  BOOST_TEST(spread.overall.accuracy_first_wins.high == spread.overall.accuracy.high);
  BOOST_TEST(spread.overall.ties.tied == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
