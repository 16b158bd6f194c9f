// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/paired_comparison.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "support/near.hpp"
#include "support/small_answers.hpp"

using namespace plumb::detail;
using test::by_seed;
using test::cell;
using test::ic;
using test::near;

BOOST_AUTO_TEST_SUITE(paired_comparison_suite)

namespace {

const Bootstrap few{.seed = 3, .resamples = 400};

/// In P1, both models know fact 0, only a knows facts 1 and 2, and only b knows fact 3. In P2, only
/// a knows fact 0, and neither knows fact 1.
std::vector<ModelAnswers> two_models() {
  return {{"a", {by_seed("P1", {"1110"}), by_seed("P2", {"10"})}},
          {"b", {by_seed("P2", {"00"}), by_seed("P1", {"1001"})}}};
}

PairedComparison compared(const std::vector<ModelAnswers>& models,
                          const Bootstrap& bootstrap = few) {
  return paired_comparisons(models, ic(50), bootstrap).front();
}

std::string marks(std::size_t right, std::size_t all) {
  return std::string(right, '1') + std::string(all - right, '0');
}

}  // namespace

// The numbers of facts known to both models, only the first, only the second, and neither are 1, 2,
// 1, 0 in P1 and 0, 1, 0, 1 in P2. The differences are 1/4 and 1/2. The discordant facts are split
// three to one: p = 2 · 5/16.
BOOST_AUTO_TEST_CASE(facts_are_counted_by_relation_and_pooled) {
  const PairedComparison made = compared(two_models());
  BOOST_TEST(made.first == 0U);
  BOOST_TEST(made.second == 1U);
  BOOST_REQUIRE(made.relations.size() == 2U);
  BOOST_TEST(made.relations[0].first == "P1");
  BOOST_TEST((made.relations[0].second.counts == PairedCounts{1, 2, 1, 0}));
  BOOST_TEST((made.relations[1].second.counts == PairedCounts{0, 1, 0, 1}));
  BOOST_TEST((made.overall.counts == PairedCounts{1, 3, 1, 1}));
  BOOST_TEST(near(made.overall.difference.value, 2.0 / 6));
  BOOST_TEST(made.overall.difference.count == 6U);
  BOOST_TEST(near(made.mean_difference.value, 3.0 / 8));
  BOOST_TEST(near(made.mean_accuracy[0], (0.75 + 0.5) / 2));
  BOOST_TEST(near(made.mean_accuracy[1], (0.5 + 0) / 2));
  BOOST_TEST(near(made.overall.p, 10.0 / 16));
  BOOST_TEST(near(made.relations[0].second.difference.value, 0.25));
  BOOST_TEST(made.relations[0].second.p == 1.0);
}

// With two relations, a resample consists of only the first, only the second, or both, with
// probabilities 1/4, 1/4 and 1/2. The ends of the interval come from the resamples that contain a
// single relation.
BOOST_AUTO_TEST_CASE(relations_are_resampled_whole) {
  const PairedComparison made = compared(two_models());
  BOOST_TEST(made.overall.difference.method == "bootstrap of relations");
  BOOST_TEST(near(made.overall.difference.low, 0.25));
  BOOST_TEST(near(made.overall.difference.high, 0.5));
  BOOST_TEST(made.mean_difference.method == "bootstrap of relations");
  BOOST_TEST(near(made.mean_difference.low, 0.25));
  BOOST_TEST(near(made.mean_difference.high, 0.5));
  BOOST_TEST(made.relations[0].second.difference.method == "bootstrap of facts");
}

// Of 100 facts, 40 are known only to the first model and 20 only to the second, so the variance of
// the difference is (0.6 − 0.2²) / 100.
BOOST_AUTO_TEST_CASE(of_one_relation_the_facts_are_resampled) {
  const std::vector<ModelAnswers> models{
      {"a", {by_seed("P1", {marks(40, 100)})}},
      {"b", {by_seed("P1", {std::string(40, '0') + marks(20, 60)})}}};
  const PairedComparison made = compared(models, {.seed = 1, .resamples = 4000});
  BOOST_TEST((made.overall.counts == PairedCounts{0, 40, 20, 40}));
  const Estimate& difference = made.overall.difference;
  BOOST_TEST(difference.method == "bootstrap of facts");
  const double half = 1.96 * std::sqrt(0.56 / 100);
  BOOST_TEST(near(difference.value, 0.2));
  BOOST_TEST(near(difference.low, 0.2 - half, 0.015));
  BOOST_TEST(near(difference.high, 0.2 + half, 0.015));
  BOOST_TEST(made.mean_difference.low == difference.low);
  BOOST_TEST(compared(models, {.seed = 1, .resamples = 4000}).overall.difference.low ==
             difference.low);
}

