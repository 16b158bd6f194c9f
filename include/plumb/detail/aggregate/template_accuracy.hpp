// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which templates work, are manual ones better, and does the subject's wording matter?
//
// A template's accuracy is the mean over facts of the share of their prompts under it (one for each
// expression of the subject) that are right. With the best expression, it is the mean over each
// fact's best prompt under it. Both are over the facts asked under the template. A closed set's tie
// of n options that includes the right one counts 1/n. Accuracies within 1e-12 are equal. Manual
// templates get a realistic rank among all templates of their relation; rank 1 is the most
// accurate. The range of accuracy if only the template is chosen: each relation's least and most
// accurate template, micro-averaged over facts. If only the subject's expression is chosen: each
// fact's worst and best expression, by the share of its templates that are right with it. Source:
// "What Matters in Learning Facts in Language Models?", appendix C.2 to C.4, Tables 11 to 13, which
// do not specify how several expressions give one accuracy of a template.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "plumb/detail/aggregate/fact_means.hpp"
#include "plumb/detail/aggregate/prompt_outcomes.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/rank.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// No numbers for a template that no fact was asked under.
struct TemplateAccuracy {
  /// Wilson's intervals, with the facts asked as trials.
  Estimate accuracy;
  Estimate with_best_expression;
};

/// One for each of the relation's templates.
[[nodiscard]] inline std::vector<TemplateAccuracy> template_accuracies(
    const PromptOutcomes& table, const PromptRelation& relation) {
  struct Sums {
    double shares = 0;
    double best = 0;
    std::size_t facts = 0;
  };
  std::vector<Sums> sums(relation.templates.size());
  for (std::size_t i = 0; i < relation.facts; ++i) {
    for_each_template(table.prompts(relation.first_fact + i),
                      [&](std::size_t index, std::span<const PromptOutcome> prompts) {
                        double best = 0;
                        for (const PromptOutcome& prompt : prompts) {
                          best = (std::max)(best, prompt.accuracy());
                        }
                        sums[index].shares += count_right(prompts).share();
                        sums[index].best += best;
                        ++sums[index].facts;
                      });
  }
  std::vector<TemplateAccuracy> made;
  for (const Sums& one : sums) {
    const auto of_facts = [&](double sum) {
      return one.facts == 0 ? Estimate{}
                            : wilson_share(sum / static_cast<double>(one.facts), one.facts);
    };
    made.push_back({of_facts(one.shares), of_facts(one.best)});
  }
  return made;
}

inline bool more_accurate(const Estimate& one, const Estimate& other) {
  return one.value > other.value + 1e-12;
}

/// The least and the most accurate of a relation's templates, by `number` (a member of
/// TemplateAccuracy); the first of equal ones. Nullopt if no template has facts.
struct TemplateExtremes {
  std::size_t worst = 0;
  std::size_t best = 0;
};
[[nodiscard]] inline std::optional<TemplateExtremes> template_extremes(
    std::span<const TemplateAccuracy> templates, Estimate TemplateAccuracy::*number) {
  std::optional<TemplateExtremes> found;
  for (std::size_t i = 0; i < templates.size(); ++i) {
    const Estimate& accuracy = templates[i].*number;
    if (accuracy.count == 0) continue;
    if (!found) found = {i, i};
    if (detail::more_accurate(templates[found->worst].*number, accuracy)) found->worst = i;
    if (detail::more_accurate(accuracy, templates[found->best].*number)) found->best = i;
  }
  return found;
}

struct ManualRanks {
  /// Mean realistic rank. Its count is the number of manual templates, and its interval is a
  /// bootstrap of them within their relations. No number if there is no manual template.
  Estimate mean;
  /// The mean rank of templates drawn at random in their place: (templates of the relation + 1) /
  /// 2.
  double by_chance = no_number;
  /// The other templates of relations with a manual template.
  std::size_t generated = 0;
};

/// Over the relations in which at least one fact was asked under a manual template.
[[nodiscard]] inline ManualRanks manual_ranks(const PromptOutcomes& table,
                                              const Bootstrap& bootstrap) {
  ManualRanks made;
  double by_chance = 0;
  FactValues ranks;  // here values of templates, not of facts
  for (const PromptRelation& relation : table.relations()) {
    const auto templates = template_accuracies(table, relation);
    ranks.begin_relation();
    std::size_t asked = 0;
    for (std::size_t i = 0; i < templates.size(); ++i) {
      const Estimate& mine = templates[i].accuracy;
      if (mine.count == 0) continue;
      ++asked;
      if (relation.templates[i].origin != TemplateOrigin::manual) continue;
      Rank rank;
      for (std::size_t j = 0; j < templates.size(); ++j) {
        const Estimate& other = templates[j].accuracy;
        if (j == i || other.count == 0) continue;
        if (detail::more_accurate(other, mine)) {
          ++rank.above;
        } else if (!detail::more_accurate(mine, other)) {
          ++rank.equal;
        }
      }
      ranks.add(rank.realistic());
    }
    const std::size_t manual = ranks.strata.back();
    by_chance += static_cast<double>(manual) * static_cast<double>(asked + 1) / 2;
    if (manual > 0) made.generated += asked - manual;
  }
  made.mean = FactMeans(bootstrap, "manual ranks")(ranks);
  if (made.mean.exists()) made.by_chance = by_chance / static_cast<double>(made.mean.count);
  return made;
}

/// Means over facts.
struct AccuracyExtent {
  Estimate lowest;
  Estimate highest;
};

/// The range if only the template is chosen. Intervals hold the chosen templates fixed.
[[nodiscard]] inline AccuracyExtent template_extent(const PromptOutcomes& table) {
  FactValues lowest, highest;
  for (const PromptRelation& relation : table.relations()) {
    const auto templates = template_accuracies(table, relation);
    const auto chosen = template_extremes(templates, &TemplateAccuracy::accuracy);
    lowest.begin_relation();
    highest.begin_relation();
    for (std::size_t i = 0; i < relation.facts; ++i) {
      for_each_template(table.prompts(relation.first_fact + i),
                        [&](std::size_t index, std::span<const PromptOutcome> prompts) {
                          const double share = count_right(prompts).share();
                          if (index == chosen->worst) lowest.add(share);
                          if (index == chosen->best) highest.add(share);
                        });
    }
  }
  return {share_of(lowest), share_of(highest)};
}

/// The range if only the subject's expression is chosen. A fact with one expression has the same
/// value at both ends.
[[nodiscard]] inline AccuracyExtent subject_extent(const PromptOutcomes& table) {
  FactValues lowest, highest;
  std::vector<RightCount> expressions;
  for (const PromptRelation& relation : table.relations()) {
    lowest.begin_relation();
    highest.begin_relation();
    for (std::size_t i = 0; i < relation.facts; ++i) {
      expressions.clear();
      for (const PromptOutcome& prompt : table.prompts(relation.first_fact + i)) {
        if (expressions.size() <= prompt.expression) expressions.resize(prompt.expression + 1U);
        RightCount& count = expressions[prompt.expression];
        count.add(prompt);
      }
      std::erase_if(expressions, [](const RightCount& count) { return count.total == 0; });
      if (expressions.empty()) continue;
      lowest.add(ranges::min_element(expressions, {}, &RightCount::share)->share());
      highest.add(ranges::max_element(expressions, {}, &RightCount::share)->share());
    }
  }
  return {share_of(lowest), share_of(highest)};
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
