// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are scores kept in files that lm-pub-quiz opens as its own?
//
//   metadata_results.json     by relation: templates, answer space, reduction, relation_info
//   <relation>_results.jsonl  a row for each fact and template: sub_id, sub_label, sub_aliases,
//                             answer_idx, template_index, instance_index, pll_scores, and beyond
//                             lm-pub-quiz token_counts, answer_scores, answer_token_counts,
//                             continuation_scores, continuation_token_counts, and choices where a
//                             fact has its own texts for the options
// pll_scores is the number the run was asked for (its reduction over its span); when that is not over
// the statement, statement_scores keeps the sum over it. Scores carry ten decimals. Also reads
// lm-pub-quiz's own folders, whose rows may lack all but answer_idx and pll_scores. Source:
// lm-pub-quiz 0.3.3, data/results.py.

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "plumb/core/disk_path.hpp"
#include "plumb/core/number_words.hpp"
#include "plumb/core/version.hpp"
#include "plumb/data/json_file.hpp"
#include "plumb/score/statement_score.hpp"

namespace plumb {

/// One row: a fact under one template. `scores` and each non-empty further column run parallel to
/// the relation's options.
struct RecordedRow {
  Fact fact;
  std::size_t template_index = 0;
  std::vector<double> scores;
  /// Parallel to `scores`; empty unless asked for. Throws a user error where the file lacks what
  /// other reductions are made from.
  std::vector<StatementScore> parts{};
};

/// What metadata_results.json says of one relation; `relation.facts` stays empty.
struct RecordedRelation {
  /// Its cardinality is by its facts where the metadata does not say it, as lm-pub-quiz's older folders.
  Relation relation;
  /// What pll_scores is: its reduction over its span.
  std::string reduction;
  std::string span;
  /// The model's name, and the dataset's; empty where the metadata has none.
  std::string model;
  std::string dataset;
  /// How a masked model was scored; empty for a causal one, and in folders that do not say.
  std::string pll_metric{};
  /// Facts whose right answer, and statements whose candidate, the model's vocabulary cannot spell.
  std::size_t unknown_facts = 0, unknown_statements = 0;
  DiskPath rows;
  /// Template of rows that do not name theirs.
  std::size_t default_template = 0;
  /// Facts that plumb wrote; 0 where another tool did, whose count means something else.
  std::size_t facts = 0;
};

namespace detail {

/// Appends a number with ten decimals; a non-finite one as null.
inline void append_fixed(std::string& out, double value) {
  if (!std::isfinite(value)) return void(out += "null");
  std::array<char, 64> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                 std::chars_format::fixed, 10);
  out.append(digits.data(), end.ptr);
}

/// The number that `append_fixed` writes of a finite one.
inline double ten_decimals(double value) {
  std::string text;
  append_fixed(text, value);
  double rounded = 0;
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

template <class Values, class Append>
void append_column(std::string& out, std::string_view name, const Values& values, Append append) {
  out += ",\"";
  out += name;
  out += "\":[";
  bool first = true;
  for (const auto& value : values) {
    if (!first) out += ',';
    first = false;
    append(value);
  }
  out += ']';
}

}  // namespace detail

/// Scores as they stand in results files, so that what is computed of them now and what is computed
/// of the files agree to the last bit.
[[nodiscard]] inline std::vector<StatementScore> as_recorded(std::vector<StatementScore> scores) {
  for (StatementScore& score : scores) {
    for (double* number : {&score.log_likelihood, &score.answer_log_likelihood,
                           &score.continuation_log_likelihood}) {
      *number = detail::ten_decimals(*number);
    }
  }
  return scores;
}

/// One line of a results file, newline included.
[[nodiscard]] inline std::string recorded_line(const Fact& fact, std::size_t template_index,
                                               const std::vector<StatementScore>& scores,
                                               Scoring scoring) {
  const Json head = {{"sub_id", fact.subject_id},           {"sub_label", fact.subject},
                     {"sub_aliases", fact.subject_aliases}, {"answer_idx", fact.answer},
                     {"template_index", template_index},    {"instance_index", fact.instance}};
  std::string line = head.dump();
  line.pop_back();
  if (!fact.choices.empty()) line += ",\"choices\":" + Json(fact.choices).dump();
  const auto number = [&](double value) { detail::append_fixed(line, value); };
  const auto count = [&](std::uint32_t value) { line += std::to_string(value); };
  const auto column = [&](std::string_view name, auto append, auto member) {
    detail::append_column(line, name, scores,
                          [&](const StatementScore& score) { append(member(score)); });
  };
  column("pll_scores", number, [&](const StatementScore& s) { return reduce(s, scoring); });
  column("token_counts", count, [](const StatementScore& s) { return s.tokens; });
  column("answer_scores", number, [](const StatementScore& s) {
    return s.answer_tokens > 0 ? s.answer_log_likelihood : std::nan("");
  });
  column("answer_token_counts", count, [](const StatementScore& s) { return s.answer_tokens; });
  column("continuation_scores", number, [](const StatementScore& s) {
    return s.continuation_tokens > 0 ? s.continuation_log_likelihood : std::nan("");
  });
  column("continuation_token_counts", count,
         [](const StatementScore& s) { return s.continuation_tokens; });
  if (scoring.span != Span::statement) {
    column("statement_scores", number, [](const StatementScore& s) { return s.log_likelihood; });
  }
  line += "}\n";
  return line;
}

/// What is the same for all relations of a run.
struct RecordedRun {
  std::string model;
  std::string dataset;
  Scoring scoring;
  bool bos = true;
  /// lm-pub-quiz's name of a masked model's rule; empty for a causal model.
  std::string pll_metric{};
  /// Facts whose right answer, and statements whose candidate, the model's vocabulary cannot spell.
  std::size_t unknown_facts = 0, unknown_statements = 0;
};

/// The entry of metadata_results.json for one relation. No times: results compare byte by byte.
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
  return entry;
}

