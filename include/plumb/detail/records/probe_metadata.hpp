// SPDX-License-Identifier: Apache-2.0
#pragma once

// metadata_results.json: the metadata of a closed-set run's relations.
//
// By relation: templates, answer space, reduction and relation_info, as lm-pub-quiz writes them.
// plumb adds plumb_version, span, answer_space_ids, template_weights, and the numbers of facts and
// statements that the vocabulary cannot spell. Also reads lm-pub-quiz's own folders. Source:
// lm-pub-quiz 0.3.3, data/results.py.

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/version.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/records/result_lines.hpp"
#include "plumb/detail/records/result_sums.hpp"
#include "plumb/detail/records/results_kind.hpp"
#include "plumb/detail/score/statement_score.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A relation's entry in metadata_results.json; `relation.facts` stays empty.
struct RecordedRelation {
  /// If the metadata lacks the cardinality, as in older lm-pub-quiz folders, it is determined from
  /// the facts.
  Relation relation;
  /// How pll_scores was computed: the reduction and the span.
  std::string reduction;
  std::string span;
  /// The names of the model and the dataset; empty if the metadata has none.
  std::string model;
  std::string dataset;
  /// How a masked model was scored; empty for a causal model and in folders that do not specify it.
  std::string pll_metric{};
  /// The number of facts whose right answer the model's vocabulary cannot spell, and the number of
  /// statements whose candidate it cannot spell.
  std::size_t unknown_facts = 0, unknown_statements = 0;
  /// The number of facts without rows, because the engine did not report the log-probabilities of
  /// all their candidates' tokens.
  std::size_t unreported_facts = 0;
  DiskPath rows;
  /// The template index of rows that do not specify a template.
  std::size_t default_template = 0;
  /// The number of facts that plumb wrote, not counting facts without rows. It is 0 if another tool
  /// wrote the folder, because that tool's count has a different meaning.
  std::size_t facts = 0;
};

/// The data shared by all relations of a run.
struct RecordedRun {
  std::string model;
  std::string dataset;
  Scoring scoring;
  bool bos = true;
  /// lm-pub-quiz's name for the rule used to score a masked model; empty for a causal model.
  std::string pll_metric{};
  /// The number of facts whose right answer the model's vocabulary cannot spell, and the number of
  /// statements whose candidate it cannot spell.
  std::size_t unknown_facts = 0, unknown_statements = 0;
  /// The number of facts without rows, because the engine did not report the log-probabilities of
  /// all their tokens.
  std::size_t unreported_facts = 0;
};

/// A relation's entry in metadata_results.json. It contains no timestamps, so that results can be
/// compared byte by byte.
[[nodiscard]] inline Json recorded_metadata(const Relation& relation,
                                            const std::vector<std::size_t>& templates,
                                            const RecordedRun& run) {
  Json info = {{"cardinality", is_one_to_one(relation) ? "single instance per answer"
                                                       : "multiple instances per answer"}};
  if (!relation.domains.empty()) info["domains"] = relation.domains;
  if (!relation.note.empty()) info["note"] = relation.note;
  Json entry = {
      {"metric_values", Json::object()},
      {"templates", relation.templates},
      {"template_index", templates.size() == 1 ? Json(templates.front()) : Json(templates)},
      {"model_name_or_path", run.model},
      {"num_original_instances", relation.facts.size()},
      {"subsampled", nullptr},
      {"ensure_bos_token_added", run.bos},
      {"plumb_version", PLUMB_VERSION},
      {"reduction", name_of(run.scoring.reduction)},
      {"span", name_of(run.scoring.span)},
      {"dataset_name", run.dataset},
      {"answer_space_labels", relation.options},
      {"answer_space_ids", relation.option_ids},
      {"relation_info", info}};
  if (!relation.template_weights.empty()) entry["template_weights"] = relation.template_weights;
  if (!run.pll_metric.empty()) entry["pll_metric"] = run.pll_metric;
  if (run.unknown_statements > 0) {
    entry["unknown_facts"] = run.unknown_facts;
    entry["unknown_statements"] = run.unknown_statements;
  }
  if (run.unreported_facts > 0) entry["unreported_facts"] = run.unreported_facts;
  return entry;
}

/// The number of facts, across all relations, that were omitted because the engine did not report
/// the log-probabilities of all their tokens.
[[nodiscard]] inline std::size_t unreported_facts(const std::vector<RecordedRelation>& relations) {
  std::size_t facts = 0;
  for (const RecordedRelation& recorded : relations) facts += recorded.unreported_facts;
  return facts;
}

