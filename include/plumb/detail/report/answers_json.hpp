// SPDX-License-Identifier: Apache-2.0
#pragma once

// The metrics of answers held in memory, as JSON for other programs and languages.

#include <cstddef>
#include <string>
#include <vector>

#include "plumb/detail/aggregate/answer_comparison.hpp"
#include "plumb/detail/aggregate/answer_predictions.hpp"
#include "plumb/detail/calibrate/estimators.hpp"
#include "plumb/detail/report/calibration_columns.hpp"
#include "plumb/detail/report/metrics_json.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

[[nodiscard]] inline Json to_json(const AnswerComparison::Question& question) {
  return {
      {"relation", question.relation}, {"subject", question.subject}, {"asked", question.asked}};
}

[[nodiscard]] inline Json to_json(const std::vector<AnswerComparison::Flip>& flips) {
  Json list = Json::array();
  for (const AnswerComparison::Flip& flip : flips) {
    Json& row = list.emplace_back(to_json(flip.question));
    row["first"] = flip.first;
    row["second"] = flip.second;
    row["first_is_right"] = flip.first_is_right;
    row["second_is_right"] = flip.second_is_right;
  }
  return list;
}

/// The keys are the names of the members; `worst_at` is null if the two sets of answers never
/// differ.
[[nodiscard]] inline Json to_json(const AnswerComparison& made) {
  Json json = {{"facts", made.facts},
               {"statements", made.statements},
               {"worst_nats", made.worst_nats},
               {"mean_nats", made.mean_nats},
               {"worst_at", nullptr},
               {"flips", to_json(made.flips)},
               {"lost", to_json(made.lost)},
               {"gained", to_json(made.gained)},
               {"accuracy_first", to_json(made.accuracy.one)},
               {"accuracy_second", to_json(made.accuracy.other)},
               {"difference", to_json(made.accuracy.difference)},
               {"facts_of_one", made.facts_of_one},
               {"templates_of_one", made.templates_of_one}};
  if (const auto& worst = made.worst_at) {
    Json& at = json["worst_at"] = to_json(worst->question);
    at["candidate"] = worst->candidate;
    at["first"] = worst->first;
    at["second"] = worst->second;
  }
  return json;
}

/// The calibration of estimators: `estimators.NAME` contains `metrics`, and `confidence` and
/// `correct` for each fact, relation by relation. If no estimator is specified, all estimators that
/// the answers allow are used. Throws the same errors as `chosen_estimators` and `predictions_of`.
[[nodiscard]] inline Json calibration_json(const Answers& answers,
                                           const std::vector<std::string>& estimators,
                                           std::size_t bins, std::size_t base_template,
                                           const Bootstrap& bootstrap) {
  const ModelPredictions made =
      predictions_of(answers, {.kinds = {.base = base_template}, .keep_scores = true});
  std::vector<std::string> remarks = answers.remarks;
  const Resamples resamples(strata_of(made.relations), bootstrap, "bootstrap/calibrate");
  Json json = {{"bins", bins}, {"estimators", Json::object()}};
  for (const NamedEstimator& one : chosen_estimators(made.relations, estimators, remarks)) {
    const std::vector<Judgement> judged = one.judge(made.relations);
    Json& entry = json["estimators"][one.name];
    entry["metrics"] =
        json_of(metric_numbers(), estimates_of(calibration_of(judged, bins, resamples)));
    entry["confidence"] = entry["correct"] = Json::array();
    for (const Judgement& judgement : judged) {
      entry["confidence"].push_back(judgement.confidence);
      entry["correct"].push_back(judgement.correct);
    }
  }
  json["remarks"] = remarks;
  return json;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
