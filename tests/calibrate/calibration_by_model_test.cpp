// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/calibrate/calibration_by_model.hpp"

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/random.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(model_comparison)

namespace {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;
using Accuracies = std::map<std::string, double>;

Pairs pairs_of(const std::vector<double>& causal, const std::vector<double>& masked,
               double largest_gap = 0.02) {
  Pairs pairs;
  for (const auto& [c, m] : match_by_accuracy(causal, masked, largest_gap)) {
    pairs.emplace_back(c, m);
  }
  return pairs;
}

/// One model from the paper's Table 3 (accuracy in percent, whether masked) and its ACEs from Table
/// 1: Base, Margin, Average by vote, Average by minimum.
struct Published {
  std::string name;
  bool masked;
  double accuracy;
  std::array<double, 4> ace;
};
const std::vector<Published> published{{"bert-base-cased", true, 18.1, {.454, .295, .298, .218}},
                                       {"bert-large-cased", true, 19.3, {.452, .302, .278, .198}},
                                       {"gemma-2b", false, 50.0, {.113, .053, .068, .032}},
                                       {"gemma-7b", false, 62.4, {.077, .046, .081, .042}},
                                       {"gpt2", false, 12.8, {.295, .157, .158, .100}},
                                       {"gpt2-medium", false, 18.4, {.249, .121, .116, .071}},
                                       {"gpt2-large", false, 21.5, {.236, .104, .101, .070}},
                                       {"gpt2-xl", false, 25.3, {.240, .128, .086, .068}},
                                       {"opt-125m", false, 15.6, {.299, .153, .164, .116}},
                                       {"opt-350m", false, 19.0, {.265, .139, .137, .098}},
                                       {"opt-1.3b", false, 31.0, {.207, .100, .068, .056}},
                                       {"opt-6.7b", false, 42.8, {.154, .069, .029, .024}},
                                       {"roberta-base", true, 16.0, {.482, .321, .268, .165}},
                                       {"roberta-large", true, 21.1, {.441, .291, .228, .144}},
                                       {"xlm-roberta-base", true, 11.2, {.585, .427, .395, .274}},
                                       {"xlm-roberta-large", true, 13.5, {.559, .412, .360, .249}}};

ModelCalibration model(const std::string& name, double accuracy,
                       const std::vector<std::pair<std::string, double>>& ace = {}) {
  ModelCalibration made;
  made.name = name;
  made.paraphrase_accuracy = {accuracy, accuracy, accuracy, 100, "wilson"};
  made.accuracy = {0.5, 0, 1, 100, "wilson"};  // model comparisons do not use this accuracy
  for (const auto& [estimator, value] : ace) {
    EstimatorResult& result = made.estimators.emplace_back();
    result.name = estimator;
    result.metrics[static_cast<std::size_t>(CalibrationMetric::ace)] = {value, value, value, 100,
                                                                        "centred bootstrap"};
  }
  return made;
}

std::pair<std::vector<ModelCalibration>, std::vector<bool>> published_models() {
  std::vector<ModelCalibration> models;
  std::vector<bool> masked;
  for (const Published& row : published) {
    models.push_back(model(row.name, row.accuracy / 100,
                           {{"base", row.ace[0]},
                            {"margin", row.ace[1]},
                            {"average_vote2", row.ace[2]},
                            {"average_min", row.ace[3]}}));
    masked.push_back(row.masked);
  }
  return {models, masked};
}

}  // namespace

// The expected pairs are from Table 2. xlm-roberta-base has no partner left, because gpt2 is nearer
// to xlm-roberta-large.
BOOST_AUTO_TEST_CASE(the_papers_accuracies_give_the_papers_five_pairs) {
  const auto [models, masked] = published_models();
  std::set<std::pair<std::string, std::string>> found;
  for (const MatchedModels& pair : compare_models(models, masked).pairs) {
    found.emplace(models[pair.causal].name, models[pair.masked].name);
    BOOST_TEST(pair.domain.empty());
  }
  const std::set<std::pair<std::string, std::string>> expected{{"opt-125m", "roberta-base"},
                                                               {"gpt2-medium", "bert-base-cased"},
                                                               {"gpt2-large", "roberta-large"},
                                                               {"opt-350m", "bert-large-cased"},
                                                               {"gpt2", "xlm-roberta-large"}};
  BOOST_CHECK(found == expected);
}

