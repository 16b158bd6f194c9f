// SPDX-License-Identifier: Apache-2.0
#pragma once

// What did the models of several results folders answer?
//
// Folders of one model are joined into one table of all templates; nothing is scored again.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/scored_model.hpp"
#include "plumb/detail/aggregate/template_roles.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/parallel.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/prompt/statement.hpp"
#include "plumb/detail/records/probe_answers.hpp"
#include "plumb/detail/records/results_kind.hpp"
#include "plumb/detail/score/candidate_scorer.hpp"
#include "plumb/detail/score/statement_score.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Options for reading results folders.
struct ReadingOptions {
  TemplateKinds kinds{};
  /// The reduction and the span of a statement's score; if nullopt, the folder's own are used.
  std::optional<Reduction> reduction{};
  std::optional<Span> span{};
  std::vector<std::string> relations{};

  [[nodiscard]] bool has_scoring() const noexcept { return reduction || span; }
};

/// The value of an enumeration with this name, or `otherwise`.
template <class Choice>
Choice named_or(std::string_view name, Choice otherwise) {
  for (const Choice one : every(Choice{})) {
    if (name_of(one) == name) return one;
  }
  return otherwise;
}

/// The scoring of a folder's rows; nullopt if they keep their own scores.
[[nodiscard]] inline std::optional<Scoring> scoring_of(const ReadingOptions& options,
                                                       const RecordedRelation& recorded) {
  if (!options.has_scoring()) return std::nullopt;
  return Scoring{options.reduction.value_or(named_or(recorded.reduction, Reduction::sum)),
                 options.span.value_or(named_or(recorded.span, Span::statement))};
}

/// Whether a relation is among the requested ones. If no relation is specified, all are requested.
[[nodiscard]] inline bool is_asked(const std::vector<std::string>& wanted,
                                   const std::string& code) {
  return wanted.empty() || ranges::find(wanted, code) != wanted.end();
}

/// Throws a user error about `relations` if a relation is not in the results of `name`.
template <class Found, class Code>
void refuse_absent_relations(const std::vector<std::string>& wanted, const Found& found, Code code,
                             const std::string& name) {
  for (const std::string& one : wanted) {
    if (ranges::find(found, one, code) != found.end()) continue;
    throw user_error({.setting = "relations"}, "'" + one + "' is not in the results of " + name,
                     "specify relations that were scored");
  }
}

/// Data about a fact under the base template that tables of answers do not contain.
struct RecordedBase {
  std::vector<double> scores{};
  /// Indexed as in `all_scorings`.
  std::array<std::optional<Prediction>, all_scorings.size()> reductions{};
};

/// The scores of a row under a reduction; nullopt if any statement has no tokens to reduce over.
inline std::optional<std::vector<double>> reduced(const std::vector<StatementScore>& parts,
                                                  Scoring scoring) {
  std::vector<double> scores;
  for (const StatementScore& part : parts) {
    scores.push_back(reduce(part, scoring));
    if (!std::isfinite(scores.back())) return std::nullopt;
  }
  return scores;
}

/// If a row lacks byte counts (earlier versions, other tools), counts the bytes of the statements
/// built from its template.
inline void count_missing_bytes(std::vector<StatementScore>& parts, const RecordedRow& row,
                                const RecordedRelation& in) {
  const std::vector<std::string>& templates = in.relation.templates;
  if (row.template_index >= templates.size()) return;
  for (std::size_t option = 0; option < parts.size(); ++option) {
    if (parts[option].statement.bytes > 0) continue;
    count_lengths(parts[option], fill_template(templates[row.template_index], row.fact.subject,
                                               option_text(in.relation, row.fact, option)));
  }
}

