// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does a model continue many prompts together?
//
//   greedy    token_i = argmax_v P(v | prompt, token_1 … token_{i−1})
//   sampled   token_i ~ P(· | prompt, token_1 … token_{i−1}), temperature 1, whole vocabulary
// All continuations grow in one token tree, group by group: each step evaluates the newest nodes of
// all unfinished continuations in the group as one batch. The prefix that a group's last prompt
// shares with the next prompt is kept, so each distinct prefix of the prompts is evaluated once, as
// is each prefix that several samples share. Each prompt gets the same tokens as it would on its
// own, unless rounding decides between two tokens. Each sampled token is drawn using one uniform
// random number by inverting the cumulative distribution. Non-goals: beams, temperatures, truncated
// vocabularies.

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/backend/cached_tree.hpp"
#include "plumb/detail/backend/capabilities.hpp"
#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/backend/stop_text.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/random.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/token_tree.hpp"
#include "plumb/detail/kernels/log_softmax.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A Generator for any CausalLm, which must outlive the generator and hold no other tree. A model
/// that holds only one branch decodes one continuation after another. Not thread-safe.
template <CausalLm Model>
class TreeGenerator {
 public:
  explicit TreeGenerator(Model& model) : model_(model), tree_(model), holds_(holds_trees(model)) {}

  [[nodiscard]] Tokenization tokenize(std::string_view text) const { return model_.tokenize(text); }
  [[nodiscard]] std::string detokenize(std::span<const TokenId> ids) const {
    return model_.detokenize(ids);
  }
  [[nodiscard]] std::optional<TokenId> bos() { return model_.bos(); }
  [[nodiscard]] std::size_t vocabulary_size() { return model_.vocabulary_size(); }
  [[nodiscard]] std::size_t context_length() { return model_.context_length(); }

  /// Whether the token ends a text; always false for a model without `ends`.
  [[nodiscard]] bool ends(TokenId token) {
    if constexpr (requires {
                    { model_.ends(token) } -> std::convertible_to<bool>;
                  }) {
      return model_.ends(token);
    } else {
      return false;
    }
  }

  /// Returns the continuations of one prompt: the greedy one, or `samples` sampled ones. Sample i
  /// does not depend on the number of samples. Log-probabilities are in nats. Throws a user error
  /// if the prompt is empty or does not leave room for `max_new_tokens` tokens in the model's
  /// context.
  [[nodiscard]] std::vector<Continuation> generate(std::span<const TokenId> prompt,
                                                   const GenerationOptions& options) {
    const std::vector<TokenId> whole(prompt.begin(), prompt.end());
    return std::move(generate(std::span(&whole, 1), options).front());
  }

