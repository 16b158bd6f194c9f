// SPDX-License-Identifier: Apache-2.0
#pragma once

// The numbers that describe a query form over many prompts, each declared once. A column added to
// `many_prompt_columns` appears on the terminal and on the page, with its meaning.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/calibrate/many_prompt_results.hpp"
#include "plumb/detail/report/columns.hpp"
#include "plumb/detail/report/many_prompt_names.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A clause that describes what one sampling draws.
inline const char* draws_in_words(SampleBy by) {
  return by == SampleBy::fact
             ? "one prompt is drawn for every fact"
             : "one template is drawn for every relation and used for all its facts";
}

/// The query forms whose answers are in a model's own words. `made` must outlive the result.
[[nodiscard]] inline std::vector<const ManyPromptResult*> written_ways(
    const ManyPromptResults& made) {
  std::vector<const ManyPromptResult*> ways;
  for (const ManyPromptResult& way : made.ways) {
    if (one_word_share(way)) ways.push_back(&way);
  }
  return ways;
}

/// The form of answers in a model's own words: one row for each of `written_ways`.
[[nodiscard]] inline std::vector<Column<const ManyPromptResult*>> written_answer_columns() {
  using W = const ManyPromptResult*;
  using enum ColumnPlace;
  const auto count = [](std::optional<std::size_t> known) {
    return known ? CellValue(*known) : CellValue(PlainNumber{});
  };
  return {
      {.key = "setting",
       .heading = "answers",
       .value = [](const W& w) { return w->name; },
       .place = terminal,
       .name_width = 32},
      {.key = "setting",
       .heading = "Setting",
       .value = [](const W& w) { return w->name; },
       .place = page},
      {.key = "one_word",
       .heading = "one word, facts",
       .meaning = "One word: the share of answers that are one word. “Facts” is each fact's share, "
                  "averaged over facts; “prompts” is the share of all prompts, so facts with more "
                  "prompts weigh more. Without a word: answers that contain no word; they match "
                  "each other, so they raise Consist.",
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
           "Empty: answers that are only white space; they also count as answers without a word.",
       .value = [count](const W& w) { return count(w->empty); }},
      {.key = "cut",
       .heading = "cut",
       .meaning = "Cut: number of answers that reached the token limit.",
       .value = [count](const W& w) { return count(w->cut); }}};
}

/// Bias levels by sum and per token: the columns shared by all bias-level tables.
template <class Bias>
std::vector<Column<Bias>> level_columns() {
  using enum ColumnPlace;
  return {{.key = "single",
           .heading = "Single, sum",
           .meaning = "Single: the mean bias level over templates. Multi: the bias level of the "
                      "mean distribution over templates, which cannot exceed Single.",
           .value = [](const Bias& b) { return PlainNumber{b.single}; },
           .place = page},
          {.key = "multi",
           .heading = "Multi, sum",
           .value = [](const Bias& b) { return PlainNumber{b.multi}; },
           .place = page},
          {.key = "single_per_token",
           .heading = "Single, per token",
           .meaning = "Sum: each candidate is weighted by its probability, as in the paper, so "
                      "names with many tokens are rarely favoured. Per token (added by plumb): "
                      "each candidate is weighted by the mean log-probability of its tokens. Sum "
                      "and Per token are equal if every candidate is a single token.",
           .value = [](const Bias& b) { return PlainNumber{b.per_token.single}; },
           .place = page},
          {.key = "multi_per_token",
           .heading = "Multi, per token",
           .value = [](const Bias& b) { return PlainNumber{b.per_token.multi}; },
           .place = page}};
}

/// The bias level of a query form, averaged over relations.
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

/// The bias level of one relation.
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