BOOST_AUTO_TEST_CASE(models_that_agree_on_every_fact_have_no_interval) {
  const std::vector<ModelAnswers> models{{"a", {by_seed("P1", {"1100"})}},
                                         {"b", {by_seed("P1", {"1100"})}}};
  const PairedComparison made = compared(models);
  BOOST_TEST(made.overall.difference.value == 0.0);
  BOOST_TEST(!made.overall.difference.has_interval());
  BOOST_TEST(made.overall.p == 1.0);
  BOOST_TEST(made.overall.p_holm == 1.0);
}

// One of two variants is not a majority; two of three variants are.
BOOST_AUTO_TEST_CASE(a_fact_is_known_under_more_than_half_of_the_variants) {
  std::vector<ModelAnswers> models{{"a", {by_seed("P1", {"110", "010"})}},
                                   {"b", {by_seed("P1", {"100", "100"})}}};
  BOOST_TEST((compared(models).overall.counts == PairedCounts{0, 1, 1, 1}));
  models[0].relations = {by_seed("P1", {"110", "010", "100"})};
  models[1].relations = {by_seed("P1", {"000", "010", "010"})};
  BOOST_TEST((compared(models).overall.counts == PairedCounts{1, 1, 0, 1}));
}

// Of two variants, a knows fact 0 under both and fact 1 under one; b knows fact 0 under one and
// fact 1 under neither. On average, the score of each fact drops by 1/2, although only one fact is
// no longer known under most variants.
BOOST_AUTO_TEST_CASE(a_drop_is_of_means_over_the_variants) {
  std::vector<ModelAnswers> models{{"a", {by_seed("P1", {"11", "10"})}},
                                   {"b", {by_seed("P1", {"10", "00"})}}};
  PairedComparison made = compared(models);
  BOOST_TEST(near(made.mean_drop.value, 0.5));
  BOOST_TEST(near(made.overall_drop.value, 0.5));
  // Both models know all three facts of the second relation.
  models[0].relations.push_back(by_seed("P2", {"111", "111"}));
  models[1].relations.push_back(by_seed("P2", {"111", "111"}));
  made = compared(models);
  BOOST_TEST(near(made.mean_drop.value, 0.25));
  BOOST_TEST(near(made.overall_drop.value, 1.0 / 5));
  BOOST_TEST(made.mean_drop.method == "bootstrap of relations");
  BOOST_TEST(near(made.mean_drop.low, 0));
  BOOST_TEST(near(made.mean_drop.high, 0.5));
}

BOOST_AUTO_TEST_CASE(of_one_variant_a_drop_is_the_difference) {
  const PairedComparison made = compared(two_models());
  BOOST_TEST(made.mean_drop.value == made.mean_difference.value);
  BOOST_TEST(made.mean_drop.low == made.mean_difference.low);
  BOOST_TEST(made.overall_drop.high == made.overall.difference.high);
}

// Only seed 0 is shared by both models.
BOOST_AUTO_TEST_CASE(variants_of_one_model_alone_do_not_count) {
  const std::vector<ModelAnswers> models{{"a", {by_seed("P1", {"10", "01", "01"})}},
                                         {"b", {by_seed("P1", {"10"})}}};
  BOOST_TEST((compared(models).overall.counts == PairedCounts{1, 0, 0, 1}));
}

BOOST_AUTO_TEST_CASE(a_tie_is_not_known) {
  const std::vector<ModelAnswers> models{{"a", {by_seed("P1", {"21"})}},
                                         {"b", {by_seed("P1", {"11"})}}};
  BOOST_TEST((compared(models).overall.counts == PairedCounts{1, 0, 1, 0}));
}

BOOST_AUTO_TEST_CASE(facts_and_relations_of_one_model_alone_are_left_out) {
  std::vector<ModelAnswers> models{{"a", {by_seed("P1", {"1010"}), by_seed("P2", {"11"})}},
                                   {"b", {by_seed("P3", {"11"}), by_seed("P1", {"011"})}}};
  const PairedComparison made = compared(models);
  BOOST_TEST(made.relations.size() == 1U);
  BOOST_TEST((made.overall.counts == PairedCounts{1, 1, 1, 0}));
}

