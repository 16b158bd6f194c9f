// SPDX-License-Identifier: Apache-2.0
#pragma once

// The metrics.json of a calibration: every number that any output shows.

#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "plumb/detail/calibrate/calibration_by_model.hpp"
#include "plumb/detail/report/calibration_cells.hpp"
#include "plumb/detail/report/calibration_columns.hpp"
#include "plumb/detail/report/metrics_json.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline Json to_json(const MetricEstimates& metrics) {
  return json_of(metric_numbers(), metrics);
}

inline Json to_json(const RejectionPoint& point) {
  return {{"rejected", point.rejected}, {"accuracy", plumb::detail::to_json(point.accuracy)}};
}

inline Json to_json(const EstimatorResult& made) {
  Json json = {{"failures", made.failures}, {"discrete", made.discrete}};
  json["metrics"] = to_json(made.metrics);
  for (const auto& [name, groups] : {std::pair{"domains", &made.domains},
                                     {"cardinality", &made.cardinality},
                                     {"relations", &made.relations}}) {
    json[name] = Json::object();
    for (const auto& [group, metrics] : *groups) json[name][group] = to_json(metrics);
  }
  for (const auto& [value, metrics] : made.values) json["values"][value] = to_json(metrics);
  json["curve"] = Json::array();
  for (const CurvePoint& point : made.curve) {
    json["curve"].push_back(
        {{"confidence", point.confidence}, {"accuracy", plumb::detail::to_json(point.accuracy)}});
  }
  json["histogram"] = made.histogram;
  json["rejection"] = Json::array();
  for (const RejectionPoint& point : made.rejection) {
    Json entry = {{"threshold", point.threshold}};
    entry.update(to_json(point));
    json["rejection"].push_back(entry);
  }
  json["answered"] = to_json(made.answered);
  return json;
}

inline Json to_json(const ModelCalibration& model, bool masked) {
  Json json = {
      {"dataset", model.dataset},
      {"scoring", model.scoring},
      {"masked", masked},
      {"notes", model.notes},
      {"remarks", model.remarks},
      {"relations", model.relations},
      {"facts", model.facts},
      {"paraphrases", {model.fewest_paraphrases, model.most_paraphrases}},
      {"accuracy", plumb::detail::to_json(model.accuracy)},
      {"accuracy_first_wins", plumb::detail::to_json(model.accuracy_first_wins)},
      {"accuracy_over_paraphrases", plumb::detail::to_json(model.paraphrase_accuracy)},
      {"accuracy_over_paraphrases_first_wins",
       plumb::detail::to_json(model.paraphrase_accuracy_first_wins)},
      {"brier_one_hot", plumb::detail::to_json(model.brier_one_hot)},
      {"brier_one_hot_per_option", plumb::detail::to_json(model.brier_one_hot_per_option)}};
  if (const auto& made = model.static_calibration) {
    json["static_calibration"] = json_of(static_calibration_numbers(), *made);
  }
  put_ties(json, model.ties);
  json["templates"] = Json::array();
  for (const TemplateUse& use : model.templates) {
    constexpr std::array<const char*, 3> kinds{"paraphrase", "verbalized", "numerical"};
    json["templates"].push_back({{"index", use.index},
                                 {"kind", kinds[static_cast<std::size_t>(use.role.kind)]},
                                 {"marker", use.role.marker},
                                 {"relations", use.relations},
                                 {"example", use.example}});
  }
  json["accuracy_over_paraphrases_by_domain"] = Json::object();
  for (const auto& [domain, accuracy] : model.domain_accuracy) {
    json["accuracy_over_paraphrases_by_domain"][domain] = plumb::detail::to_json(accuracy);
  }
  if (!model.column.empty()) {
    json["group_by"] = model.column;
    json["facts_without"] = model.facts_without;
  }
  json["estimators"] = Json::object();
  for (const EstimatorResult& made : model.estimators)
    json["estimators"][made.name] = to_json(made);
  json["marker_effects"] = Json::object();
  for (const MarkerEffect& effect : model.markers) {
    json["marker_effects"][effect.marker] = json_of(marker_numbers(), effect);
  }
  json["reductions"] = Json::object();
  for (const ReductionResult& r : model.reductions) {
    json["reductions"][scoring_label(r.scoring)] = json_of(reduction_numbers(), r);
  }
  json["option_counts"] = Json::array();
  for (const OptionCountPoint& point : model.option_counts) {
    json["option_counts"].push_back({{"options", point.options},
                                     {"mean_confidence", plumb::detail::to_json(point.confidence)},
                                     {"accuracy", plumb::detail::to_json(point.accuracy)},
                                     {"ace", plumb::detail::to_json(point.ace)}});
  }
  json["held_out"] = model.held_out;
  json["recalibration"] = Json::array();
  for (const RecalibrationResult& r : model.recalibration) {
    json["recalibration"].push_back(
        {{"estimator", r.estimator},
         {"map", r.map},
         {"temperature", r.map == "temperature" ? Json(r.temperature) : Json()},
         {"metrics", to_json(r.metrics)}});
  }
  return json;
}

[[nodiscard]] inline Json to_json(const CalibrationResults& results) {
  Json json = metrics_head(results.options.bootstrap);
  json["bins"] = results.options.bins;
  json["models"] = Json::object();
  for (std::size_t i = 0; i < results.models.size(); ++i) {
    json["models"][results.models[i].name] = detail::to_json(results.models[i], results.masked[i]);
  }
  json["ace_accuracy_correlation"] = Json::object();
  for (const auto& [estimator, r] : results.comparison.correlation) {
    json["ace_accuracy_correlation"][estimator] = to_json(r);
  }
  if (results.models.size() > 1) {
    for (const KindMeans& kind : means_by_kind(results.models, results.masked)) {
      Json& means = json["means"][kind.kind] = {{"models", kind.models}};
      for (const MarkerEffect& one : kind.markers) {
        means["marker_effects"][one.marker] = json_of(marker_numbers(), one);
      }
      for (const ReductionResult& one : kind.reductions) {
        means["reductions"][scoring_label(one.scoring)] = json_of(reduction_numbers(), one);
      }
    }
  }
  json["differences"] = Json::array();
  for (const CalibrationDifference& one : results.comparison.differences) {
    json["differences"].push_back(json_of(difference_columns(results.models), one));
  }
  json["remarks"] = results.remarks;
  json["pairs"] = Json::array();
  for (const MatchedModels& pair : results.comparison.pairs) {
    json["pairs"].push_back({{"causal", results.models[pair.causal].name},
                             {"masked", results.models[pair.masked].name},
                             {"domain", pair.domain}});
  }
  return json;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
