// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/leaderboard.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "support/near.hpp"
#include "support/small_answers.hpp"

using namespace plumb::detail;
using test::by_seed;
using test::ic;
using test::near;

BOOST_AUTO_TEST_SUITE(leaderboard)

namespace {

const Bootstrap few{.seed = 3, .resamples = 200};

/// The accuracies of a are 1/4, 1/2 and 1; those of b are 1/2, 1/2 and 3/4, plus 1 in "P4", a
/// relation that a lacks.
std::vector<ModelAnswers> two_models() {
  return {{"a", {by_seed("P1", {"1000"}), by_seed("P2", {"1100"}), by_seed("P3", {"1111"})}},
          {"b",
           {by_seed("P4", {"1"}), by_seed("P3", {"1110"}), by_seed("P2", {"0110"}),
            by_seed("P1", {"0011"})}}};
}

Estimate r(double value) {
  return {value, value, value, 5, "fisher"};
}

std::string codes(const AccuracyTable& table, const std::vector<std::size_t>& places) {
  std::string text;
  for (const std::size_t place : places) text += table.relations[place] + " ";
  return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_table_has_every_model_by_every_relation) {
  const AccuracyTable table = accuracy_table(two_models(), ic(50));
  BOOST_TEST((table.models == std::vector<std::string>{"a", "b"}));
  BOOST_TEST((table.relations == std::vector<std::string>{"P1", "P2", "P3", "P4"}));
  BOOST_TEST((table.facts == std::vector<std::size_t>{4, 4, 4, 1}));
  BOOST_TEST((table.shared == std::vector<std::size_t>{0, 1, 2}));
  BOOST_TEST(table.cells[0][2].accuracy.value == 1.0);
  BOOST_TEST(table.cells[0][3].accuracy.count == 0U);
  BOOST_TEST(table.cells[1][0].accuracy.value == 0.5);
  BOOST_TEST(table.cells[1][2].accuracy.value == 0.75);
  BOOST_TEST(table.cells[1][3].accuracy.value == 1.0);
  BOOST_TEST(table.cells[1][0].accuracy.low == wilson(2, 4).low);
}

BOOST_AUTO_TEST_CASE(facts_are_counted_once_over_models_by_instance) {
  std::vector<ModelAnswers> models = two_models();
  models[1].relations[3].relation.facts[0].instance = 9;  // "P1"
  BOOST_TEST(accuracy_table(models, ic(50)).facts[0] == 5U);
}

// The mean of a is (1/4 + 1/2 + 1) / 3 = 7/12, and that of b without P4 is (1/2 + 1/2 + 3/4) / 3 =
// 7/12. The means are equal, so the models stay in the given order. The deviations of a are −1/3,
// −1/12 and 5/12, so s² = (16 + 1 + 25) / 144 / 2; those of b are −1/12, −1/12 and 1/6, so s² = (1
// + 1 + 4) / 144 / 2.
BOOST_AUTO_TEST_CASE(models_stand_by_their_mean_over_shared_relations) {
  const auto models = two_models();
  const AccuracyTable table = accuracy_table(models, ic(50));
  const auto standings = model_standings(models, table);
  BOOST_TEST(standings[0].model == 0U);
  BOOST_TEST(near(standings[0].spread.overall.accuracy.value, 7.0 / 12));
  BOOST_TEST(near(standings[1].spread.overall.accuracy.value, 7.0 / 12));
  BOOST_TEST(near(*standings[0].spread.sd_over_relations, std::sqrt(21.0 / 144)));
  BOOST_TEST(near(*standings[1].spread.sd_over_relations, std::sqrt(3.0 / 144)));
  BOOST_TEST(standings[1].spread.overall.accuracy.count == 12U);
  BOOST_TEST(standings[1].spread.relations.size() == 3U);
}

BOOST_AUTO_TEST_CASE(the_better_model_stands_first) {
  auto models = two_models();
  models[1].relations[1] = by_seed("P3", {"1111"});
  const auto standings = model_standings(models, accuracy_table(models, ic(50)));
  BOOST_TEST(standings[0].model == 1U);
  BOOST_TEST(near(standings[0].spread.overall.accuracy.value, 2.0 / 3));
}

BOOST_AUTO_TEST_CASE(models_that_share_no_relation_have_no_mean) {
  const std::vector<ModelAnswers> models{{"a", {by_seed("P1", {"1"})}},
                                         {"b", {by_seed("P2", {"1"})}}};
  const AccuracyTable table = accuracy_table(models, ic(50));
  BOOST_TEST(table.shared.empty());
  for (const ModelStanding& standing : model_standings(models, table)) {
    BOOST_TEST(standing.spread.overall.accuracy.count == 0U);
  }
  BOOST_TEST(model_correlations(table)[0][1].count == 0U);
}

// P4 has 1; P3 has mean (1 + 3/4) / 2 = 7/8 with s² = 1/32; P2 has mean 1/2 without deviation; P1
// has 3/8.
BOOST_AUTO_TEST_CASE(relations_stand_by_their_mean_over_models) {
  const AccuracyTable table = accuracy_table(two_models(), ic(50));
  const auto standings = relation_standings(table);
  BOOST_TEST(codes(table, {standings[0].relation, standings[1].relation, standings[2].relation,
                           standings[3].relation}) == "P4 P3 P2 P1 ");
  BOOST_TEST(standings[0].accuracy.value == 1.0);
  BOOST_TEST(!standings[0].sd);
  BOOST_TEST(standings[0].models == 1U);
  BOOST_TEST(standings[1].accuracy.value == 0.875);
  BOOST_TEST(near(*standings[1].sd, std::sqrt(1.0 / 32)));
  BOOST_TEST(standings[1].models == 2U);
  BOOST_TEST(standings[1].accuracy.count == 4U);
  BOOST_TEST(standings[1].accuracy.low == wilson_share(0.875, 4).low);
  BOOST_TEST(*standings[2].sd == 0.0);
}

BOOST_AUTO_TEST_CASE(a_models_best_and_worst_relations_are_among_those_it_has) {
  const AccuracyTable table = accuracy_table(two_models(), ic(50));
  const auto [top, bottom] = extreme_relations(table, 1);
  BOOST_TEST(codes(table, top) == "P4 P3 ");
  BOOST_TEST(codes(table, bottom) == "P1 P2 ");  // these two have equal accuracies
  const auto [best, worst] = extreme_relations(table, 0, 1);
  BOOST_TEST(codes(table, best) == "P3 ");
  BOOST_TEST(codes(table, worst) == "P1 ");
  // The two lists have no relation in common.
  BOOST_TEST(codes(table, extreme_relations(table, 0).top) == "P3 ");
}

// In P1, P2 and P3, a has 1/4, 1/2 and 1, and b has 1/2, 1/2 and 3/4. In twelfths, the deviations
// from the means are −4, −1, 5 and −1, −1, 2, so r = (4 + 1 + 10) / √(42 · 6).
BOOST_AUTO_TEST_CASE(models_correlate_over_the_relations_both_have) {
  const auto correlations = model_correlations(accuracy_table(two_models(), ic(50)));
  BOOST_TEST(near(correlations[0][1].value, 15 / std::sqrt(252.0)));
  BOOST_TEST(correlations[0][1].count == 3U);
  BOOST_TEST(correlations[1][0].value == correlations[0][1].value);
  BOOST_TEST(near(correlations[0][0].value, 1));
  BOOST_TEST(correlations[1][1].count == 4U);
}

// The families are F = {0, 2}, G = {1, 3} and H = {4}; model 5 has no family. The pairs across F
// and G have the correlations 0.1, 0.3, 0.5 (1–2) and 0.9 (2–3).
BOOST_AUTO_TEST_CASE(families_have_the_mean_over_cross_pairs_without_self_pairs) {
  std::vector<std::vector<Estimate>> all(6, std::vector<Estimate>(6, r(-1)));
  const auto set = [&](std::size_t i, std::size_t j, const Estimate& value) {
    all[i][j] = all[j][i] = value;
  };
  for (std::size_t i = 0; i < 6; ++i) set(i, i, r(1));
  set(0, 1, r(0.1));
  set(0, 3, r(0.3));
  set(1, 2, r(0.5));
  set(2, 3, r(0.9));
  set(0, 2, r(0.7));
  set(1, 3, {});  // a pair without a correlation
  set(0, 4, r(0.2));
  set(2, 4, {});
  const FamilyCorrelations made = family_correlations(all, {"F", "G", "F", "G", "H", ""});
  BOOST_TEST((made.families == std::vector<std::string>{"F", "G", "H"}));
  BOOST_TEST(near(made.means[0][1].value, 1.8 / 4));
  BOOST_TEST(made.means[0][1].pairs == 4U);
  BOOST_TEST(made.means[1][0].value == made.means[0][1].value);
  BOOST_TEST(made.means[0][0].value == 0.7);
  BOOST_TEST(made.means[0][0].pairs == 1U);
  BOOST_TEST(made.means[1][1].pairs == 0U);
  BOOST_TEST(made.means[0][2].value == 0.2);
  BOOST_TEST(made.means[0][2].pairs == 1U);
  BOOST_TEST(made.means[2][2].pairs == 0U);
  BOOST_TEST(made.means[1][2].value == -1.0);
  BOOST_TEST(family_correlations(all, std::vector<std::string>(6)).families.empty());
}

BOOST_AUTO_TEST_CASE(family_means_are_those_of_every_ordered_pair_counted_out) {
  RandomStream random(2, "families");
  constexpr std::size_t n = 9;
  std::vector<std::vector<Estimate>> all(n, std::vector<Estimate>(n));
  std::vector<std::string> family(n);
  for (std::size_t i = 0; i < n; ++i) {
    family[i] = std::string(1, static_cast<char>('A' + random.below(3)));
    for (std::size_t j = 0; j <= i; ++j) {
      all[i][j] = all[j][i] = random.below(5) == 0 ? Estimate{} : r(2 * random.uniform() - 1);
    }
  }
  const FamilyCorrelations made = family_correlations(all, family);
  for (std::size_t f = 0; f < made.families.size(); ++f) {
    for (std::size_t g = 0; g < made.families.size(); ++g) {
      double sum = 0;
      std::size_t pairs = 0;
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          if (i == j || family[i] != made.families[f] || family[j] != made.families[g]) continue;
          if (all[i][j].count == 0) continue;
          sum += all[i][j].value;
          ++pairs;
        }
      }
      // Within a family, the ordered pairs contain each pair twice.
      BOOST_TEST(made.means[f][g].pairs == (f == g ? pairs / 2 : pairs));
      if (pairs > 0) BOOST_TEST(near(made.means[f][g].value, sum / static_cast<double>(pairs)));
    }
  }
}

