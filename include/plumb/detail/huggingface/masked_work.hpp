// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which of the masked queries in a call are equal?
//
// Scoring a statement queries a sequence at several positions, and statements that share a part
// query the same sequence more than once. Each distinct sequence, and each distinct position in it,
// is computed only once. Shorter sequences come first.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A sequence and the queried positions in it, in ascending order.
struct MaskedSequence {
  std::span<const TokenId> sequence;
  std::vector<std::uint32_t> places;
};

/// The queries must outlive it. Any number of threads may read the same object.
class MaskedWork {
 public:
  explicit MaskedWork(std::span<const MaskedQuery> queries) : order_(queries.size()) {
    std::iota(order_.begin(), order_.end(), 0U);
    std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return comes_before(queries[a], queries[b]);
    });
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const auto& [sequence, position] = queries[order_[i]];
      const bool is_new = i == 0 || queries[order_[i - 1]].sequence != sequence;
      if (is_new) sequences_.push_back({sequence, {}});
      std::vector<std::uint32_t>& places = sequences_.back().places;
      if (places.empty() || places.back() != position) {
        places.push_back(position);
        begins_.push_back(i);
      }
    }
    begins_.push_back(order_.size());
  }

  [[nodiscard]] std::span<const MaskedSequence> sequences() const noexcept { return sequences_; }
  /// The number of distinct positions, summed over all sequences.
  [[nodiscard]] std::size_t places() const noexcept { return begins_.size() - 1; }
  /// The indices of the queries for a position; positions are numbered across all sequences.
  [[nodiscard]] std::span<const std::uint32_t> queries_at(std::size_t place) const {
    return std::span(order_).subspan(begins_[place], begins_[place + 1] - begins_[place]);
  }

 private:
  static bool comes_before(const MaskedQuery& a, const MaskedQuery& b) {
    if (a.sequence.size() != b.sequence.size()) return a.sequence.size() < b.sequence.size();
    if (a.sequence != b.sequence) return a.sequence < b.sequence;
    return a.position < b.position;
  }

  std::vector<std::uint32_t> order_;  // query indices, sorted by sequence and position
  // for each distinct position, the index in `order_` of its first query
  std::vector<std::size_t> begins_;
  std::vector<MaskedSequence> sequences_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
