// SPDX-License-Identifier: Apache-2.0
#pragma once

// Does a fact get the same answer regardless of the prompt?
//
//   Consist = mean over facts of (matching pairs of the fact's prompts) / (all its pairs),
// with unordered pairs. The same number is also computed over subsets of the pairs:
//   inner group       the templates are of one group (or are one template)
//   inter group       the templates are of two groups
//   only the subject  one template, two expressions of the subject
//   only the template one expression, two templates
// A fact without such a pair is excluded from that mean, and the number of excluded facts is
// reported. Prompts with the same answer are counted without comparing them; each pair of a fact's
// distinct answers is compared once. Source: "What Matters in Learning Facts in Language Models?",
// equation 1 (taken literally, its sum over i ≠ j, divided by half as many pairs, can reach 2),
// appendix C.3 and C.4, Tables 12 and 13. There, each subset of prompts has one expression or one
// template, and the mean is taken over subsets. Here a fact's pairs are pooled, which gives the
// same result if no prompt is missing.

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/fact_means.hpp"
#include "plumb/detail/aggregate/prompt_outcomes.hpp"
#include "plumb/detail/core/parallel.hpp"
#include "plumb/detail/core/ranges.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct MatchingShare {
  /// A proportion in [0, 1]; its count is the number of facts with such a pair of prompts.
  Estimate share;
  /// Facts without such a pair.
  std::size_t excluded = 0;
};

struct PromptConsistency {
  MatchingShare all, inner_group, inter_group, only_subject, only_template;
};

struct ConsistencyTable {
  PromptConsistency overall;
  /// The numbers for each relation that has facts, by code, in the table's order.
  std::vector<std::pair<std::string, PromptConsistency>> relations;
};

struct PairCount {
  std::uint64_t matching = 0;
  std::uint64_t pairs = 0;
};

/// Order of the counts: all, inner group, inter group, only subject, only template.
using FactPairs = std::array<PairCount, 5>;

/// Counts the pairs of each fact's prompts, one fact after another.
template <AnswerMatch Match>
class PairCounter {
 public:
  explicit PairCounter(const Match& match) : match_(match) {}

  /// `groups` contains the group of each template.
  FactPairs operator()(std::span<const PromptOutcome> prompts,
                       std::span<const std::uint32_t> groups) {
    number_answers(prompts);
    const PairCount all = within(prompts, [](const PromptOutcome&) { return 0U; });
    const PairCount inner =
        within(prompts, [&](const PromptOutcome& prompt) { return groups[prompt.template_index]; });
    return {all,
            inner,
            {all.matching - inner.matching, all.pairs - inner.pairs},
            within(prompts, [](const PromptOutcome& prompt) { return prompt.template_index; }),
            within(prompts, [](const PromptOutcome& prompt) { return prompt.expression; })};
  }

 private:
  static constexpr bool only_equal = std::same_as<Match, SameAnswer>;

  /// Numbers the distinct answers from 0 and determines which of them match.
  void number_answers(std::span<const PromptOutcome> prompts) {
    distinct_.clear();
    for (const PromptOutcome& prompt : prompts) distinct_.push_back(prompt.answer);
    ranges::sort(distinct_);
    distinct_.erase(std::unique(distinct_.begin(), distinct_.end()), distinct_.end());
    if constexpr (!only_equal) {
      const std::size_t count = distinct_.size();
      matches_.assign(count * count, 0);
      for (std::size_t a = 0; a < count; ++a) {
        for (std::size_t b = a + 1; b < count; ++b) {
          matches_[a * count + b] = match_(distinct_[a], distinct_[b]) ? 1 : 0;
        }
      }
    }
  }