// The shared relations are P1, P2 and P3, and a is the base. The right answers of a and b are 1000
// and 0011 in P1, 1100 and 0110 in P2, 1111 and 1110 in P3. Both accuracies are 7/12. Of the facts
// that b knows, a knows 0/2, 1/2 and 3/3; of those that a knows, b knows 0/1, 1/2 and 3/4.
BOOST_AUTO_TEST_CASE(a_tuned_model_stands_against_its_base) {
  const TunedComparison made = compare_tuned(two_models(), 0, 1, ic(50), few);
  BOOST_TEST(near(made.base_accuracy.value, 7.0 / 12));
  BOOST_TEST(near(made.tuned_accuracy.value, 7.0 / 12));
  BOOST_TEST(near(made.difference.value, 0));
  BOOST_TEST(made.difference.low < 0);
  BOOST_TEST(made.difference.high > 0);
  BOOST_TEST(made.base_accuracy.count == 12U);
  BOOST_TEST(near(made.tuned_given_base.rate.value, 0.5));
  BOOST_TEST(near(made.base_given_tuned.rate.value, (0 + 0.5 + 0.75) / 3));
  BOOST_TEST(made.tuned_given_base.left_out.relations == 1U);
}

// Under seed 0, the base is right for 2 of 2 facts and the tuned model for 1; under seed 1, the
// numbers are 1 and 0. The tuned model is worse by 1/2 on every fact, and thus in every resample,
// so there is no interval.
BOOST_AUTO_TEST_CASE(the_difference_is_tuned_minus_base_and_paired_by_fact) {
  const std::vector<ModelAnswers> models{{"base", {by_seed("P1", {"11", "10"})}},
                                         {"tuned", {by_seed("P1", {"10", "00"})}}};
  const TunedComparison made = compare_tuned(models, 0, 1, ic(50), few);
  BOOST_TEST(made.base_accuracy.value == 0.75);
  BOOST_TEST(made.tuned_accuracy.value == 0.25);
  BOOST_TEST(made.difference.value == -0.5);
  BOOST_TEST(!made.difference.has_interval());
  BOOST_TEST(made.tuned_given_base.rate.value == 1.0);
  BOOST_TEST(made.tuned_given_base.empty == 1U);
  BOOST_TEST(made.base_given_tuned.rate.value == 0.25);
}

