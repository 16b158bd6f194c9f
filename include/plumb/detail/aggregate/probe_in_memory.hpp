// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a model probed without a run folder?
//
// This is the closed-set probe for a dataset and a model in memory. It scores every option of every
// fact under every template and returns predictions. Aggregators and calibrators read the
// predictions, and `metrics_of` (aggregate/prediction_metrics.hpp) computes accuracy, Hit@k and MRR
// from them. Nothing is written, so nothing can be resumed. For probes that take hours, use
// probe_into_folder (run/probe_into_folder.hpp).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plumb/detail/aggregate/answer_predictions.hpp"
#include "plumb/detail/aggregate/answers.hpp"
#include "plumb/detail/aggregate/template_roles.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/check_and_complete.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/measure/relation_answers.hpp"
#include "plumb/detail/prompt/neutral_prompt.hpp"
#include "plumb/detail/prompt/prompt.hpp"
#include "plumb/detail/prompt/statement.hpp"
#include "plumb/detail/score/candidate_scorer.hpp"
#include "plumb/detail/score/score_check.hpp"
#include "plumb/detail/score/statement_score.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Called after each block of facts with the number of scored facts and the number of all facts.
using ProbeProgress = std::function<void(std::size_t scored, std::size_t facts)>;

struct MemoryProbeOptions {
  std::string name = "model";
  Scoring scoring{};
  TemplateKinds kinds{};
  ProbeProgress on_progress{};
  /// The number of statements in a block; prefixes are shared within it.
  std::size_t block_statements = 2048;
  /// Whether the predictions store every option's score, 8 bytes each (FactPredictions::scores).
  bool keep_scores = false;
  /// The text before an answer in the neutral prompt of `Reduction::pmi`. If not set, the template
  /// without its subject is used.
  std::optional<std::string> neutral{};
};

/// The scores of the queries' statements, in order.
template <PackedScorer Scorer>
std::vector<StatementScore> score_queries(Scorer& scorer, std::span<const Query> queries) {
  typename Scorer::Block block;
  for (const Query& query : queries) scorer.add(block, query);
  scorer.plan(block);
  return score_all_packs(scorer, block);
}

/// One relation's table, without facts.
inline Answers::Table empty_table(const Relation& relation,
                                  const std::vector<std::size_t>& templates) {
  Answers::Table table;
  table.relation = relation;
  table.relation.facts.clear();
  for (const std::size_t index : templates) table.settings.push_back(template_setting(index));
  return table;
}

/// Appends a fact whose statements are ordered by template, then option. Throws the same errors as
/// check_score.
inline void add_fact(Answers::Table& table, const Fact& fact,
                     std::span<const StatementScore> scores, Span span) {
  const Relation& relation = table.relation;
  const std::size_t options = relation.options.size();
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const std::size_t place = i / options, option = i % options;
    check_score(scores[i], span, {relation.file, fact.line, relation.code}, [&] {
      return statement_name(relation, fact, table.settings[place].variant, option);
    });
    table.add(scores[i][span]);
  }
  table.relation.facts.push_back(fact);
}

