// SPDX-License-Identifier: Apache-2.0
#pragma once

// Files of scores that lm-pub-quiz can open as its own.
//
//   metadata_results.json     probe_metadata.hpp
//   <relation>_results.jsonl  a row for each fact and template: its head (probe_head_fields),
//                             pll_scores and, in addition to lm-pub-quiz, the scores and lengths of
//                             each span (score_fields), one number for each option
// pll_scores contains the scores under the run's reduction and span. If the sums over the
// statements cannot be computed from these scores, statement_scores contains the sums. A run that
// also scored answers after a neutral prefix stores these scores as neutral_scores. Scores are
// written with ten decimals. Also reads lm-pub-quiz's own folders, whose rows may lack everything
// except answer_idx and pll_scores. Source: lm-pub-quiz 0.3.3, data/results.py.

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/decimal_number.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/records/probe_metadata.hpp"
#include "plumb/detail/records/record_fields.hpp"
#include "plumb/detail/records/result_lines.hpp"
#include "plumb/detail/score/statement_score.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// One row: a fact under one template. `scores` and each non-empty additional column are parallel
/// to the relation's options.
struct RecordedRow {
  Fact fact;
  std::size_t template_index = 0;
  std::vector<double> scores;
  /// Parallel to `scores`; empty unless requested. When requested, a user error is thrown if the
  /// file lacks the data that other reductions are computed from.
  std::vector<StatementScore> parts{};
};

/// The number as `append_fixed` writes it; non-finite numbers are returned unchanged.
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

/// The head of a row: a fact and its template.
template <class AFact, class Index, class Field>
void probe_head_fields(AFact& fact, Index& template_index, Field& field) {
  field("sub_id", fact.subject_id, "identifier of the subject");
  field("sub_label", fact.subject, "name of the subject");
  field("sub_aliases", fact.subject_aliases, "other names of the subject");
  field("answer_idx", fact.answer, "index of the right option in metadata_results.json, from 0");
  field("template_index", template_index, "index among the relation's templates, from 0");
  field("instance_index", fact.instance, "the fact's index in the relation, from 0");
  field.optional("choices", fact.choices, "texts of the options if the fact has its own");
  field.optional("further", AsObject{fact.further}, "other columns of the fact's table, by name");
}

/// Whether the sum over a statement can be computed from the score that a run stores and the token
/// count.
inline bool tells_statement(Scoring scoring) {
  return scoring.span == Span::statement &&
         (scoring.reduction == Reduction::sum || scoring.reduction == Reduction::mean);
}

/// A field of a row in addition to pll_scores, with one number for each option. Any field that is
/// added here, or to span_lengths, is written, read and listed automatically
/// (records/results_files.hpp).
struct ScoreField {
  std::string name;
  Span span = Span::statement;
  /// The length that the field contains; nullptr for log-likelihoods.
  const SpanLength* length = nullptr;
  bool is_neutral = false;

  [[nodiscard]] bool is_count() const noexcept { return length != nullptr; }
  /// Whether only some runs write the field.
  [[nodiscard]] bool is_optional() const noexcept {
    return length == nullptr ? is_neutral || span == Span::statement : length->of_text != nullptr;
  }
  [[nodiscard]] std::string meaning() const {
    const std::string whose = "each option's " + std::string(name_of(span));
    if (is_neutral)
      return "log-likelihood of each answer after the neutral prefix, in nats, for reduction pmi";
    if (length != nullptr) return std::string(length->noun) + " of " + whose;
    return "log-likelihood of " + whose + ", in nats, summed over its tokens" +
           (span == Span::statement ? "" : "; null if there is no token");
  }

  [[nodiscard]] bool is_written(const std::vector<StatementScore>& scores, Scoring scoring) const {
    if (is_neutral) return scoring.reduction == Reduction::pmi;
    if (length == nullptr) return span != Span::statement || !detail::tells_statement(scoring);
    // Lengths of texts are available only if they were counted.
    return length->of_text == nullptr || ranges::any_of(scores, [&](const StatementScore& score) {
             return score.statement.*length->count > 0;
           });
  }
  /// Whether a row with this scoring must have the field. Rows of earlier versions lack spans and
  /// lengths that were added later; neutral scores may be missing from rows of all but the newest
  /// version.
  [[nodiscard]] bool is_read(const Json& line, Scoring scoring) const {
    if (is_neutral || (length != nullptr && length->of_text != nullptr)) return line.contains(name);
    if (span == Span::continuation) return line.contains("continuation_token_counts");
    return length != nullptr || span != Span::statement || !detail::tells_statement(scoring);
  }

