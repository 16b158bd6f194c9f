// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are the calibration probe's numbers kept as data?
//
// metrics.json with every number that is shown anywhere, its count and its 95% interval, and a CSV
// file for each plot and table. A number that does not exist is null, or an empty cell.

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "plumb/calibrate/calibration_study.hpp"
#include "plumb/calibrate/model_comparison.hpp"
#include "plumb/report/csv.hpp"
#include "plumb/report/metrics_json.hpp"
#include "plumb/report/text_table.hpp"

namespace plumb {

/// What a calibration report is made of.
struct CalibrationResults {
  std::vector<ModelCalibration> models;
  /// Parallel to the models: which are masked language models.
  std::vector<bool> masked;
  ModelComparison comparison;
  StudyOptions options;
  /// What must be said of all models together.
  std::vector<std::string> remarks{};
};

/// An estimator's name as people write it.
[[nodiscard]] inline std::string estimator_label(const std::string& name) {
  const auto parts = name.find('_');
  std::string label = name.substr(0, parts);
  if (label.empty() || parts == std::string::npos) {
    if (name == "base") return "Base";
    return name == "margin" ? "Margin" : "“" + name + "”";
  }
  label[0] = label[0] == 'a' ? 'A' : 'C';
  const std::string policy = name.substr(parts + 1);
  if (!policy.starts_with("vote")) return label + ", " + policy;
  return label + ", vote ≥ " + policy.substr(4);
}

/// The paper's name of a reduction: "Sum", "Mean (A)" over the answer alone.
[[nodiscard]] inline std::string scoring_label(Scoring scoring) {
  const std::string reduction = scoring.reduction == Reduction::sum ? "Sum" : "Mean";
  return scoring.span == Span::answer ? reduction + " (A)" : reduction;
}

namespace detail {

inline Json to_json(const MetricEstimates& metrics) {
  Json json = Json::object();
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    json[std::string(calibration_metric_names[i])] = plumb::to_json(metrics[i]);
  }
  return json;
}

inline Json to_json(const RejectionPoint& point) {
  return {{"rejected", point.rejected}, {"accuracy", plumb::to_json(point.accuracy)}};
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
  json["curve"] = Json::array();
  for (const CurvePoint& point : made.curve) {
    json["curve"].push_back(
        {{"confidence", point.confidence}, {"accuracy", plumb::to_json(point.accuracy)}});
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
  Json json = {{"dataset", model.dataset},
               {"scoring", model.scoring},
               {"masked", masked},
               {"notes", model.notes},
               {"remarks", model.remarks},
               {"relations", model.relations},
               {"facts", model.facts},
               {"paraphrases", {model.fewest_paraphrases, model.most_paraphrases}},
               {"accuracy", plumb::to_json(model.accuracy)},
               {"accuracy_over_paraphrases", plumb::to_json(model.paraphrase_accuracy)},
               {"brier_one_hot", plumb::to_json(model.brier_one_hot)},
               {"brier_one_hot_per_option", plumb::to_json(model.brier_one_hot_per_option)}};
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
    json["accuracy_over_paraphrases_by_domain"][domain] = plumb::to_json(accuracy);
  }
  json["estimators"] = Json::object();
  for (const EstimatorResult& made : model.estimators)
    json["estimators"][made.name] = to_json(made);
  json["marker_effects"] = Json::object();
  for (const MarkerEffect& effect : model.markers) {
    json["marker_effects"][effect.marker] = {{"accuracy", plumb::to_json(effect.accuracy)},
                                             {"ace", plumb::to_json(effect.ace)},
                                             {"brier", plumb::to_json(effect.brier)}};
  }
  json["reductions"] = Json::object();
  for (const ReductionResult& r : model.reductions) {
    json["reductions"][scoring_label(r.scoring)] = {
        {"accuracy", plumb::to_json(r.accuracy)},
        {"ace", plumb::to_json(r.ace)},
        {"harmonic_mean", plumb::to_json(r.harmonic_mean)}};
  }
  json["option_counts"] = Json::array();
  for (const OptionCountPoint& point : model.option_counts) {
    json["option_counts"].push_back({{"options", point.options},
                                     {"mean_confidence", plumb::to_json(point.confidence)},
                                     {"accuracy", plumb::to_json(point.accuracy)},
                                     {"ace", plumb::to_json(point.ace)}});
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

/// Value, low, high and count as cells; empty ones without a number.
inline std::vector<std::string> estimate_cells(const Estimate& e) {
  if (e.count == 0) return {"", "", "", "0"};
  return {fixed(e.value, 8), fixed(e.low, 8), fixed(e.high, 8), std::to_string(e.count)};
}

/// Rows of cells that end in an estimate.
class EstimateCsv {
 public:
  explicit EstimateCsv(std::vector<std::string> head) {
    head.insert(head.end(), {"value", "low", "high", "count"});
    text_ = csv_line(head);
  }
  void add(std::vector<std::string> cells, const Estimate& estimate) {
    for (std::string& cell : estimate_cells(estimate)) cells.push_back(std::move(cell));
    text_ += csv_line(cells);
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace detail

[[nodiscard]] inline Json to_json(const CalibrationResults& results) {
  Json json = {{"bootstrap",
                {{"seed", results.options.bootstrap.seed},
                 {"resamples", results.options.bootstrap.resamples}}},
               {"interval", 0.95},
               {"bins", results.options.bins}};
  json["models"] = Json::object();
  for (std::size_t i = 0; i < results.models.size(); ++i) {
    json["models"][results.models[i].name] = detail::to_json(results.models[i], results.masked[i]);
  }
  json["ace_accuracy_correlation"] = Json::object();
  for (const auto& [estimator, r] : results.comparison.correlation) {
    json["ace_accuracy_correlation"][estimator] = to_json(r);
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

/// File name and text of each table.
[[nodiscard]] inline std::vector<std::pair<std::string, std::string>> calibration_csv(
    const CalibrationResults& results) {
  detail::EstimateCsv metrics({"model", "estimator", "group", "name", "metric"});
  detail::EstimateCsv curve({"model", "estimator", "confidence"});
  detail::EstimateCsv rejection({"model", "estimator", "threshold", "rejected"});
  detail::EstimateCsv options({"model", "options", "metric"});
  detail::EstimateCsv markers({"model", "marker", "difference_in"});
  detail::EstimateCsv reductions({"model", "reduction", "metric"});
  detail::EstimateCsv recalibration({"model", "estimator", "map", "temperature", "metric"});
  detail::EstimateCsv correlation({"estimator"});
  std::string histogram = csv_line({"model", "estimator", "from", "to", "answers"});
  detail::EstimateCsv pairs({"pair", "model", "kind", "facts_of", "metric"});
  for (const ModelCalibration& model : results.models) {
    metrics.add({model.name, "", "accuracy", "base template", "accuracy"}, model.accuracy);
    metrics.add({model.name, "", "accuracy", "mean over paraphrases", "accuracy"},
                model.paraphrase_accuracy);
    metrics.add({model.name, "base", "overall", "all facts", "brier_one_hot"}, model.brier_one_hot);
    metrics.add({model.name, "base", "overall", "all facts", "brier_one_hot_per_option"},
                model.brier_one_hot_per_option);
    for (const EstimatorResult& made : model.estimators) {
      const auto add = [&](const char* kind, const std::string& name, const MetricEstimates& all) {
        for (std::size_t i = 0; i < all.size(); ++i) {
          metrics.add({model.name, made.name, kind, name, std::string(calibration_metric_names[i])},
                      all[i]);
        }
      };
      add("overall", "all facts", made.metrics);
      for (const auto& [name, group] : made.domains) add("domain", name, group);
      for (const auto& [name, group] : made.cardinality) add("cardinality", name, group);
      for (const auto& [name, group] : made.relations) add("relation", name, group);
      for (const CurvePoint& point : made.curve) {
        curve.add({model.name, made.name, fixed(point.confidence, 8)}, point.accuracy);
      }
      for (const RejectionPoint& point : made.rejection) {
        rejection.add({model.name, made.name, fixed(point.threshold, 1), fixed(point.rejected, 8)},
                      point.accuracy);
      }
      rejection.add({model.name, made.name, "answered", fixed(made.answered.rejected, 8)},
                    made.answered.accuracy);
      const double width = 1 / static_cast<double>(made.histogram.size());
      for (std::size_t b = 0; b < made.histogram.size(); ++b) {
        const double from = static_cast<double>(b) * width;
        histogram += csv_line({model.name, made.name, fixed(from, 4), fixed(from + width, 4),
                               std::to_string(made.histogram[b])});
      }
    }
    for (const OptionCountPoint& point : model.option_counts) {
      const std::string k = std::to_string(point.options);
      options.add({model.name, k, "mean_confidence"}, point.confidence);
      options.add({model.name, k, "accuracy"}, point.accuracy);
      options.add({model.name, k, "ace"}, point.ace);
    }
    for (const MarkerEffect& effect : model.markers) {
      markers.add({model.name, effect.marker, "accuracy"}, effect.accuracy);
      markers.add({model.name, effect.marker, "ace"}, effect.ace);
      markers.add({model.name, effect.marker, "brier"}, effect.brier);
    }
    for (const ReductionResult& r : model.reductions) {
      reductions.add({model.name, scoring_label(r.scoring), "accuracy"}, r.accuracy);
      reductions.add({model.name, scoring_label(r.scoring), "ace"}, r.ace);
      reductions.add({model.name, scoring_label(r.scoring), "harmonic_mean"}, r.harmonic_mean);
    }
    for (const RecalibrationResult& r : model.recalibration) {
      for (std::size_t i = 0; i < r.metrics.size(); ++i) {
        recalibration.add(
            {model.name, r.estimator, r.map, r.map == "temperature" ? fixed(r.temperature, 6) : "",
             std::string(calibration_metric_names[i])},
            r.metrics[i]);
      }
    }
  }
  for (const auto& [estimator, r] : results.comparison.correlation) correlation.add({estimator}, r);
  for (std::size_t p = 0; p < results.comparison.pairs.size(); ++p) {
    const MatchedModels& pair = results.comparison.pairs[p];
    for (const std::size_t i : {pair.causal, pair.masked}) {
      const ModelCalibration& model = results.models[i];
      const auto add = [&](const std::string& facts, const std::string& metric, const Estimate& e) {
        pairs.add({std::to_string(p + 1), model.name, i == pair.masked ? "masked" : "causal", facts,
                   metric},
                  e);
      };
      add("all", "accuracy", model.paraphrase_accuracy);
      if (!pair.domain.empty()) add(pair.domain, "accuracy", model.domain_accuracy.at(pair.domain));
      for (const EstimatorResult& made : model.estimators) {
        if (made.name != "margin" && made.name != "average_min") continue;
        add("all", "brier " + made.name, at(made.metrics, CalibrationMetric::brier));
        for (const auto& [domain, numbers] : made.domains) {
          if (domain == pair.domain) {
            add(domain, "brier " + made.name, at(numbers, CalibrationMetric::brier));
          }
        }
      }
    }
  }
  return {{"calibration.csv", metrics.text()},
          {"calibration_curve.csv", curve.text()},
          {"confidence_histogram.csv", histogram},
          {"rejection.csv", rejection.text()},
          {"option_counts.csv", options.text()},
          {"markers.csv", markers.text()},
          {"reductions.csv", reductions.text()},
          {"recalibration.csv", recalibration.text()},
          {"ace_accuracy_correlation.csv", correlation.text()},
          {"pairs.csv", pairs.text()}};
}

}  // namespace plumb
