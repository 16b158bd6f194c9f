// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is the smallest model that meets each concept?
//
// Most archetypes are n-gram models with add-one smoothing over the bytes (or longer pieces) of a
// training text:
//   P(t | last n-1 tokens) = (count(context, t) + 1) / (count(context) + V)
// so a test can compute every probability by hand, and the author of a backend can copy the
// structure. The context contains at most the last n-1 tokens of a prefix, and never extends beyond
// the start of the sequence, including BOS. Non-goal: quality as a language model.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/backend/stop_text.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/random.hpp"
#include "plumb/detail/core/ranges.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A CausalLm and a Generator. Tokens 0–255 are bytes, followed by the pieces that the caller
/// passes, then BOS. Not thread-safe.
class NgramModel {
 public:
  /// The tokenizer is greedy: it takes the longest piece. `order` is n, at least 1.
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
  /// BOS also ends a sequence, as in many real vocabularies.
  [[nodiscard]] bool ends(TokenId token) const { return token == *bos(); }
  [[nodiscard]] std::size_t vocabulary_size() const { return 257 + pieces_.size(); }
  [[nodiscard]] std::size_t context_length() const { return 4096; }

  void evaluate(std::span<const TokenId> sequence, const LogitsVisitor& visit) {
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      fill_row(sequence.first(i + 1));
      visit(static_cast<std::uint32_t>(i), row_);
    }
  }

  [[nodiscard]] std::vector<Continuation> generate(std::span<const TokenId> prompt,
                                                   const GenerationOptions& options) const {
    std::vector<Continuation> all(std::max<std::size_t>(1, options.samples));
    for (std::size_t i = 0; i < all.size(); ++i) {
      RandomStream random(options.seed, "sample " + std::to_string(i));
      std::vector<TokenId> sequence(prompt.begin(), prompt.end());
      while (all[i].tokens.size() < options.max_new_tokens) {
        const TokenId next =
            options.samples == 0 ? likeliest(sequence) : draw(sequence, random.uniform());
        if (ends(next)) break;
        all[i].log_probabilities.push_back(log_probability(sequence, next));
        all[i].tokens.push_back(next);
        sequence.push_back(next);
        if (end_at_stop(*this, all[i], options.stop)) break;
      }
    }
    return all;
  }

  /// ln P(next | prefix), as the reference value for tests.
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
  [[nodiscard]] TokenId likeliest(std::span<const TokenId> prefix) const {
    TokenId best = 0;
    for (TokenId token = 1; token < static_cast<TokenId>(vocabulary_size()); ++token) {
      if (log_probability(prefix, token) > log_probability(prefix, best)) best = token;
    }
    return best;
  }
  [[nodiscard]] TokenId draw(std::span<const TokenId> prefix, double place) const {
    for (TokenId token = 0; token < static_cast<TokenId>(vocabulary_size()); ++token) {
      place -= std::exp(log_probability(prefix, token));
      if (place < 0) return token;
    }
    return *bos();
  }

  [[nodiscard]] std::vector<TokenId> context_of(std::span<const TokenId> prefix) const {
    const auto kept = prefix.last((std::min)(prefix.size(), order_ - 1));
    return {kept.begin(), kept.end()};
  }

  std::vector<std::string> pieces_;
  std::size_t order_;
  std::map<std::vector<TokenId>, std::map<TokenId, double>> counts_;
};

/// The same model as a TreeCausalLm and a TreeEmbedder. Its vectors match DecayEmbedder's, with one
/// dimension for each token. It counts the tokens that it is fed and enforces its limits, so that a
/// test can detect a scorer that feeds a token twice or exceeds the limits. Not thread-safe.
class NgramTreeModel : public NgramModel {
 public:
  using NgramModel::evaluate;
  using NgramModel::NgramModel;

  [[nodiscard]] TreeLimits tree_limits() const { return limits; }

  void evaluate(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    hold(tree, wanted);
    for (const NodeId node : wanted) {
      fill_row(tree.prefix(node));
      visit(node, row_);
    }
  }

