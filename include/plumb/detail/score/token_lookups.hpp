// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which tokens are looked up after which prefixes, and where is each result stored?
//
// Each lookup is assigned a slot when it is added. Once all lookups have been added, each distinct
// lookup is listed once, in the form that a LookupLm requires. The results are read by slot.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Not thread-safe.
class TokenLookups {
 public:
  void clear() {
    asked_.clear();
    lookups_.clear();
  }
  [[nodiscard]] std::size_t size() const noexcept { return asked_.size(); }

  /// Adds a lookup of a token after a node's prefix. Its slot is the number of lookups that were
  /// added before it.
  void ask(NodeId node, TokenId token) {
    asked_.push_back({{node, token}, static_cast<std::uint32_t>(asked_.size())});
  }

  /// Lists the distinct lookups in ascending order. No lookup may be added afterwards.
  void prepare() {
    const auto before = [](const Asked& a, const Asked& b) { return a.lookup < b.lookup; };
    if (!std::is_sorted(asked_.begin(), asked_.end(), before)) {
      std::sort(asked_.begin(), asked_.end(), before);
    }
    places_.resize(asked_.size());
    lookups_.clear();
    for (const Asked& one : asked_) {
      if (lookups_.empty() || lookups_.back() != one.lookup) lookups_.push_back(one.lookup);
      places_[one.slot] = static_cast<std::uint32_t>(lookups_.size() - 1);
    }
    answers_.assign(lookups_.size(), 0);
  }

  [[nodiscard]] std::span<const TokenLookup> lookups() const noexcept { return lookups_; }
  /// Storage for the lookups' log-probabilities, in the same order.
  [[nodiscard]] std::span<double> answers() noexcept { return answers_; }

  /// The result in a slot, in nats; 0 until the lookup has been answered.
  [[nodiscard]] double operator[](std::size_t slot) const { return answers_[places_[slot]]; }

 private:
  struct Asked {
    TokenLookup lookup;
    std::uint32_t slot;
  };
  std::vector<Asked> asked_;
  std::vector<TokenLookup> lookups_;
  std::vector<std::uint32_t> places_;  // by slot: the index of its distinct lookup
  std::vector<double> answers_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
