// SPDX-License-Identifier: Apache-2.0
#pragma once

// How many prompts does a fact have, and how much do they differ in their words?
//
// The Jaccard distance of two templates is 1 − |A ∩ B| / |A ∪ B| over their sets of words, 0 if
// both are empty. A relation's distance is the mean over its pairs of templates. A dataset's
// distance is the mean over relations with at least two templates. Words are defined as for answers
// (measure/answer_words.hpp), in lower case and not lemmatised; [X] and [Y] do not count, because
// all templates contain them. These numbers describe a dataset and are not estimates, so they have
// no intervals. Source: "What Matters in Learning Facts in Language Models?", appendix B.1 and
// Table 8, which do not define what a word is. Non-goals: the paper's syntactic and semantic
// distances.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/prompt_outcomes.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/answer_words.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The distinct words of a template, in order.
[[nodiscard]] inline std::vector<std::string> template_words(std::string_view text) {
  std::set<std::string> words;
  const auto add = [&](std::string_view part) {
    for_each_answer_word(part, [&](std::string word) { words.insert(std::move(word)); });
  };
  while (!text.empty()) {
    const std::size_t end = (std::min)(text.find("[X]"), text.find("[Y]"));
    add(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 3);
    skip_possessive(text);  // for example in "[X]'s"
  }
  return {words.begin(), words.end()};
}

/// The mean over pairs of texts, in [0, 1]; nullopt for fewer than two texts.
[[nodiscard]] inline std::optional<double> lexical_distance(std::span<const std::string> texts) {
  if (texts.size() < 2) return std::nullopt;
  std::map<std::string, std::uint32_t> known;
  std::vector<std::vector<std::uint32_t>> sets;
  for (const std::string& text : texts) {
    auto& set = sets.emplace_back();
    for (const std::string& word : template_words(text)) {
      set.push_back(known.emplace(word, static_cast<std::uint32_t>(known.size())).first->second);
    }
    ranges::sort(set);
  }
  double sum = 0;
  std::vector<std::uint32_t> shared;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    for (std::size_t j = i + 1; j < sets.size(); ++j) {
      shared.clear();
      std::set_intersection(sets[i].begin(), sets[i].end(), sets[j].begin(), sets[j].end(),
                            std::back_inserter(shared));
      const std::size_t both = sets[i].size() + sets[j].size() - shared.size();
      if (both == 0) continue;
      sum += 1 - static_cast<double>(shared.size()) / static_cast<double>(both);
    }
  }
  return sum / (static_cast<double>(sets.size()) * static_cast<double>(sets.size() - 1) / 2);
}

/// A row of Table 8.
struct PromptDiversity {
  /// The number of facts with a prompt; the means are over these facts.
  std::size_t facts = 0;
  std::size_t prompts = 0;
  std::optional<double> prompts_per_fact{};
  /// The mean number of subject expressions among a fact's prompts.
  std::optional<double> expressions_per_fact{};
  /// The number of templates that were used for at least one fact.
  std::size_t templates = 0;
  /// The mean distance over the relations with at least two such templates; nullopt if there are
  /// none.
  std::optional<double> lexical_distance{};
  std::size_t relations_compared = 0;
};

[[nodiscard]] inline PromptDiversity prompt_diversity(const PromptOutcomes& table) {
  PromptDiversity made;
  std::size_t expressions = 0;
  double distances = 0;
  std::vector<std::uint16_t> of_fact;
  for (const PromptRelation& relation : table.relations()) {
    for (std::size_t i = 0; i < relation.facts; ++i) {
      const auto prompts = table.prompts(relation.first_fact + i);
      if (prompts.empty()) continue;
      ++made.facts;
      made.prompts += prompts.size();
      of_fact.clear();
      for (const PromptOutcome& prompt : prompts) of_fact.push_back(prompt.expression);
      ranges::sort(of_fact);
      expressions +=
          static_cast<std::size_t>(std::unique(of_fact.begin(), of_fact.end()) - of_fact.begin());
    }
    const auto asked = facts_asked(table, relation);
    std::vector<std::string> texts;
    for (std::size_t j = 0; j < asked.size(); ++j) {
      if (asked[j] > 0) texts.push_back(relation.templates[j].text);
    }
    made.templates += texts.size();
    if (const auto distance = lexical_distance(texts)) {
      distances += *distance;
      ++made.relations_compared;
    }
  }
  if (made.facts > 0) {
    const double facts = static_cast<double>(made.facts);
    made.prompts_per_fact = static_cast<double>(made.prompts) / facts;
    made.expressions_per_fact = static_cast<double>(expressions) / facts;
  }
  if (made.relations_compared > 0) {
    made.lexical_distance = distances / static_cast<double>(made.relations_compared);
  }
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
