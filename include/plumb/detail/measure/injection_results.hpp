// SPDX-License-Identifier: Apache-2.0
#pragma once

// How likely is each object if some of the shots are unknown or incorrect?
//
// Computes the means of exp(log P(object | the pairs before it)), for each kind of pair. The
// probabilities are absolute, not normalised. A correct pair is compared with the same pair in the
// panel without injected pairs, because objects at later positions are likelier than objects at
// earlier ones, regardless of the pairs between them. Source: "Towards Reliable Latent Knowledge
// Estimation in LLMs", Figure 2 and Appendix E; the change relative to the correct panel is our
// addition. Non-goal: the choice of pairs in the panels (prompt/injection.hpp).

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/measure/interval.hpp"
#include "plumb/detail/prompt/injection.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A design and the scores of each panel's pairs: log-probabilities of the objects, in nats.
struct ScoredInjection {
  InjectionDesign design;
  std::vector<std::vector<double>> log_probabilities;
};

struct InjectionPanelResult {
  InjectionPanel panel;
  /// Log-probability of the object at each position, in nats.
  std::vector<double> log_probabilities;
  /// Mean probability by kind of pair; missing if the panel has no such pair.
  Estimate correct, injected, after_injected;
  /// Mean of a pair's probability minus its probability in the first panel, where all pairs are
  /// correct.
  Estimate correct_change, after_injected_change;
};

struct InjectionResults {
  std::string relation;
  std::vector<InjectionPanelResult> panels;
  std::size_t highlight = 0;
};

/// The mean of `values` over the positions of one kind.
inline Estimate mean_of_kind(const InjectionPanel& panel, PairKind kind,
                             const std::vector<double>& values, const Bootstrap& bootstrap,
                             const std::string& name) {
  Stratum chosen;
  for (std::size_t p = 0; p < panel.pairs.size(); ++p) {
    if (panel.pairs[p].kind == kind) chosen.values.push_back(values[p]);
  }
  if (chosen.values.empty()) return {};
  return bootstrap_mean({chosen}, bootstrap, "injection/" + panel.name + "/" + name);
}

/// `log_probabilities` contains the log-probability of the object at each position of each panel,
/// in nats (−∞ means a probability of 0). Throws an internal error if the number of
/// log-probabilities differs from the number of pairs, or if any of them is NaN or above 1e-3 (the
/// tolerance for rounding).
[[nodiscard]] inline InjectionResults injection_results(
    const InjectionDesign& design, const std::vector<std::vector<double>>& log_probabilities,
    const Bootstrap& bootstrap = {}) {
  InjectionResults results{design.relation, {}, design.highlight};
  if (log_probabilities.size() != design.panels.size()) {
    throw internal_error({.field = design.relation}, "an injection panel has no scores");
  }
  std::vector<double> baseline;
  for (std::size_t i = 0; i < design.panels.size(); ++i) {
    const InjectionPanel& panel = design.panels[i];
    const std::vector<double>& logs = log_probabilities[i];
    std::vector<double> probabilities;
    for (const double log : logs) {
      if (!(log <= 1e-3)) {
        throw internal_error({.field = design.relation},
                             "a score of panel '" + panel.name + "' is not a log-probability");
      }
      probabilities.push_back(std::exp(log));
    }
    if (logs.size() != panel.pairs.size()) {
      throw internal_error({.field = design.relation}, "panel '" + panel.name + "' has " +
                                                           counted(logs.size(), "score") + " for " +
                                                           counted(panel.pairs.size(), "pair"));
    }
    if (i == 0) baseline = probabilities;
    const auto mean = [&](PairKind kind, const std::vector<double>& values, const char* name) {
      return detail::mean_of_kind(panel, kind, values, bootstrap, name);
    };
    InjectionPanelResult made{panel, logs, {}, {}, {}, {}, {}};
    made.correct = mean(PairKind::correct, probabilities, "correct");
    made.injected = mean(PairKind::injected, probabilities, "injected");
    made.after_injected = mean(PairKind::after_injected, probabilities, "after");
    if (i > 0) {
      for (std::size_t p = 0; p < probabilities.size(); ++p) probabilities[p] -= baseline[p];
      made.correct_change = mean(PairKind::correct, probabilities, "correct change");
      made.after_injected_change = mean(PairKind::after_injected, probabilities, "after change");
    }
    results.panels.push_back(std::move(made));
  }
  return results;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