  [[nodiscard]] std::size_t dimension() const { return vocabulary_size(); }

  void embed(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    hold(tree, wanted);
    for (const NodeId node : wanted) {
      row_.assign(dimension(), 0.0F);
      for (const TokenId token : tree.prefix(node)) {
        for (float& value : row_) value /= 2;
        row_[static_cast<std::size_t>(token)] += 1;
      }
      visit(node, row_);
    }
  }

  void release(const TokenTree& tree, NodeId released) {
    for (NodeId node = 1; node < fed_.size(); ++node) {
      if (!fed_[node]) continue;  // the tree may no longer contain it
      NodeId above = node;
      while (above != released && above != TokenTree::root) above = tree.parent(above);
      if (above != released) continue;
      fed_[node] = false;
      --held_;
    }
  }

  TreeLimits limits{1024, 256, 256};
  std::size_t tokens_fed = 0;

 private:
  void hold(const TokenTree& tree, std::span<const NodeId> wanted) {
    fed_.resize(tree.size(), false);
    for (const NodeId node : wanted) {
      if (fed_[node]) throw internal_error({}, "a wanted node was already evaluated");
    }
    for (NodeId node : wanted) {
      for (; node != TokenTree::root && !fed_[node]; node = tree.parent(node)) {
        fed_[node] = true;
        ++tokens_fed;
        ++held_;
      }
    }
    if (held_ > limits.nodes) {
      throw internal_error({}, "a tree of " + std::to_string(held_) + " nodes exceeds the limit");
    }
    if (const std::size_t ends = branches(tree); ends > limits.leaves) {
      throw internal_error({}, "a tree of " + std::to_string(ends) + " branches exceeds the limit");
    }
  }

  /// Evaluated nodes without an evaluated child.
  [[nodiscard]] std::size_t branches(const TokenTree& tree) const {
    std::vector<bool> ends = fed_;
    for (NodeId node = 1; node < fed_.size(); ++node) {
      if (fed_[node]) ends[tree.parent(node)] = false;
    }
    return static_cast<std::size_t>(ranges::count(ends, true));
  }

  std::vector<bool> fed_;
  std::size_t held_ = 0;
};

/// The same model, but only as a LookupLm, without rows. It counts its lookups and checks that
/// callers satisfy the concept's requirements. Not thread-safe.
class NgramLookupModel : private NgramModel {
 public:
  using NgramModel::bos;
  using NgramModel::context_length;
  using NgramModel::detokenize;
  using NgramModel::NgramModel;
  using NgramModel::tokenize;
  using NgramModel::vocabulary_size;

  [[nodiscard]] TreeLimits tree_limits() const { return limits; }

  void look_up(const TokenTree& tree, std::span<const TokenLookup> lookups,
               std::span<double> log_probabilities) {
    ++calls;
    for (std::size_t i = 0; i < lookups.size(); ++i) {
      if (lookups[i].node == TokenTree::root || (i > 0 && lookups[i] <= lookups[i - 1])) {
        throw internal_error({}, "lookups are not ascending, or one is after the root");
      }
      ++looked_up;
      log_probabilities[i] = log_probability(tree.prefix(lookups[i].node), lookups[i].token);
    }
  }

  TreeLimits limits{1024, 256, 256};
  std::size_t calls = 0;
  std::size_t looked_up = 0;
};

/// Behaves like a server: it offers lookups and can continue many prompts in one call, but provides
/// no rows. It is a LookupLm and a BatchGenerator. Not thread-safe.
class NgramBatchModel : public NgramLookupModel {
 public:
  explicit NgramBatchModel(std::string_view training_text, std::size_t order = 3)
      : NgramLookupModel(training_text, order), each_(training_text, order) {}

  [[nodiscard]] std::vector<std::vector<Continuation>> generate(
      std::span<const std::vector<TokenId>> prompts, const GenerationOptions& options,
      std::span<const std::uint64_t> seeds) const {
    std::vector<std::vector<Continuation>> all;
    GenerationOptions own = options;
    for (std::size_t p = 0; p < prompts.size(); ++p) {
      if (!seeds.empty()) own.seed = seeds[p];
      all.push_back(each_.generate(prompts[p], own));
    }
    return all;
  }