// Expected: numpy.corrcoef of the two tables' columns.
BOOST_AUTO_TEST_CASE(the_papers_ace_falls_with_accuracy) {
  const auto [models, masked] = published_models();
  const ModelComparison made = compare_models(models, masked);
  const std::vector<std::pair<std::string, double>> expected{{"base", -0.7665728089990771},
                                                             {"margin", -0.6666090745686836},
                                                             {"average_vote2", -0.6421937851020987},
                                                             {"average_min", -0.6639539991364164}};
  BOOST_REQUIRE(made.correlation.size() == 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    BOOST_TEST(made.correlation[i].first == expected[i].first);
    BOOST_TEST(std::abs(made.correlation[i].second.value - expected[i].second) < 1e-12);
    BOOST_TEST(made.correlation[i].second.count == 16U);
    BOOST_TEST(made.correlation[i].second.high < 0);
  }
}

BOOST_AUTO_TEST_CASE(the_closest_two_come_first_and_each_model_once) {
  BOOST_CHECK(pairs_of({0.10, 0.20}, {0.115, 0.195}) == (Pairs{{1, 1}, {0, 0}}));
  // Causal model 0 is the nearest model to both masked models; it is paired with the nearer of the
  // two.
  BOOST_CHECK(pairs_of({0.100, 0.085}, {0.101, 0.098}) == (Pairs{{0, 0}, {1, 1}}));
  BOOST_CHECK(pairs_of({0.100}, {0.101, 0.098}) == (Pairs{{0, 0}}));
}

// Gaps between multiples of 1/8 are exact in floating point.
BOOST_AUTO_TEST_CASE(a_gap_may_be_as_large_as_the_limit_and_ties_go_to_lower_indices) {
  BOOST_CHECK(pairs_of({0.5}, {0.75}, 0.25) == (Pairs{{0, 0}}));
  BOOST_CHECK(pairs_of({0.5}, {0.75}, 0.249).empty());
  // The default limit is two percentage points.
  const std::vector<double> half{0.5}, near{0.519}, far{0.521};
  BOOST_TEST(match_by_accuracy(half, near).size() == 1U);
  BOOST_TEST(match_by_accuracy(half, far).empty());
  BOOST_CHECK(pairs_of({0.5, 0.25}, {0.375, 0.375}, 1) == (Pairs{{0, 0}, {1, 1}}));
  BOOST_CHECK(pairs_of({0.5}, {0.625, 0.375}, 1) == (Pairs{{0, 0}}));
  BOOST_CHECK(pairs_of({}, {0.5}).empty());
  BOOST_CHECK(pairs_of({0.5}, {}).empty());
}

BOOST_AUTO_TEST_CASE(random_pairs_leave_no_closer_two_unmatched) {
  RandomStream random(8, "accuracies");
  for (int round = 0; round < 50; ++round) {
    std::vector<double> causal(random.below(8)), masked(random.below(8));
    for (double& accuracy : causal) accuracy = static_cast<double>(random.below(50)) / 100;
    for (double& accuracy : masked) accuracy = static_cast<double>(random.below(50)) / 100;
    const Pairs pairs = pairs_of(causal, masked, 0.1);
    const auto gap = [&](std::size_t c, std::size_t m) { return std::abs(causal[c] - masked[m]); };
    std::map<std::size_t, double> by_causal, by_masked;
    double last = 0;
    for (const auto& [c, m] : pairs) {
      BOOST_TEST(gap(c, m) >= last);
      last = gap(c, m);
      BOOST_TEST(last <= 0.1);
      BOOST_TEST(by_causal.emplace(c, last).second);
      BOOST_TEST(by_masked.emplace(m, last).second);
    }
    // For any causal and masked model whose gap is within the limit, at least one of the two has a
    // partner at least as near as the other.
    for (std::size_t c = 0; c < causal.size(); ++c) {
      for (std::size_t m = 0; m < masked.size(); ++m) {
        if (gap(c, m) > 0.1) continue;
        const bool served = (by_causal.contains(c) && by_causal[c] <= gap(c, m)) ||
                            (by_masked.contains(m) && by_masked[m] <= gap(c, m));
        BOOST_TEST(served);
      }
    }
  }
}

