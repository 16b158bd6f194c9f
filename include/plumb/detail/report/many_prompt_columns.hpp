// SPDX-License-Identifier: Apache-2.0
#pragma once

// The numbers of a way of asking many prompts, each declared once: what is added to
// `many_prompt_columns` is on the terminal and on the page, with what it means.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/calibrate/many_prompt_results.hpp"
#include "plumb/detail/report/columns.hpp"
#include "plumb/detail/report/many_prompt_names.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// What a sampling draws, in words.
inline const char* draws_in_words(SampleBy by) {
  return by == SampleBy::fact ? "every fact draws one of its prompts"
                              : "every relation draws one of its templates for all its facts";
}

/// The ways of asking whose answers are in a model's own words. `made` must outlive them.
[[nodiscard]] inline std::vector<const ManyPromptResult*> written_ways(
    const ManyPromptResults& made) {
  std::vector<const ManyPromptResult*> ways;
  for (const ManyPromptResult& way : made.ways) {
    if (one_word_share(way)) ways.push_back(&way);
  }
  return ways;
}

/// What answers in a model's own words look like: a row for each of written_ways.
[[nodiscard]] inline std::vector<Column<const ManyPromptResult*>> written_answer_columns() {
  using W = const ManyPromptResult*;
  using enum ColumnPlace;
  const auto count = [](std::optional<std::size_t> known) {
    return known ? CellValue(*known) : CellValue(PlainNumber{});
  };
  return {
      {.key = "setting",
       .heading = "answers",
       .value = [](const W& w) { return detail::cut_to(w->name, 32); },
       .place = terminal},
      {.key = "setting",
       .heading = "Setting",
       .value = [](const W& w) { return w->name; },
       .place = page},
      {.key = "one_word",
       .heading = "one word, facts",
       .meaning =
           "One word: answers that are one word, as the mean over facts of the share of their "
           "prompts, "
           "and as the share of all prompts, in which facts with more prompts weigh more. Answers "
           "without a word match each other, so they make Consist look better.",
       .value = [](const W& w) { return w->one_word; },
       .interval = true},
      {.key = "one_word_share",
       .heading = "one word, prompts",
       .value = [](const W& w) { return PlainNumber{one_word_share(*w)}; }},
      {.key = "without_word",
       .heading = "without a word",
       .value = [count](const W& w) { return count(w->wordless); }},
      {.key = "empty",
       .heading = "empty",
       .meaning =
           "Empty: answers of nothing but white space, which are among those without a word.",
       .value = [count](const W& w) { return count(w->empty); }},
      {.key = "cut",
       .heading = "cut",
       .meaning = "Cut: answers that ended because they had as many tokens as were allowed.",
       .value = [count](const W& w) { return count(w->cut); }}};
}