/// The diversity of prompts, for the query form with the most prompts.
[[nodiscard]] inline std::vector<Column<PromptDiversity>> diversity_columns() {
  using D = PromptDiversity;
  return {
      {.key = "facts", .heading = "facts", .value = [](const D& d) { return d.facts; }},
      {.key = "prompts", .heading = "prompts", .value = [](const D& d) { return d.prompts; }},
      {.key = "prompts_per_fact",
       .heading = "prompts per fact",
       .value =
           [](const D& d) {
             return PlainNumber{d.prompts_per_fact, 2};
           }},
      {.key = "names_per_subject",
       .heading = "names per subject",
       .value =
           [](const D& d) {
             return PlainNumber{d.expressions_per_fact, 2};
           }},
      {.key = "templates", .heading = "templates", .value = [](const D& d) { return d.templates; }},
      {.key = "lexical_distance",
       .heading = "lexical distance",
       .value =
           [](const D& d) {
             return PlainNumber{d.lexical_distance, 4};
           }},
      {.key = "relations_with_distance",
       .heading = "relations with a distance",
       .value = [](const D& d) { return d.relations_compared; },
       .place = ColumnPlace::files}};
}

/// How far confidence deviates from accuracy.
[[nodiscard]] inline std::vector<Column<Overconfidence>> overconfidence_columns() {
  using O = Overconfidence;
  return {
      {.key = "overconf",
       .heading = "Overconf",
       .meaning = "Overconf: mean confidence minus accuracy; above 0, the model is overconfident.",
       .value = [](const O& o) { return o.overconf; }},
      {.key = "accuracy", .heading = "accuracy", .value = [](const O& o) { return o.accuracy; }},
      {.key = "mean_confidence",
       .heading = "mean confidence",
       .value = [](const O& o) { return o.mean_confidence; }},
      {.key = "prompts", .heading = "prompts", .value = [](const O& o) { return o.prompts; }},
      {.key = "facts_without_prompt", .heading = "facts without a prompt", .value = [](const O& o) {
         return o.without_prompt;
       }}};
}

/// The proportion of a fact's prompt pairs whose answers match, by kind of pair.
[[nodiscard]] inline std::vector<Column<PromptConsistency>> consistency_columns() {
  std::vector<Column<PromptConsistency>> columns;
  for (const PairShare& kind : pair_shares) {
    const std::string path = "consistency." + std::string(kind.name);
    columns.push_back({.key = path + ".share",
                       .heading = kind.words,
                       .value = [share = kind.share](const PromptConsistency& c) {
                         return matching_value(c.*share);
                       }});
    columns.push_back({.key = path + ".facts_left_out",
                       .heading = kind.words + std::string(", left out"),
                       .value = [share = kind.share](const PromptConsistency& c) {
                         return (c.*share).excluded;
                       }});
  }
  return columns;
}

/// How often aliases are more likely than labels.
[[nodiscard]] inline std::vector<Column<OutrankingRate>> outranking_columns() {
  using R = OutrankingRate;
  return {{.key = "rate", .heading = "rate", .value = [](const R& r) { return r.rate; }},
          {.key = "pooled",
           .heading = "pooled",
           .value = [](const R& r) { return PlainNumber{r.pooled()}; }},
          {.key = "pairs",
           .heading = "pairs",
           .value = [](const R& r) -> CellValue { return std::size_t{r.pairs}; }},
          {.key = "above",
           .heading = "above",
           .value = [](const R& r) -> CellValue { return std::size_t{r.above}; }},
          {.key = "equal",
           .heading = "equal",
           .value = [](const R& r) -> CellValue { return std::size_t{r.equal}; }},
          {.key = "facts_without_pair", .heading = "facts without a pair", .value = [](const R& r) {
             return r.excluded;
           }}};
}

