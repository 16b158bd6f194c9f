// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which facts are shown as shots, and which are used as questions?
//
// A relation's facts are split into a training part, from which shots are drawn, and a test part.
// If the dataset has its own split, it is kept. Otherwise, facts are distributed by subject, using
// a separate seed. No subject is then in both parts, and drawing different shots does not move
// facts between the parts. Source of the sizes: "Towards Reliable Latent Knowledge Estimation in
// LLMs", section 4 (100 training facts per relation).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/dataset.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Indices into a relation's facts, in ascending order; no fact is in both parts.
struct FactSplit {
  std::vector<std::size_t> training;
  std::vector<std::size_t> test;
};

/// The key of a fact's subject: its identifier, or its label if it has none.
[[nodiscard]] inline const std::string& subject_key(const Fact& fact) {
  return fact.subject_id.empty() ? fact.subject : fact.subject_id;
}

/// Determines which subjects a probe treats as the same: those with the same key, and those with
/// the same label, because a prompt that shows only labels cannot distinguish them, directly or by
/// way of others. Any number of threads may read the same object.
class SubjectGroups {
 public:
  explicit SubjectGroups(const Relation& relation) {
    std::unordered_map<std::string, std::size_t> by_label, by_key;  // the first fact with each
    std::vector<std::size_t> first(relation.facts.size());          // an earlier fact of the group
    const auto root = [&](std::size_t fact) {
      while (first[fact] != fact) fact = first[fact] = first[first[fact]];
      return fact;
    };
    for (std::size_t f = 0; f < relation.facts.size(); ++f) {
      const Fact& fact = relation.facts[f];
      first[f] = f;
      for (const std::size_t other : {by_label.try_emplace(fact.subject, f).first->second,
                                      by_key.try_emplace(subject_key(fact), f).first->second}) {
        const std::size_t one = root(f), two = root(other);
        first[(std::max)(one, two)] = (std::min)(one, two);
      }
    }
    for (std::size_t f = 0; f < relation.facts.size(); ++f) {
      keys_.try_emplace(relation.facts[f].subject, subject_key(relation.facts[root(f)]));
    }
  }
  /// The key of the group that a fact of the relation belongs to.
  [[nodiscard]] const std::string& of(const Fact& fact) const {
    const auto found = keys_.find(fact.subject);
    return found == keys_.end() ? subject_key(fact) : found->second;
  }

 private:
  std::unordered_map<std::string, std::string> keys_;  // maps each label to the key of the first
                                                       // fact of its group
};

/// Puts at most `training` facts into the training part. At least ten facts, or a fifth of a
/// relation with fewer than fifty facts, remain in the test part. Throws a user error if the
/// dataset's own split leaves facts unassigned or puts a subject into both parts.
[[nodiscard]] inline FactSplit train_test_split(const Relation& relation, std::size_t training,
                                                std::uint64_t seed) {
  FactSplit split;
  const SubjectGroups subjects(relation);
  std::map<std::string, std::vector<std::size_t>> by_subject;
  bool own = false;
  for (std::size_t f = 0; f < relation.facts.size(); ++f) {
    by_subject[subjects.of(relation.facts[f])].push_back(f);
    own = own || relation.facts[f].part != FactPart::unsaid;
  }
  if (own) {
    for (std::size_t f = 0; f < relation.facts.size(); ++f) {
      const Fact& fact = relation.facts[f];
      if (fact.part == FactPart::unsaid) {
        throw user_error(site_of(relation, fact, "split"), "is missing, but other facts have it",
                         "write train or test on every line, or on none");
      }
      (fact.part == FactPart::training ? split.training : split.test).push_back(f);
    }
    for (const std::size_t f : split.test) {
      for (const std::size_t other : by_subject.at(subjects.of(relation.facts[f]))) {
        if (relation.facts[other].part != FactPart::training) continue;
        throw user_error(site_of(relation, relation.facts[f], "split"),
                         "'" + relation.facts[f].subject +
                             "' is a test fact, but also a training fact on line " +
                             std::to_string(relation.facts[other].line) +
                             ", so it could be among its own shots",
                         "keep each subject in one part");
      }
    }
    return split;
  }
  std::vector<const std::vector<std::size_t>*> groups;
  groups.reserve(by_subject.size());
  for (const auto& [subject, facts] : by_subject) groups.push_back(&facts);
  RandomStream random(seed, "split/" + relation.code);
  const std::size_t facts = relation.facts.size();
  const std::size_t most =
      (std::min)(training, (std::max)(facts * 4 / 5, facts - std::min<std::size_t>(facts, 10)));
  random.shuffle(groups);
  for (const std::vector<std::size_t>* group : groups) {
    const bool fits = split.training.size() + group->size() <= most;
    std::vector<std::size_t>& side = fits ? split.training : split.test;
    side.insert(side.end(), group->begin(), group->end());
  }
  ranges::sort(split.training);
  ranges::sort(split.test);
  return split;
}

/// The training facts in the order in which they become shots for a given seed. With n shots, the
/// first n facts are used, so longer sequences begin with the shorter ones.
[[nodiscard]] inline std::vector<std::size_t> shot_order(const Relation& relation,
                                                         const FactSplit& split,
                                                         std::uint64_t seed) {
  std::vector<std::size_t> order = split.training;
  RandomStream random(seed, "shots/" + relation.code);
  random.shuffle(order);
  return order;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