// All of a's answers are ties, and b knows only fact 0. The accuracies are 1/4 and (1 + 3/4) / 4;
// the proportions of known facts are 0 and 1/4.
BOOST_AUTO_TEST_CASE(a_tie_is_a_guess_on_the_leaderboards_and_not_known_in_pairs) {
  const std::vector<ModelAnswers> models{{"a", {by_seed("P1", {"4444"})}},
                                         {"b", {by_seed("P1", {"1444"})}}};
  const AccuracyTable table = accuracy_table(models, ic(50));
  const auto standings = model_standings(models, table);
  BOOST_TEST(standings[0].model == 1U);
  BOOST_TEST(near(standings[0].spread.overall.accuracy.value, 1.75 / 4));
  BOOST_TEST(near(standings[1].spread.overall.accuracy.value, 0.25));
  BOOST_CHECK((standings[1].spread.overall.ties == TieCount{4, 4}));
  const RelationStanding relation = relation_standings(table)[0];
  BOOST_TEST(near(relation.accuracy.value, (0.25 + 1.75 / 4) / 2));
  BOOST_TEST(near(relation.accuracy_first_wins.value, (0 + 0.25) / 2));
  BOOST_CHECK((relation.ties == TieCount{7, 8}));
  const TunedComparison pair = compare_tuned(models, 0, 1, ic(50), few);
  BOOST_TEST(pair.base_accuracy.value == 0.0);
  BOOST_TEST(pair.tuned_accuracy.value == 0.25);
  BOOST_TEST(pair.difference.value == 0.25);
}

BOOST_AUTO_TEST_SUITE_END()
