// SPDX-License-Identifier: Apache-2.0
#pragma once

// How much does the model know, depending on which prompts it may use?
//
//   Average   for each fact, the share of its prompts that are right, averaged over facts
//   Maximum   each relation's best template, and each subject's best expression under it
//   Minimum   each relation's worst template, with the subject's best expression
//   Oracle    a fact is known if any of its prompts is right
// The proportion of facts for which at least one of k prompts is answered correctly lies between
// Average and Oracle. If w of a fact's n prompts are answered wrongly, k prompts drawn without
// replacement are all answered wrongly with probability C(w, k) / C(n, k), so
//   coverage(k) = mean over facts of 1 − Π_{i<k} (w − i) / (n − i).
// In a closed set, a tie of n options for the best score counts as 1/n in Average, Maximum and
// Minimum if it includes the right option. It counts as wrong in Oracle and in the curve, which
// starts at Average if there are no ties. The best and the worst template are chosen by the
// proportion of correctly answered facts among the facts for which the template was used. The
// resulting proportions are micro-averaged: the number of facts that are answered correctly under
// the chosen templates, divided by the number of facts for which these templates were used. Source:
// "What Matters in Learning Facts in Language Models?", section 7 (best expression: footnote 16)
// and Tables 7 and 18, where the Oracle is the upper limit.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "plumb/detail/aggregate/fact_means.hpp"
#include "plumb/detail/aggregate/prompt_outcomes.hpp"
#include "plumb/detail/aggregate/template_accuracy.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Proportions in [0, 1]; contains no numbers if there are no facts. The intervals are Wilson's
/// (for Maximum and Minimum, with the chosen templates held fixed); only Average has a bootstrap
/// over facts.
struct PromptCoverage {
  Estimate average;
  Estimate maximum;
  Estimate minimum;
  Estimate oracle;
  /// The number of facts without a prompt; these facts are omitted.
  std::size_t without_prompt = 0;
  /// The Average that results if the first option of a tie is taken as the answer. Equals Average
  /// if there are no ties.
  Estimate average_first_wins{};
  /// Ties among all prompts; generated answers have none.
  TieCount ties{};
};

[[nodiscard]] inline PromptCoverage prompt_coverage(const PromptOutcomes& table) {
  PromptCoverage made;
  FactValues shares, first_wins;
  std::size_t known = 0;
  struct Micro {
    double right = 0;
    std::size_t asked = 0;
    void add(const Estimate& accuracy) {
      right += accuracy.value * static_cast<double>(accuracy.count);
      asked += accuracy.count;
    }
    [[nodiscard]] Estimate share() const {
      return asked == 0 ? Estimate{} : wilson_share(right / static_cast<double>(asked), asked);
    }
  } most, least;
  for (const PromptRelation& relation : table.relations()) {
    shares.begin_relation();
    first_wins.begin_relation();
    for (std::size_t i = 0; i < relation.facts; ++i) {
      const auto prompts = table.prompts(relation.first_fact + i);
      const RightCount count = count_right(prompts);
      if (count.total == 0) {
        ++made.without_prompt;
        continue;
      }
      shares.add(count.share());
      std::size_t first_right = 0;
      for (const PromptOutcome& prompt : prompts) {
        first_right += right_if_first_wins(prompt.right, prompt.tie) ? 1U : 0U;
        made.ties.add(prompt.is_tie());
      }
      first_wins.add(static_cast<double>(first_right) / static_cast<double>(count.total));
      known += count.right > 0 ? 1U : 0U;
    }
    const auto templates = template_accuracies(table, relation);
    const auto chosen = template_extremes(templates, &TemplateAccuracy::with_best_expression);
    if (!chosen) continue;
    most.add(templates[chosen->best].with_best_expression);
    least.add(templates[chosen->worst].with_best_expression);
  }
  made.average = share_of(shares);
  made.average_first_wins = share_of(first_wins);
  made.maximum = most.share();
  made.minimum = least.share();
  made.oracle = wilson(known, shares.values.size());
  return made;
}

/// A point of the curve.
struct CoveragePoint {
  std::size_t prompts = 0;
  /// The expected proportion of facts with at least one right answer among this many prompts.
  Estimate share;
  /// The number of facts that have fewer prompts; for these facts, all prompts are used.
  std::size_t fewer = 0;
};

/// The numbers 1, 2, 3, 5 and 7, multiplied by increasing powers of ten, as long as they are below
/// `most`, followed by `most` itself; empty if `most` is 0.
[[nodiscard]] inline std::vector<std::size_t> coverage_steps(std::size_t most) {
  std::vector<std::size_t> steps;
  for (std::size_t scale = 1; scale < most; scale *= 10) {
    for (const std::size_t digit : {1U, 2U, 3U, 5U, 7U}) {
      if (digit * scale < most) steps.push_back(digit * scale);
    }
  }
  if (most > 0) steps.push_back(most);
  return steps;
}

/// The curve at the numbers of prompts in `steps`, which must be ascending and positive, over the
/// facts that have a prompt; empty if there are no such facts.
[[nodiscard]] inline std::vector<CoveragePoint> coverage_curve(const PromptOutcomes& table,
                                                               std::span<const std::size_t> steps) {
  std::vector<FactValues> values(steps.size());
  std::vector<CoveragePoint> curve(steps.size());
  for (const PromptRelation& relation : table.relations()) {
    for (FactValues& step : values) step.begin_relation();
    for (std::size_t i = 0; i < relation.facts; ++i) {
      const RightCount count = count_right(table.prompts(relation.first_fact + i));
      if (count.total == 0) continue;
      const std::size_t wrong = count.total - count.right;
      double all_wrong = 1;
      std::size_t drawn = 0;
      for (std::size_t s = 0; s < steps.size(); ++s) {
        for (; drawn < std::min<std::size_t>(steps[s], count.total); ++drawn) {
          all_wrong *= drawn >= wrong ? 0
                                      : static_cast<double>(wrong - drawn) /
                                            static_cast<double>(count.total - drawn);
        }
        values[s].add(1 - all_wrong);
        curve[s].fewer += count.total < steps[s] ? 1U : 0U;
      }
    }
  }
  for (std::size_t s = 0; s < steps.size(); ++s) {
    curve[s].prompts = steps[s];
    curve[s].share = share_of(values[s]);
  }
  std::erase_if(curve, [](const CoveragePoint& point) { return point.share.count == 0; });
  return curve;
}

/// The curve at the `coverage_steps` up to the largest number of prompts of any fact.
[[nodiscard]] inline std::vector<CoveragePoint> coverage_curve(const PromptOutcomes& table) {
  std::size_t most = 0;
  for (std::size_t fact = 0; fact < table.facts(); ++fact) {
    most = (std::max)(most, table.prompts(fact).size());
  }
  return coverage_curve(table, coverage_steps(most));
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
