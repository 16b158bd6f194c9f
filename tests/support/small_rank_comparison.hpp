// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rankings of a few queries by a few models, small enough to count by hand.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/rank/rank_comparison.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// The ranks, starting from 1, of the queries in lines 1, 2, …, which belong alternately to the
/// relations "even" and "odd".
[[nodiscard]] inline RankedMethod ranked(const std::string& name,
                                         const std::vector<std::size_t>& ranks,
                                         std::size_t candidates = 10) {
  RankedMethod made;
  made.name = name;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    EntityRank one;
    one.part = "test";
    one.line = i + 1;
    one.relation = i % 2 == 0 ? "even" : "odd";
    one.head = std::string("h").append(std::to_string(i));
    one.tail = std::string("t").append(std::to_string(i));
    one.candidates = one.filtered_candidates = candidates;
    one.raw.above = one.filtered.above = ranks[i] - 1;
    made.ranks.push_back(one);
  }
  return made;
}

[[nodiscard]] inline RankedModel ranked_model(const std::string& name,
                                              std::vector<RankedMethod> methods) {
  return {name, rank_results(std::move(methods), {}).methods};
}

/// With "deer", model a has the ranks 1, 2, 4 and model b has 2, 2, 1.
[[nodiscard]] inline RankComparison small_rank_comparison() {
  return compare_ranks({ranked_model("a", {ranked("deer", {1, 2, 4})}),
                        ranked_model("b", {ranked("deer", {2, 2, 1})})},
                       {});
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
