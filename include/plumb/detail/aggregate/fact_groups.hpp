// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which facts belong to which domain, cardinality and relation?
//
// A group is a subset of a model's relations, stored as ranges of their facts, so that any per-fact
// data (judgements, resamples) can be restricted to it. A relation is in each of its domains.

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/predictions.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Some relations, as ranges of facts.
struct FactGroup {
  std::string name;
  std::vector<std::pair<std::size_t, std::size_t>> ranges;

  template <class T>
  [[nodiscard]] std::vector<T> of(const std::vector<T>& all) const {
    std::vector<T> part;
    for (const auto& [first, count] : ranges) {
      const auto from = all.begin() + static_cast<std::ptrdiff_t>(first);
      part.insert(part.end(), from, from + static_cast<std::ptrdiff_t>(count));
    }
    return part;
  }
};

/// A model's relations, grouped in three ways.
struct FactGroups {
  std::vector<FactGroup> domains, cardinality, relations;
};

/// Relations without facts are in no group.
[[nodiscard]] inline FactGroups groups_of(const std::vector<RelationPredictions>& relations) {
  std::map<std::string, FactGroup> domains, cardinality;
  FactGroups groups;
  std::size_t first = 0;
  for (const RelationPredictions& relation : relations) {
    const std::pair range{first, relation.facts()};
    first += relation.facts();
    if (relation.facts() == 0) continue;
    groups.relations.push_back({relation.relation.code, {range}});
    for (const std::string& domain : relation.relation.domains) {
      auto& ranges = domains[domain].ranges;
      if (ranges.empty() || ranges.back() != range)
        ranges.push_back(range);  // domains may be
                                  // repeated
    }
    cardinality[is_one_to_one(relation.relation) ? "1:1" : "N:1"].ranges.push_back(range);
  }
  for (auto& [name, group] : domains) groups.domains.push_back({name, std::move(group.ranges)});
  for (auto& [name, group] : cardinality) {
    groups.cardinality.push_back({name, std::move(group.ranges)});
  }
  return groups;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