/// Columns that no way of asking has are not there. Range and SD are over the headline's samplings.
/// `made` must outlive them.
[[nodiscard]] inline std::vector<Column<ManyPromptResult>> many_prompt_columns(
    const ManyPromptResults& made) {
  using W = ManyPromptResult;
  using enum ColumnPlace;
  bool sure = false;
  for (const W& way : made.ways) {
    sure = sure || way.overconfidence.has_value();
  }
  const auto drawn = [&made](auto value, int decimals) {
    return [&made, value, decimals](const W& way) {
      return PlainNumber{value(headline_samplings(made, way)), decimals};
    };
  };
  using Number = std::optional<double>;
  std::vector<Column<W>> columns{
      {.key = "setting",
       .heading = "setting",
       .value = [](const W& w) { return detail::cut_to(w.name, 32); },
       .place = terminal},
      {.key = "setting",
       .heading = "Setting",
       .value = [](const W& w) { return w.name; },
       .place = page},
      {.key = "facts", .heading = "facts", .value = [](const W& w) { return w.facts; }},
      {.key = "prompts", .heading = "prompts", .value = [](const W& w) { return w.prompts; }},
      {.key = "accuracy",
       .heading = "Acc@1",
       .meaning = "Acc@1: mean over facts of the share of their prompts that are answered right.",
       .value = [](const W& w) { return w.coverage.average; },
       .interval = true},
      {.key = "range",
       .heading = "range",
       .meaning = "Range and SD: the highest minus the lowest accuracy, and the standard "
                  "deviation, over " +
                  counted(made.options.samplings, "sampling") + ", in each of which " +
                  detail::draws_in_words(made.options.by) +
                  "; closed form: what endless samplings come to.",
       .value =
           drawn([](const auto& s) { return s.right.empty() ? Number() : Number(s.range()); }, 3)},
      {.key = "sd", .heading = "SD", .value = drawn([](const auto& s) { return s.sd; }, 4)},
      {.key = "exact_sd",
       .heading = "SD, closed form",
       .value = drawn([](const auto& s) { return s.facts > 0 ? Number(s.exact_sd) : Number(); }, 4),
       .place = page},
      {.key = "consistency",
       .heading = "Consist",
       .meaning =
           "Consist: mean over facts of the share of pairs of their prompts whose answers match.",
       .value = [](const W& w) { return detail::matching_value(w.consistency.overall.all); }}};
  if (sure) {
    columns.push_back({.key = "overconf",
                       .heading = "Overconf",
                       .meaning = "Overconf: mean confidence minus accuracy, above 0 where the "
                                  "model is too sure of itself.",
                       .value = [](const W& w) {
                         return w.overconfidence ? w.overconfidence->overconf : Estimate{};
                       }});
  }
  columns.push_back({.key = "maximum",
                     .heading = "max",
                     .value = [](const W& w) { return w.coverage.maximum; },
                     .place = terminal});
  columns.push_back({.key = "oracle",
                     .heading = "oracle",
                     .value = [](const W& w) { return w.coverage.oracle; },
                     .place = terminal});
  if (has_any(made, AnswerKind::option)) {
    columns.push_back(
        {.key = "ties",
         .heading = "ties",
         .meaning =
             "Ties: answers to closed sets whose best score is shared. One of n with the right "
             "option "
             "counts 1/n in Acc@1 and its samplings, matches no other answer, and is not right "
             "wherever it is asked what is known.",
         .value = [](const W& w) -> CellValue {
           if (!w.is(AnswerKind::option)) return PlainNumber{};
           return w.coverage.ties.tied;
         }});
  }
  if (has_ties(made)) {
    columns.push_back(
        {.key = "accuracy_first_wins",
         .heading = detail::first_wins_heading,
         .value = [](const W& w) { return with_interval(w.coverage.average_first_wins); },
         .place = terminal});
    columns.push_back({.key = "accuracy_first_wins",
                       .heading = detail::first_wins_heading,
                       .value = [](const W& w) { return w.coverage.average_first_wins; },
                       .place = page});
  }
  weigh(columns, {"accuracy", "consistency", "overconf"}, ColumnWeight::major);
  weigh(columns, {"facts", "prompts", "ties"}, ColumnWeight::minor);
  return columns;
}

/// Levels by sum and per token, as every table of bias levels has them.
template <class Bias>
std::vector<Column<Bias>> level_columns() {
  using enum ColumnPlace;
  return {
      {.key = "single",
       .heading = "Single, sum",
       .meaning = "Single: mean over templates. Multi: of the templates' mean distribution, which "
                  "cannot be "
                  "above.",
       .value = [](const Bias& b) { return PlainNumber{b.single}; },
       .place = page},
      {.key = "multi",
       .heading = "Multi, sum",
       .value = [](const Bias& b) { return PlainNumber{b.multi}; },
       .place = page},
      {.key = "single_per_token",
       .heading = "Single, per token",
       .meaning = "Sum: candidates weigh what their probabilities say, the paper's reading, in "
                  "which a name "
                  "of "
                  "many tokens can hardly be favoured. Per token: what the mean of their tokens' "
                  "log-probabilities says, which is plumb's own; equal where each is one token.",
       .value = [](const Bias& b) { return PlainNumber{b.per_token.single}; },
       .place = page},
      {.key = "multi_per_token",
       .heading = "Multi, per token",
       .value = [](const Bias& b) { return PlainNumber{b.per_token.multi}; },
       .place = page}};
}

