// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which prompts do two models, or one model under two settings, have in common?
//
// Relations are matched by code, templates by text, and the subject's expressions by index. Facts
// are matched by key and right answer, or by key alone if a fact of the relation has no single
// right answer in one of the tables. If a key or text occurs several times in a relation, the first
// is matched with the first, the second with the second, and so on. Items without a prompt (a
// template or fact that was never used) are ignored. Items that occur on only one side are counted.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/prompt_outcomes.hpp"
#include "plumb/detail/core/ranges.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The items that only one of two tables contains.
struct UnsharedPrompts {
  /// The number of relations in which the two tables share no prompt; each is counted once.
  std::size_t relations = 0;
  /// Counts in the other relations.
  std::size_t templates = 0;
  std::size_t facts = 0;
  /// Prompts of shared facts under shared templates.
  std::size_t prompts = 0;
};

/// One prompt, and the two answers to it.
struct PairedOutcome {
  /// Index among the relation's shared facts, and index among its shared templates.
  std::uint32_t fact = 0;
  std::uint16_t template_index = 0;
  bool one_right = false;
  bool other_right = false;
};

struct PairedRelation {
  std::string code;
  /// The number of facts and the number of templates that both tables have.
  std::size_t facts = 0;
  std::size_t templates = 0;
  /// At least one prompt; ordered by fact, template and expression.
  std::vector<PairedOutcome> prompts;
};

struct PairedPrompts {
  /// In the order of the first table.
  std::vector<PairedRelation> relations;
  UnsharedPrompts unshared;
};

constexpr std::size_t no_partner = static_cast<std::size_t>(-1);

/// For each item on our side, the index of the item on the other side that has the same key and is
/// preceded by the same number of items with this key; `no_partner` if there is none.
template <class FirstKey, class SecondKey>
std::vector<std::size_t> partners(std::size_t ours, FirstKey our_key, std::size_t theirs,
                                  SecondKey their_key) {
  std::map<std::pair<std::string, std::size_t>, std::size_t> places;
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < theirs; ++i) {
    const auto& key = their_key(i);
    places.emplace(std::pair{key, seen[key]++}, i);
  }
  seen.clear();
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < ours; ++i) {
    const auto& key = our_key(i);
    const auto place = places.find({key, seen[key]++});
    found.push_back(place == places.end() ? no_partner : place->second);
  }
  return found;
}

/// Items with a prompt on both sides, numbered in our order, and the number of items with a prompt
/// on only one side.
struct SharedPlaces {
  std::vector<std::size_t> ours, theirs;  // the numbers of the items on each side, or `no_partner`
  std::size_t shared = 0;
  std::size_t unshared = 0;
};

template <class OurPrompts, class TheirPrompts>
SharedPlaces shared_places(const std::vector<std::size_t>& partner, std::size_t theirs,
                           OurPrompts ours_has, TheirPrompts theirs_has) {
  SharedPlaces places{std::vector(partner.size(), no_partner), std::vector(theirs, no_partner)};
  for (std::size_t i = 0; i < theirs; ++i) places.unshared += theirs_has(i) ? 1U : 0U;
  for (std::size_t i = 0; i < partner.size(); ++i) {
    if (!ours_has(i)) continue;
    if (partner[i] == no_partner || !theirs_has(partner[i])) {
      ++places.unshared;
      continue;
    }
    --places.unshared;
    places.ours[i] = places.theirs[partner[i]] = places.shared++;
  }
  return places;
}

/// A fact's prompts under shared templates, by the template's number, then by expression.
inline std::vector<PromptOutcome> under_shared(std::span<const PromptOutcome> prompts,
                                               const std::vector<std::size_t>& numbers) {
  std::vector<PromptOutcome> some;
  for (PromptOutcome prompt : prompts) {
    const std::size_t number = numbers[prompt.template_index];
    if (number == no_partner) continue;
    prompt.template_index = static_cast<std::uint16_t>(number);
    some.push_back(prompt);
  }
  ranges::sort(some, {}, [](const PromptOutcome& prompt) {
    return std::pair{prompt.template_index, prompt.expression};
  });
  return some;
}