BOOST_AUTO_TEST_CASE(models_that_share_no_fact_have_no_numbers_and_are_no_test) {
  const std::vector<ModelAnswers> models{{"a", {by_seed("P1", {"11111111"})}},
                                         {"b", {by_seed("P2", {"1"})}},
                                         {"c", {by_seed("P1", {"00000000"})}}};
  const auto made = paired_comparisons(models, ic(50), few);
  BOOST_REQUIRE(made.size() == 3U);
  BOOST_TEST(made[0].relations.empty());
  BOOST_TEST(std::isnan(made[0].overall.p));
  BOOST_TEST(std::isnan(made[0].overall.p_holm));
  BOOST_TEST(!made[0].overall.difference.exists());
  BOOST_TEST(!made[0].mean_difference.exists());
  BOOST_TEST(std::isnan(made[0].mean_accuracy[0]));
  // a against c is the only pair tested.
  BOOST_TEST(near(made[1].overall.p, 2.0 / 256));
  BOOST_TEST(made[1].overall.p_holm == made[1].overall.p);
}

// a and b each know 8 facts that c does not know; a and b do not differ from each other. Holm's
// adjusted values are 3 p, 3 p and 1. They are the same for the means over relations, because there
// is only one relation.
BOOST_AUTO_TEST_CASE(p_is_adjusted_over_all_pairs_and_relations) {
  const std::vector<ModelAnswers> models{{"a", {by_seed("P1", {marks(8, 8)})}},
                                         {"b", {by_seed("P1", {marks(8, 8)})}},
                                         {"c", {by_seed("P1", {marks(0, 8)})}}};
  auto made = paired_comparisons(models, ic(50), few);
  BOOST_TEST(made[0].overall.p_holm == 1.0);
  BOOST_TEST(near(made[1].overall.p_holm, 3 * 2.0 / 256));
  BOOST_TEST(near(made[2].overall.p_holm, 3 * 2.0 / 256));
  BOOST_TEST(near(made[2].relations[0].second.p_holm, 3 * 2.0 / 256));
  auto wider = models;
  for (ModelAnswers& model : wider) model.relations.push_back(by_seed("P2", {"1"}));
  made = paired_comparisons(wider, ic(50), few);
  BOOST_TEST(near(made[1].overall.p_holm, 3 * 2.0 / 256));
  BOOST_TEST(near(made[1].relations[0].second.p_holm, 6 * 2.0 / 256));
  BOOST_TEST(made[1].relations[1].second.p_holm == 1.0);
}

BOOST_AUTO_TEST_CASE(answers_are_compared_as_texts_under_the_first_shared_variant) {
  std::vector<ModelAnswers> models{{"a", {by_seed("P1", {"1111"})}},
                                   {"b", {by_seed("P1", {"1111", "0000"})}}};
  for (std::size_t i = 0; i < 4; ++i) {
    cell(models[0].relations[0], 0, i).option = i;
    cell(models[1].relations[0], 0, i).option = 3 - i;
    cell(models[1].relations[0], 1, i).option = i;
  }
  BOOST_TEST(*compared(models).overall.same_answers == 0U);
  std::ranges::reverse(models[1].relations[0].relation.options);  // the options are now o3 … o0
  for (Fact& fact : models[1].relations[0].relation.facts) fact.answer = 3 - fact.answer;
  const PairedComparison made = compared(models);
  BOOST_TEST(*made.overall.same_answers == 4U);
  BOOST_TEST(made.overall.same_answer() == 1.0);
  Setting spoken = ic(50);
  spoken.by = "generation";
  for (ModelAnswers& model : models) {
    for (Setting& setting : model.relations[0].settings) setting.by = "generation";
  }
  const auto generated = paired_comparisons(models, spoken, few).front();
  BOOST_TEST(!generated.overall.same_answers);
  BOOST_TEST(std::isnan(generated.overall.same_answer()));
}

BOOST_AUTO_TEST_CASE(indistinguishable_models_share_a_rank) {
  const auto pair = [](std::size_t first, std::size_t second, double p_holm) {
    PairedComparison made;
    made.first = first;
    made.second = second;
    made.overall.p_holm = p_holm;
    return made;
  };
  // Model 1 beats models 0 and 2, and model 3 beats only model 2. Model 4 has no accuracy.
  const auto ranks =
      shared_ranks({0.6, 0.9, 0.3, 0.8, no_number},
                   {pair(0, 1, 0.01), pair(0, 2, 0.06), pair(0, 3, 0.2), pair(1, 2, 0.001),
                    pair(1, 3, 0.05), pair(2, 3, 0.049), pair(3, 4, no_number), pair(0, 4, 0.001)});
  BOOST_TEST((ranks == std::vector<std::optional<std::size_t>>{2, 1, 3, 1, std::nullopt}));
  BOOST_TEST((shared_ranks({0.5}, {}) == std::vector<std::optional<std::size_t>>{1}));
}

BOOST_AUTO_TEST_SUITE_END()
