// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does a model know?
//
// The closed-set probe (BEAR, Wiland et al. 2024) in memory: every option of every fact is put into a
// sentence under every template, and the model knows a fact if it finds the true sentence the likeliest.
//
//   plumb::CausalScorer scorer(model);
//   const plumb::Answers answers = plumb::probe(scorer, dataset);
//   plumb::metrics_of(answers).overall.accuracy.value
//
// Run: examples/own_engine.cpp. A run folder of the same scores: plumb/run.hpp.

#include <concepts>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "plumb/detail/aggregate/answers.hpp"
#include "plumb/detail/aggregate/prediction_metrics.hpp"
#include "plumb/detail/aggregate/probe_in_memory.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct ProbeOptions {
  /// What results call the model.
  std::string name = "model";
  /// Which number stands for a statement, and over which of its tokens; where not said, over those that
  /// the scorer was made for, or the whole statement.
  Reduction reduction = Reduction::sum;
  std::optional<Span> span{};
  /// Templates by index; all where none is named. Relations without any of them are refused.
  std::vector<std::size_t> templates{};
  /// What stands before the answer alone, which `Reduction::pmi` compares with; the template without its
  /// subject where nothing is given.
  std::optional<std::string> neutral{};
  ProbeProgress on_progress{};
  /// Statements whose prefixes are shared.
  std::size_t block_statements = 2048;
};

/// The chosen templates of a relation. Throws a user error for one that it has not.
inline std::vector<std::size_t> chosen_templates(const Relation& relation,
                                                 std::vector<std::size_t> chosen) {
  for (const std::size_t index : chosen) {
    if (index < relation.templates.size()) continue;
    throw user_error({.setting = "templates"},
                     "template " + std::to_string(index) + " is not one of " + relation.code +
                         "'s " + counted(relation.templates.size(), "template"),
                     "templates count from 0");
  }
  if (chosen.empty()) {
    chosen.resize(relation.templates.size());
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  }
  return chosen;
}

/// What a scorer was made for.
template <class Scorer>
[[nodiscard]] Span span_of(const Scorer& scorer) {
  if constexpr (requires {
                  { scorer.span() } -> std::same_as<Span>;
                }) {
    return scorer.span();
  } else {
    return Span::statement;
  }
}

/// Log-likelihoods of every option of every fact under the templates, in prompts of `builder`. A
/// PackedScorer (CausalScorer, MaskedScorer) shares prefixes among the facts of a block; any other
/// CandidateScorer is asked fact by fact. Throws a user error for what a loader would refuse in a
/// relation's file, before anything is scored, and for what the scorer refuses. A fact that the engine
/// did not report all tokens of is left out and counted. Threads need scorers of their own.
template <PromptBuilder Builder, class Scorer>
[[nodiscard]] Answers probe(const Builder& builder, Scorer& scorer, const Dataset& dataset,
                            const ProbeOptions& options = {}) {
  static_assert(check_scorer<Scorer>());
  if constexpr (!PackedScorer<Scorer>) {
    QueryByQuery<Scorer> packed(scorer);
    return probe(builder, packed, dataset, options);
  } else {
    Answers answers = detail::answers_of(
        builder, scorer, check_and_complete(dataset),
        [&](const Relation& relation) {
          return detail::chosen_templates(relation, options.templates);
        },
        {options.reduction, options.span.value_or(detail::span_of(scorer))}, options.neutral,
        options.on_progress, options.block_statements);
    answers.name = options.name;
    return answers;
  }
}

/// The same of statements, as closed-set probes have them.
template <class Scorer>
[[nodiscard]] Answers probe(Scorer& scorer, const Dataset& dataset,
                            const ProbeOptions& options = {}) {
  return probe(Statement{}, scorer, dataset, options);
}

/// Accuracy, hits at k, mean rank and MRR with their intervals, by relation, domain and over all; a fact
/// counts once, with the mean over its templates.
[[nodiscard]] inline ProbeMetrics metrics_of(const Answers& answers,
                                             const Bootstrap& bootstrap = {}) {
  const ModelAnswers made = likeliest(answers);
  return probe_metrics(under_all_templates(made.relations), bootstrap, "all");
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

namespace plumb {

using detail::Answers;
using detail::metrics_of;
using detail::probe;
using detail::ProbeOptions;

}  // namespace plumb
