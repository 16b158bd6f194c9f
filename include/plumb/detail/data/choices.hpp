// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which answers does the model choose among?
//
// The choices for a fact are its true object and distractors drawn from the other objects of its
// relation. No distractor is a true object of the same subject, as determined by identifier, label
// or alias. The draw depends only on the fact and the seed. Source: "Towards Reliable Latent
// Knowledge Estimation in LLMs", section 4 (99 distractors, so a random guess is correct 1 % of the
// time).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/data/fact_split.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The aliases of objects, keyed by the object's identifier.
using ObjectAliases = std::unordered_map<std::string, std::vector<std::string>>;

/// Whether an option has one of these labels as an alias.
[[nodiscard]] inline bool has_alias(const ObjectAliases& aliases, const std::string& option_id,
                                    const std::set<std::string>& labels) {
  const auto names = aliases.find(option_id);
  return names != aliases.end() && ranges::any_of(names->second, [&](const std::string& name) {
           return labels.contains(name);
         });
}

/// The aliases of a dataset's objects. An object that is also the subject of a fact has the
/// subject's aliases too; unless its identifier is Wikidata's, it must also have the same name.
[[nodiscard]] inline ObjectAliases object_aliases(const Dataset& dataset) {
  ObjectAliases aliases;
  std::unordered_map<std::string, std::string> labels;
  const auto add = [&](const std::string& id, const std::vector<std::string>& names) {
    const auto found = aliases.find(id);
    if (found == aliases.end()) return;
    for (const std::string& name : names) {
      auto& list = found->second;
      if (ranges::find(list, name) == list.end()) list.push_back(name);
    }
  };
  for (const Relation& relation : dataset.relations) {
    for (std::size_t i = 0; i < relation.option_ids.size(); ++i) {
      aliases.try_emplace(relation.option_ids[i]);
      labels.try_emplace(relation.option_ids[i], relation.options[i]);
    }
    for (std::size_t i = 0; i < relation.option_aliases.size(); ++i) {
      add(relation.option_ids[i], relation.option_aliases[i]);
    }
  }
  for (const Relation& relation : dataset.relations) {
    for (const Fact& fact : relation.facts) {
      const auto labelled = labels.find(fact.subject_id);
      const bool is_same = is_wikidata_item(fact.subject_id) ||
                           (labelled != labels.end() && labelled->second == fact.subject);
      if (is_same) add(fact.subject_id, fact.subject_aliases);
    }
  }
  std::erase_if(aliases, [](const auto& entry) { return entry.second.empty(); });
  return aliases;
}

/// The choices for one fact.
struct Choices {
  /// Indices into the relation's options, in ascending order, without duplicates.
  std::vector<std::uint32_t> options;
  /// The index of the right option in `options`.
  std::size_t answer = 0;
};

/// Draws choices for the facts of one relation. Any number of threads may read it.
class ChoiceSampler {
 public:
  /// `relation` must already have all its facts, and must outlive the sampler.
  ChoiceSampler(const Relation& relation, const ObjectAliases& aliases, std::size_t count,
                std::uint64_t seed)
      : relation_(relation), aliases_(aliases), count_(count), seed_(seed), subjects_(relation) {
    for (const Fact& fact : relation.facts) truths_[subjects_.of(fact)].insert(fact.answer);
  }

  /// The answer and `count − 1` distractors; if there are fewer distractors, all of them. If the
  /// dataset specifies choices for the fact, they are returned unchanged.
  [[nodiscard]] Choices draw(const Fact& fact) const {
    Choices choices;
    if (!fact.offered.empty()) {
      choices.options = fact.offered;
    } else {
      std::vector<std::uint32_t> others = distractors(fact);
      const std::size_t wanted = (std::min)(count_ - 1, others.size());
      RandomStream random(seed_, "choices/" + relation_.code + "/" + subject_key(fact) + "/" +
                                     relation_.option_ids[fact.answer]);
      random.shuffle(others, wanted);
      others.resize(wanted);
      choices.options = std::move(others);
      choices.options.push_back(static_cast<std::uint32_t>(fact.answer));
    }
    ranges::sort(choices.options);
    const auto answer = ranges::find(choices.options, fact.answer);
    choices.answer = static_cast<std::size_t>(answer - choices.options.begin());
    return choices;
  }

  /// The options that are wrong answers for this fact, in ascending order.
  [[nodiscard]] std::vector<std::uint32_t> distractors(const Fact& fact) const {
    const auto subject = truths_.find(subjects_.of(fact));
    std::set<std::size_t> truths{fact.answer};
    if (subject != truths_.end()) truths.insert(subject->second.begin(), subject->second.end());
    std::set<std::string> ids;
    std::set<std::string> names, labels;
    for (const std::size_t truth : truths) {
      ids.insert(relation_.option_ids[truth]);
      labels.insert(relation_.options[truth]);
      names.insert(relation_.options[truth]);
      if (const auto found = aliases_.find(relation_.option_ids[truth]); found != aliases_.end()) {
        names.insert(found->second.begin(), found->second.end());
      }
    }
    std::vector<std::uint32_t> others;
    for (std::size_t option = 0; option < relation_.options.size(); ++option) {
      if (ids.contains(relation_.option_ids[option])) continue;
      if (names.contains(relation_.options[option])) continue;
      if (has_alias(aliases_, relation_.option_ids[option], labels)) continue;
      others.push_back(static_cast<std::uint32_t>(option));
    }
    return others;
  }

 private:
  const Relation& relation_;
  const ObjectAliases& aliases_;
  std::size_t count_;
  std::uint64_t seed_;
  SubjectGroups subjects_;
  std::map<std::string, std::set<std::size_t>> truths_;  // by subject
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
