// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which tokens are looked up after which prefixes, and where does each answer stand?
//
// A lookup is asked for first and gets a slot; when all are known, each distinct one is listed once,
// as a LookupLm wants them, and the answers are read by slot.

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

  /// Asks for a token after a node's prefix; its slot is the number of lookups before it.
  void ask(NodeId node, TokenId token) {
    asked_.push_back({{node, token}, static_cast<std::uint32_t>(asked_.size())});
  }

  /// Lists what is asked: ascending, each once. Nothing may be asked for afterwards.
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
  /// Parallel to the lookups: where their log-probabilities go.
  [[nodiscard]] std::span<double> answers() noexcept { return answers_; }

  /// In nats, by slot; 0 until it was answered.
  [[nodiscard]] double operator[](std::size_t slot) const { return answers_[places_[slot]]; }

 private:
  struct Asked {
    TokenLookup lookup;
    std::uint32_t slot;
  };
  std::vector<Asked> asked_;
  std::vector<TokenLookup> lookups_;
  std::vector<std::uint32_t> places_;  // by slot: its lookup
  std::vector<double> answers_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
