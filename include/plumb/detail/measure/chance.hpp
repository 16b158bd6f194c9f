// SPDX-License-Identifier: Apache-2.0
#pragma once

// Does a model do better than guessing, and does one option win regardless of the question?
//
// Under guessing, a fact with K options is answered correctly with probability 1/K, independently
// of the other facts. The number of correct answers then follows the Poisson binomial distribution.
// The test is exact and one-sided:
//   p = P(S ≥ s),
// where s is the number of right answers found, rounded down (a tie of n counts as 1/n). The
// p-value is computed for the best template or setting and multiplied by the number of templates or
// settings (Bonferroni), because all of them are tested on the same facts. If Hoeffding's bound on
// p is already below 1e-9, the sum is not computed and the bound is used instead. An option's share
// is the proportion of facts for which it is the correct answer, or 1/K if that is larger. The
// option is favoured if it wins at least ten times and at least twice as often as its share would
// suggest, and if the probability of at least that many wins in a binomial distribution with that
// share is below 0.001. This probability is first multiplied by the number of options and templates
// of the relation. Source: Hoeffding 1956 (the distribution), 1963 (the bound). Non-goal: removing
// such a bias from the answers.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/measure/probe_metrics.hpp"
#include "plumb/detail/measure/relation_answers.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// P(S ≥ at_least) for the number S of successes in independent trials; exact except for rounding.
[[nodiscard]] inline double chance_of_at_least(std::span<const double> probabilities,
                                               std::size_t at_least) {
  if (at_least == 0) return 1;
  if (at_least > probabilities.size()) return 0;
  // mass[k] = P(S = k) over the trials so far, for k < at_least. The last entry collects P(S ≥
  // at_least).
  std::vector<double> mass(at_least + 1, 0.0);
  mass[0] = 1;
  for (const double p : probabilities) {
    mass[at_least] += mass[at_least - 1] * p;
    for (std::size_t k = at_least - 1; k > 0; --k) mass[k] = mass[k] * (1 - p) + mass[k - 1] * p;
    mass[0] *= 1 - p;
  }
  return (std::min)(1.0, mass[at_least]);
}

/// The results of one query form (a template or a setting) over all facts.
struct GuessedAnswers {
  /// The sum of expected accuracies: a tie of n counts as 1/n.
  double right = 0;
  /// The probability of guessing each fact right, parallel to the facts.
  std::vector<double> probabilities;
};

/// Compares a whole run with guessing. If there are several query forms, the best one is used: the
/// one that is the most standard deviations above the expectation under guessing.
struct ChanceTest {
  std::size_t answers = 0;
  double right = 0;
  /// The expected number of correct answers under guessing.
  double expected = 0;
  /// The p-value, multiplied by the number of query forms; at most 1. If Hoeffding's bound is below
  /// 1e-9, that bound is used.
  double p = 1;
};

/// Tests several query forms for the same facts. Nullopt if there are no answers.
[[nodiscard]] inline std::optional<ChanceTest> chance_test(
    const std::vector<GuessedAnswers>& ways) {
  const GuessedAnswers* best = nullptr;
  double furthest = 0;
  ChanceTest made;
  for (const GuessedAnswers& way : ways) {
    if (way.probabilities.empty()) continue;
    double expected = 0, variance = 0;
    for (const double p : way.probabilities) {
      expected += p;
      variance += p * (1 - p);
    }
    // If the variance is 0, every guess is right, and no run can be better than guessing.
    const double above = variance > 0 ? (way.right - expected) / std::sqrt(variance) : 0;
    if (best != nullptr && above <= furthest) continue;
    best = &way;
    furthest = above;
    made = {way.probabilities.size(), way.right, expected, 1};
  }
  if (best == nullptr) return std::nullopt;
  const auto times = static_cast<double>(ways.size());
  const auto whole = static_cast<std::size_t>(made.right + 1e-9);
  const double most = (std::max)(0.0, static_cast<double>(whole) - made.expected);
  const double bound = times * std::exp(-2 * most * most / static_cast<double>(made.answers));
  made.p = bound;
  if (bound >= 1e-9) {
    made.p = (std::min)(1.0, times * chance_of_at_least(best->probabilities, whole));
  }
  return made;
}

