// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/calibrate/calibration_study.hpp"

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "support/errors.hpp"
#include "support/near.hpp"
#include "support/predictions.hpp"
#include "support/threads.hpp"

using namespace plumb::detail;
using test::near;
using test::random_model;
using test::says;
using enum CalibrationMetric;

BOOST_AUTO_TEST_SUITE(calibration_study)

namespace {

using Names = std::vector<std::string>;

constexpr std::size_t bins = 20;

StudyOptions options_of(Names estimators = {}, std::size_t resamples = 30) {
  return {bins, {.seed = 1, .resamples = resamples}, std::move(estimators)};
}

bool mentions(const Names& remarks, const std::string& words) {
  return std::ranges::any_of(
      remarks, [&](const std::string& remark) { return remark.find(words) != remark.npos; });
}

/// All estimates of a model's calibration.
std::vector<Estimate> numbers_of(const ModelCalibration& m) {
  std::vector<Estimate> all{m.accuracy, m.paraphrase_accuracy, m.brier_one_hot,
                            m.brier_one_hot_per_option};
  const auto add = [&](const MetricEstimates& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  for (const auto& [name, accuracy] : m.domain_accuracy) all.push_back(accuracy);
  for (const EstimatorResult& e : m.estimators) {
    add(e.metrics);
    for (const CurvePoint& point : e.curve) all.push_back(point.accuracy);
    for (const RejectionPoint& point : e.rejection) all.push_back(point.accuracy);
    all.push_back(e.answered.accuracy);
    for (const auto* groups : {&e.domains, &e.cardinality, &e.relations}) {
      for (const auto& [name, metrics] : *groups) add(metrics);
    }
  }
  for (const MarkerEffect& e : m.markers) all.insert(all.end(), {e.accuracy, e.ace, e.brier});
  for (const ReductionResult& r : m.reductions) {
    all.insert(all.end(), {r.accuracy, r.ace, r.harmonic_mean});
  }
  for (const OptionCountPoint& p : m.option_counts) {
    all.insert(all.end(), {p.confidence, p.accuracy, p.ace});
  }
  for (const RecalibrationResult& r : m.recalibration) add(r.metrics);
  return all;
}

bool all_are_numbers(const ModelCalibration& m) {
  return std::ranges::all_of(numbers_of(m), [](const Estimate& e) {
    if (!e.exists()) return e.count == 0 && std::isnan(e.value);
    return std::isfinite(e.value) &&
           (!e.has_interval() || (std::isfinite(e.low) && std::isfinite(e.high)));
  });
}

/// The ACE and Brier score of the given cells, using Base's confidence.
MetricValues base_metrics(const std::vector<Prediction>& cells) {
  std::vector<Judgement> judgements;
  for (const Prediction& cell : cells) judgements.push_back({cell.confidence, cell.correct});
  return SortedJudgements(judgements, bins).metrics();
}

/// The cell at index `place` in each row of the chosen relations.
std::vector<Prediction> column(const std::vector<RelationPredictions>& relations,
                               const std::vector<std::size_t>& chosen, std::size_t place) {
  std::vector<Prediction> cells;
  for (const std::size_t r : chosen) {
    for (std::size_t f = 0; f < relations[r].facts(); ++f) {
      cells.push_back(relations[r].row(f)[place]);
    }
  }
  return cells;
}

const std::vector<std::size_t> all_three{0, 1, 2};

}  // namespace

// Two relations, each with one domain: one has two facts under two paraphrases; the other has one
// fact under three.
BOOST_AUTO_TEST_CASE(accuracies_are_of_the_base_template_and_the_mean_over_paraphrases) {
  ScoredModel model;
  model.predictions.name = "m";
  model.dataset = "BEAR";
  model.notes = {"a note"};
  auto first = test::answered(
      "r", {{0, {{0, 0.5}, {1, 0.5}, {0, 0.5}}}, {1, {{1, 0.5}, {1, 0.5}, {0, 0.5}}}},
      {"possibly"});
  first.base = 1;
  first.relation.domains = {"Arts"};
  for (Prediction& cell : first.cells) cell.one_hot_brier = 0.25;
  first.cells[1].one_hot_brier = 0.5;
  auto second = test::answered("s", {{3, {{3, 0.5}, {3, 0.5}, {0, 0.5}}}});
  second.cells[0].one_hot_brier = 1.5;
  second.relation.domains = {"Sports"};
  model.predictions.relations = {first, second};
  model.base.resize(2);
  model.base[0].scores.assign(10, -1);
  model.base[1].scores.assign(5, -1);
  const ModelCalibration made = calibrate_model(model, options_of({"base"}));
  BOOST_TEST(made.name == "m");
  BOOST_TEST(made.dataset == "BEAR");
  BOOST_TEST(made.notes == Names{"a note"});
  BOOST_TEST(made.relations == 2U);
  BOOST_TEST(made.facts == 3U);
  BOOST_TEST(made.fewest_paraphrases == 2U);
  BOOST_TEST(made.most_paraphrases == 3U);
  BOOST_TEST(near(made.accuracy.value, 2.0 / 3));
  BOOST_TEST(near(made.paraphrase_accuracy.value, (0.5 + 1 + 2.0 / 3) / 3));
  BOOST_TEST(near(made.domain_accuracy.at("Arts").value, 0.75));
  BOOST_TEST(near(made.domain_accuracy.at("Sports").value, 2.0 / 3));
  BOOST_TEST(made.domain_accuracy.at("Arts").count == 2U);
  BOOST_TEST(made.domain_accuracy.at("Sports").count == 1U);
  BOOST_TEST(near(made.brier_one_hot.value, (0.5 + 0.25 + 1.5) / 3));
  BOOST_TEST(near(made.brier_one_hot_per_option.value, (0.5 + 0.25 + 1.5) / 3 / 5));
  BOOST_TEST(near(estimate_of(made.estimators.at(0).metrics, accuracy).value, 2.0 / 3));
}

// A group's numbers use only the judgements of its own facts, whichever relation they are in.
BOOST_AUTO_TEST_CASE(facts_are_grouped_by_a_column) {
  ScoredModel model = random_model({.facts = 30});
  std::vector<Judgement> old;
  for (RelationPredictions& relation : model.predictions.relations) {
    for (std::size_t f = 0; f < relation.facts(); ++f) {
      if (f == 7) continue;  // fact 7 has no value in the column
      relation.relation.facts[f].further.emplace_back("age", f % 3 == 0 ? "old" : "new");
      if (f % 3 == 0) old.push_back(Base{}(FactPredictions{relation, f}));
    }
  }
  StudyOptions options = options_of({"base"});
  options.group_by = "age";
  const ModelCalibration made = calibrate_model(model, options);
  BOOST_TEST(made.column == "age");
  BOOST_TEST(made.facts_without == 3U);
  const auto& values = made.estimators.at(0).values;
  BOOST_TEST_REQUIRE(values.size() == 2U);
  BOOST_TEST(values[0].first == "new");
  BOOST_TEST(values[1].first == "old");
  const MetricValues expected = SortedJudgements(old, bins).metrics();
  BOOST_TEST(near(estimate_of(values[1].second, ace).value, expected[ace]));
  BOOST_TEST(near(estimate_of(values[1].second, brier).value, expected[brier]));
  BOOST_TEST(estimate_of(values[1].second, ace).count == 30U);
  BOOST_TEST(estimate_of(values[1].second, ace).has_interval());
  options.group_by = "size";
  BOOST_CHECK_EXCEPTION((void)calibrate_model(model, options), Error,
                        says(Fault::user, "no fact has a column 'size'"));
}

BOOST_AUTO_TEST_CASE(draws_and_facts_of_a_study_are_kept_for_differences) {
  const ScoredModel model = random_model({.facts = 30});
  ScoredModel other = model;  // the second model has the same facts
  other.predictions.name = "other";
  const ModelCalibration one = calibrate_model(model, options_of({"base"}));
  const ModelCalibration two = calibrate_model(other, options_of({"base"}));
  BOOST_TEST(one.facts_hash == two.facts_hash);
  const EstimatorResult& base = one.estimators.at(0);
  BOOST_TEST(base.ace.draws.size() == 30U);
  BOOST_TEST(base.ace.value == estimate_of(base.metrics, ace).value);
  BOOST_TEST(base.brier.value == estimate_of(base.metrics, brier).value);
  other.predictions.relations[1].relation.facts[3].subject = "somebody else";
  BOOST_TEST(calibrate_model(other, options_of({"base"})).facts_hash != one.facts_hash);
  other = model;
  other.predictions.relations[1].relation.options[0] = "another answer";
  BOOST_TEST(calibrate_model(other, options_of({"base"})).facts_hash != one.facts_hash);
}

BOOST_AUTO_TEST_CASE(every_estimator_is_measured_over_all_facts_and_groups) {
  ScoredModel model = random_model({.facts = 25, .markers = {"certainly"}});
  model.predictions.relations[2].relation.cardinality = Cardinality::one_to_one;
  const auto& relations = model.predictions.relations;
  const ModelCalibration made = calibrate_model(model, options_of());
  const auto all = all_estimators(relations);
  BOOST_REQUIRE(made.estimators.size() == all.size());
  for (std::size_t e = 0; e < all.size(); ++e) {
    const EstimatorResult& result = made.estimators[e];
    const auto judgements = all[e].judge(relations);
    const MetricValues expected = SortedJudgements(judgements, bins).metrics();
    BOOST_TEST(result.name == all[e].name);
    BOOST_TEST(result.discrete == all[e].discrete);
    BOOST_TEST(estimate_of(result.metrics, ace).value == expected[ace]);
    BOOST_TEST(estimate_of(result.metrics, aurc).value == expected[aurc]);
    const auto failures = std::ranges::count_if(judgements, [](auto& j) { return !j.answered; });
    BOOST_TEST(result.failures == static_cast<std::size_t>(failures));
    BOOST_TEST(near(result.answered.rejected, static_cast<double>(failures) / 75));
    BOOST_TEST(result.curve.size() == calibration_curve(judgements, bins).size());
    BOOST_TEST(result.histogram == confidence_histogram(judgements, bins));
    BOOST_TEST(result.rejection.size() == 9U);
    BOOST_TEST(result.relations.size() == 3U);
  }
  // The groups of Base are "All", "Even" (r0 and r2) and "Odd" (r1); r2 is the 1:1 relation.
  const EstimatorResult& base = *made.estimator("base");
  const auto is = [&](const std::pair<std::string, MetricEstimates>& group, const std::string& name,
                      const std::vector<std::size_t>& chosen) {
    const MetricValues expected = base_metrics(column(relations, chosen, 0));
    BOOST_TEST(group.first == name);
    BOOST_TEST(estimate_of(group.second, ace).count == 25 * chosen.size());
    BOOST_TEST(near(estimate_of(group.second, ace).value, expected[ace]));
    BOOST_TEST(near(estimate_of(group.second, brier).value, expected[brier]));
  };
  BOOST_REQUIRE(base.domains.size() == 3U);
  is(base.domains[0], "All", all_three);
  is(base.domains[1], "Even", {0, 2});
  is(base.domains[2], "Odd", {1});
  BOOST_REQUIRE(base.cardinality.size() == 2U);
  is(base.cardinality[0], "1:1", {2});
  is(base.cardinality[1], "N:1", {0, 1});
  is(base.relations[1], "r1", {1});
  // A group that contains everything has the same interval as the whole, because both use the same
  // resamples.
  BOOST_TEST(estimate_of(base.domains[0].second, ace).low == estimate_of(base.metrics, ace).low);
}

BOOST_AUTO_TEST_CASE(a_marker_effect_is_marked_minus_base_on_the_relations_that_have_it) {
  ScoredModel model = random_model({.facts = 30, .markers = {"certainly", "same", "unsure"}});
  auto& relations = model.predictions.relations;
  relations[1].roles[3].marker = "possibly";
  // Only r1 has this marker, and its answers are always certain.
  relations[1].roles[5].marker = "sure";
  for (RelationPredictions& relation : relations) {
    for (std::size_t f = 0; f < relation.facts(); ++f) {
      // The marker "same" does not change the answers.
      relation.cells[f * 6 + 4] = relation.cells[f * 6];
      Prediction& last = relation.cells[f * 6 + 5];
      last.confidence = last.correct ? 1 : 0;
    }
  }
  const ModelCalibration made = calibrate_model(model, options_of());
  BOOST_REQUIRE(made.markers.size() == 5U);
  const auto effect = [&](const std::string& marker) {
    return *std::ranges::find(made.markers, marker, &MarkerEffect::marker);
  };
  const auto is = [&](const std::string& marker, const std::vector<std::size_t>& chosen) {
    const MetricValues with = base_metrics(column(relations, chosen, 3));
    const MetricValues without = base_metrics(column(relations, chosen, 0));
    const MarkerEffect found = effect(marker);
    BOOST_TEST(found.facts == 30 * chosen.size());
    BOOST_TEST(near(found.accuracy.value, with[accuracy] - without[accuracy]));
    BOOST_TEST(near(found.ace.value, with[ace] - without[ace]));
    BOOST_TEST(near(found.brier.value, with[brier] - without[brier]));
    BOOST_TEST(found.brier.low < found.brier.high);
  };
  is("certainly", {0, 2});
  is("possibly", {1});
  // The resamples come from the only relation that has the marker.
  const MetricEstimates& alone = made.estimator("base")->relations[1].second;
  BOOST_TEST(near(effect("sure").brier.value, -estimate_of(alone, brier).value));
  BOOST_TEST(near(effect("sure").brier.low, -estimate_of(alone, brier).high));
  BOOST_TEST(near(effect("sure").brier.high, -estimate_of(alone, brier).low));
  for (const Estimate& e : {effect("same").accuracy, effect("same").ace, effect("same").brier}) {
    BOOST_TEST((e.value == 0 && !e.has_interval() && e.count == 90));
  }
  BOOST_TEST(made.estimator("same") != nullptr);
  BOOST_TEST(made.estimator("certainly") == nullptr);
  BOOST_TEST(mentions(made.remarks, "“certainly” is left out"));
}

// H = 2·A·(1 − ACE) / (A + 1 − ACE), including the cases A = 0 and A = 1 − ACE = 0.
BOOST_AUTO_TEST_CASE(reductions_stand_side_by_side_with_their_harmonic_mean) {
  ScoredModel model = random_model({.facts = 20});
  for (BaseScores& base : model.base) {
    for (Prediction& made : base.reductions[2]) made.correct = false;
    for (Prediction& made : base.reductions[3]) made = {0, false, 1, 1, 0};
  }
  const ModelCalibration made = calibrate_model(model, options_of({"base"}));
  BOOST_REQUIRE(made.reductions.size() == 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    std::vector<Prediction> cells;
    for (const BaseScores& base : model.base) {
      cells.insert(cells.end(), base.reductions[i].begin(), base.reductions[i].end());
    }
    const MetricValues m = base_metrics(cells);
    const double a = m[accuracy];
    const ReductionResult& found = made.reductions[i];
    BOOST_TEST((found.scoring.reduction == all_scorings[i].reduction));
    BOOST_TEST((found.scoring.span == all_scorings[i].span));
    BOOST_TEST(near(found.accuracy.value, a));
    BOOST_TEST(near(found.ace.value, m[ace]));
    const double expected = i == 3 ? 0 : 2 * a * (1 - m[ace]) / (a + (1 - m[ace]));
    BOOST_TEST(near(found.harmonic_mean.value, expected));
    BOOST_TEST(found.harmonic_mean.count == 60U);
  }
  BOOST_TEST(made.reductions[0].harmonic_mean.value > 0.3);
  BOOST_TEST(made.reductions[2].harmonic_mean.value == 0.0);
  BOOST_TEST(made.reductions[3].ace.value == 1.0);
  // The first reduction is the one used for scoring, so its values equal Base's.
  BOOST_TEST(made.reductions[0].ace.low == estimate_of(made.estimator("base")->metrics, ace).low);
}

BOOST_AUTO_TEST_CASE(reductions_missing_from_a_relation_are_excluded_with_a_remark) {
  ScoredModel model = random_model({});
  model.base[1].reductions[3].clear();
  const ModelCalibration some = calibrate_model(model, options_of({"base"}));
  BOOST_TEST(some.reductions.size() == 3U);
  BOOST_TEST(mentions(some.remarks, "Some reductions are left out"));
  for (BaseScores& base : model.base) base.reductions = {};
  const ModelCalibration made = calibrate_model(model, options_of({"base"}));
  BOOST_TEST(made.reductions.empty());
  BOOST_TEST(mentions(made.remarks, "The comparison of reductions is left out"));
}

BOOST_AUTO_TEST_CASE(fewer_facts_than_bins_leave_out_ace_with_a_remark) {
  const ScoredModel model = random_model(
      {.relations = 1, .facts = 19, .options = 19, .markers = {"0%"}, .one_to_one = true});
  const ModelCalibration made = calibrate_model(model, options_of());
  BOOST_TEST(mentions(made.remarks, "19 facts cannot fill 20 bins; set `bins` to 19 or less."));
  for (const EstimatorResult& e : made.estimators) {
    BOOST_TEST(estimate_of(e.metrics, ace).count == 0U);
    BOOST_TEST(estimate_of(e.metrics, brier).count == 19U);
  }
  BOOST_TEST(made.markers.at(0).ace.count == 0U);
  BOOST_TEST(made.markers.at(0).accuracy.count == 19U);
  BOOST_TEST(made.reductions.at(0).harmonic_mean.count == 0U);
  BOOST_TEST(made.option_counts.at(0).ace.count == 0U);
  BOOST_TEST(made.option_counts.at(0).accuracy.count == 19U);
  BOOST_TEST(all_are_numbers(made));
  BOOST_TEST(
      mentions(made.remarks, "10 held-out facts cannot fill 20 bins; set `bins` to 10 or less."));
  const ModelCalibration enough =
      calibrate_model(random_model({.relations = 1, .facts = bins}), options_of({"base"}));
  BOOST_TEST(!mentions(enough.remarks, "Brier split"));
  BOOST_TEST(estimate_of(enough.estimators[0].metrics, ace).count == bins);
}

BOOST_AUTO_TEST_CASE(awkward_results_have_numbers_or_none) {
  std::vector<ScoredModel> awkward;
  awkward.push_back(random_model({.facts = 30, .paraphrases = 1}));  // one paraphrase
  awkward.push_back(random_model({.facts = 30, .options = 1}));      // one option: always certain
  awkward.push_back(random_model({.relations = 1, .facts = 1}));     // one fact
  awkward.push_back(random_model({.facts = 40}));                    // a constant confidence
  for (RelationPredictions& relation : awkward.back().predictions.relations) {
    for (Prediction& cell : relation.cells) cell.confidence = cell.margin = 0.25;
  }
  awkward.push_back(random_model({.facts = 40}));  // never right
  for (RelationPredictions& relation : awkward.back().predictions.relations) {
    for (Prediction& cell : relation.cells) {
      cell.correct = false;
      cell.option = 9;
    }
  }
  awkward.push_back(random_model({.facts = 30}));  // one relation without facts
  awkward.back().predictions.relations.push_back(test::answered("empty", {}));
  awkward.back().predictions.relations.back().paraphrases = 3;
  awkward.back().base.push_back({});
  for (std::size_t i = 0; i < awkward.size(); ++i) {
    const ModelCalibration made = calibrate_model(awkward[i], options_of());
    BOOST_TEST(all_are_numbers(made), "model " << i);
    BOOST_TEST(made.estimator("base") != nullptr);
  }
  const ModelCalibration one = calibrate_model(awkward[0], options_of());
  BOOST_TEST(one.estimators.size() == 2U);
  BOOST_TEST(mentions(one.remarks, "at least two paraphrases"));
  const ModelCalibration constant = calibrate_model(awkward[3], options_of());
  BOOST_TEST(estimate_of(constant.estimator("base")->metrics, auroc).value == 0.5);
  BOOST_TEST(constant.estimator("base")->curve.size() == 1U);
}

BOOST_AUTO_TEST_CASE(recalibration_is_that_of_the_estimators_asked_for_with_its_remarks) {
  const ScoredModel model = random_model({.facts = 13});
  const auto& relations = model.predictions.relations;
  const StudyOptions options = options_of({"margin"});
  const ModelCalibration made = calibrate_model(model, options);
  const auto expected =
      recalibrate_held_out(model, strata_of(relations), {named(Margin{})}, bins, options.bootstrap);
  BOOST_TEST(made.held_out == 3 * 7U);
  BOOST_TEST(made.held_out == expected.facts);
  BOOST_REQUIRE(made.recalibration.size() == 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    BOOST_TEST(made.recalibration[i].estimator == "margin");
    BOOST_TEST(made.recalibration[i].map == expected.results[i].map);
    BOOST_TEST(estimate_of(made.recalibration[i].metrics, ace).value ==
               estimate_of(expected.results[i].metrics, ace).value);
    BOOST_TEST(estimate_of(made.recalibration[i].metrics, brier).low ==
               estimate_of(expected.results[i].metrics, brier).low);
  }
  const ModelCalibration none = calibrate_model(random_model({.facts = 1}), options);
  BOOST_TEST(none.recalibration.empty());
  BOOST_TEST(none.held_out == 3U);
  BOOST_TEST(mentions(none.remarks, "Recalibration is left out"));
}

BOOST_AUTO_TEST_CASE(templates_are_reported_with_their_roles) {
  ScoredModel model = random_model({.paraphrases = 2, .markers = {"certainly"}});
  for (RelationPredictions& relation : model.predictions.relations) {
    relation.relation.templates = {relation.relation.code + " zero", "one"};
  }
  model.predictions.relations[2].roles[2].marker = "possibly";
  model.base[1].unlisted = {7};
  model.base[2].unlisted = {7, 9};
  model.reduction = "mean";
  model.span = "answer";
  const ModelCalibration made = calibrate_model(model, options_of({"base"}));
  BOOST_TEST(made.scoring == "mean over the answer");
  BOOST_REQUIRE(made.templates.size() == 4U);
  const std::size_t indices[] = {0, 1, 2, 2};
  const std::size_t uses[] = {3, 3, 2, 1};
  const Names markers{"", "", "certainly", "possibly"};
  const Names examples{"r0 zero", "one", "", ""};
  for (std::size_t t = 0; t < 4; ++t) {
    BOOST_TEST(made.templates[t].index == indices[t]);
    BOOST_TEST(made.templates[t].relations == uses[t]);
    BOOST_TEST(made.templates[t].role.marker == markers[t]);
    BOOST_TEST(made.templates[t].example == examples[t]);
  }
  BOOST_TEST(
      mentions(made.remarks, "Template 7 is left out: no list of template kinds contains it."));
  BOOST_TEST(std::ranges::count(made.remarks,
                                "Template 7 is left out: no list of template kinds contains it.") ==
             1);
  BOOST_TEST(mentions(made.remarks, "Template 9 is left out"));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_studied_is_an_error) {
  ScoredModel empty;
  empty.predictions.name = "gpt2";
  BOOST_CHECK_EXCEPTION(calibrate_model(empty), Error,
                        says(Fault::user, "gpt2: contains no scored fact"));
  const ScoredModel one = random_model({.paraphrases = 1});
  BOOST_CHECK_EXCEPTION(calibrate_model(one, options_of({"average_min"})), Error,
                        says(Fault::user, "r0: average_min needs at least two paraphrases"));
  BOOST_CHECK_EXCEPTION(calibrate_model(one, options_of({"possibly"})), Error,
                        says(Fault::user, "`estimators`: 'possibly' is not an estimator"));
}

BOOST_AUTO_TEST_CASE(the_number_of_threads_changes_no_number) {
  const ScoredModel model =
      random_model({.facts = 25, .options = 25, .markers = {"certainly"}, .one_to_one = true});
  std::vector<std::vector<Estimate>> made;
  for (const int threads : {1, 2}) {
    const test::Threads scope(threads);
    made.push_back(numbers_of(calibrate_model(model, options_of({}, 60))));
  }
  BOOST_REQUIRE(made[0].size() == made[1].size());
  for (std::size_t i = 0; i < made[0].size(); ++i) {
    const std::array<double, 3> one{made[0][i].value, made[0][i].low, made[0][i].high};
    const std::array<double, 3> two{made[1][i].value, made[1][i].low, made[1][i].high};
    BOOST_TEST(std::memcmp(one.data(), two.data(), sizeof one) == 0);
  }
}

// Three relations have 25 facts each. The five options of a fact have equal scores under three
// paraphrases and a marker. A guess is therefore right in 1/5 of cases, no fact is known, and every
// confidence under one template is 1/5.
BOOST_AUTO_TEST_CASE(equal_scores_for_all_options_are_a_guess_and_never_right) {
  ScoredModel model = random_model({.facts = 25, .markers = {"certainly"}, .one_to_one = false});
  const std::vector<double> level(5, -12.5);
  double first = 0;
  for (std::size_t r = 0; r < 3; ++r) {
    RelationPredictions& relation = model.predictions.relations[r];
    for (std::size_t f = 0; f < 25; ++f) {
      const std::size_t answer = relation.relation.facts[f].answer;
      for (std::size_t t = 0; t < 4; ++t) relation.cells[f * 4 + t] = predict(level, answer);
      for (auto& reduction : model.base[r].reductions) reduction[f] = predict(level, answer);
      first += answer == 0 ? 1 : 0;
    }
    model.base[r].scores.assign(25 * 5, -12.5);
  }
  const ModelCalibration made = calibrate_model(model, options_of());
  BOOST_TEST(near(made.accuracy.value, 0.2));
  BOOST_TEST(near(made.paraphrase_accuracy.value, 0.2));
  BOOST_TEST(near(made.domain_accuracy.at("All").value, 0.2));
  BOOST_TEST(near(made.accuracy_first_wins.value, first / 75));
  BOOST_TEST(near(made.paraphrase_accuracy_first_wins.value, first / 75));
  BOOST_CHECK((made.ties == TieCount{300, 300}));
  BOOST_TEST(mentions(made.remarks, "Warning: 300 of 300 answers (100.0%) are ties"));
  for (const EstimatorResult& one : made.estimators) {
    BOOST_TEST(estimate_of(one.metrics, accuracy).value == 0.0, one.name);
    const bool several = one.name.find('_') != std::string::npos;
    BOOST_TEST(one.failures == (several ? 75U : 0U), one.name);
    const double sure = several || one.name == "margin" ? 0 : 0.2;
    BOOST_TEST(near(estimate_of(one.metrics, mean_confidence).value, sure), one.name);
    BOOST_TEST(near(estimate_of(one.metrics, ace).value, sure), one.name);
  }
  for (const ReductionResult& one : made.reductions) BOOST_TEST(one.accuracy.value == 0.0);
  for (const MarkerEffect& one : made.markers) BOOST_TEST(one.accuracy.value == 0.0);
}

BOOST_AUTO_TEST_CASE(without_ties_accuracy_is_the_base_estimators_and_the_first_wins_the_same) {
  const ModelCalibration made = calibrate_model(random_model({.facts = 25}), options_of({"base"}));
  const Estimate& base = estimate_of(made.estimators.at(0).metrics, accuracy);
  for (const Estimate& one : {made.accuracy_first_wins, base}) {
    BOOST_TEST(made.accuracy.value == one.value);
    BOOST_TEST(made.accuracy.low == one.low);
    BOOST_TEST(made.accuracy.high == one.high);
    BOOST_TEST(made.accuracy.method == one.method);
  }
  BOOST_TEST(made.paraphrase_accuracy.value == made.paraphrase_accuracy_first_wins.value);
  BOOST_CHECK((made.ties == TieCount{0, 3 * 25 * 3}));
  BOOST_TEST(!mentions(made.remarks, "ties"));
}

BOOST_AUTO_TEST_SUITE_END()