  void append(std::string& line, const std::vector<StatementScore>& scores) const {
    detail::append_column(line, name, scores, [&](const StatementScore& score) {
      if (length != nullptr) {
        line += std::to_string(score[span].*length->count);
      } else if (is_neutral) {
        detail::append_fixed(line, score.neutral_log_likelihood);
      } else if (span != Span::statement && score[span].tokens == 0) {
        line += "null";
      } else {
        detail::append_fixed(line, score[span].log_likelihood);
      }
    });
  }
  /// Whether `number` is a valid value of this field.
  bool read(const Json& number, StatementScore& score) const {
    if (length != nullptr) {
      if (!number.is_number_unsigned() || number.get<std::uint64_t>() >= 4'000'000'000U)
        return false;
      score[span].*length->count = number.get<std::uint32_t>();
      return true;
    }
    if (number.is_null() && !is_neutral && span != Span::statement && score[span].tokens == 0) {
      return true;
    }
    if (!number.is_number() || !std::isfinite(number.get<double>())) return false;
    (is_neutral ? score.neutral_log_likelihood : score[span].log_likelihood) = number.get<double>();
    return true;
  }
};

/// The fields in the order in which they appear in a row.
[[nodiscard]] inline const std::vector<ScoreField>& score_fields() {
  static const std::vector<ScoreField> fields = [] {
    std::vector<ScoreField> made;
    const auto prefix = [](Span span) {
      return span == Span::statement ? std::string() : std::string(name_of(span)) + "_";
    };
    const auto add_length = [&](Span span, const SpanLength& length) {
      made.push_back({prefix(span) + std::string(length.field), span, &length});
    };
    for (const Span span : every(Span())) {
      if (span != Span::statement) made.push_back({prefix(span) + "scores", span});
      for (const SpanLength& length : span_lengths) {
        if (length.of_text == nullptr) add_length(span, length);
      }
    }
    for (const SpanLength& length : span_lengths) {
      if (length.of_text == nullptr) continue;
      for (const Span span : every(Span())) add_length(span, length);
    }
    made.push_back({"statement_scores", Span::statement});
    made.push_back({"neutral_scores", Span::answer, nullptr, true});
    return made;
  }();
  return fields;
}

/// Scores rounded as they are stored in results files, so that numbers computed now are bit-for-bit
/// equal to those computed from the files.
[[nodiscard]] inline std::vector<StatementScore> as_recorded(std::vector<StatementScore> scores) {
  for (StatementScore& score : scores) {
    for (const Span span : every(Span())) {
      score[span].log_likelihood = detail::ten_decimals(score[span].log_likelihood);
    }
    score.neutral_log_likelihood = detail::ten_decimals(score.neutral_log_likelihood);
  }
  return scores;
}

/// One line of a results file, including its newline.
[[nodiscard]] inline std::string recorded_line(const Fact& fact, std::size_t template_index,
                                               const std::vector<StatementScore>& scores,
                                               Scoring scoring) {
  RowWriter writer;
  probe_head_fields(fact, template_index, writer);
  std::string& line = writer.open();
  detail::append_column(line, "pll_scores", scores, [&](const StatementScore& score) {
    detail::append_fixed(line, reduce(score, scoring));
  });
  for (const ScoreField& field : score_fields()) {
    if (field.is_written(scores, scoring)) field.append(line, scores);
  }
  return std::move(writer).line();
}

/// The sums and counts of a row, from its additional fields. `fail(field, message, remedy)` throws.
template <class Fail>
std::vector<StatementScore> recorded_parts(const RecordedRelation& recorded, const Json& line,
                                           const std::vector<double>& scores, Fail fail) {
  std::vector<StatementScore> parts(scores.size());
  if (recorded.facts == 0 && recorded.reduction == name_of(Reduction::sum) &&
      recorded.span == name_of(Span::statement) && !line.contains("token_counts")) {
    // Rows written by other tools contain the sum over the statement, from which some reductions
    // can be computed.
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i].statement.log_likelihood = scores[i];
    return parts;
  }
  const auto reductions = every(Reduction());
  const auto known = ranges::find_if(
      reductions, [&](Reduction reduction) { return name_of(reduction) == recorded.reduction; });
  const Scoring own{known == reductions.end() ? Reduction::sum : *known,
                    recorded.span == name_of(Span::statement) ? Span::statement : Span::answer};
  // Counts are read first, because a span without a token has no score.
  for (const bool counts : {true, false}) {
    for (const ScoreField& field : score_fields()) {
      if (field.is_count() != counts || !field.is_read(line, own)) continue;
      const auto found = line.find(field.name);
      if (found == line.end()) {
        fail(field.name.c_str(),
             "is missing, so other reductions cannot be computed from these results",
             "use the folder's own reduction, or score with plumb");
      }
      if (!found->is_array() || found->size() != parts.size()) {
        fail(field.name.c_str(), "does not contain one number for each option");
      }
      for (std::size_t i = 0; i < parts.size(); ++i) {
        if (!field.read((*found)[i], parts[i])) {
          fail(field.name.c_str(), counts ? "contains a value that is not a count"
                                          : "contains a value that is not a finite number");
        }
      }
    }
  }
  if (known == reductions.end()) {
    fail("pll_scores",
         "were reduced by '" + recorded.reduction +
             "', from which other reductions cannot be computed",
         "use the folder's own reduction");
  }
  if (detail::tells_statement(own)) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const double times = own.reduction == Reduction::mean ? parts[i].statement.tokens : 1;
      parts[i].statement.log_likelihood = scores[i] * times;
    }
  }
  return parts;
}