/// Tests a closed-set probe, whose query forms are its templates.
[[nodiscard]] inline std::optional<ChanceTest> chance_test(
    const std::vector<RelationAnswers>& relations) {
  std::vector<GuessedAnswers> ways;
  for (const std::size_t index : scored_templates(relations)) {
    GuessedAnswers& way = ways.emplace_back();
    for (const AnswersView& asked : under_template(relations, index)) {
      for (std::size_t fact = 0; fact < asked.facts(); ++fact) {
        way.right += asked.answer(fact).accuracy();
        way.probabilities.push_back(1 / static_cast<double>(asked.relation().options.size()));
      }
    }
  }
  return chance_test(ways);
}

/// The warning about a run that does not do better than guessing. Nullopt if the run does better,
/// or if it is too small to judge (fewer than 20 answers).
[[nodiscard]] inline std::optional<std::string> chance_warning(
    const std::optional<ChanceTest>& made) {
  if (!made || made->answers < 20 || made->p <= 0.05) return std::nullopt;
  return "Warning: the run is indistinguishable from guessing: " + with_decimals(made->right, 1) +
         " of " + counted(made->answers, "answer") + " right, guessing gives " +
         with_decimals(made->expected, 1) + " (p = " + with_decimals(made->p, 2) +
         ", exact one-sided Poisson binomial test; a guess is right with probability 1 / number "
         "of options).";
}

struct FavouredOption {
  /// Index of the relation.
  std::size_t relation = 0;
  std::size_t option = 0;
  std::size_t template_index = 0;
  std::size_t facts = 0;
  /// How often the option is picked, and how often it is right.
  std::size_t wins = 0, right = 0;
  /// The p-value, multiplied by the number of options and templates of the relation.
  double p = 1;
};

/// For each relation with favoured options, the most favoured one. If options tie, the first one is
/// treated as picked.
[[nodiscard]] inline std::vector<FavouredOption> favoured_options(
    const std::vector<RelationAnswers>& relations) {
  constexpr std::size_t fewest = 10;
  constexpr double unlikely = 0.001;
  std::vector<FavouredOption> all;
  for (std::size_t r = 0; r < relations.size(); ++r) {
    const RelationAnswers& table = relations[r];
    const std::size_t facts = table.facts();
    const std::size_t options = table.relation.options.size();
    const AnswersView asked = AnswersView::of_templates(table);
    std::vector<std::size_t> right(options);
    for (const Fact& fact : table.relation.facts) ++right[fact.answer];
    std::optional<FavouredOption> most;
    for (std::size_t t = 0; t < asked.size(); ++t) {
      std::vector<std::size_t> wins(options);
      for (std::size_t fact = 0; fact < facts; ++fact) ++wins[asked.answer(fact, t).option];
      for (std::size_t option = 0; option < options; ++option) {
        const double n = static_cast<double>(facts);
        const double share =
            (std::max)(static_cast<double>(right[option]) / n, 1 / static_cast<double>(options));
        if (wins[option] < fewest || static_cast<double>(wins[option]) < 2 * share * n) continue;
        const double p = chance_of_at_least(std::vector<double>(facts, share), wins[option]) *
                         static_cast<double>(options * asked.size());
        if (p >= unlikely || (most && most->wins >= wins[option])) continue;
        most = {r, option, asked.setting(t).variant, facts, wins[option], right[option], p};
      }
    }
    if (most) all.push_back(*most);
  }
  return all;
}

/// A warning about favoured options, with details of the three picked for the largest proportion of
/// facts. `name(option)` returns an option's name. Nullopt if no option is favoured.
template <class Name>
[[nodiscard]] std::optional<std::string> favour_warning(
    const std::vector<RelationAnswers>& relations, Name name) {
  std::vector<FavouredOption> all = favoured_options(relations);
  if (all.empty()) return std::nullopt;
  ranges::stable_sort(all, std::greater{}, [](const FavouredOption& one) {
    return static_cast<double>(one.wins) / static_cast<double>(one.facts);
  });
  std::string text = "Warning: one option is picked far more often than it is right in " +
                     counted(all.size(), "relation") + " (binomial test, p < 0.001): ";
  constexpr std::size_t shown = 3;
  const auto stated = [&](const FavouredOption& one) {
    return relations[one.relation].relation.code + " '" + name(one) + "' is picked for " +
           std::to_string(one.wins) + " of " + counted(one.facts, "fact") + " and right for " +
           std::to_string(one.right) + " (template " + std::to_string(one.template_index) + ")";
  };
  text += text_list(std::span(all).first((std::min)(shown, all.size())), stated, "; ");
  return text + (all.size() > shown ? "; …" : "") + ".";
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
