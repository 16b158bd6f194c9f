// SPDX-License-Identifier: Apache-2.0
#pragma once

// The n-gram tree model with hooks. All tests of the command line share this model type, so the
// whole command is compiled for it only once (console_run_hooked.cpp).

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/backend/start_check.hpp"
#include "plumb/detail/backend/verified_sequences.hpp"
#include "plumb/detail/core/ranges.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// An NgramTreeModel whose behaviour a test can change through hooks. An unset hook has no effect.
struct HookedModel : NgramTreeModel {
  // NOLINTNEXTLINE(google-explicit-constructor): usable wherever the hooked model is
  HookedModel(NgramTreeModel model) : NgramTreeModel(std::move(model)) {}

  [[nodiscard]] Tokenization tokenize(std::string_view text) const {
    Tokenization made = NgramTreeModel::tokenize(text);
    if (on_tokens) on_tokens(text, made);
    return made;
  }
  [[nodiscard]] std::optional<TokenId> bos() const {
    return without_bos ? std::nullopt : NgramTreeModel::bos();
  }
  [[nodiscard]] std::optional<bool> adds_bos() const { return own_bos; }
  [[nodiscard]] std::size_t context_length() const {
    return context.value_or(NgramTreeModel::context_length());
  }
  [[nodiscard]] ModelDescription describe() const { return description; }
  [[nodiscard]] std::vector<SpecialToken> special_tokens() const { return special; }

  using NgramTreeModel::evaluate;
  void evaluate(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    if (is_start_check(tree, wanted)) return NgramTreeModel::evaluate(tree, wanted, visit);
    if (on_work) on_work();
    tell_sequences(tree, wanted);
    NgramTreeModel::evaluate(tree, wanted, [&](NodeId node, std::span<const float> row) {
      if (!on_row) return visit(node, row);
      std::vector<float> changed(row.begin(), row.end());
      on_row(changed);
      visit(node, changed);
    });
  }
  void embed(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    if (on_work) on_work();
    tell_sequences(tree, wanted);
    NgramTreeModel::embed(tree, wanted, visit);
  }

  /// For each requested row, calls `on_sequence` with the whole token sequence that precedes the
  /// row.
  void tell_sequences(const TokenTree& tree, std::span<const NodeId> wanted) const {
    if (!on_sequence) return;
    for (NodeId node : wanted) {
      std::vector<TokenId> sequence;
      for (; node != TokenTree::root; node = tree.parent(node)) {
        sequence.insert(sequence.begin(), tree.token(node));
      }
      on_sequence(sequence);
    }
  }

  /// Whether the whole request comes from the check at the start of a run (start_check.hpp). Hooks
  /// ignore such requests, so a test counts only its job's requests.
  [[nodiscard]] bool is_start_check(const TokenTree& tree, std::span<const NodeId> wanted) {
    if (start_prefixes_.empty()) {
      for (const auto& one : verified_sequences(start_prompts(*this), bos(), context_length(), 1)) {
        for (auto end = one.tokens.begin(); end != one.tokens.end();) {
          start_prefixes_.insert({one.tokens.begin(), ++end});
        }
      }
    }
    return ranges::all_of(wanted,
                          [&](NodeId node) { return start_prefixes_.contains(tree.prefix(node)); });
  }

  std::function<void(std::string_view, Tokenization&)> on_tokens;
  std::function<void()> on_work;  ///< before each evaluation and each embedding
  std::function<void(const std::vector<TokenId>&)> on_sequence;  ///< the sequence before each row
  std::function<void(std::span<float>)> on_row;                  ///< the model's logits
  std::optional<std::size_t> context;
  std::optional<bool> own_bos{};
  bool without_bos = false;
  std::vector<SpecialToken> special;
  ModelDescription description{"own backend", "", false};

 private:
  std::set<std::vector<TokenId>> start_prefixes_;
};

/// A byte-level model with a special token, number 1, which it parses on request.
[[nodiscard]] inline HookedModel with_special_token(NgramTreeModel model, const std::string& named,
                                                    bool parse) {
  HookedModel made(std::move(model));
  made.special = {{named, 1}};
  if (!parse) return made;
  made.on_tokens = [named](std::string_view text, Tokenization& tokens) {
    for (auto at = text.rfind(named); at != text.npos; at = text.rfind(named, at - 1)) {
      const auto first = tokens.tokens.begin() + static_cast<std::ptrdiff_t>(at);
      *first = {1, {at, at + named.size()}};
      tokens.tokens.erase(first + 1, first + static_cast<std::ptrdiff_t>(named.size()));
      if (at == 0) break;
    }
  };
  return made;
}

/// Counts the requests to the model.
[[nodiscard]] inline HookedModel counting(NgramTreeModel model, std::size_t& asked) {
  HookedModel counted(std::move(model));
  counted.on_work = [&asked] { ++asked; };
  return counted;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