/// One relation under one query form.
[[nodiscard]] inline std::vector<Column<PromptedRelation>> prompted_relation_columns() {
  using R = PromptedRelation;
  std::vector<Column<R>> columns{
      {.key = "facts", .heading = "facts", .value = [](const R& r) { return r.facts; }},
      {.key = "prompts", .heading = "prompts", .value = [](const R& r) { return r.prompts; }},
      {.key = "accuracy", .heading = "Acc@1", .value = [](const R& r) { return r.accuracy; }},
      {.key = "oracle", .heading = "oracle", .value = [](const R& r) { return r.oracle; }}};
  for (auto& one : columns_of<R>(consistency_columns(), [](const R& r) -> const PromptConsistency& {
         return r.consistency;
       })) {
    columns.push_back(std::move(one));
  }
  return columns;
}

/// Columns for a component that only some rows have; their cells are empty in the other rows.
template <class Row, class Inner, class Part>
[[nodiscard]] std::vector<Column<Row>> columns_where_known(const std::vector<Column<Inner>>& inner,
                                                           Part part, const std::string& path) {
  std::vector<Column<Row>> columns;
  for (const Column<Inner>& one : inner) {
    columns.push_back({.key = path + one.key,
                       .heading = one.heading,
                       .meaning = one.meaning,
                       .value = [value = one.value, part](const Row& row) -> CellValue {
                         const auto& known = part(row);
                         return known ? value(*known) : CellValue(NoCell{});
                       },
                       .place = ColumnPlace::files,
                       .decimals = one.decimals,
                       .interval = one.interval});
  }
  return columns;
}

