// SPDX-License-Identifier: Apache-2.0
#pragma once

// The results for many prompts in metrics.json.
//
// Contains every number that appears in any output, with its count and, where there is one, its
// interval. Numbers for individual templates and answers are only in CSV files
// (many_prompt_csv.hpp); the page shows the best, the worst and the first of them.

#include <cstddef>
#include <optional>
#include <string>

#include "plumb/detail/calibrate/many_prompt_results.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/report/comparison_columns.hpp"
#include "plumb/detail/report/many_prompt_columns.hpp"
#include "plumb/detail/report/many_prompt_names.hpp"
#include "plumb/detail/report/metrics_json.hpp"
#include "plumb/detail/report/paired_columns.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline Json diversity_json(const PromptDiversity& made) {
  return json_of(diversity_columns(), made);
}

inline Json coverage_points(const ManyPromptResult& way) {
  Json points = Json::array();
  for (const CoveragePoint& point : way.curve) {
    points.push_back({{"prompts", point.prompts},
                      {"share", to_json(point.share)},
                      {"facts_with_fewer", point.fewer}});
  }
  return points;
}

/// If there are no facts, contains only counts; if there are no samplings, only counts and the
/// closed forms.
inline Json samplings_json(const SampledAccuracy& made) {
  Json json = {{"facts", made.facts},
               {"facts_without_prompt", made.without_prompt},
               {"pairs_without_prompt", made.gaps},
               {"samplings", made.right.size()}};
  if (made.facts == 0) return json;
  json["closed_form"] = {{"mean", made.exact_mean}, {"sd", made.exact_sd}};
  if (made.right.empty()) return json;
  json["mean"] = made.mean;
  json["sd"] = number_or_null(made.sd);
  json["lowest"] = made.low();
  json["highest"] = made.high();
  json["range"] = made.range();
  json["percentile_2_5"] = made.quantile(0.025);
  json["percentile_97_5"] = made.quantile(0.975);
  for (const AccuracyBar& bar : made.histogram(sampling_bars)) {
    json["histogram"].push_back({{"from", bar.from}, {"to", bar.to}, {"samplings", bar.samplings}});
  }
  return json;
}

inline Json overconfidence_json(const Overconfidence& made) {
  return json_of(overconfidence_columns(), made);
}

/// The bins of the diagram, most confident first.
inline Json bins_json(const Overconfidence& made) {
  Json bins = Json::array();
  for (const ConfidenceBin& bin : made.diagram) {
    bins.push_back({{"prompts", bin.prompts},
                    {"lowest", bin.lowest},
                    {"highest", bin.highest},
                    {"mean_confidence", bin.mean_confidence},
                    {"accuracy", to_json(bin.accuracy)}});
  }
  return bins;
}

inline Json by_length_json(const OverconfidenceByLength& made) {
  Json json = {{"tokens", Json::object()},
               {"longer", made.longer},
               {"empty", made.empty},
               {"share_within", number_or_null(share_of_short(made))}};
  for (std::size_t i = 0; i < made.lengths.size(); ++i) {
    json["tokens"][std::to_string(i + 1)] = overconfidence_json(made.lengths[i]);
  }
  return json;
}

inline Json paired_json(const PairedAccuracy& made, const char* one, const char* other) {
  return {{one, to_json(made.one)},
          {other, to_json(made.other)},
          {"difference", to_json(made.difference)}};
}

inline Json bias_json(const ManyPromptResults& made, const PromptedRelation& relation) {
  const RelationBias& bias = *relation.bias;
  Json json = json_of(relation_bias_columns(), bias);
  const auto put = [&](const char* name, const CandidateBias& one) {
    if (!one.favoured) return;
    const FavouredCandidate& most = *one.favoured;
    json[name] = {{"candidate", candidate_label(made, relation.code, most.candidate)},
                  {"mean_probability", most.mean_probability},
                  {"template", template_text(relation, most.template_index)},
                  {"probability", most.probability}};
  };
  put("favoured", bias);
  put("favoured_per_token", bias.per_token);
  return json;
}

