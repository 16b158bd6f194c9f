// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which sequences and trees test whether a model's forms agree?
//
// The test uses the texts themselves, and sequences that begin with the first half of a text and
// continue with tokens of another text. Such branches share a prefix, whatever the texts are.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/token.hpp"
#include "plumb/detail/core/token_tree.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct VerifiedSequence {
  /// Begins with BOS if the model has one.
  std::vector<TokenId> tokens{};
  /// Index of the sequence's text among the given texts.
  std::size_t text = 0;
  /// For a sequence that departs from its text after `shared` tokens: `base` is the index of that
  /// text's sequence, and `other` is the index of the text whose reversed second half follows.
  std::size_t shared = 0, base = 0;
  std::optional<std::size_t> other{};

  [[nodiscard]] std::size_t half() const { return std::max<std::size_t>(1, tokens.size() / 2); }
};

/// The texts' token sequences, truncated after `most` tokens, followed by at most `branches`
/// sequences that depart from them. Texts without tokens are skipped.
[[nodiscard]] inline std::vector<VerifiedSequence> verified_sequences(
    std::span<const std::vector<TokenId>> texts, std::optional<TokenId> bos, std::size_t most,
    std::size_t branches) {
  std::vector<VerifiedSequence> made;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    VerifiedSequence one{{}, i};
    if (bos) one.tokens.push_back(*bos);
    one.tokens.insert(one.tokens.end(), texts[i].begin(), texts[i].end());
    one.tokens.resize((std::min)(one.tokens.size(), most));
    if (!texts[i].empty() && !one.tokens.empty()) made.push_back(std::move(one));
  }
  const std::size_t whole = made.size();
  for (std::size_t i = 0; i < whole && made.size() - whole < branches; ++i) {
    const std::size_t next = (i + 1) % whole;
    const std::vector<TokenId> own = made[i].tokens;
    std::vector<TokenId> rest(made[next].tokens.begin() + static_cast<int>(made[next].half()),
                              made[next].tokens.end());
    std::reverse(rest.begin(), rest.end());  // so that even a single text has a branch
    const std::size_t shared = made[i].half();
    while (!rest.empty() && shared < own.size() && rest.front() == own[shared]) {
      rest.erase(rest.begin());
    }
    if (rest.empty() || shared >= own.size()) continue;
    VerifiedSequence one{{own.begin(), own.begin() + static_cast<int>(shared)},
                         made[i].text,
                         shared,
                         i,
                         made[next].text};
    one.tokens.insert(one.tokens.end(), rest.begin(), rest.end());
    one.tokens.resize((std::min)(one.tokens.size(), most));
    if (one.tokens.size() > shared) made.push_back(std::move(one));
  }
  return made;
}

/// A tree of sequences that stores the sequence of each node. Not thread-safe.
class PlacedTree {
 public:
  struct Place {
    std::size_t sequence = 0, index = 0;
  };

  explicit PlacedTree(std::span<const VerifiedSequence> sequences) : sequences_(sequences) {}

  [[nodiscard]] const TokenTree& tree() const noexcept { return tree_; }
  [[nodiscard]] Place place(NodeId node) const { return places_[node]; }

  /// Adds the first `length` tokens of a sequence and appends new nodes to `added`. Returns the
  /// last token's node.
  NodeId grow(std::size_t sequence, std::size_t length, std::vector<NodeId>& added) {
    NodeId node = TokenTree::root;
    for (std::size_t i = 0; i < length; ++i) {
      const std::size_t before = tree_.size();
      node = tree_.add(node, sequences_[sequence].tokens[i]);
      if (tree_.size() == before) continue;
      places_.resize(tree_.size());
      places_[node] = {sequence, i};
      added.push_back(node);
    }
    return node;
  }
  NodeId grow(std::size_t sequence, std::size_t length) {
    std::vector<NodeId> ignored;
    return grow(sequence, length, ignored);
  }
  void shrink(std::size_t size) {
    tree_.shrink(size);
    places_.resize(tree_.size());
  }

  /// The number of nodes without a child.
  [[nodiscard]] std::size_t leaves() const {
    std::vector<bool> inner(tree_.size(), false);
    for (NodeId node = 1; node < tree_.size(); ++node) inner[tree_.parent(node)] = true;
    return static_cast<std::size_t>(ranges::count(inner, false));
  }

 private:
  std::span<const VerifiedSequence> sequences_;
  TokenTree tree_;
  std::vector<Place> places_ = std::vector<Place>(1);
};

/// Groups of sequence indices; each group fits into a tree with these limits.
[[nodiscard]] inline std::vector<std::vector<std::size_t>> sequences_together(
    std::span<const VerifiedSequence> sequences, const TreeLimits& limits) {
  std::vector<std::vector<std::size_t>> groups;
  PlacedTree tree(sequences);
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    if (!groups.empty()) {
      tree.grow(s, sequences[s].tokens.size());
      const bool fits = tree.tree().size() - 1 <= limits.nodes && tree.leaves() <= limits.leaves;
      if (fits) {
        groups.back().push_back(s);
        continue;
      }
    }
    groups.push_back({s});
    tree = PlacedTree(sequences);
    tree.grow(s, sequences[s].tokens.size());
  }
  return groups;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
