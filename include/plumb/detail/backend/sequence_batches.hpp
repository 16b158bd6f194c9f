// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does an engine that takes batches of sequences evaluate plumb's trees?
//
// Each leaf of the tree becomes a sequence, so a shared prefix is evaluated again for each leaf;
// the gain comes from batching. If the engine returns only the row after each sequence's last
// token, the inner nodes are evaluated together in a second round. An engine that can keep a prefix
// should model TreeCausalLm instead.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/token_tree.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Receives one row of raw logits of a batch: the sequence, the position within it, and the row,
/// which may be overwritten after the call returns. It is called on the calling thread, like a
/// LogitsVisitor.
using BatchVisitor =
    std::function<void(std::uint32_t sequence, std::uint32_t position, std::span<const float>)>;

/// A language model that evaluates several sequences in one call.
///
/// Requires: `evaluate(sequences, visit)` calls `visit(i, position, logits)` at least for the last position
/// of each sequence i, in any order, where `logits` predicts position + 1. No sequence is empty.
/// Means: a row depends only on its own sequence up to its position, except for rounding.
/// Does not promise: rows for other positions, or that the sequences of a batch can be told apart
/// by their lengths.
template <class M>
concept BatchCausalLm = LanguageModel<M> &&
    requires(M& model, std::span<const std::vector<TokenId>> sequences, const BatchVisitor& visit) {
  model.evaluate(sequences, visit);
};

/// A TreeCausalLm that evaluates trees through a batch model, which it owns. It is as thread-safe
/// as that model.
template <class Model>
class SequenceBatches {
  static_assert(BatchCausalLm<Model>,
                "plumb: the model lacks evaluate of a batch. Write: void evaluate(std::span<const "
                "std::vector<plumb::TokenId>> sequences, const plumb::BatchVisitor& visit), which "
                "calls visit(i, position, logits) for the last position of each sequence; it also "
                "needs the tokenizer part that check_causal_lm requires");

 public:
  /// `most` is the maximum number of sequences in one call.
  explicit SequenceBatches(Model model, std::size_t most = 64)
      : model_(std::move(model)), most_((std::max)(most, std::size_t{1})) {}

  [[nodiscard]] Model& model() noexcept { return model_; }

  [[nodiscard]] Tokenization tokenize(std::string_view text) const { return model_.tokenize(text); }
  [[nodiscard]] std::string detokenize(std::span<const TokenId> ids) const {
    return model_.detokenize(ids);
  }
  [[nodiscard]] std::optional<TokenId> bos() const { return model_.bos(); }
  [[nodiscard]] std::size_t vocabulary_size() const { return model_.vocabulary_size(); }
  [[nodiscard]] std::size_t context_length() const { return model_.context_length(); }
  [[nodiscard]] bool ends(TokenId token) const {
    if constexpr (requires { model_.ends(token); }) return model_.ends(token);
    return false;
  }

  /// Nothing is held between calls, so a tree may have any size. A step is one batch.
  [[nodiscard]] TreeLimits tree_limits() const {
    return {most_ * context_length(), most_, most_, 1};
  }
  void release(const TokenTree&, NodeId) {}

  /// Throws a user error if the engine returns no row for a sequence's last token, or a row for a
  /// sequence or position that does not exist.
  void evaluate(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    std::vector<bool> pending(tree.size(), false), inner(tree.size(), false);
    for (const NodeId node : wanted) pending[node] = true;
    for (NodeId node : wanted) {
      while ((node = tree.parent(node)) != TokenTree::root && !inner[node]) inner[node] = true;
    }
    std::vector<NodeId> leaves;
    for (const NodeId node : wanted) {
      if (!inner[node]) leaves.push_back(node);
    }
    ask(tree, leaves, pending, visit);
    std::vector<NodeId> rest;  // for engines that return only the last row of a sequence
    for (const NodeId node : wanted) {
      if (pending[node]) rest.push_back(node);
    }
    ask(tree, rest, pending, visit);
  }

  void evaluate(std::span<const TokenId> sequence, const LogitsVisitor& visit) {
    // the number of rows buffered so that they can be visited in order
    constexpr std::size_t at_once = 16;
    TokenTree tree;
    tree.insert(sequence);
    for (std::size_t first = 0; first < sequence.size(); first += at_once) {
      std::vector<NodeId> wanted;
      for (std::size_t i = first; i < (std::min)(first + at_once, sequence.size()); ++i) {
        wanted.push_back(static_cast<NodeId>(i + 1));
      }
      std::vector<std::vector<float>> rows(wanted.size());
      evaluate(tree, wanted, [&](NodeId node, std::span<const float> row) {
        rows[node - 1 - first].assign(row.begin(), row.end());
      });
      for (std::size_t i = 0; i < rows.size(); ++i) {
        visit(static_cast<std::uint32_t>(first + i), rows[i]);
      }
    }
  }

 private:
  /// Evaluates the prefixes of these nodes as sequences, at most `most_` in one call.
  void ask(const TokenTree& tree, std::span<const NodeId> ends, std::vector<bool>& pending,
           const LogitsVisitor& visit) {
    for (std::size_t first = 0; first < ends.size(); first += most_) {
      const auto batch = ends.subspan(first, (std::min)(most_, ends.size() - first));
      std::vector<std::vector<TokenId>> sequences;
      std::vector<std::vector<NodeId>> paths;
      for (const NodeId end : batch) {
        sequences.push_back(tree.prefix(end));
        std::vector<NodeId>& path = paths.emplace_back(tree.depth(end));
        NodeId node = end;
        for (std::size_t at = path.size(); at-- > 0; node = tree.parent(node)) path[at] = node;
      }
      const std::span<const std::vector<TokenId>> asked(sequences);
      model_.evaluate(asked, BatchVisitor([&](std::uint32_t sequence, std::uint32_t position,
                                              std::span<const float> row) {
                        if (sequence >= paths.size() || position >= paths[sequence].size()) {
                          throw user_error({.field = "evaluate"},
                                           "returned a row for sequence " +
                                               std::to_string(sequence) + ", position " +
                                               std::to_string(position) +
                                               ", which was not requested; both count from 0",
                                           "fix the model's evaluate");
                        }
                        const NodeId node = paths[sequence][position];
                        if (!pending[node]) return;
                        pending[node] = false;
                        visit(node, row);
                      }));
      for (std::size_t i = 0; i < batch.size(); ++i) {
        if (!pending[batch[i]]) continue;
        throw user_error({.field = "evaluate"},
                         "returned no row for the last token of sequence " + std::to_string(i),
                         "fix the model's evaluate");
      }
    }
  }

  Model model_;
  std::size_t most_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
