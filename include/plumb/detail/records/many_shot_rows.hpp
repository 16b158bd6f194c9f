// SPDX-License-Identifier: Apache-2.0
#pragma once

// The files that store the scores of facts with their own choices.
//
// metadata_many_shot.json (many_shot_metadata.hpp) contains the options of each relation and the
// pairs used as its shots: in an ic row, the first `shots` pairs of shots[variant] come before the
// question. Rows of EIC-LKE have additional fields, which earlier versions did not write. Scores
// are written with ten decimals.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/choices.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/prompt/question_setting.hpp"
#include "plumb/detail/records/many_shot_metadata.hpp"
#include "plumb/detail/records/record_fields.hpp"
#include "plumb/detail/records/result_lines.hpp"
#include "plumb/detail/score/statement_score.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A fact under one setting, as stored in a file.
struct RecordedChoice {
  Setting setting;
  Fact fact;  // only instance, subject and answer
  std::vector<std::uint32_t> choices;
  /// Index of the answer among the choices; `scores` is parallel to `choices`.
  std::size_t answer = 0;
  std::vector<double> scores;
  /// Only for EIC-LKE.
  std::optional<PrecedingTexts> before{};
  /// The number of scored tokens of each choice; empty if a row does not contain these numbers.
  std::vector<std::uint32_t> tokens{};
};

struct RecordedGeneration {
  Setting setting;
  Fact fact;
  std::string text;
  bool correct = false;
  bool correct_with_aliases = false;
};

/// The first fields of every row: a setting and a fact.
template <class Row, class Field>
void setting_fields(Row& row, Field& field) {
  field("method", row.setting.method, "ic, eic, eic-isolated, hgp or mmp");
  field("shots", row.setting.shots, "pairs before the question");
  field("separator", row.setting.separator, "text between subject and object");
  field("variant", row.setting.variant, "seed of the shots, or index of the template");
  field("instance_index", row.fact.instance, "the fact's index in the relation, from 0");
  field("sub_id", row.fact.subject_id, "identifier of the subject");
  field("sub_label", row.fact.subject, "name of the subject");
}

template <>
struct RecordFields<RecordedChoice> {
  static constexpr std::string_view file = "RELATION_choices.jsonl",
                                    rows = "one row per setting and fact";
  template <class Self, class Field>
  static void visit(Self& row, Field& field) {
    setting_fields(row, field);
    field("answer", row.answer, "index of the right choice, from 0");
    field("choices", row.choices, "indices of the choices among the relation's options");
    field("answer_scores", TenDecimals{row.scores}, "log-likelihood of each choice, in nats");
    field.optional("answer_token_counts", row.tokens, "scored tokens of each choice");
    field.together("pairs_before", row.before, [](auto& before, auto& of) {
      of("pairs_before", before.pairs, "number of shots that precede an EIC-LKE question");
      of.when(!before.order.empty(), "asked_before", before.asked,
              "instance indices of the facts that precede the question in each of its sequences, "
              "in order, spaced by eic_step from run.json");
      of.when(!before.order.empty(), "choice_order", before.order,
              "index of the choice in each sequence; a fact with fewer choices starts over from "
              "its first choice");
    });
  }
};

template <>
struct RecordFields<RecordedGeneration> {
  static constexpr std::string_view
      file = "RELATION_generated.jsonl",
      rows = "one row per setting and fact for which a text was generated";
  template <class Self, class Field>
  static void visit(Self& row, Field& field) {
    setting_fields(row, field);
    field("text", row.text, "the greedy continuation");
    field("correct", row.correct, "whether the text contains the object's label");
    field("correct_with_aliases", row.correct_with_aliases,
          "whether the text contains the object's label or an alias");
  }
};

/// Reads rows; `visit(object, line)` may throw std::exception.
template <class Visit>
void for_each_sound_row(const DiskPath& file, Visit visit) {
  for_each_result_line(file, [&](const Json& object, std::size_t line) {
    try {
      visit(object, line);
    } catch (const Error&) {
      throw;
    } catch (const std::exception&) {
      throw user_error({file, line}, "is not a row of a many-shot run",
                       "the file was changed; recreate it with `plumb many-shot`");
    }
  });
}

/// One line of a choices file, including its newline. `scores` is parallel to the choices; `before`
/// is used only for EIC-LKE.
[[nodiscard]] inline std::string recorded_choice_line(
    const Setting& setting, const Fact& fact, const Choices& choices,
    std::span<const StatementScore> scores, const std::optional<PrecedingTexts>& before = {}) {
  RecordedChoice row{setting, fact, choices.options, choices.answer, {}, before};
  for (const StatementScore& score : scores) {
    row.scores.push_back(score.continuation.log_likelihood);
    row.tokens.push_back(score.continuation.tokens);
  }
  return row_line(row);
}

/// Calls `visit(const RecordedChoice&)` for each row. Throws a user error with the file and line if
/// a row is invalid.
template <class Visit>
void for_each_recorded_choice(const RecordedChoiceRelation& relation, Visit visit) {
  detail::for_each_sound_row(relation.rows, [&](const Json& line, std::size_t number) {
    if (line.contains("asked_before") != line.contains("choice_order")) {
      throw std::invalid_argument("asked_before and choice_order must occur together");
    }
    auto row = read_row<RecordedChoice>(line);
    row.fact.line = number;
    const bool known = ranges::all_of(
        row.choices, [&](std::uint32_t option) { return option < relation.options.size(); });
    if (row.choices.empty() || row.scores.size() != row.choices.size() ||
        row.answer >= row.choices.size() || !known) {
      throw user_error({relation.rows, number, "choices"},
                       "answer, choices and answer_scores do not match",
                       "the file was changed; recreate it with `plumb many-shot`");
    }
    for (const double score : row.scores) {
      if (score <= most_nats) continue;
      throw user_error({relation.rows, number, "answer_scores"},
                       "contains a log-likelihood above 0",
                       "the file was changed; recreate it with `plumb many-shot`");
    }
    row.fact.answer = row.choices[row.answer];
    visit(std::as_const(row));
  });
}

/// Calls `visit(const RecordedGeneration&)` for each row; there are no rows if nothing was
/// generated.
template <class Visit>
void for_each_recorded_generation(const RecordedChoiceRelation& relation, Visit visit) {
  if (!is_there(relation.generated)) return;
  detail::for_each_sound_row(relation.generated, [&](const Json& line, std::size_t number) {
    auto row = read_row<RecordedGeneration>(line);
    row.fact.line = number;
    visit(std::as_const(row));
  });
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