  /// Counts the pairs of prompts that have the same class.
  template <class ClassOf>
  PairCount within(std::span<const PromptOutcome> prompts, ClassOf class_of) {
    keyed_.clear();
    for (const PromptOutcome& prompt : prompts) {
      const auto place = ranges::lower_bound(distinct_, prompt.answer) - distinct_.begin();
      keyed_.emplace_back(class_of(prompt), static_cast<std::uint32_t>(place));
    }
    ranges::sort(keyed_);
    PairCount count;
    for (std::size_t i = 0; i < keyed_.size();) {
      const std::uint32_t of_class = keyed_[i].first;
      std::uint64_t size = 0;
      answers_.clear();
      for (; i < keyed_.size() && keyed_[i].first == of_class; ++i, ++size) {
        const std::uint32_t answer = keyed_[i].second;
        if (answers_.empty() || answers_.back().first != answer) answers_.emplace_back(answer, 0);
        ++answers_.back().second;
      }
      count.pairs += size * (size - 1) / 2;
      count.matching += matching_pairs();
    }
    return count;
  }

  /// The number of matching pairs among the prompts whose answers are counted in `answers_`, which
  /// is in ascending order.
  [[nodiscard]] std::uint64_t matching_pairs() const {
    std::uint64_t matching = 0;
    for (std::size_t i = 0; i < answers_.size(); ++i) {
      const auto [a, times] = answers_[i];
      matching += times * (times - 1) / 2;
      if constexpr (!only_equal) {
        for (std::size_t j = i + 1; j < answers_.size(); ++j) {
          const auto [b, other_times] = answers_[j];
          if (matches_[a * distinct_.size() + b] != 0) matching += times * other_times;
        }
      }
    }
    return matching;
  }

  const Match& match_;
  std::vector<std::uint32_t> distinct_;
  /// distinct × distinct, row by row; only the part above the diagonal is used.
  std::vector<std::uint8_t> matches_;
  /// The class and the answer of each prompt.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> keyed_;
  /// Each answer, and the number of times it was given.
  std::vector<std::pair<std::uint32_t, std::uint64_t>> answers_;
};

/// The five means over the facts of the given relations.
inline PromptConsistency mean_consistency(std::span<const FactPairs> facts,
                                          std::span<const PromptRelation> relations) {
  std::array<MatchingShare, 5> made;
  for (std::size_t kind = 0; kind < made.size(); ++kind) {
    FactValues values;
    for (const PromptRelation& relation : relations) {
      values.begin_relation();
      for (const FactPairs& fact : facts.subspan(relation.first_fact, relation.facts)) {
        const PairCount& count = fact[kind];
        if (count.pairs == 0) {
          ++made[kind].excluded;
          continue;
        }
        values.add(static_cast<double>(count.matching) / static_cast<double>(count.pairs));
      }
    }
    made[kind].share = share_of(values);
  }
  return {made[0], made[1], made[2], made[3], made[4]};
}

/// `match` decides which different answers are the same. By default, only answers with equal
/// numbers are the same.
template <AnswerMatch Match = SameAnswer>
[[nodiscard]] ConsistencyTable prompt_consistency(const PromptOutcomes& table,
                                                  const Match& match = {}) {
  std::vector<detail::FactPairs> pairs(table.facts());
  for (const PromptRelation& relation : table.relations()) {
    const std::vector<std::uint32_t> groups = template_groups(relation);
    constexpr std::size_t block = 64;
    parallel_for((relation.facts + block - 1) / block, [&](std::size_t b) {
      detail::PairCounter<Match> counter(match);
      for (std::size_t i = b * block; i < (std::min)((b + 1) * block, relation.facts); ++i) {
        const std::size_t fact = relation.first_fact + i;
        pairs[fact] = counter(table.prompts(fact), groups);
      }
    });
  }
  ConsistencyTable made;
  made.overall = detail::mean_consistency(pairs, table.relations());
  for (const PromptRelation& relation : table.relations()) {
    if (relation.facts == 0) continue;
    made.relations.emplace_back(relation.code, detail::mean_consistency(pairs, {&relation, 1}));
  }
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
