// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which templates work, are manual templates better, and does the subject's wording matter?
//
// A fact has one prompt under a template for each expression of its subject. A template's accuracy
// is the proportion of these prompts that are answered correctly, averaged over facts. Its accuracy
// with the best expression is the mean over facts of the accuracy of each fact's best prompt under
// the template. Both are computed over the facts for which the template was used. In a closed set,
// a tie of n options that includes the right one counts as 1/n. Accuracies that differ by at most
// 1e-12 count as equal. Manual templates get a realistic rank among all templates of their
// relation; rank 1 is the most accurate. If only the template is chosen, the accuracy ranges from
// each relation's least accurate to its most accurate template, micro-averaged over facts. If only
// the subject's expression is chosen, it ranges from each fact's worst to its best expression,
// judged by the proportion of the fact's templates under which the expression gets a right answer.
// Source: "What Matters in Learning Facts in Language Models?", appendix C.2 to C.4, Tables 11 to
// 13, which do not specify how the results of several expressions are combined into the accuracy of
// a template.

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

/// There are no numbers for a template that was not used for any fact.
struct TemplateAccuracy {
  /// The intervals are Wilson's; the trials are the facts for which the template was used.
  Estimate accuracy;
  Estimate with_best_expression;
};

/// One accuracy for each of the relation's templates.
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
/// TemplateAccuracy); the first if several are equal. Nullopt if no template was used for any fact.
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
  /// The mean realistic rank. Its count is the number of manual templates, and its interval is a
  /// bootstrap of these templates within their relations. Contains no number if there are no manual
  /// templates.
  Estimate mean;
  /// The expected mean rank if templates drawn at random replaced the manual ones: (templates of
  /// the relation + 1) / 2.
  double by_chance = no_number;
  /// The number of other templates in relations with a manual template.
  std::size_t generated = 0;
};

/// Computes the ranks over the relations in which a manual template was used for at least one fact.
[[nodiscard]] inline ManualRanks manual_ranks(const PromptOutcomes& table,
                                              const Bootstrap& bootstrap) {
  ManualRanks made;
  double by_chance = 0;
  FactValues ranks;  // here the values belong to templates, not to facts
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

/// The range if only the template is chosen. The intervals treat the chosen templates as fixed.
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