/// The relations of a results folder, in the order of its metadata; a user error for another one.
[[nodiscard]] inline std::vector<RecordedRelation> recorded_relations(const DiskPath& folder) {
  const auto file = folder / "metadata_results.json";
  if (!file.exists()) {
    if ((folder / "metadata_generate.json").exists()) {
      throw user_error({.file = folder}, "is of plumb generate, whose answers are no closed set's",
                       "its page has their calibration; probe a closed set for this");
    }
    if (!folder.is_folder()) {
      throw user_error({.file = folder}, "is no folder",
                       "name a run folder or an lm-pub-quiz results folder");
    }
    for (const char* const kind : {"rank", "many_shot"}) {
      if (!(folder / (std::string("metadata_") + kind + ".json")).exists()) continue;
      throw user_error({.file = folder},
                       std::string("is of plumb ") +
                           (kind == std::string("rank") ? kind : "many-shot") +
                           ", and this takes closed sets",
                       "name a run of plumb probe, or lm-pub-quiz's results");
    }
    throw user_error({.file = folder}, "holds no finished results (no metadata_results.json)",
                     "name a finished run folder, or finish it with `resume`");
  }
  std::vector<RecordedRelation> relations;
  const Json metadata = read_json_object(file);
  for (const auto& item : metadata.items()) {
    const std::string& code = item.key();
    const Json& entry = item.value();
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
      const Json said = entry.value(field, Json());
      return said.is_number_unsigned() ? said.get<std::size_t>() : 0;
    };
    recorded.unknown_facts = count("unknown_facts");
    recorded.unknown_statements = count("unknown_statements");
    recorded.rows = folder / (code + "_results.jsonl");
    relations.push_back(std::move(recorded));
  }
  return relations;
}

