// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which tokens are looked up in which rows of logits, and with what log-probability?
//
//   log P(token | prefix) = logits[token] − log Σ_v exp(logits[v])
// A lookup is asked for first and gets a slot; when all are known the nodes whose rows they need are
// listed, and each row is read once, whatever order rows come in.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plumb/core/log_softmax.hpp"
#include "plumb/core/over.hpp"
#include "plumb/core/token_tree.hpp"

namespace plumb {

/// Not thread-safe.
class RowLookups {
 public:
  void clear() {
    lookups_.clear();
    found_.clear();
  }
  [[nodiscard]] std::size_t size() const noexcept { return lookups_.size(); }

  /// Asks for a token in the row of a node; its slot is the number of lookups before it.
  void ask(NodeId node, TokenId token) {
    lookups_.push_back({node, token, static_cast<std::uint32_t>(lookups_.size())});
  }

  /// The nodes whose rows are needed, ascending, each once. Nothing may be asked for afterwards.
  [[nodiscard]] std::vector<NodeId> prepare() {
    over::sort(lookups_, {}, &Lookup::node);
    found_.assign(lookups_.size(), 0);
    std::vector<NodeId> nodes;
    for (const Lookup& lookup : lookups_) {
      if (nodes.empty() || nodes.back() != lookup.node) nodes.push_back(lookup.node);
    }
    return nodes;
  }

  /// Reads a row; one that nobody asked for is passed over. Throws a user error for a token that the
  /// row has no logit of.
  void read(NodeId node, std::span<const float> logits) {
    const auto first = over::lower_bound(lookups_, node, {}, &Lookup::node);
    const auto end = over::upper_bound(lookups_, node, {}, &Lookup::node);
    if (first == end) return;
    const double normalizer = log_sum_exp(logits);
    for (const Lookup& lookup : std::span(first, end)) {
      found_[lookup.slot] = log_probability(logits, lookup.token, normalizer);
    }
  }

  /// In nats, by slot; 0 until its row was read.
  [[nodiscard]] double operator[](std::size_t slot) const { return found_[slot]; }

 private:
  struct Lookup {
    NodeId node;
    TokenId token;
    std::uint32_t slot;
  };
  std::vector<Lookup> lookups_;
  std::vector<double> found_;
};

}  // namespace plumb
