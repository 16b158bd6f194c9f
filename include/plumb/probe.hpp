// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does a model know?
//
// Runs the closed-set probe (BEAR, Wiland et al. 2024) in memory. Each template is filled with
// every option of every fact. The model knows a fact if the true statement is the most likely one.
//
//   plumb::CausalScorer scorer(model);
//   const plumb::Answers answers = plumb::probe(scorer, dataset);
//   plumb::metrics_of(answers).overall.accuracy.value
//
// Run: examples/own_engine.cpp. To write the same scores to a run folder, see plumb/run.hpp.

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
  /// The model's name in results.
  std::string name = "model";
  /// How a statement's token scores become one number, and which tokens are scored. If no span is
  /// set, the scorer's own span is used or, if it has none, the whole statement.
  Reduction reduction = Reduction::sum;
  std::optional<Span> span{};
  /// Indices of the templates; empty for all. A relation that lacks one of them is rejected.
  std::vector<std::size_t> templates{};
  /// The neutral text before the answer, used by `Reduction::pmi`. By default, it is the template
  /// without its subject.
  std::optional<std::string> neutral{};
  ProbeProgress on_progress{};
  /// The number of statements per block; prefixes are shared within a block.
  std::size_t block_statements = 2048;
};

/// Returns the indices of a relation's chosen templates. Throws a user error if the relation lacks
/// one of these templates.
inline std::vector<std::size_t> chosen_templates(const Relation& relation,
                                                 std::vector<std::size_t> chosen) {
  for (const std::size_t index : chosen) {
    if (index < relation.templates.size()) continue;
    throw user_error({.setting = "templates"},
                     "template " + std::to_string(index) + " is not one of " + relation.code +
                         "'s " + counted(relation.templates.size(), "template"),
                     "templates are numbered from 0");
  }
  if (chosen.empty()) {
    chosen.resize(relation.templates.size());
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  }
  return chosen;
}

/// Returns the span with which a scorer was constructed.
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

/// Computes the log-likelihood of every option of every fact under the templates, in prompts built
/// by `builder`. A PackedScorer (CausalScorer, MaskedScorer) shares prefixes among the facts of a
/// block; any other CandidateScorer is called fact by fact. Throws a user error before scoring if
/// the dataset has any fault that would make a loader reject a relation's file. Also propagates the
/// scorer's exceptions. A fact is skipped and counted as unreported if the engine did not report
/// all of its tokens. Each thread needs its own scorer.
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

/// Does the same with plain statements, as in closed-set probes.
template <class Scorer>
[[nodiscard]] Answers probe(Scorer& scorer, const Dataset& dataset,
                            const ProbeOptions& options = {}) {
  return probe(Statement{}, scorer, dataset, options);
}

/// Computes accuracy, hits at k, mean rank and MRR with their confidence intervals: by relation, by
/// domain and overall. Each fact counts once, with its values averaged over templates.
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