 private:
  plumb::detail::NgramModel each_;  // qualified, because the base's injected name is private
};

/// An NgramModel that models ListsSpecialTokens. Its pieces are the special tokens. It parses them
/// in texts if it was constructed to do so. Not thread-safe.
class SpecialTokenModel : public NgramModel {
 public:
  SpecialTokenModel(std::string_view training_text, std::size_t order,
                    const std::vector<std::string>& pieces, bool parse_special_tokens)
      : NgramModel(training_text, order, pieces), parses_(parse_special_tokens) {
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      special_.push_back({pieces[i], static_cast<TokenId>(256 + i)});
    }
  }

  [[nodiscard]] Tokenization tokenize(std::string_view text) const {
    return parses_ ? NgramModel::tokenize(text) : NgramModel("", 1).tokenize(text);
  }
  [[nodiscard]] std::vector<SpecialToken> special_tokens() const { return special_; }

 private:
  std::vector<SpecialToken> special_;
  bool parses_;
};

/// A MaskedLm: P(t | neighbours) = (count(left, t, right) + 1) / (count(left, ·, right) + V), with
/// BOS in place of a missing neighbour. Its vocabulary is the n-gram model's plus the mask. Not
/// thread-safe.
class NeighbourModel : private NgramModel {
 public:
  explicit NeighbourModel(std::string_view training_text) : NgramModel(training_text, 1) {
    const std::vector<Token> tokens = tokenize(training_text).tokens;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const TokenId left = i == 0 ? *bos() : tokens[i - 1].id;
      const TokenId right = i + 1 == tokens.size() ? *bos() : tokens[i + 1].id;
      ++counts_[{left, right}][tokens[i].id];
    }
  }

  using NgramModel::bos;
  using NgramModel::context_length;
  using NgramModel::detokenize;
  using NgramModel::tokenize;
  [[nodiscard]] std::size_t vocabulary_size() const { return NgramModel::vocabulary_size() + 1; }
  [[nodiscard]] TokenId mask() const { return static_cast<TokenId>(NgramModel::vocabulary_size()); }
  /// Words end at spaces; a space belongs to the word after it.
  [[nodiscard]] std::vector<std::uint32_t> words(std::string_view text) const {
    std::vector<std::uint32_t> numbers;
    std::uint32_t word = 0;
    for (const Token& token : tokenize(text).tokens) {
      if (!numbers.empty() && text[token.bytes.begin] == ' ') ++word;
      numbers.push_back(word);
    }
    return numbers;
  }

  void evaluate(std::span<const MaskedQuery> queries, const LogitsVisitor& visit) {
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const auto& [sequence, position] = queries[q];
      const TokenId left = position == 0 ? *bos() : sequence[position - 1];
      const TokenId right = position + 1 == sequence.size() ? *bos() : sequence[position + 1];
      row_.assign(vocabulary_size(), 0.0F);
      if (const auto found = counts_.find({left, right}); found != counts_.end()) {
        for (const auto& [token, count] : found->second) {
          row_[static_cast<std::size_t>(token)] = static_cast<float>(std::log(count + 1.0));
        }
      }
      visit(static_cast<std::uint32_t>(q), row_);
    }
  }

 private:
  std::map<std::pair<TokenId, TokenId>, std::map<TokenId, double>> counts_;
};

static_assert(CausalLm<NgramModel> && Generator<NgramModel> && !TreeCausalLm<NgramModel>);
static_assert(TreeCausalLm<NgramTreeModel> && TreeEmbedder<NgramTreeModel>);
static_assert(LookupLm<NgramLookupModel> && !CausalLm<NgramLookupModel>);
static_assert(ListsSpecialTokens<SpecialTokenModel> && !ListsSpecialTokens<NgramModel>);
static_assert(MaskedLm<NeighbourModel> && !CausalLm<NeighbourModel>);

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