/// Bias level of a way of asking, over relations.
[[nodiscard]] inline std::vector<Column<MeanBias>> mean_bias_columns() {
  auto columns = detail::level_columns<MeanBias>();
  columns.push_back({.key = "relations", .heading = "Relations", .value = [](const MeanBias& b) {
                       return b.relations;
                     }});
  columns.push_back({.key = "relations_left_out",
                     .heading = "Left out",
                     .value = [](const MeanBias& b) { return b.excluded; }});
  return columns;
}

/// Of one relation.
[[nodiscard]] inline std::vector<Column<RelationBias>> relation_bias_columns() {
  std::vector<Column<RelationBias>> columns{
      {.key = "templates",
       .heading = "Templates",
       .value = [](const RelationBias& b) { return b.templates; }},
      {.key = "candidates", .heading = "Candidates", .value = [](const RelationBias& b) {
         return b.candidates;
       }}};
  for (auto& one : detail::level_columns<RelationBias>()) columns.push_back(std::move(one));
  return columns;
}

/// A masked model's ranks of the true token in one vocabulary.
struct WayRanks {
  std::string setting, vocabulary;
  TokenRankMetrics ranks;
};

/// In the whole vocabulary, then in a common one, way by way; none where no gap was filled.
[[nodiscard]] inline std::vector<WayRanks> way_ranks(const ManyPromptResults& made) {
  std::vector<WayRanks> rows;
  for (const ManyPromptResult& way : made.ways) {
    if (way.ranks) rows.push_back({way.name, "whole", *way.ranks});
    if (way.common_ranks) rows.push_back({way.name, "common", *way.common_ranks});
  }
  return rows;
}

[[nodiscard]] inline std::vector<Column<WayRanks>> token_rank_columns() {
  using R = WayRanks;
  using enum ColumnPlace;
  std::vector<Column<R>> columns{
      {.key = "setting",
       .heading = "true token",
       .value = [](const R& r) { return detail::cut_to(r.setting, 24); },
       .place = terminal},
      {.key = "setting",
       .heading = "Setting",
       .value = [](const R& r) { return r.setting; },
       .place = page},
      {.key = "vocabulary",
       .heading = "vocabulary",
       .meaning = "Whole: all tokens of the model. Common: those of the words that several models "
                  "were given, "
                  "as LAMA ranks, so that models of different vocabularies can be compared.",
       .value = [](const R& r) { return OwnWord{r.vocabulary}; }},
      {.key = "prompts", .heading = "prompts", .value = [](const R& r) { return r.ranks.prompts; }},
      {.key = "without_rank",
       .heading = "left out",
       .meaning = "Left out: prompts none of whose names is one of the tokens.",
       .value = [](const R& r) { return r.ranks.without_rank; }}};
  for (const std::size_t k : {1U, 10U, 100U}) {
    const std::string level = std::to_string(k);
    columns.push_back({"hit_at_" + level, "Hit@" + level,
                       k > 1
                           ? ""
                           : "Hit@k: mean over facts of the share of their prompts whose likeliest "
                             "true token is among the k likeliest tokens.",
                       [k](const R& r) { return r.ranks.hit_at(k); }});
  }
  columns.push_back({.key = "mean_reciprocal_rank",
                     .heading = "MRR",
                     .meaning = "MRR: the mean of 1 / rank.",
                     .value = [](const R& r) { return r.ranks.mean_reciprocal_rank; }});
  return columns;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