/// Adds the prompts that two relations share, if there are any.
inline void pair_relations(const PromptOutcomes& one, const PromptRelation& ours,
                           const PromptOutcomes& other, const PromptRelation& theirs,
                           PairedPrompts& made) {
  const auto our_asked = facts_asked(one, ours);
  const auto their_asked = facts_asked(other, theirs);
  const SharedPlaces templates = shared_places(
      partners(
          ours.templates.size(),
          [&](std::size_t i) -> const std::string& { return ours.templates[i].text; },
          theirs.templates.size(),
          [&](std::size_t i) -> const std::string& { return theirs.templates[i].text; }),
      theirs.templates.size(), [&](std::size_t i) { return our_asked[i] > 0; },
      [&](std::size_t i) { return their_asked[i] > 0; });
  const bool by_answer = has_right_answers(one, ours) && has_right_answers(other, theirs);
  const auto partner = partners(
      ours.facts, [&](std::size_t i) { return fact_identity(one, ours.first_fact + i, by_answer); },
      theirs.facts,
      [&](std::size_t i) { return fact_identity(other, theirs.first_fact + i, by_answer); });
  const SharedPlaces facts = shared_places(
      partner, theirs.facts,
      [&](std::size_t i) { return !one.prompts(ours.first_fact + i).empty(); },
      [&](std::size_t i) { return !other.prompts(theirs.first_fact + i).empty(); });
  PairedRelation paired{ours.code, facts.shared, templates.shared, {}};
  std::size_t unshared = 0;
  for (std::size_t i = 0; i < ours.facts; ++i) {
    if (facts.ours[i] == no_partner) continue;
    const auto mine = under_shared(one.prompts(ours.first_fact + i), templates.ours);
    const auto yours =
        under_shared(other.prompts(theirs.first_fact + partner[i]), templates.theirs);
    const std::size_t before = paired.prompts.size();
    auto next = yours.begin();
    for (const PromptOutcome& prompt : mine) {
      const auto place = [](const PromptOutcome& p) {
        return std::pair{p.template_index, p.expression};
      };
      next = std::lower_bound(next, yours.end(), place(prompt),
                              [&](const PromptOutcome& a, const auto& b) { return place(a) < b; });
      if (next == yours.end() || place(*next) != place(prompt)) continue;
      paired.prompts.push_back({static_cast<std::uint32_t>(facts.ours[i]), prompt.template_index,
                                prompt.right, next->right});
    }
    unshared += mine.size() + yours.size() - 2 * (paired.prompts.size() - before);
  }
  if (paired.prompts.empty()) {
    ++made.unshared.relations;
    return;
  }
  made.unshared.templates += templates.unshared;
  made.unshared.facts += facts.unshared;
  made.unshared.prompts += unshared;
  made.relations.push_back(std::move(paired));
}

/// Whether the model was asked about any fact of a relation.
inline bool has_prompts(const PromptOutcomes& table, const PromptRelation& relation) {
  for (std::size_t i = 0; i < relation.facts; ++i) {
    if (!table.prompts(relation.first_fact + i).empty()) return true;
  }
  return false;
}

[[nodiscard]] inline PairedPrompts pair_prompts(const PromptOutcomes& one,
                                                const PromptOutcomes& other) {
  const auto& ours = one.relations();
  const auto& theirs = other.relations();
  const auto partner = detail::partners(
      ours.size(), [&](std::size_t i) -> const std::string& { return ours[i].code; }, theirs.size(),
      [&](std::size_t i) -> const std::string& { return theirs[i].code; });
  const detail::SharedPlaces relations = detail::shared_places(
      partner, theirs.size(), [&](std::size_t i) { return detail::has_prompts(one, ours[i]); },
      [&](std::size_t i) { return detail::has_prompts(other, theirs[i]); });
  PairedPrompts made;
  made.unshared.relations = relations.unshared;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (relations.ours[i] == detail::no_partner) continue;
    detail::pair_relations(one, ours[i], other, theirs[partner[i]], made);
  }
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
