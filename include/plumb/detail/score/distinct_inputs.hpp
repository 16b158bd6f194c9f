// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which masked inputs are equal and therefore need to be computed only once?
//
// Statements or prompts that differ only in masked tokens result in the same model input.

#include <cstddef>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Distinct queries, in order of first appearance. Not thread-safe while queries are added.
class DistinctInputs {
 public:
  /// Adds the query if it is new. Returns its index.
  std::size_t insert(MaskedQuery query) {
    const auto [found, is_new] = indices_.try_emplace(key(query), queries_.size());
    if (is_new) queries_.push_back(std::move(query));
    return found->second;
  }
  [[nodiscard]] bool contains(const MaskedQuery& query) const {
    return indices_.contains(key(query));
  }
  [[nodiscard]] std::size_t size() const noexcept { return queries_.size(); }
  [[nodiscard]] std::span<const MaskedQuery> queries() const noexcept { return queries_; }
  void clear() {
    indices_.clear();
    queries_.clear();
  }

 private:
  static std::string key(const MaskedQuery& query) {
    std::string bytes(reinterpret_cast<const char*>(query.sequence.data()),
                      query.sequence.size() * sizeof(TokenId));
    return bytes.append(reinterpret_cast<const char*>(&query.position), sizeof query.position);
  }

  std::unordered_map<std::string, std::size_t> indices_;
  std::vector<MaskedQuery> queries_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