  /// Does the same for many prompts and returns one list of continuations for each. Sample i of
  /// every prompt is drawn with the same random numbers, unless `seeds` contains a separate seed
  /// for each prompt, which replaces the options' seed.
  [[nodiscard]] std::vector<std::vector<Continuation>> generate(
      std::span<const std::vector<TokenId>> prompts, const GenerationOptions& options,
      std::span<const std::uint64_t> seeds = {}) {
    keep({});  // an earlier call that threw may have left nodes in the tree
    const std::size_t count = std::max<std::size_t>(1, options.samples);
    std::vector<std::vector<Continuation>> all(prompts.size());
    for (auto& continuations : all) continuations.resize(count);
    if (prompts.empty() || options.max_new_tokens == 0) return all;

    // Equal prompts are evaluated once. They are sorted, so that neighbours share the longest
    // prefixes.
    std::map<std::pair<std::vector<TokenId>, std::uint64_t>, std::vector<std::size_t>> places;
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      places[{prompts[i], seeds.empty() ? options.seed : seeds[i]}].push_back(i);
    }
    const TreeLimits limits = holds_
                                  ? tree_limits(model_)
                                  : TreeLimits{model_.context_length(), 1, model_.context_length()};
    // the last generated token is not fed to the model
    const std::size_t fed_tokens = options.max_new_tokens - 1;
    std::vector<Branch> branches;
    for (const auto& [question, _] : places) {
      check_length(question.first.size(), fed_tokens, limits);
      for (std::size_t i = 0; i < count; ++i) {
        branches.push_back(
            {.prompt = question.first,
             .random = RandomStream(question.second, "sample " + std::to_string(i))});
      }
    }
    std::vector<Group> groups;
    std::size_t needed = 0;
    for (std::span<Branch> rest = branches; !rest.empty();) {
      groups.push_back(next_group(rest, fed_tokens, limits));
      needed = (std::max)(needed, groups.back().nodes);
      rest = rest.subspan(groups.back().branches.size());
    }
    if constexpr (requires { model_.reserve(needed); }) model_.reserve(needed);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      decode(groups[g].branches, options);
      // a model with a single branch cannot keep a prefix
      if (g + 1 == groups.size() || limits.leaves <= 1) {
        keep({});
        continue;
      }
      const auto before = groups[g].branches.back().prompt;
      const auto next = groups[g + 1].branches.front().prompt;
      // The next prompt's last node must be evaluated to get its row.
      keep(next.first((std::min)(common_prefix(before, next), next.size() - 1)));
    }

    auto branch = branches.begin();
    for (const auto& [_, indices] : places) {
      for (std::size_t i = 0; i < count; ++i, ++branch) {
        for (const std::size_t index : indices) all[index][i] = branch->continuation;
      }
    }
    return all;
  }

  /// The number of tokens fed to the model so far, over all calls.
  [[nodiscard]] std::uint64_t fed() const noexcept { return fed_count_; }

 private:
  struct Branch {
    std::span<const TokenId> prompt;
    RandomStream random;
    Continuation continuation{};
    NodeId node = TokenTree::root;  // node of the last token
    bool ended = false;
  };

  /// Branches that are decoded together, and the maximum number of nodes that they need.
  struct Group {
    std::span<Branch> branches;
    std::size_t nodes = 0;
  };

  /// For each node, the branches whose next token is determined by the node's row.
  using Waiting = std::map<NodeId, std::vector<Branch*>>;

  /// A group's attention runs over all its nodes, so a group should be small. Prompts with this
  /// many nodes are enough to keep the cores busy.
  static constexpr std::size_t most_prompt_nodes = 512;

  void check_length(std::size_t prompt, std::size_t fed_tokens, const TreeLimits& limits) {
    if (prompt == 0) {
      throw user_error({.field = "prompt"}, "an empty prompt has no next token",
                       "begin the prompt with the model's BOS token or with text");
    }
    const std::size_t room = std::min<std::size_t>(model_.context_length(), limits.nodes);
    if (prompt + fed_tokens <= room) return;
    throw user_error({.field = "prompt"},
                     counted(prompt, "token") + " and " + std::to_string(fed_tokens + 1) +
                         " new ones exceed the model's context of " + std::to_string(room),
                     "shorten the prompt or reduce `max-new-tokens`");
  }

  /// Returns the leading branches, at least one, that can be decoded together. A prompt that
  /// extends another prompt waits for the next group. Otherwise its nodes would be evaluated
  /// without reading their rows, although the other prompt's continuation might pass through them.
  static Group next_group(std::span<Branch> rest, std::size_t fed_tokens,
                          const TreeLimits& limits) {
    const std::size_t most = (std::min)(rest.size(), std::max<std::size_t>(1, limits.leaves));
    std::size_t size = 1;
    std::size_t of_prompts = rest.front().prompt.size();
    std::size_t nodes = of_prompts + fed_tokens;
    for (; size < most; ++size) {
      const auto before = rest[size - 1].prompt;
      const auto prompt = rest[size].prompt;
      const std::size_t shared = common_prefix(before, prompt);
      if (shared == before.size() && shared < prompt.size()) break;
      const std::size_t more = prompt.size() - shared;
      if (nodes + more + fed_tokens > limits.nodes) break;
      if (of_prompts + more > most_prompt_nodes && more > 0) break;
      of_prompts += more;
      nodes += more + fed_tokens;
    }
    return {rest.first(size), nodes};
  }

  void decode(std::span<Branch> group, const GenerationOptions& options) {
    for (Branch& branch : group) branch.node = tree_.insert(branch.prompt);
    while (true) {
      Waiting waiting;
      for (Branch& branch : group) {
        if (!branch.ended) waiting[branch.node].push_back(&branch);
      }
      if (waiting.empty()) return;
      advance(waiting, options);
      for (Branch& branch : group) {
        if (!branch.ended) {
          branch.node = tree_.add(branch.node, branch.continuation.tokens.back());
        }
      }
    }
  }

  /// Evaluates the nodes and appends the next token to each waiting branch.
  void advance(const Waiting& waiting, const GenerationOptions& options) {
    std::vector<NodeId> wanted;
    for (const auto& [node, _] : waiting) wanted.push_back(node);
    const LogitsVisitor visit = [&](NodeId node, std::span<const float> row) {
      const double normalizer = log_sum_exp(row);
      if (!std::isfinite(normalizer)) {
        throw internal_error({}, "the model's logits are not finite or do not yield probabilities");
      }
      if (options.samples > 0) accumulate(row, normalizer);
      for (Branch* branch : waiting.at(node)) {
        const auto token = options.samples > 0 ? draw(branch->random.uniform())
                                               : ranges::max_element(row) - row.begin();
        take(*branch, static_cast<TokenId>(token),
             static_cast<double>(row[static_cast<std::size_t>(token)]) - normalizer, options);
      }
    };
    const TokenTree& tree = tree_.tree();
    held_.resize(tree.size(), false);
    for (NodeId node : wanted) {
      for (; node != TokenTree::root && !held_[node]; node = tree.parent(node)) {
        held_[node] = holds_;
        ++fed_count_;
      }
    }
    tree_.evaluate(wanted, visit);
  }

  /// Makes the model forget everything except the path of these tokens, or the held part of that
  /// path.
  void keep(std::span<const TokenId> path) {
    if (path.empty()) {
      tree_.drop();
      return held_.clear();
    }
    if (!holds_) return;
    const TokenTree& tree = tree_.tree();
    std::vector<bool> kept(tree.size(), false);
    kept[TokenTree::root] = true;
    NodeId end = TokenTree::root;
    for (const TokenId token : path) kept[end = tree.child(end, token)] = true;
    for (NodeId node = 1; node < held_.size(); ++node) {
      if (!held_[node] || kept[node]) continue;
      if (kept[tree.parent(node)]) tree_.release(node);
      held_[node] = false;
    }
  }

  void take(Branch& branch, TokenId token, double log_probability,
            const GenerationOptions& options) {
    branch.ended = ends(token);
    if (branch.ended) return;
    auto& [tokens, log_probabilities] = branch.continuation;
    tokens.push_back(token);
    log_probabilities.push_back(log_probability);
    branch.ended = tokens.size() == options.max_new_tokens;
    if (end_at_stop(model_, branch.continuation, options.stop)) branch.ended = true;
  }

  void accumulate(std::span<const float> row, double normalizer) {
    cumulative_.resize(row.size());
    double sum = 0;
    for (std::size_t t = 0; t < row.size(); ++t) {
      sum += std::exp(static_cast<double>(row[t]) - normalizer);
      cumulative_[t] = sum;
    }
  }

  /// Returns the token at `place` in the cumulative distribution, where `place` is in [0, 1). The
  /// token never has probability 0.
  [[nodiscard]] std::ptrdiff_t draw(double place) const {
    return ranges::upper_bound(cumulative_, place * cumulative_.back()) - cumulative_.begin();
  }

  Model& model_;
  /// The tree of one call. Released nodes remain in the tree, but the model no longer holds them.
  CachedTree<Model> tree_;
  bool holds_;  // whether the model keeps the nodes that it was fed
  /// For each node, whether the model holds it.
  std::vector<bool> held_;
  std::uint64_t fed_count_ = 0;
  // for each token, the sum of P up to and including this token, in one row
  std::vector<double> cumulative_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