/// The scores of a row under a reduction that the user chose.
inline std::vector<double> chosen_scores(const RecordedRow& row, Scoring scoring,
                                         const RecordedRelation& in) {
  std::vector<StatementScore> parts = row.parts;
  const auto fail = [&](const char* field, const std::string& message, const std::string& remedy) {
    throw user_error({in.rows, row.fact.line, field}, message, remedy);
  };
  if (scoring.reduction == Reduction::bytes) {
    const bool lacks_bytes =
        ranges::any_of(parts, [](const StatementScore& part) { return part.statement.bytes == 0; });
    if (lacks_bytes && row.fact.subject.empty()) {
      fail("sub_label", "is missing, so the bytes of the statements are unknown",
           "add the subjects, or choose another `reduction`");
    }
    count_missing_bytes(parts, row, in);
  }
  if (scoring.span == Span::statement && scoring.reduction != Reduction::mean) {
    // Other tools' rows do not contain the number of tokens in a statement. Every statement has at
    // least one token, and a positive count is all that is needed here.
    for (StatementScore& part : parts)
      part.statement.tokens = (std::max)(part.statement.tokens, 1U);
  }
  if (scoring.reduction == Reduction::pmi && std::isnan(parts.front().neutral_log_likelihood)) {
    fail("neutral_scores", "is missing, so pmi cannot be computed from these results",
         "probe with `reduction` pmi");
  }
  const auto is_answer = [](std::string_view span) { return span == name_of(Span::answer); };
  if (scoring.reduction == Reduction::pmi && in.pll_metric.empty() &&
      is_answer(in.span) != is_answer(name_of(scoring.span))) {
    fail("neutral_scores", "are those of `span` " + in.span, "drop `span`, or probe with it");
  }
  if (auto scores = reduced(parts, scoring)) return *std::move(scores);
  if (parts.front().statement.tokens == 0) {
    fail("token_counts", "is missing, so other reductions cannot be computed from these results",
         "use the folder's own reduction, or score with plumb");
  }
  fail(scoring.span == Span::continuation ? "continuation_token_counts" : "answer_token_counts",
       "an option has no scored token to reduce over", "set another `span`");
  return {};
}

inline RecordedBase recorded_base(const RecordedRow& row, const std::vector<double>& scores) {
  RecordedBase base{scores};
  if (row.parts.empty()) return base;
  for (std::size_t i = 0; i < all_scorings.size(); ++i) {
    if (const auto under = reduced(row.parts, all_scorings[i])) {
      base.reductions[i] = predict(*under, row.fact.answer);
    }
  }
  return base;
}

/// Folders that list the base template must agree on its text. Otherwise markers would be compared
/// with different templates.
inline void refuse_other_base(std::span<const RecordedRelation> parts, std::size_t base) {
  const RecordedRelation* first = nullptr;
  for (const RecordedRelation& part : parts) {
    if (base >= part.relation.templates.size()) continue;
    if (first == nullptr) first = &part;
    if (part.relation.templates[base] == first->relation.templates[base]) continue;
    throw user_error(
        {part.rows.parent() / metadata_name(ResultsKind::closed_set), 0, part.relation.code},
        "template " + std::to_string(base) + " has a different text from the one in " +
            first->rows.parent().string(),
        "join only folders with scores for the same dataset");
  }
}