// The first two cases are the first and third rows of Table 5, with invented values for the other
// domains.
BOOST_AUTO_TEST_CASE(the_closest_domain_is_one_of_both_with_the_smallest_gap) {
  BOOST_TEST(closest_domain({{"Arts", 0.106}, {"Sports", 0.2}, {"Movies", 0.1}},
                            {{"Arts", 0.104}, {"Sports", 0.21}, {"Geographic", 0.1}}) == "Arts");
  BOOST_TEST(closest_domain({{"Arts", 0.10}, {"Biographical", 0.196}},
                            {{"Arts", 0.12}, {"Biographical", 0.190}}) == "Biographical");
  BOOST_TEST(closest_domain({{"A", 0.5}, {"B", 0.25}, {"C", 0.5}},
                            {{"A", 1.0}, {"B", 0.5}, {"C", 0.75}}) == "B");
  BOOST_TEST(closest_domain({{"A", 0.5}}, {{"B", 0.5}}).empty());
  BOOST_TEST(closest_domain(Accuracies{}, Accuracies{}).empty());
}

BOOST_AUTO_TEST_CASE(pairs_are_reported_with_their_domain) {
  std::vector<ModelCalibration> models{model("m", 0.2), model("c", 0.21), model("far", 0.9)};
  models[0].domain_accuracy = {{"Arts", {0.1, 0, 1, 5, ""}}, {"Sports", {0.5, 0, 1, 5, ""}}};
  models[1].domain_accuracy = {{"Arts", {0.3, 0, 1, 5, ""}}, {"Sports", {0.6, 0, 1, 5, ""}}};
  const ModelComparison made = compare_models(models, {true, false, false});
  BOOST_REQUIRE(made.pairs.size() == 1U);
  BOOST_TEST(made.pairs[0].causal == 1U);
  BOOST_TEST(made.pairs[0].masked == 0U);
  BOOST_TEST(made.pairs[0].domain == "Sports");
}

BOOST_AUTO_TEST_CASE(the_only_two_are_a_pair_whatever_their_gap) {
  const std::vector<ModelCalibration> models{model("m", 0.1), model("c", 0.9), model("d", 0.8)};
  const std::vector<ModelCalibration> two(models.begin(), models.begin() + 2);
  const ModelComparison made = compare_models(two, {true, false});
  BOOST_REQUIRE(made.pairs.size() == 1U);
  BOOST_TEST(made.pairs[0].causal == 1U);
  BOOST_TEST(made.pairs[0].masked == 0U);
  BOOST_TEST(compare_models(models, {true, false, false}).pairs.empty());
  BOOST_TEST(compare_models(two, {false, false}).pairs.empty());
}

// Three models lie on a descending line; a fourth has no value.
BOOST_AUTO_TEST_CASE(a_correlation_needs_three_models_with_the_number) {
  std::vector<ModelCalibration> models{
      model("a", 0.1, {{"base", 0.4}, {"margin", 0.2}, {"average_min", 0.1}}),
      model("b", 0.2, {{"base", 0.3}, {"margin", 0.2}, {"average_min", 0.1}}),
      model("c", 0.3, {{"base", 0.2}, {"margin", 0.2}}),
      model("d", 0.9, {{"base", 0.9}, {"margin", 0.2}, {"possibly", 0.1}})};
  models[3].estimators[0].metrics[static_cast<std::size_t>(CalibrationMetric::ace)].count = 0;
  const ModelComparison made = compare_models(models, {false, false, false, false});
  // Margin is constant, and only two models have average_min, so neither has a correlation or a
  // row.
  BOOST_REQUIRE(made.correlation.size() == 1U);
  BOOST_TEST(made.correlation[0].first == "base");
  BOOST_TEST(made.correlation[0].second.count == 3U);
  BOOST_TEST(std::abs(made.correlation[0].second.value + 1) < 1e-12);
  BOOST_TEST(made.pairs.empty());
  BOOST_TEST(compare_models({}, {}).correlation.empty());
}