/// The likelihood of every option of every fact under the templates that `templates_of(relation)`
/// returns. The relations must be in the form that a loader returns.
template <PromptBuilder Builder, PackedScorer Scorer, class TemplatesOf>
Answers answers_of(const Builder& builder, Scorer& scorer, const Dataset& dataset,
                   TemplatesOf templates_of, const Scoring& scoring,
                   const std::optional<std::string>& neutral, const ProbeProgress& on_progress,
                   std::size_t block_statements) {
  Answers made{.scoring = scoring};
  std::size_t scored = 0, facts = 0;
  for (const Relation& relation : dataset.relations) facts += relation.facts.size();
  for (const Relation& relation : dataset.relations) {
    const std::vector<std::size_t> templates = templates_of(relation);
    Answers::Table& table = made.tables.emplace_back(empty_table(relation, templates));
    const std::size_t options = relation.options.size();
    const std::size_t per_fact = templates.size() * options;
    const std::size_t at_once = std::max<std::size_t>(1, block_statements / per_fact);
    for (std::size_t first = 0; first < relation.facts.size(); first += at_once) {
      const auto block = std::span(relation.facts)
                             .subspan(first)
                             .first((std::min)(at_once, relation.facts.size() - first));
      std::vector<Query> queries;
      for (const Fact& fact : block) {
        for (const std::size_t index : templates) {
          Query& query = queries.emplace_back();
          for (std::size_t option = 0; option < options; ++option) {
            query.candidates.push_back(builder.build(relation, fact, index, option));
          }
        }
      }
      std::vector<StatementScore> scores = score_queries(scorer, queries);
      for (std::size_t i = 0; i < scores.size(); ++i) {
        count_lengths(scores[i], queries[i / options].candidates[i % options]);
      }
      std::vector<double> neutral_scores;
      if (scoring.reduction == Reduction::pmi) {
        std::vector<Query> answers(queries.size());
        for (std::size_t q = 0; q < queries.size(); ++q) {
          for (std::size_t option = 0; option < options; ++option) {
            answers[q].candidates.push_back(
                neutral_prompt(builder, relation, block[q / templates.size()],
                               templates[q % templates.size()], option, neutral));
          }
        }
        for (const StatementScore& score : score_queries(scorer, answers)) {
          neutral_scores.push_back(neutral_log_likelihood(score, scoring.span));
        }
      }
      for (std::size_t f = 0; f < block.size(); ++f) {
        const auto own = std::span<const StatementScore>(scores).subspan(f * per_fact, per_fact);
        if (ranges::any_of(own, [](const auto& s) { return s.unreported_tokens > 0; })) {
          ++made.unreported_facts;
          continue;
        }
        if (!neutral_scores.empty()) {
          const auto begin = neutral_scores.begin() + static_cast<std::ptrdiff_t>(f * per_fact);
          table.neutral.insert(table.neutral.end(), begin,
                               begin + static_cast<std::ptrdiff_t>(per_fact));
        }
        add_fact(table, block[f], own, scoring.span);
      }
      scored += block.size();
      if (on_progress) on_progress(scored, facts);
    }
  }
  return made;
}

/// The predictions for every relation, fact and template. A PackedScorer shares prefixes among the
/// facts of a block; any other CandidateScorer is called fact by fact. Throws a user error before
/// anything is scored if a loader would reject a relation (check_and_complete). Also throws the
/// scorer's user errors. A fact for which the engine did not report all tokens is left out and
/// counted (ModelPredictions::unreported_facts). Each thread needs its own scorer.
template <PromptBuilder Builder, class Scorer>
[[nodiscard]] ModelPredictions probe_in_memory(const Builder& builder, Scorer& scorer,
                                               const Dataset& dataset,
                                               const MemoryProbeOptions& options = {}) {
  static_assert(check_scorer<Scorer>());
  if constexpr (!PackedScorer<Scorer>) {
    QueryByQuery<Scorer> packed(scorer);
    return probe_in_memory(builder, packed, dataset, options);
  } else {
    const auto asked = [&](const Relation& relation) {
      std::vector<std::size_t> templates(relation.templates.size());
      std::iota(templates.begin(), templates.end(), std::size_t{0});
      const RelationPredictions frame =
          prediction_frame(relation, templates, options.kinds, relation.file);
      templates.clear();
      for (const Setting& setting : frame.settings) templates.push_back(setting.variant);
      return templates;
    };
    Answers answers =
        detail::answers_of(builder, scorer, check_and_complete(dataset), asked, options.scoring,
                           options.neutral, options.on_progress, options.block_statements);
    answers.name = options.name;
    return predictions_of(answers, {options.kinds, options.keep_scores});
  }
}

/// Does the same with the statements themselves as prompts, as in a closed-set probe.
template <class Scorer>
[[nodiscard]] ModelPredictions probe_in_memory(Scorer& scorer, const Dataset& dataset,
                                               const MemoryProbeOptions& options = {}) {
  return probe_in_memory(Statement{}, scorer, dataset, options);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
