// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are scores kept in files that lm-pub-quiz opens as its own?
//
//   metadata_results.json     probe_metadata.hpp
//   <relation>_results.jsonl  a row for each fact and template: sub_id, sub_label, sub_aliases,
//                             answer_idx, template_index, instance_index, pll_scores, and beyond
//                             lm-pub-quiz token_counts, answer_scores, answer_token_counts,
//                             continuation_scores, continuation_token_counts, byte_counts,
//                             answer_byte_counts, continuation_byte_counts, and choices where a
//                             fact has its own texts for the options, and further, the other
//                             columns of its table by name
// pll_scores is the number the run was asked for (its reduction over its span); when the sum over the
// statement cannot be made of it, statement_scores keeps that. A run that asked what answers score
// behind a neutral prefix has that as neutral_scores. Scores carry ten decimals. Also reads
// lm-pub-quiz's own folders, whose rows may lack all but answer_idx and pll_scores. Source:
// lm-pub-quiz 0.3.3, data/results.py.

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/decimal_number.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/over.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/records/probe_metadata.hpp"
#include "plumb/detail/records/result_lines.hpp"
#include "plumb/detail/score/statement_score.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

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

/// Appends a number with ten decimals; a non-finite one as null.
inline void append_fixed(std::string& out, double value) {
  if (!std::isfinite(value)) return void(out += "null");
  std::array<char, 64> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                 std::chars_format::fixed, 10);
  out.append(digits.data(), end.ptr);
}

/// The number that `append_fixed` writes; one that is not finite stays what it is.
inline double ten_decimals(double value) {
  if (!std::isfinite(value)) return value;
  std::string text;
  append_fixed(text, value);
  double rounded = 0;
  read_number(text.data(), text.data() + text.size(), rounded);
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

/// Whether the sum over a statement can be made of a run's own number and the count of tokens.
inline bool tells_statement(Scoring scoring) {
  return scoring.span == Span::statement &&
         (scoring.reduction == Reduction::sum || scoring.reduction == Reduction::mean);
}

/// Scores as they stand in results files, so that what is computed of them now and what is computed
/// of the files agree to the last bit.
[[nodiscard]] inline std::vector<StatementScore> as_recorded(std::vector<StatementScore> scores) {
  for (StatementScore& score : scores) {
    for (double* number : {&score.log_likelihood, &score.answer_log_likelihood,
                           &score.continuation_log_likelihood, &score.neutral_log_likelihood}) {
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
  if (!fact.further.empty()) {
    Json further = Json::object();
    for (const auto& [name, value] : fact.further) further[name] = value;
    line += ",\"further\":" + further.dump();
  }
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
  if (over::any_of(scores, [](const StatementScore& s) { return s.bytes > 0; })) {
    column("byte_counts", count, [](const StatementScore& s) { return s.bytes; });
    column("answer_byte_counts", count, [](const StatementScore& s) { return s.answer_bytes; });
    column("continuation_byte_counts", count,
           [](const StatementScore& s) { return s.continuation_bytes; });
  }
  if (!detail::tells_statement(scoring)) {
    column("statement_scores", number, [](const StatementScore& s) { return s.log_likelihood; });
  }
  if (scoring.reduction == Reduction::pmi) {
    column("neutral_scores", number,
           [](const StatementScore& s) { return s.neutral_log_likelihood; });
  }
  line += "}\n";
  return line;
}

/// The sums and counts of a row, from its further columns. `fail(field, message, remedy)` throws.
template <class Fail>
std::vector<StatementScore> recorded_parts(const RecordedRelation& recorded, const Json& line,
                                           const std::vector<double>& scores, Fail fail) {
  std::vector<StatementScore> parts(scores.size());
  if (recorded.facts == 0 && recorded.reduction == "sum" && recorded.span == "statement" &&
      !line.contains("token_counts")) {
    // Another tool's rows tell the sum over the statement, from which some reductions can be made.
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i].log_likelihood = scores[i];
    return parts;
  }
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
      const bool sound =
          counts ? number.is_number_unsigned() && number.get<std::uint64_t>() < 4'000'000'000U
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
  if (line.contains("byte_counts")) {
    read("byte_counts", [&](StatementScore& s, double v) { s.bytes = count(v); });
    read("answer_byte_counts", [&](StatementScore& s, double v) { s.answer_bytes = count(v); });
    read("continuation_byte_counts",
         [&](StatementScore& s, double v) { s.continuation_bytes = count(v); });
  }
  if (line.contains("neutral_scores")) {
    read("neutral_scores", [](StatementScore& s, double v) { s.neutral_log_likelihood = v; });
  }
  const auto reductions = every(Reduction());
  const auto known = over::find_if(
      reductions, [&](Reduction reduction) { return name_of(reduction) == recorded.reduction; });
  if (known == reductions.end()) {
    fail("pll_scores",
         "were reduced by '" + recorded.reduction + "', from which other reductions cannot be made",
         "take the folder's own reduction");
  }
  if (!tells_statement({*known, recorded.span == "statement" ? Span::statement : Span::answer})) {
    read("statement_scores", [](StatementScore& s, double v) { s.log_likelihood = v; });
  } else {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      parts[i].log_likelihood =
          recorded.reduction == "mean" ? scores[i] * parts[i].tokens : scores[i];
    }
  }
  return parts;
}

/// The other columns of a fact's table, as a row keeps them.
inline std::vector<std::pair<std::string, std::string>> further_columns(const Json& line) {
  std::vector<std::pair<std::string, std::string>> columns;
  const auto further = line.find("further");
  if (further == line.end() || !further->is_object()) return columns;
  for (const auto& [name, value] : further->items()) {
    if (value.is_string()) columns.emplace_back(name, value.get<std::string>());
  }
  return columns;
}

/// Calls `fail(field, message)` where a row counts a statement's tokens and there is none, or no whole number.
template <class Fail>
void refuse_no_tokens(const Json& line, Fail fail) {
  const auto found = line.find("token_counts");
  if (found == line.end() || !found->is_array()) return;
  for (const Json& count : *found) {
    if (!count.is_number()) continue;
    if (count == 0) fail("token_counts", "holds a statement without a token");
    if (!count.is_number_unsigned()) fail("token_counts", "holds what is no count");
  }
}

/// Calls `visit(row)` for each row of a relation, in file order, with `parts` if asked for. Throws a
/// user error on a row that does not fit the metadata, or holds a score that is not a finite number or
/// no log-likelihood, or a statement without a token.
template <class Visit>
void for_each_recorded_row(const RecordedRelation& recorded, Visit visit, bool with_parts = false) {
  // What another tool reduced in its own way need be no log-likelihood.
  const std::string& reduction = recorded.reduction;
  const bool are_nats =
      reduction.empty() || reduction == "sum" || reduction == "mean" || reduction == "bytes";
  const std::size_t options = recorded.relation.options.size();
  for_each_result_line(recorded.rows, [&](const Json& line, std::size_t number) {
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
      if (are_nats && row.scores.back() > most_nats) {
        fail("pll_scores", "holds a log-likelihood above 0");
      }
    }
    detail::refuse_no_tokens(line, fail);
    if (line.contains("choices")) {
      auto choices = string_list(line, "choices");
      if (!choices || choices->size() != options)
        fail("choices", "is not one text for each option");
      row.fact.choices = std::move(*choices);
    }
    row.fact.further = detail::further_columns(line);
    if (with_parts) row.parts = detail::recorded_parts(recorded, line, row.scores, fail);
    visit(std::as_const(row));
  });
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