/// Reads one relation from all folders of a model. If there are no rows, the result has no
/// templates.
inline void read_relation(std::span<const RecordedRelation> parts, const ReadingOptions& options,
                          RelationPredictions& made, BaseScores& scores) {
  // Only plumb's own folders contain the data that other reductions need.
  const bool with_parts =
      options.has_scoring() || ranges::all_of(parts, [](const auto& p) { return p.facts > 0; });
  std::map<std::size_t, RecordedBase> bases;  // by instance
  std::vector<double> chosen;                 // scores of the latest row under the user's reduction
  RelationAnswers table = recorded_answers(
      parts,
      [&](const RecordedRow& row, const RecordedRelation& part) -> const std::vector<double>& {
        const std::optional<Scoring> scoring = scoring_of(options, part);
        if (scoring) chosen = chosen_scores(row, *scoring, part);
        const std::vector<double>& numbers = scoring ? chosen : row.scores;
        if (row.template_index == options.kinds.base) {
          bases.emplace(row.fact.instance, recorded_base(row, numbers));
        }
        return numbers;
      },
      with_parts);
  refuse_other_base(parts, options.kinds.base);
  if (table.facts() == 0) {
    made.relation = table.relation;
    return;
  }
  std::vector<std::size_t> templates;
  for (const Setting& setting : table.settings) templates.push_back(setting.variant);
  made = prediction_frame(table.relation, templates, options.kinds, parts.front().rows);
  made.weighted = std::move(table.weighted);
  std::vector<std::size_t> places;  // for each setting in a row, its index in the table
  for (const Setting& setting : made.settings) {
    places.push_back(*table.place_of_template(setting.variant));
  }
  for (const std::size_t index : templates) {
    if (!made.place_of_template(index)) scores.unlisted.push_back(index);
  }
  std::array<bool, all_scorings.size()> complete{};
  complete.fill(true);
  for (std::size_t i = 0; i < table.facts(); ++i) {
    for (const std::size_t place : places) made.cells.push_back(table.row(i)[place]);
    const RecordedBase& base = bases.at(table.relation.facts[i].instance);
    scores.scores.insert(scores.scores.end(), base.scores.begin(), base.scores.end());
    for (std::size_t s = 0; s < all_scorings.size(); ++s) {
      complete[s] = complete[s] && base.reductions[s];
      if (complete[s]) scores.reductions[s].push_back(*base.reductions[s]);
    }
  }
  for (std::size_t i = 0; i < all_scorings.size(); ++i) {
    if (!complete[i]) scores.reductions[i].clear();
  }
}

/// Reads one model's folders. A relation must be in all of them; relations without rows are
/// omitted. Throws the same errors as template_roles.hpp, and a user error if the folders do not
/// belong together.
[[nodiscard]] inline ScoredModel read_model(const std::string& name,
                                            const std::vector<DiskPath>& folders,
                                            const ReadingOptions& options) {
  ScoredModel model;
  model.predictions.name = name;
  std::vector<std::string> order;
  std::map<std::string, std::vector<RecordedRelation>> parts;
  for (const auto& folder : folders) {
    for (RecordedRelation& recorded : recorded_relations(folder)) {
      const std::string& code = recorded.relation.code;
      if (!is_asked(options.relations, code)) continue;
      model.dataset = recorded.dataset;
      const std::optional<Scoring> scoring = scoring_of(options, recorded);
      model.reduction = scoring ? name_of(scoring->reduction) : recorded.reduction;
      model.span = scoring ? name_of(scoring->span) : recorded.span;
      if (!parts.contains(code)) order.push_back(code);
      parts[code].push_back(std::move(recorded));
    }
  }
  refuse_absent_relations(options.relations, order, std::identity{}, name);
  for (const std::string& code : order) {
    if (parts[code].size() != folders.size()) {
      throw user_error({.file = folders.front(), .line = 0, .field = code},
                       "is in only some of the folders of " + name + "",
                       "exclude it with `relations`, or name different models as NAME=DIR");
    }
  }
  model.predictions.relations.resize(order.size());
  model.base.resize(order.size());
  parallel_for(order.size(), [&](std::size_t i) {
    detail::read_relation(parts.at(order[i]), options, model.predictions.relations[i],
                          model.base[i]);
  });
  // A relation without facts provides no information, not even about its templates.
  for (std::size_t i = order.size(); i-- > 0;) {
    if (model.predictions.relations[i].facts() > 0) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    model.predictions.relations.erase(model.predictions.relations.begin() + at);
    model.base.erase(model.base.begin() + at);
  }
  refuse_absent_templates(model.predictions.relations, options.kinds);
  for (const RelationPredictions& made : model.predictions.relations) {
    const std::string& note = made.relation.note;
    if (note.empty() || ranges::find(model.notes, note) != model.notes.end()) continue;
    model.notes.push_back(note);
  }
  return model;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
