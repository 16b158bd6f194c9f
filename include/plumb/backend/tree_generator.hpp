// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does a model go on with many prompts at once?
//
//   greedy    token_i = argmax_v P(v | prompt, token_1 … token_{i−1})
//   sampled   token_i ~ P(· | prompt, token_1 … token_{i−1}), temperature 1, whole vocabulary
// All continuations grow in one token tree: what the prompts have in common is evaluated once, and
// one step evaluates the newest node of every continuation that has not ended, as one batch. The
// tokens are those that each prompt would get by itself, unless a step's rounding decides between
// two that are equally likely to within it. Source of drawing: the inverse of the cumulative
// distribution, one uniform number a token. Non-goals: beams, temperatures, cut-off vocabularies.

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/backend/concepts.hpp"
#include "plumb/backend/evaluate.hpp"
#include "plumb/core/error.hpp"
#include "plumb/core/log_softmax.hpp"
#include "plumb/core/random.hpp"
#include "plumb/core/token_tree.hpp"

namespace plumb {

/// Models Generator over any CausalLm, which must outlive it. A model without trees, or one that
/// holds a single branch, decodes one continuation after the other. The model must hold no other
/// tree, and holds none afterwards. As thread-safe as the model it asks.
template <CausalLm Model>
class TreeGenerator {
 public:
  explicit TreeGenerator(Model& model) : model_(model) {}

  [[nodiscard]] Tokenization tokenize(std::string_view text) { return model_.tokenize(text); }
  [[nodiscard]] std::string detokenize(std::span<const TokenId> ids) {
    return model_.detokenize(ids);
  }
  [[nodiscard]] std::optional<TokenId> bos() { return model_.bos(); }
  [[nodiscard]] std::size_t vocabulary_size() { return model_.vocabulary_size(); }
  [[nodiscard]] std::size_t context_length() { return model_.context_length(); }

  /// Whether the token ends a text; never for a model that does not say.
  [[nodiscard]] bool ends(TokenId token) {
    if constexpr (requires {
                    { model_.ends(token) } -> std::convertible_to<bool>;
                  }) {
      return model_.ends(token);
    } else {
      return false;
    }
  }

  /// The continuations of one prompt: the greedy one, or `samples` of them; sample i is the same
  /// whatever `samples` is. Log-probabilities in nats. Throws a user error when the prompt is empty
  /// or leaves less room than `max_new_tokens` in the model's context.
  [[nodiscard]] std::vector<Continuation> generate(std::span<const TokenId> prompt,
                                                   const GenerationOptions& options) {
    const std::vector<TokenId> nothing_more;
    return std::move(generate(prompt, {&nothing_more, 1}, options).front());
  }

  /// The same for many prompts that begin alike: prompt i is `context` and then `prompts[i]`, and
  /// the result's row i holds its continuations. Either part may be empty, not both. The context is
  /// evaluated once for all prompts; they are taken in groups that keep to the model's limits.
  /// Sample i of every prompt is drawn with the same random numbers.
  [[nodiscard]] std::vector<std::vector<Continuation>> generate(
      std::span<const TokenId> context, std::span<const std::vector<TokenId>> prompts,
      const GenerationOptions& options) {
    const std::size_t count = std::max<std::size_t>(1, options.samples);
    std::vector<std::vector<Continuation>> all(prompts.size());
    for (auto& continuations : all) continuations.resize(count);
    if (prompts.empty() || options.max_new_tokens == 0) return all;

    // Equal prompts are asked once; in order, so that neighbours share the most.
    std::map<std::vector<TokenId>, std::vector<std::size_t>> places;
    for (std::size_t i = 0; i < prompts.size(); ++i) places[prompts[i]].push_back(i);
    const TreeLimits limits = tree_limits(model_);
    const std::size_t fed_tokens = options.max_new_tokens - 1;  // nothing follows the last one
    std::vector<Branch> branches;
    for (const auto& [prompt, _] : places) {
      check_length(context.size() + prompt.size(), fed_tokens, limits);
      for (std::size_t i = 0; i < count; ++i) {
        branches.push_back({.prompt = prompt,
                            .random = RandomStream(options.seed, "sample " + std::to_string(i))});
      }
    }

    tree_.clear();
    if constexpr (requires { model_.reserve(context.size()); }) {
      const std::size_t size = group_size(branches, context.size(), fed_tokens, limits);
      model_.reserve(context.size() + size * (branches.front().prompt.size() + fed_tokens));
    }
    std::size_t kept = 1;  // nodes that stay from group to group
    if (limits.leaves > 1 && !context.empty()) {
      const NodeId start = tree_.insert(context);
      kept = tree_.size();
      Waiting waiting{{start, {}}};
      for (Branch& branch : branches) {
        if (branch.prompt.empty()) waiting[start].push_back(&branch);
      }
      advance(waiting, options);
    }
    for (std::span<Branch> rest = branches; !rest.empty();) {
      const std::size_t size = group_size(rest, context.size(), fed_tokens, limits);
      decode(context, rest.first(size), options);
      forget_from(kept);
      rest = rest.subspan(size);
    }
    forget_from(1);

    auto branch = branches.begin();
    for (const auto& [_, indices] : places) {
      for (std::size_t i = 0; i < count; ++i, ++branch) {
        for (const std::size_t index : indices) all[index][i] = branch->continuation;
      }
    }
    return all;
  }