namespace detail {

/// The sums and counts of a row, from its further columns. `fail(field, message, remedy)` throws.
template <class Fail>
std::vector<StatementScore> recorded_parts(const RecordedRelation& recorded, const Json& line,
                                           const std::vector<double>& scores, Fail fail) {
  std::vector<StatementScore> parts(scores.size());
  const auto read_span = [&](const char* field, auto set, auto span_tokens) {
    const auto found = line.find(field);
    if (found == line.end()) {
      fail(field, "is missing, so other reductions cannot be made from this scoring",
           "take the folder's own reduction, or score with plumb");
    }
    if (!found->is_array() || found->size() != parts.size()) {
      fail(field, "does not hold one number for each option");
    }
    const bool counts = std::string_view(field).ends_with("counts");
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Json& number = (*found)[i];
      // A span without a token of its own has no score.
      if (number.is_null() && !counts && span_tokens(parts[i]) == 0) continue;
      const bool sound = counts ? number.is_number_unsigned() && number < 4'000'000'000U
                                : number.is_number() && std::isfinite(number.get<double>());
      if (!sound) fail(field, counts ? "holds what is no count" : "holds what is no finite number");
      set(parts[i], number.get<double>());
    }
  };
  const auto answered = [](const StatementScore& s) { return s.answer_tokens; };
  const auto continued = [](const StatementScore& s) { return s.continuation_tokens; };
  const auto read = [&](const char* field, auto set) { read_span(field, set, answered); };
  const auto count = [](double value) { return static_cast<std::uint32_t>(value); };
  read("token_counts", [&](StatementScore& s, double v) { s.tokens = count(v); });
  read("answer_token_counts", [&](StatementScore& s, double v) { s.answer_tokens = count(v); });
  read("answer_scores", [](StatementScore& s, double v) { s.answer_log_likelihood = v; });
  // Folders of plumb 0.1 have no continuations; nothing is reduced over them there.
  if (line.contains("continuation_token_counts")) {
    read("continuation_token_counts",
         [&](StatementScore& s, double v) { s.continuation_tokens = count(v); });
    read_span(
        "continuation_scores",
        [](StatementScore& s, double v) { s.continuation_log_likelihood = v; }, continued);
  }
  if (recorded.reduction != "sum" && recorded.reduction != "mean") {
    fail("pll_scores",
         "were reduced by '" + recorded.reduction + "', from which other reductions cannot be made",
         "take the folder's own reduction");
  }
  if (recorded.span != "statement") {
    read("statement_scores", [](StatementScore& s, double v) { s.log_likelihood = v; });
  } else {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      parts[i].log_likelihood =
          recorded.reduction == "mean" ? scores[i] * parts[i].tokens : scores[i];
    }
  }
  return parts;
}

}  // namespace detail

/// Calls `visit(row)` for each row of a relation, in file order, with `parts` if asked for. Throws a
/// user error on a row that does not fit the metadata or holds a score that is not a finite number.
template <class Visit>
void for_each_recorded_row(const RecordedRelation& recorded, Visit visit, bool with_parts = false) {
  const std::size_t options = recorded.relation.options.size();
  for_each_json_line(recorded.rows, throw_problem, [&](const Json& line, std::size_t number) {
    const auto fail = [&](const char* field, const std::string& message,
                          const char* remedy = "the results file is damaged") {
      throw user_error({recorded.rows, number, field}, message, remedy);
    };
    RecordedRow row;
    row.fact.subject_id = first_string(line, "sub_id").value_or("");
    row.fact.subject = first_string(line, "sub_label").value_or("");
    row.fact.subject_aliases =
        string_list(line, "sub_aliases").value_or(std::vector<std::string>{});
    row.fact.line = number;
    const auto index = [&](const char* field, std::size_t fallback) {
      const auto found = line.find(field);
      if (found == line.end()) return fallback;
      if (!found->is_number_unsigned()) fail(field, "is not an index");
      return found->get<std::size_t>();
    };
    row.fact.answer = index("answer_idx", options);
    if (row.fact.answer >= options) fail("answer_idx", "is missing or not among the options");
    row.template_index = index("template_index", recorded.default_template);
    row.fact.instance = index("instance_index", index("instance", number - 1));
    const auto scores = line.find("pll_scores");
    if (scores == line.end() || !scores->is_array() || scores->size() != options) {
      fail("pll_scores", "does not hold one score for each of " + counted(options, "option"));
    }
    for (const Json& score : *scores) {
      if (!score.is_number()) fail("pll_scores", "holds a score that is not a finite number");
      row.scores.push_back(score.get<double>());
    }
    if (line.contains("choices")) {
      auto choices = string_list(line, "choices");
      if (!choices || choices->size() != options)
        fail("choices", "is not one text for each option");
      row.fact.choices = std::move(*choices);
    }
    if (with_parts) row.parts = detail::recorded_parts(recorded, line, row.scores, fail);
    visit(std::as_const(row));
  });
}

}  // namespace plumb
