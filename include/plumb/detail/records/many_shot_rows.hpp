// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are the scores of facts that are asked with choices of their own kept in files?
//
//   <relation>_choices.jsonl  a row for each setting and fact: method, shots, separator, variant,
//                             instance_index, sub_id, sub_label, choices (indices into options),
//                             answer (a place among the choices), answer_scores (nats),
//                             answer_token_counts
// What of a relation these are is told in metadata_many_shot.json (many_shot_metadata.hpp). Before an
// ic row's question stand the first `shots` of its shots[variant]. Rows of
// EIC-LKE say what does in columns of their own, which earlier versions did not write: pairs_before,
// so many of these, and, under "eic", asked_before (instances of the test facts asked in the same
// sequences, in order, as many pairs apart as run.json's eic_step) and choice_order: choice_order[j]
// is the place of the choice that stands in sequence j; a fact of fewer choices begins with the first
// again.
//   <relation>_generated.jsonl  a row for each setting and fact that was generated: the same head,
//                             text, correct, correct_with_aliases
// Scores carry ten decimals.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/over.hpp"
#include "plumb/detail/data/choices.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/prompt/question_setting.hpp"
#include "plumb/detail/records/many_shot_metadata.hpp"
#include "plumb/detail/records/probe_rows.hpp"
#include "plumb/detail/records/result_lines.hpp"
#include "plumb/detail/score/statement_score.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A fact under one setting, as it stands in a file.
struct RecordedChoice {
  Setting setting;
  Fact fact;  // instance, subject and answer alone
  std::vector<std::uint32_t> choices;
  /// Place of the answer among the choices; `scores` run parallel to them.
  std::size_t answer = 0;
  std::vector<double> scores;
  /// Of EIC-LKE alone.
  std::optional<StandsBefore> before{};
};

struct RecordedGeneration {
  Setting setting;
  Fact fact;
  std::string text;
  bool correct = false;
  bool correct_with_aliases = false;
};

/// A row's beginning, the brace still open.
inline std::string setting_columns(const Setting& setting, const Fact& fact) {
  const Json head = {{"method", setting.method},        {"shots", setting.shots},
                     {"separator", setting.separator},  {"variant", setting.variant},
                     {"instance_index", fact.instance}, {"sub_id", fact.subject_id},
                     {"sub_label", fact.subject}};
  std::string line = head.dump();
  line.pop_back();
  return line;
}

inline Setting recorded_setting(const Json& line) {
  return {line.at("method"), line.at("shots"), line.at("separator"), "choice", line.at("variant")};
}

inline std::optional<StandsBefore> recorded_before(const Json& line) {
  if (!line.contains("pairs_before")) return std::nullopt;
  StandsBefore before{line.at("pairs_before")};
  if (line.contains("choice_order")) {
    before.asked = line.at("asked_before").get<std::vector<std::size_t>>();
    before.order = line.at("choice_order").get<std::vector<std::size_t>>();
  }
  return before;
}

inline Fact recorded_head(const Json& line, std::size_t number) {
  Fact fact;
  fact.subject_id = line.at("sub_id");
  fact.subject = line.at("sub_label");
  fact.instance = line.at("instance_index");
  fact.line = number;
  return fact;
}

/// Reads rows; `visit(object, line)` may let nlohmann's exceptions go.
template <class Visit>
void for_each_sound_row(const DiskPath& file, Visit visit) {
  for_each_result_line(file, [&](const Json& object, std::size_t line) {
    try {
      visit(object, line);
    } catch (const Json::exception&) {
      throw user_error({file, line}, "is not a row of a many-shot run",
                       "the file was changed; make it again with `plumb many-shot`");
    }
  });
}

/// One line of a choices file, newline included. `scores` run parallel to the choices; `before` is
/// EIC-LKE's.
[[nodiscard]] inline std::string recorded_choice_line(
    const Setting& setting, const Fact& fact, const Choices& choices,
    std::span<const StatementScore> scores, const std::optional<StandsBefore>& before = {}) {
  std::string line = detail::setting_columns(setting, fact);
  line += ",\"answer\":" + std::to_string(choices.answer);
  detail::append_column(line, "choices", choices.options,
                        [&](std::uint32_t option) { line += std::to_string(option); });
  detail::append_column(line, "answer_scores", scores, [&](const StatementScore& score) {
    detail::append_fixed(line, score.continuation_log_likelihood);
  });
  detail::append_column(line, "answer_token_counts", scores, [&](const StatementScore& score) {
    line += std::to_string(score.continuation_tokens);
  });
  if (before) {
    const auto number = [&](std::size_t value) { line += std::to_string(value); };
    line += ",\"pairs_before\":" + std::to_string(before->pairs);
    if (!before->order.empty()) {
      detail::append_column(line, "asked_before", before->asked, number);
      detail::append_column(line, "choice_order", before->order, number);
    }
  }
  return line + "}\n";
}

/// One line of a file of generated texts.
[[nodiscard]] inline std::string recorded_generation_line(const RecordedGeneration& row) {
  std::string line = detail::setting_columns(row.setting, row.fact);
  const Json rest = {{"text", row.text},
                     {"correct", row.correct},
                     {"correct_with_aliases", row.correct_with_aliases}};
  return line + "," + rest.dump().substr(1) + "\n";
}

/// Calls `visit(const RecordedChoice&)` for each row. Throws a user error with file and line for a
/// row that is not sound.
template <class Visit>
void for_each_recorded_choice(const RecordedChoiceRelation& relation, Visit visit) {
  detail::for_each_sound_row(relation.rows, [&](const Json& line, std::size_t number) {
    RecordedChoice row{detail::recorded_setting(line),
                       detail::recorded_head(line, number),
                       line.at("choices"),
                       line.at("answer"),
                       line.at("answer_scores"),
                       detail::recorded_before(line)};
    const bool known = over::all_of(
        row.choices, [&](std::uint32_t option) { return option < relation.options.size(); });
    if (row.choices.empty() || row.scores.size() != row.choices.size() ||
        row.answer >= row.choices.size() || !known) {
      throw user_error({relation.rows, number, "choices"},
                       "answer, choices and answer_scores do not belong together",
                       "the file was changed; make it again with `plumb many-shot`");
    }
    for (const double score : row.scores) {
      if (score <= most_nats) continue;
      throw user_error({relation.rows, number, "answer_scores"}, "holds a log-likelihood above 0",
                       "the file was changed; make it again with `plumb many-shot`");
    }
    row.fact.answer = row.choices[row.answer];
    visit(std::as_const(row));
  });
}

/// Calls `visit(const RecordedGeneration&)` for each row; for none where nothing was generated.
template <class Visit>
void for_each_recorded_generation(const RecordedChoiceRelation& relation, Visit visit) {
  if (!is_there(relation.generated)) return;
  detail::for_each_sound_row(relation.generated, [&](const Json& line, std::size_t number) {
    visit(RecordedGeneration{detail::recorded_setting(line), detail::recorded_head(line, number),
                             line.at("text"), line.at("correct"), line.at("correct_with_aliases")});
  });
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
