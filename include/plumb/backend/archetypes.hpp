// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does a model look like that does just what the concepts ask, and no more?
//
// An n-gram model with add-one smoothing over the bytes (or longer pieces) of a training text:
//   P(t | last n-1 tokens) = (count(context, t) + 1) / (count(context) + V)
// so a test can compute every probability by hand, and a stranger can copy the shape of it. The
// context is cut at the start of the sequence, BOS included, so a prefix matters up to n-1 tokens.
// Non-goal: being any good as a language model.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/backend/concepts.hpp"
#include "plumb/core/error.hpp"

namespace plumb {

/// A CausalLm. Tokens 0–255 are bytes, then the pieces given, then BOS. Not thread-safe.
class NgramModel {
 public:
  /// Longer pieces win over shorter ones, as in a greedy tokenizer; `order` is n, at least 1.
  explicit NgramModel(std::string_view training_text, std::size_t order = 3,
                      std::vector<std::string> pieces = {})
      : pieces_(std::move(pieces)), order_(order) {
    std::vector<TokenId> ids{*bos()};
    for (const Token& token : tokenize(training_text).tokens) ids.push_back(token.id);
    for (std::size_t i = 1; i < ids.size(); ++i) {
      ++counts_[context_of(std::span(ids).first(i))][ids[i]];
    }
  }

  [[nodiscard]] Tokenization tokenize(std::string_view text) const {
    Tokenization result;
    for (std::size_t at = 0; at < text.size();) {
      Token token{static_cast<unsigned char>(text[at]), {at, at + 1}};
      for (std::size_t i = 0; i < pieces_.size(); ++i) {
        if (text.substr(at).starts_with(pieces_[i]) && at + pieces_[i].size() > token.bytes.end) {
          token = {static_cast<TokenId>(256 + i), {at, at + pieces_[i].size()}};
        }
      }
      at = token.bytes.end;
      result.tokens.push_back(token);
    }
    return result;
  }

  [[nodiscard]] std::string detokenize(std::span<const TokenId> ids) const {
    std::string text;
    for (const TokenId id : ids) {
      if (id < 256) {
        text.push_back(static_cast<char>(id));
      } else if (id < *bos()) {
        text += pieces_[static_cast<std::size_t>(id) - 256];
      }
    }
    return text;
  }

  [[nodiscard]] std::optional<TokenId> bos() const {
    return static_cast<TokenId>(256 + pieces_.size());
  }
  [[nodiscard]] std::size_t vocabulary_size() const { return 257 + pieces_.size(); }
  [[nodiscard]] std::size_t context_length() const { return 4096; }

  void evaluate(std::span<const TokenId> sequence, const LogitsVisitor& visit) {
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      fill_row(sequence.first(i + 1));
      visit(static_cast<std::uint32_t>(i), row_);
    }
  }

  /// ln P(next | prefix), the number a test compares with.
  [[nodiscard]] double log_probability(std::span<const TokenId> prefix, TokenId next) const {
    double seen = 0;
    double all = 0;
    if (const auto found = counts_.find(context_of(prefix)); found != counts_.end()) {
      for (const auto& [token, count] : found->second) {
        all += count;
        if (token == next) seen = count;
      }
    }
    return std::log((seen + 1) / (all + static_cast<double>(vocabulary_size())));
  }

 protected:
  void fill_row(std::span<const TokenId> prefix) {
    row_.assign(vocabulary_size(), 0.0F);  // ln(0 + 1); the softmax divides by the sum
    if (const auto found = counts_.find(context_of(prefix)); found != counts_.end()) {
      for (const auto& [token, count] : found->second) {
        row_[static_cast<std::size_t>(token)] = static_cast<float>(std::log(count + 1.0));
      }
    }
  }

  std::vector<float> row_;

 private:
  [[nodiscard]] std::vector<TokenId> context_of(std::span<const TokenId> prefix) const {
    const auto kept = prefix.last(std::min(prefix.size(), order_ - 1));
    return {kept.begin(), kept.end()};
  }

  std::vector<std::string> pieces_;
  std::size_t order_;
  std::map<std::vector<TokenId>, std::map<TokenId, double>> counts_;
};

/// The same model as a TreeCausalLm. It counts what it is fed and holds itself to its limits, so that
/// a test sees a scorer that feeds twice or asks for too much.
class NgramTreeModel : public NgramModel {
 public:
  using NgramModel::NgramModel;
  using NgramModel::evaluate;

  [[nodiscard]] TreeLimits tree_limits() const { return limits; }

  void evaluate(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    fed_.resize(tree.size(), false);
    for (const NodeId node : wanted) {
      if (fed_[node]) throw internal_error({}, "a node is wanted that was evaluated before");
    }
    for (NodeId node : wanted) {
      for (; node != TokenTree::root && !fed_[node]; node = tree.parent(node)) {
        fed_[node] = true;
        ++tokens_fed;
        ++held_;
      }
    }
    if (held_ > limits.nodes) {
      throw internal_error({}, "a tree of " + std::to_string(held_) + " nodes is past the limit");
    }
    for (const NodeId node : wanted) {
      fill_row(tree.prefix(node));
      visit(node, row_);
    }
  }

  void release(const TokenTree& tree, NodeId released) {
    for (NodeId node = 1; node < fed_.size(); ++node) {
      NodeId above = node;
      while (above != released && above != TokenTree::root) above = tree.parent(above);
      if (above != released || !fed_[node]) continue;
      fed_[node] = false;
      --held_;
    }
  }

  TreeLimits limits{1024, 256, 256};
  std::size_t tokens_fed = 0;

 private:
  std::vector<bool> fed_;
  std::size_t held_ = 0;
};

static_assert(CausalLm<NgramModel> && !TreeCausalLm<NgramModel>);
static_assert(TreeCausalLm<NgramTreeModel>);

}  // namespace plumb