BOOST_AUTO_TEST_CASE(estimator_missing_from_the_first_model_is_still_compared) {
  const std::vector<ModelCalibration> models{model("a", 0.4), model("b", 0.1, {{"margin", 0.1}}),
                                             model("c", 0.2, {{"margin", 0.2}}),
                                             model("d", 0.3, {{"margin", 0.3}})};
  const ModelComparison made = compare_models(models, {false, false, false, false});
  BOOST_REQUIRE(made.correlation.size() == 1U);
  BOOST_TEST(made.correlation[0].first == "margin");
  BOOST_TEST(std::abs(made.correlation[0].second.value - 1) < 1e-12);
}

// The draws of ACE range from 0.1 to 0.3. Every draw of the second model is 0.05 higher, so the
// difference is 0.05 in every draw.
BOOST_AUTO_TEST_CASE(models_of_the_same_facts_have_paired_differences) {
  const auto drawn = [](const std::string& name, double rise, std::uint64_t facts) {
    ModelCalibration made = model(name, 0.3, {{"base", 0.2 + rise}});
    made.facts_hash = facts;
    made.estimators[0].ace = {0.2 + rise, {0.1 + rise, 0.2 + rise, 0.3 + rise}, 50};
    made.estimators[0].brier = {0.1, {0.05, 0.1, 0.2}, 50};
    return made;
  };
  const std::vector<ModelCalibration> models{drawn("a", 0, 1), drawn("b", 0.05, 1),
                                             drawn("c", 0, 2)};
  const auto made = calibration_differences(models);
  BOOST_TEST_REQUIRE(made.size() == 1U);  // c has different facts
  BOOST_TEST(made[0].first == 0U);
  BOOST_TEST(made[0].second == 1U);
  BOOST_TEST(made[0].estimator == "base");
  BOOST_TEST(std::abs(made[0].ace.value - 0.05) < 1e-12);
  BOOST_TEST(!made[0].ace.has_interval());  // the difference is the same in every draw
  BOOST_TEST(made[0].brier.value == 0.0);
}

BOOST_AUTO_TEST_CASE(means_count_each_model_once_and_each_kind_apart) {
  const auto marked = [](const std::string& name, double ace, double harmonic) {
    ModelCalibration made = model(name, 0.3);
    const Estimate none{};
    made.markers = {{"possibly", 10, none, {ace, ace, ace, 10, "centred bootstrap"}, none}};
    made.reductions = {{{Reduction::sum, Span::statement},
                        none,
                        none,
                        {harmonic, harmonic, harmonic, 10, "centred bootstrap"}}};
    return made;
  };
  std::vector<ModelCalibration> models{marked("a", 0.1, 0.5), marked("b", 0.3, 0.6),
                                       marked("c", -0.1, 0.1)};
  const std::vector<KindMeans> all = means_by_kind(models, {false, false, true});
  BOOST_TEST_REQUIRE(all.size() == 3U);
  BOOST_TEST(all[0].kind == "all");
  BOOST_TEST(all[0].models == 3U);
  BOOST_TEST(std::abs(all[0].markers[0].ace.value - 0.1) < 1e-12);
  BOOST_TEST(all[0].markers[0].ace.count == 3U);
  BOOST_TEST(!all[0].markers[0].ace.has_interval());
  BOOST_TEST(!all[0].markers[0].accuracy.exists());
  BOOST_TEST(all[1].kind == "causal");
  BOOST_TEST(std::abs(all[1].markers[0].ace.value - 0.2) < 1e-12);
  BOOST_TEST(std::abs(all[1].reductions[0].harmonic_mean.value - 0.55) < 1e-12);
  BOOST_TEST(all[2].kind == "masked");
  BOOST_TEST(all[2].models == 1U);
  models[1].markers.clear();  // a model without the marker is not counted
  BOOST_TEST(std::abs(means_by_kind(models, {false, false, false})[0].markers[0].ace.value) <
             1e-12);
  BOOST_TEST(means_by_kind(models, {false, false, false}).size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
