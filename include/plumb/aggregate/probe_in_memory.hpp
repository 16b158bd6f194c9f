// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does a model answer, without a run folder?
//
// The closed-set probe for those who hold dataset and model in memory: every option of every fact
// under every template, as predictions that aggregators and calibrators read, and of which `metrics_of`
// (aggregate/prediction_metrics.hpp) makes accuracy, Hit@k and MRR. Nothing is written, so nothing can
// be resumed; what takes hours is asked by probe_into_folder (run/probe_into_folder.hpp).

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/aggregate/template_roles.hpp"
#include "plumb/aggregate/weighted_likelihood.hpp"
#include "plumb/core/error.hpp"
#include "plumb/core/over.hpp"
#include "plumb/data/as_loaded.hpp"
#include "plumb/data/dataset.hpp"
#include "plumb/measure/prediction.hpp"
#include "plumb/prompt/neutral_prompt.hpp"
#include "plumb/prompt/statement.hpp"
#include "plumb/score/candidate_scorer.hpp"
#include "plumb/score/score_check.hpp"

namespace plumb {

/// Called after each block of facts: how many are scored, and how many there are.
using ProbeProgress = std::function<void(std::size_t scored, std::size_t facts)>;

struct MemoryProbeOptions {
  std::string name = "model";
  Scoring scoring{};
  TemplateKinds kinds{};
  ProbeProgress on_progress{};
  /// Statements whose prefixes are shared.
  std::size_t block_statements = 2048;
  /// Whether the predictions keep every option's score, 8 bytes each (FactPredictions::scores).
  bool keep_scores = false;
  /// Before the answer alone, which `Reduction::pmi` compares with; the template without its subject
  /// where there is none.
  std::optional<std::string> neutral{};
};

namespace detail {

/// Scores of the queries' statements, in order.
template <PackedScorer Scorer>
std::vector<StatementScore> score_queries(Scorer& scorer, std::span<const Query> queries) {
  typename Scorer::Block block;
  for (const Query& query : queries) scorer.add(block, query);
  scorer.plan(block);
  return score_all_packs(scorer, block);
}

/// One for each option; throws what check_score does.
inline std::vector<double> reduced_scores(const Relation& relation, const Fact& fact,
                                          std::size_t template_index,
                                          std::span<const StatementScore> statements,
                                          Scoring scoring) {
  std::vector<double> scores;
  for (std::size_t option = 0; option < statements.size(); ++option) {
    check_score(statements[option], scoring.span, {relation.file, fact.line, relation.code},
                [&] { return statement_name(relation, fact, template_index, option); });
    scores.push_back(reduce(statements[option], scoring));
  }
  return scores;
}

}  // namespace detail

/// The predictions of every relation, fact and template. A PackedScorer shares prefixes among the
/// facts of a block; any other CandidateScorer is asked fact by fact. Throws a user error for what
/// a loader would refuse in a relation's file (as_loaded), before anything is scored, and what the
/// scorer refuses. A fact that the engine did not report all tokens of is left out and counted
/// (ModelPredictions::unreported_facts). Threads need scorers of their own.
template <PromptBuilder Builder, class Scorer>
[[nodiscard]] ModelPredictions probe_in_memory(const Builder& builder, Scorer& scorer,
                                               const Dataset& dataset,
                                               const MemoryProbeOptions& options = {}) {
  static_assert(check_scorer<Scorer>());
  if constexpr (!PackedScorer<Scorer>) {
    QueryByQuery<Scorer> packed(scorer);
    return probe_in_memory(builder, packed, dataset, options);
  } else {
    ModelPredictions made{options.name, {}, 0};
    const Dataset asked_of = as_loaded(dataset);
    std::size_t scored = 0, facts = 0;
    for (const Relation& relation : asked_of.relations) facts += relation.facts.size();
    for (const Relation& relation : asked_of.relations) {
      std::vector<std::size_t> templates(relation.templates.size());
      std::iota(templates.begin(), templates.end(), std::size_t{0});
      RelationPredictions& frame = made.relations.emplace_back(
          prediction_frame(relation, templates, options.kinds, relation.file));
      const std::size_t options_of_fact = relation.options.size();
      const std::size_t per_fact = frame.settings.size() * options_of_fact;
      const std::size_t at_once = std::max<std::size_t>(1, options.block_statements / per_fact);
      std::vector<Fact> reported;
      for (std::size_t first = 0; first < relation.facts.size(); first += at_once) {
        const auto block = std::span(relation.facts)
                               .subspan(first)
                               .first((std::min)(at_once, relation.facts.size() - first));
        std::vector<Query> queries;
        for (const Fact& fact : block) {
          for (const Setting& asked : frame.settings) {
            Query& query = queries.emplace_back();
            for (std::size_t option = 0; option < options_of_fact; ++option) {
              query.candidates.push_back(builder.build(relation, fact, asked.variant, option));
            }
          }
        }
        auto scores = detail::score_queries(scorer, queries);
        for (std::size_t i = 0; i < scores.size(); ++i) {
          count_bytes(scores[i], queries[i / options_of_fact].candidates[i % options_of_fact]);
        }
        if (options.scoring.reduction == Reduction::pmi) {
          for (std::size_t q = 0; q < queries.size(); ++q) {
            const Fact& fact = block[q / frame.settings.size()];
            const std::size_t t = frame.template_at(q % frame.settings.size());
            for (std::size_t option = 0; option < options_of_fact; ++option) {
              queries[q].candidates[option] =
                  neutral_prompt(builder, relation, fact, t, option, options.neutral);
            }
          }
          const auto neutral = detail::score_queries(scorer, queries);
          for (std::size_t i = 0; i < scores.size(); ++i) {
            scores[i].neutral_log_likelihood =
                neutral_log_likelihood(neutral[i], options.scoring.span);
          }
        }
        WeightedLikelihood together;
        for (std::size_t q = 0; q < queries.size(); ++q) {
          const Fact& fact = block[q / frame.settings.size()];
          if (q % frame.settings.size() == 0) {
            const std::size_t from = q * options_of_fact;
            const auto own = std::span(scores).subspan(from, per_fact);
            if (over::any_of(own, [](const auto& s) { return s.unreported_tokens > 0; })) {
              q += frame.settings.size() - 1;
              continue;
            }
            reported.push_back(fact);
          }
          const std::size_t place = q % frame.settings.size();
          const std::vector<double> reduced = detail::reduced_scores(
              relation, fact, frame.template_at(place),
              std::span(scores).subspan(q * options_of_fact, options_of_fact), options.scoring);
          frame.cells.push_back(predict(reduced, fact.answer));
          together.add(reduced, weight_of(relation.template_weights, frame.template_at(place)));
          if (place + 1 == frame.settings.size()) {
            const std::vector<double> weighted = std::exchange(together, {}).scores();
            if (!weighted.empty()) frame.weighted.push_back(predict(weighted, fact.answer));
          }
          if (!options.keep_scores) continue;
          frame.scores.insert(frame.scores.end(), reduced.begin(), reduced.end());
        }
        scored += block.size();
        if (options.on_progress) options.on_progress(scored, facts);
      }
      made.unreported_facts += relation.facts.size() - reported.size();
      if (reported.size() < relation.facts.size()) frame.relation.facts = std::move(reported);
    }
    return made;
  }
}

/// The same of statements, as closed-set probes have them.
template <class Scorer>
[[nodiscard]] ModelPredictions probe_in_memory(Scorer& scorer, const Dataset& dataset,
                                               const MemoryProbeOptions& options = {}) {
  return probe_in_memory(Statement{}, scorer, dataset, options);
}

}  // namespace plumb