/// Every number for a query form, keyed by its path in metrics.json. Numbers shown in a table come
/// first. If no query form has a certain kind of answer, the numbers for that kind appear only in
/// files. Range and SD are computed over the samplings used for the headline numbers. `made` must
/// outlive the columns.
[[nodiscard]] inline std::vector<Column<ManyPromptResult>> way_columns(
    const ManyPromptResults& made) {
  using W = ManyPromptResult;
  using enum ColumnPlace;
  const auto drawn = [&made](auto value, int decimals) {
    return [&made, value, decimals](const W& way) {
      return PlainNumber{value(headline_samplings(made, way)), decimals};
    };
  };
  using Number = std::optional<double>;
  std::vector<Column<W>> columns{
      {.key = "facts", .heading = "facts", .value = [](const W& w) { return w.facts; }},
      {.key = "prompts", .heading = "prompts", .value = [](const W& w) { return w.prompts; }},
      {.key = "coverage.average",
       .heading = "Acc@1",
       .meaning = "Acc@1: the share of a fact's prompts that the model answers correctly, averaged "
                  "over facts.",
       .value = [](const W& w) { return w.coverage.average; },
       .interval = true},
      {.key = "headline.range",
       .heading = "range",
       .meaning = "Range and SD: the highest minus the lowest accuracy, and the standard "
                  "deviation, over " +
                  counted(made.options.samplings, "sampling") + "; in each sampling " +
                  detail::draws_in_words(made.options.by) +
                  ". Closed form: the limit of the SD as the number of samplings grows.",
       .value =
           drawn([](const auto& s) { return s.right.empty() ? Number() : Number(s.range()); }, 3)},
      {.key = "headline.sd",
       .heading = "SD",
       .value = drawn([](const auto& s) { return s.sd; }, 4)},
      {.key = "headline.sd_closed_form",
       .heading = "SD, closed form",
       .value = drawn([](const auto& s) { return s.facts > 0 ? Number(s.exact_sd) : Number(); }, 4),
       .place = page}};
  const auto append = [&](std::vector<Column<W>> more) {
    for (Column<W>& one : more) columns.push_back(std::move(one));
  };
  auto consistency =
      columns_of<W>(consistency_columns(),
                    [](const W& w) -> const PromptConsistency& { return w.consistency.overall; });
  for (Column<W>& one : consistency) one.place = files;
  consistency.front().place = everywhere;
  consistency.front().heading = "Consist";
  consistency.front().meaning =
      "Consist: the share of pairs of prompts for the same fact whose answers match, averaged over "
      "facts.";
  append(std::move(consistency));
  auto overconfidence = columns_where_known<W>(
      overconfidence_columns(), [](const W& w) -> const auto& { return w.overconfidence; },
      "overconfidence.");
  if (ranges::any_of(made.ways, [](const W& way) { return way.overconfidence.has_value(); })) {
    overconfidence.front().place = everywhere;
  }
  append(std::move(overconfidence));
  const bool has_options = has_any(made, AnswerKind::option);
  append(
      {{.key = "coverage.maximum",
        .heading = "max",
        .value = [](const W& w) { return w.coverage.maximum; },
        .place = terminal},
       {.key = "coverage.oracle",
        .heading = "oracle",
        .value = [](const W& w) { return w.coverage.oracle; },
        .place = terminal},
       {.key = "ties",
        .heading = "ties",
        .meaning =
            "Ties: closed-set answers in which several options share the best score. If n options "
            "tie and one is right, the answer counts as 1/n in Acc@1 and in its samplings. A tied "
            "answer matches no other answer, and its fact does not count as known.",
        .value = [](const W& w) -> CellValue {
          if (!w.is(AnswerKind::option)) return DashedCount{};
          return w.coverage.ties.tied;
        },
        .place = has_options ? everywhere : files},
       {.key = "coverage.average_first_wins",
        .heading = first_wins_heading,
        .value = [](const W& w) { return w.coverage.average_first_wins; },
        .place = has_ties(made) ? everywhere : files,
        .interval = true},
       {.key = "answers",
        .heading = "answers",
        .value = [](const W& w) { return w.coverage.ties.answers; },
        .place = files},
       {.key = "coverage.minimum",
        .heading = "min",
        .value = [](const W& w) { return w.coverage.minimum; },
        .place = files},
       {.key = "coverage.facts_without_prompt",
        .heading = "facts without a prompt",
        .value = [](const W& w) { return w.coverage.without_prompt; },
        .place = files}});
  // These columns appear only in files; the page shows their numbers in separate sections.
  const auto add = [&](const char* key, const char* heading, auto value) {
    columns.push_back({.key = key, .heading = heading, .value = value, .place = files});
  };
  add("only_subject_varies.lowest", "worst names",
      [](const W& w) { return w.subject_extent.lowest; });
  add("only_subject_varies.highest", "best names",
      [](const W& w) { return w.subject_extent.highest; });
  add("only_template_varies.lowest", "worst templates",
      [](const W& w) { return w.template_extent.lowest; });
  add("only_template_varies.highest", "best templates",
      [](const W& w) { return w.template_extent.highest; });
  add("manual_templates.mean_rank", "mean rank of manual templates",
      [](const W& w) { return w.manual.mean; });
  add("manual_templates.by_chance", "by chance", [](const W& w) {
    return PlainNumber{w.manual.by_chance, 2};
  });
  add("manual_templates.generated_templates", "generated templates",
      [](const W& w) { return w.manual.generated; });
  add("styles.cloze", "cloze", [](const W& w) { return w.styles.accuracy.one; });
  add("styles.question", "question", [](const W& w) { return w.styles.accuracy.other; });
  add("styles.difference", "cloze − question",
      [](const W& w) { return w.styles.accuracy.difference; });
  add("styles.facts_of_one_style", "of only one style",
      [](const W& w) { return w.styles.one_style; });
  const auto of_text = [](auto value) {
    return [value](const W& w) -> CellValue {
      return w.is(AnswerKind::text) ? CellValue(value(w)) : CellValue(NoCell{});
    };
  };
  add("one_word.mean_over_facts", "one word, facts",
      of_text([](const W& w) { return w.one_word; }));
  add("one_word.share_of_prompts", "one word, prompts",
      of_text([](const W& w) { return PlainNumber{one_word_share(w)}; }));
  add("one_word.answers_of_one_word", "answers of one word",
      of_text([](const W& w) { return w.one_word_answers; }));
  add("answers_without_word", "without a word", of_text([](const W& w) { return w.wordless; }));
  add("answers_empty", "empty", of_text([](const W& w) { return w.empty; }));
  add("answers_cut", "cut",
      of_text([](const W& w) { return w.cut ? CellValue(*w.cut) : CellValue(PlainNumber{}); }));
  add("answers_of_several_objects", "of several objects",
      of_text([](const W& w) { return w.of_several.size(); }));
  for (const bool objects : {false, true}) {
    for (const bool mean : {false, true}) {
      append(columns_where_known<W>(
          outranking_columns(),
          [objects, mean](const W& w) {
            if (!w.aliases) return std::optional<OutrankingRate>();
            const NameRates& rates = objects ? w.aliases->objects : w.aliases->subjects;
            return std::optional(mean ? rates.by_mean : rates.by_sum);
          },
          std::string("aliases_above_labels.") + (objects ? "objects" : "subjects") +
              (mean ? ".by_mean." : ".by_sum.")));
    }
  }
  append(columns_where_known<W>(
      mean_bias_columns(), [](const W& w) -> const auto& { return w.bias; }, "bias."));
  weigh(columns, {"coverage.average", "consistency.all.share", "overconfidence.overconf"},
        ColumnWeight::major);
  weigh(columns, {"facts", "prompts", "ties"}, ColumnWeight::minor);
  return columns;
}