inline Json relation_json(const ManyPromptResults& made, const PromptedRelation& relation) {
  Json json = json_of(prompted_relation_columns(), relation);
  const auto place = [&](std::size_t i) {
    const TemplateAccuracy& one = relation.templates[i];
    return Json{{"text", template_text(relation, i)},
                {"accuracy", to_json(one.accuracy)},
                {"with_best_expression", to_json(one.with_best_expression)}};
  };
  if (const auto found = template_extremes(relation.templates, &TemplateAccuracy::accuracy)) {
    json["best_template"] = place(found->best);
    json["worst_template"] = place(found->worst);
  }
  if (relation.bias) json["bias"] = bias_json(made, relation);
  return json;
}

/// The ranks of the true token, keyed by vocabulary.
inline Json token_ranks_json(const ManyPromptResult& way) {
  ManyPromptResults one;
  one.ways.push_back(way);
  Json json = Json::object();
  for (const WayRanks& row : way_ranks(one)) {
    json[row.vocabulary] = json_of(token_rank_columns(), row);
  }
  return json;
}

inline Json way_json(const ManyPromptResults& made, const ManyPromptResult& way) {
  Json json = json_of(way_columns(made), way);
  json["generated"] = way.is(AnswerKind::text);
  json["coverage"]["by_prompts"] = coverage_points(way);
  json["samplings"] = {{"by_fact", samplings_json(way.by_fact)},
                       {"by_relation", samplings_json(way.by_relation)}};
  if (way.is(AnswerKind::fill)) {
    json["filled"] = true;
    json["true_token_ranks"] = token_ranks_json(way);
  }
  if (way.overconfidence) {
    json["overconfidence"]["samples_of_a_prompt"] = way.samples;
    json["overconfidence"]["bins"] = bins_json(*way.overconfidence);
  }
  if (way.by_length) json["overconfidence_by_length"] = by_length_json(*way.by_length);
  json["relations"] = Json::object();
  for (const PromptedRelation& relation : way.relations) {
    json["relations"][relation.code] = relation_json(made, relation);
  }
  return json;
}

inline Json sharing_json(const Subsumption& made) {
  return json_of(subsumption_columns("not_shared", "templates"), made);
}

/// The contents of metrics.json. Settings are keyed by name; sharing is a list of ordered pairs.
[[nodiscard]] inline Json to_json(const ManyPromptResults& made) {
  Json json = {{"prompts", detail::diversity_json(made.diversity)},
               {"settings", Json::object()},
               {"sharing", Json::array()},
               {"forms", Json::array()}};
  for (const ManyPromptResult& way : made.ways) {
    json["settings"][way.name] = detail::way_json(made, way);
  }
  if (!made.paired.empty()) {
    json["paired_tests"] = Json::array();
    for (const PairedComparison& pair : made.paired) {
      Json one = {{"models", {made.ways[pair.first].name, made.ways[pair.second].name}}};
      one.update(json_of(paired_comparison_columns(), pair));
      json["paired_tests"].push_back(std::move(one));
    }
  }
  for (std::size_t l = 0; l < made.sharing.size(); ++l) {
    for (std::size_t t = 0; t < made.sharing[l].size(); ++t) {
      if (l == t) continue;
      json["sharing"].push_back(
          {{"left", made.ways[l].name},
           {"top", made.ways[t].name},
           {"by_template", detail::sharing_json(made.sharing[l][t].by_template)},
           {"oracle", detail::sharing_json(made.sharing[l][t].oracle)}});
    }
  }
  for (const FormPair& pair : made.forms) {
    Json one = {{"mask", pair.mask}, {"question", pair.question}};
    one["accuracy"] = detail::paired_json(pair.accuracy.accuracy, "mask", "question");
    const UnsharedPrompts& unshared = pair.accuracy.unshared;
    one["not_shared"] = {{"relations", unshared.relations},
                         {"templates", unshared.templates},
                         {"facts", unshared.facts},
                         {"prompts", unshared.prompts}};
    json["forms"].push_back(one);
  }
  return json;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