/// Throws a user error if `word` is not the name of an enumerator.
template <class E>
void refuse_unknown(E, const std::string& word, const Site& site) {
  for (const E one : every(E())) {
    if (name_of(one) == word) return;
  }
  throw user_error(site, "'" + word + "' is not a value that plumb writes",
                   "the file was changed; restore it, or probe again");
}

/// The relations of a results folder, in the order of its metadata. Throws a user error if the
/// folder is not a results folder.
[[nodiscard]] inline std::vector<RecordedRelation> recorded_relations(const DiskPath& folder) {
  const auto file = folder / metadata_name(ResultsKind::closed_set);
  if (!is_there(file)) {
    if (!folder.is_folder()) {
      throw user_error({.file = folder}, "is not a folder",
                       "specify a run folder or an lm-pub-quiz results folder");
    }
    if (is_generation(folder)) {
      throw user_error({.file = folder},
                       "is a run of plumb generate, whose answers do not come from a closed set",
                       "see their calibration on the run's page, or use a run of plumb probe");
    }
    if (const auto other = results_kind(folder)) {
      throw user_error({.file = folder},
                       std::string("is a run of plumb ") + metadata_of(*other).command +
                           ", but a closed-set run is needed",
                       "specify a run of plumb probe, or lm-pub-quiz results");
    }
  }
  std::vector<RecordedRelation> relations;
  const Json metadata = read_metadata(folder, ResultsKind::closed_set);
  if (metadata.empty()) {
    throw user_error({.file = file}, "names no relation",
                     "the file was changed; restore it, or probe again");
  }
  for (const auto& item : metadata.items()) {
    const std::string& code = item.key();
    const Json& entry = item.value();
    refuse_as_file_name(code, file);
    RecordedRelation recorded;
    recorded.relation.code = code;
    const auto options = string_list(entry, "answer_space_labels");
    const auto templates = string_list(entry, "templates");
    if (!options || !templates) {
      throw user_error({file, 0, code}, "lacks answer_space_labels or templates",
                       "it is not a results folder of plumb or lm-pub-quiz 0.3");
    }
    recorded.relation.options = *options;
    recorded.relation.option_ids = string_list(entry, "answer_space_ids").value_or(*options);
    recorded.relation.templates = *templates;
    if (const auto info = entry.find("relation_info"); info != entry.end() && info->is_object()) {
      recorded.relation.domains =
          string_list(*info, "domains").value_or(std::vector<std::string>{});
      const std::string cardinality = first_string(*info, "cardinality").value_or("");
      if (!cardinality.empty()) {
        const bool single = cardinality == "single instance per answer";
        recorded.relation.cardinality = single ? Cardinality::one_to_one : Cardinality::many_to_one;
      }
      recorded.relation.note = first_string(*info, "note").value_or("");
    }
    if (const auto index = entry.find("template_index");
        index != entry.end() && index->is_number_unsigned()) {
      recorded.default_template = index->get<std::size_t>();
    }
    if (entry.contains("plumb_version")) {
      const Json facts = entry.value("num_original_instances", Json());
      if (!facts.is_number_unsigned()) {
        throw user_error({file, 0, code + ".num_original_instances"}, "is not a count",
                         "the file was changed; probe again");
      }
      recorded.facts = facts.get<std::size_t>();
    }
    recorded.reduction = first_string(entry, "reduction").value_or("");
    recorded.span = first_string(entry, "span").value_or("statement");
    if (entry.contains("plumb_version")) {
      detail::refuse_unknown(Reduction(), recorded.reduction, {file, 0, code + ".reduction"});
      detail::refuse_unknown(Span(), recorded.span, {file, 0, code + ".span"});
    }
    recorded.model = first_string(entry, "model_name_or_path").value_or("");
    recorded.dataset = first_string(entry, "dataset_name").value_or("");
    recorded.pll_metric = first_string(entry, "pll_metric").value_or("");
    if (const auto weights = entry.find("template_weights"); weights != entry.end()) {
      for (const Json& weight : *weights) {
        if (!weight.is_number() || !(weight.get<double>() >= 0)) {
          throw user_error({file, 0, code + ".template_weights"}, "is not a list of weights",
                           "the file was changed; probe again");
        }
        recorded.relation.template_weights.push_back(weight.get<double>());
      }
    }
    const auto count = [&](const char* field) {
      const Json stated = entry.value(field, Json());
      return stated.is_number_unsigned() ? stated.get<std::size_t>() : 0;
    };
    recorded.unknown_facts = count("unknown_facts");
    recorded.unknown_statements = count("unknown_statements");
    recorded.unreported_facts = count("unreported_facts");
    recorded.facts -= (std::min)(recorded.facts, recorded.unreported_facts);
    recorded.rows = folder / (code + "_results.jsonl");
    relations.push_back(std::move(recorded));
  }
  return relations;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