 private:
  /// One continuation in the making.
  struct Branch {
    std::span<const TokenId> prompt;  // behind the context
    RandomStream random;
    Continuation continuation{};
    NodeId node = TokenTree::root;  // of its last token
    bool ended = false;
  };

  /// The branches whose next token a node's row decides.
  using Waiting = std::map<NodeId, std::vector<Branch*>>;

  void check_length(std::size_t prompt, std::size_t fed_tokens, const TreeLimits& limits) {
    if (prompt == 0) {
      throw user_error({.field = "prompt"}, "an empty prompt has no next token",
                       "begin with the model's BOS token or with a text");
    }
    const std::size_t room = std::min<std::size_t>(model_.context_length(), limits.nodes);
    if (prompt + fed_tokens <= room) return;
    throw user_error({.field = "prompt"},
                     std::to_string(prompt) + " tokens and " + std::to_string(fed_tokens + 1) +
                         " new ones go past the model's context " + std::to_string(room),
                     "shorten the prompt or ask for fewer new tokens");
  }

  /// How many of the branches can be decoded together; at least one. A prompt that goes on from
  /// another one waits for the next group: its nodes are not evaluated for their rows, and the
  /// other's continuation might run through them.
  static std::size_t group_size(std::span<const Branch> branches, std::size_t nodes,
                                std::size_t fed_tokens, const TreeLimits& limits) {
    std::size_t size = 0;
    for (; size < branches.size() && size < std::max<std::size_t>(1, limits.leaves); ++size) {
      const auto prompt = branches[size].prompt;
      std::size_t shared = 0;
      if (size > 0) {
        const auto before = branches[size - 1].prompt;
        shared =
            static_cast<std::size_t>(std::ranges::mismatch(before, prompt).in1 - before.begin());
        if (shared == before.size() && shared < prompt.size()) break;
      }
      nodes += prompt.size() - shared + fed_tokens;
      if (size > 0 && nodes > limits.nodes) break;
    }
    return size;
  }

  void decode(std::span<const TokenId> context, std::span<Branch> group,
              const GenerationOptions& options) {
    const NodeId start = tree_.insert(context);
    for (Branch& branch : group) {
      if (branch.ended) continue;
      branch.node = tree_.insert(branch.continuation.tokens, tree_.insert(branch.prompt, start));
    }
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

  /// Evaluates the nodes and gives each waiting branch its next token.
  void advance(const Waiting& waiting, const GenerationOptions& options) {
    std::vector<NodeId> wanted;
    for (const auto& [node, _] : waiting) wanted.push_back(node);
    const LogitsVisitor visit = [&](NodeId node, std::span<const float> row) {
      const auto& branches = waiting.at(node);
      if (branches.empty()) return;
      const double normalizer = log_sum_exp(row);
      if (!std::isfinite(normalizer)) {
        throw internal_error({}, "the model's logits give no probabilities");
      }
      if (options.samples > 0) accumulate(row, normalizer);
      for (Branch* branch : branches) {
        const auto token = options.samples > 0 ? draw(branch->random.uniform())
                                               : std::ranges::max_element(row) - row.begin();
        take(*branch, static_cast<TokenId>(token),
             static_cast<double>(row[static_cast<std::size_t>(token)]) - normalizer, options);
      }
    };
    if constexpr (TreeCausalLm<Model>) {
      model_.evaluate(tree_, wanted, visit);
    } else {
      evaluate_and_release(model_, tree_, wanted, visit);
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
    if (options.stop.empty()) return;
    const std::size_t stop = model_.detokenize(tokens).find(options.stop);
    if (stop == std::string::npos) return;
    branch.ended = true;
    while (model_.detokenize(tokens).size() > stop) {
      tokens.pop_back();
      log_probabilities.pop_back();
    }
  }

  void accumulate(std::span<const float> row, double normalizer) {
    cumulative_.resize(row.size());
    double sum = 0;
    for (std::size_t t = 0; t < row.size(); ++t) {
      sum += std::exp(static_cast<double>(row[t]) - normalizer);
      cumulative_[t] = sum;
    }
  }

  /// The token at a place in [0, 1) of the accumulated distribution; never one of probability 0.
  [[nodiscard]] std::ptrdiff_t draw(double place) const {
    return std::ranges::upper_bound(cumulative_, place * cumulative_.back()) - cumulative_.begin();
  }

  /// Only the first `kept` nodes stay, in the model as in the tree.
  void forget_from(std::size_t kept) {
    if constexpr (TreeCausalLm<Model>) {
      release_behind(model_, tree_, static_cast<NodeId>(kept - 1));
    }
    tree_.shrink(kept);
  }

  Model& model_;
  TokenTree tree_;
  std::vector<double> cumulative_;  // by token: P of it and all below it, in one row
};

}  // namespace plumb