/// The columns of `way_columns`, preceded by the setting's name, for tables.
[[nodiscard]] inline std::vector<Column<ManyPromptResult>> many_prompt_columns(
    const ManyPromptResults& made) {
  using W = ManyPromptResult;
  auto columns = way_columns(made);
  prepend(columns, {{.key = "setting",
                     .heading = "setting",
                     .value = [](const W& w) { return w.name; },
                     .place = ColumnPlace::terminal,
                     .name_width = 32},
                    {.key = "setting",
                     .heading = "Setting",
                     .value = [](const W& w) { return w.name; },
                     .place = ColumnPlace::page}});
  return columns;
}

/// The ranks that a masked model assigns to the true token in one vocabulary.
struct WayRanks {
  std::string setting, vocabulary;
  TokenRankMetrics ranks;
};

/// For each query form, the ranks in the whole vocabulary, then those in a common vocabulary; empty
/// if no gaps were filled.
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
       .value = [](const R& r) { return r.setting; },
       .place = terminal,
       .name_width = 24},
      {.key = "setting",
       .heading = "Setting",
       .value = [](const R& r) { return r.setting; },
       .place = page},
      {.key = "vocabulary",
       .heading = "vocabulary",
       .meaning = "Whole: all tokens of the model. Common: only the tokens of a word list that "
                  "several models share, as in LAMA, so that models with different vocabularies "
                  "can be compared.",
       .value = [](const R& r) { return OwnWord{r.vocabulary}; }},
      {.key = "prompts", .heading = "prompts", .value = [](const R& r) { return r.ranks.prompts; }},
      {.key = "without_rank",
       .heading = "left out",
       .meaning = "Left out: prompts with no right name among the tokens.",
       .value = [](const R& r) { return r.ranks.without_rank; }}};
  for (const std::size_t k : {1U, 10U, 100U}) {
    const std::string level = std::to_string(k);
    columns.push_back({"hit_at_" + level, "Hit@" + level,
                       k > 1 ? ""
                             : "Hit@k: the share of a fact's prompts whose likeliest true token is "
                               "among the k likeliest tokens, averaged over facts.",
                       [k](const R& r) { return r.ranks.hit_at(k); }});
  }
  columns.push_back({.key = "mean_reciprocal_rank",
                     .heading = "MRR",
                     .meaning = "MRR: the mean of 1 / rank.",
                     .value = [](const R& r) { return r.ranks.mean_reciprocal_rank; }});
  return columns;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