/// Reads the head of a row. In rows written by other tools, everything except the answer may be
/// missing. `fail(field, message)` throws.
template <class Fail>
class ProbeHeadReader {
 public:
  ProbeHeadReader(const Json& line, std::size_t options, Fail fail)
      : line_(line), options_(options), fail_(fail) {}

  void operator()(const char* name, std::string& text, std::string_view) const {
    text = first_string(line_, name).value_or("");
  }
  void operator()(const char* name, std::vector<std::string>& texts, std::string_view) const {
    texts = string_list(line_, name).value_or(std::vector<std::string>{});
  }
  void operator()(const char* name, std::size_t& index, std::string_view) const {
    const auto found = line_.find(name);
    if (found == line_.end()) return;
    if (!found->is_number_unsigned()) fail_(name, "is not an index");
    index = found->template get<std::size_t>();
  }
  void optional(const char* name, std::vector<std::string>& choices, std::string_view) const {
    if (!line_.contains(name)) return;
    auto texts = string_list(line_, name);
    if (!texts || texts->size() != options_)
      fail_(name, "does not contain one text for each option");
    choices = std::move(*texts);
  }
  void optional(const char* name,
                AsObject<std::vector<std::pair<std::string, std::string>>> columns,
                std::string_view) const {
    const auto further = line_.find(name);
    if (further == line_.end() || !further->is_object()) return;
    for (const auto& [column, value] : further->items()) {
      if (value.is_string()) columns.pairs.emplace_back(column, value.template get<std::string>());
    }
  }

 private:
  const Json& line_;
  std::size_t options_;
  Fail fail_;
};

/// Calls `fail(field, message)` if a row contains token counts and one of them is 0 or not a whole
/// number.
template <class Fail>
void refuse_no_tokens(const Json& line, Fail fail) {
  const auto found = line.find("token_counts");
  if (found == line.end() || !found->is_array()) return;
  for (const Json& count : *found) {
    if (!count.is_number()) continue;
    if (count == 0) fail("token_counts", "contains a statement without tokens");
    if (!count.is_number_unsigned()) fail("token_counts", "contains a value that is not a count");
  }
}

/// Calls `visit(row)` for each row of a relation, in file order; `parts` is filled only if
/// requested. Throws a user error if a row does not match the metadata, has a score that is not a
/// finite number or cannot be a log-likelihood, or has a statement without tokens.
template <class Visit>
void for_each_recorded_row(const RecordedRelation& recorded, Visit visit, bool with_parts = false) {
  // Scores that another tool reduced in its own way need not be log-likelihoods.
  const std::string& reduction = recorded.reduction;
  const bool are_nats = reduction.empty() || ranges::any_of(every(Reduction()), [&](Reduction one) {
                          return one != Reduction::pmi && name_of(one) == reduction;
                        });
  const std::size_t options = recorded.relation.options.size();
  for_each_result_line(recorded.rows, [&](const Json& line, std::size_t number) {
    const auto fail = [&](const char* field, const std::string& message,
                          const char* remedy = "the results file is damaged") {
      throw user_error({recorded.rows, number, field}, message, remedy);
    };
    RecordedRow row;
    row.fact.line = number;
    row.fact.answer = options;
    row.fact.instance = number - 1;
    row.template_index = recorded.default_template;
    ProbeHeadReader reader(line, options, fail);
    reader("instance", row.fact.instance, "");  // the field's name in lm-pub-quiz 0.2
    probe_head_fields(row.fact, row.template_index, reader);
    if (row.fact.answer >= options) fail("answer_idx", "is missing or not among the options");
    const auto scores = line.find("pll_scores");
    if (scores == line.end() || !scores->is_array() || scores->size() != options) {
      fail("pll_scores", "does not contain one score for each of " + counted(options, "option"));
    }
    for (const Json& score : *scores) {
      if (score.is_array()) {
        fail("pll_scores", "contains the scores of single tokens (reduction None)",
             "reduce them in lm-pub-quiz (reduction sum), or score with plumb");
      }
      if (!score.is_number()) fail("pll_scores", "contains a score that is not a finite number");
      row.scores.push_back(score.get<double>());
      if (are_nats && row.scores.back() > most_nats) {
        fail("pll_scores", "contains a log-likelihood above 0");
      }
    }
    detail::refuse_no_tokens(line, fail);
    if (with_parts) row.parts = detail::recorded_parts(recorded, line, row.scores, fail);
    visit(std::as_const(row));
  });
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
