// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which members does my model still need to meet a concept?
//
//   static_assert(plumb::check_causal_lm<MyModel>());
// compiles for a CausalLm. For any other type, the compiler prints what to write for each unmet
// requirement; a member that is private or has the wrong type counts as missing. A failed concept
// check only shows the failing expression; these checks show the remedy. Each check requires what
// its concept requires (concepts.hpp), with one addition: a model with part of an optional form
// (trees, lookups, vectors) must have the complete form, because an incomplete form would silently
// never be called.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Checks the tokenizer part. All other checks except Embedder's include this one.
template <class M>
consteval bool check_language_model() {
  static_assert(
      requires(const M& model, std::string_view text) {
        { model.tokenize(text) } -> std::same_as<Tokenization>;
      },
      "plumb: the model lacks tokenize. Write: plumb::Tokenization tokenize(std::string_view text) "
      "const, the text's tokens with the bytes that each covers, without adding special tokens");
  static_assert(
      requires(const M& model, std::span<const TokenId> ids) {
        { model.detokenize(ids) } -> std::convertible_to<std::string>;
      },
      "plumb: the model lacks detokenize. Write: std::string detokenize(std::span<const "
      "plumb::TokenId> ids) const, the text of these tokens");
  static_assert(
      requires(M & model) {
        { model.bos() } -> std::same_as<std::optional<TokenId>>;
      },
      "plumb: the model lacks bos. Write: std::optional<plumb::TokenId> bos() const, the token "
      "that may start a sequence, or std::nullopt");
  static_assert(
      requires(M & model) {
        { model.vocabulary_size() } -> std::convertible_to<std::size_t>;
      },
      "plumb: the model lacks vocabulary_size. Write: std::size_t vocabulary_size() const, which "
      "is also the length of a row of logits");
  static_assert(
      requires(M & model) {
        { model.context_length() } -> std::convertible_to<std::size_t>;
      },
      "plumb: the model lacks context_length. Write: std::size_t context_length() const, the "
      "maximum number of tokens in a sequence");
  static_assert(
      !requires(M & model) { model.special_tokens(); } || ListsSpecialTokens<M>,
      "plumb: the model's special_tokens would not be used. Write: "
      "std::vector<plumb::SpecialToken> special_tokens() const, or remove it");
  return LanguageModel<M>;
}

/// Stands for an argument of any type.
struct AnyArgument {
  template <class T>
  operator T() const;
};

/// Whether a model has the members of a form, regardless of their signatures.
template <class M>
concept NamesTreeEvaluate = requires(M& model, const TokenTree& tree, const AnyArgument& any) {
  model.evaluate(tree, any, any);
}
|| requires(M& model, const TokenTree& tree, const AnyArgument& any) {
  model.evaluate(tree, any);
};
template <class M>
concept NamesTreeLimits = requires {
  &M::tree_limits;
}
|| requires(M& model) {
  model.tree_limits();
};
template <class M>
concept NamesRelease = requires {
  &M::release;
}
|| requires(M& model, const TokenTree& tree, NodeId node) {
  model.release(tree, node);
};
template <class M>
concept NamesLookUp = requires {
  &M::look_up;
}
|| requires(M& model, const TokenTree& tree, const AnyArgument& any) {
  model.look_up(tree, any, any);
};
template <class M>
concept NamesTreeEmbed = requires(M& model, const TokenTree& tree, const AnyArgument& any) {
  model.embed(tree, any, any);
};
template <class M>
concept NamesTextEmbed = requires(M& model, const AnyArgument& any) {
  model.embed(any, any);
}
|| (
       requires(M & model) { model.dimension(); } && requires { &M::embed; } && !NamesTreeEmbed<M>);
template <class M>
concept NamesBatchGenerate = requires(M& model, std::span<const std::vector<TokenId>> prompts,
                                      const AnyArgument& any) {
  model.generate(prompts, any, any);
};

/// Whether a model has a part of the tree form that belongs to no other form.
template <class M>
concept HasIncompleteTrees = NamesTreeEvaluate<M> ||
    ((NamesTreeLimits<M> || NamesRelease<M>)&&!LookupLm<M> && !NamesLookUp<M> && !TreeEmbedder<M> &&
     !NamesTreeEmbed<M>);

template <class M>
consteval bool check_dimension() {
  static_assert(
      requires(M & model) {
        { model.dimension() } -> std::convertible_to<std::size_t>;
      },
      "plumb: the model lacks dimension. Write: std::size_t dimension() const, the number of "
      "elements in a vector");
  return true;
}

template <class M>
consteval bool check_tree_holder() {
  static_assert(
      requires(M & model) {
        { model.tree_limits() } -> std::same_as<TreeLimits>;
      },
      "plumb: the model lacks tree_limits. Write: plumb::TreeLimits tree_limits() const, the "
      "maximum numbers of nodes and branches that it can hold");
  static_assert(
      requires(M & model, const TokenTree& tree, NodeId node) { model.release(tree, node); },
      "plumb: the model lacks release. Write: void release(const plumb::TokenTree& tree, "
      "plumb::NodeId node), which forgets the node and all nodes below it");
  return true;
}

template <class M>
consteval bool check_tree_parts() {
  static_assert(
      requires(M & model, const TokenTree& tree, std::span<const NodeId> wanted,
               const LogitsVisitor& visit) { model.evaluate(tree, wanted, visit); },
      "plumb: the model lacks evaluate of a tree. Write: void evaluate(const plumb::TokenTree& "
      "tree, std::span<const plumb::NodeId> wanted, const plumb::LogitsVisitor& visit), which "
      "calls visit(node, logits) for each wanted node; if a base class has evaluate of a sequence, "
      "add using Base::evaluate");
  return check_tree_holder<M>();
}

template <class M>
consteval bool check_lookup_parts() {
  static_assert(
      requires(M & model) {
        { model.tree_limits() } -> std::same_as<TreeLimits>;
      },
      "plumb: the model lacks tree_limits. Write: plumb::TreeLimits tree_limits() const, the "
      "maximum numbers of nodes and branches in one call");
  static_assert(
      requires(M & model, const TokenTree& tree, std::span<const TokenLookup> lookups,
               std::span<double> log_probabilities) {
        model.look_up(tree, lookups, log_probabilities);
      },
      "plumb: the model lacks look_up. Write: void look_up(const plumb::TokenTree& tree, "
      "std::span<const plumb::TokenLookup> lookups, std::span<double> log_probabilities), which "
      "sets for each lookup the log-probability of its token after its node's prefix");
  return true;
}

template <class M>
consteval bool check_tree_embedder_parts() {
  static_assert(
      requires(M & model, const TokenTree& tree, std::span<const NodeId> wanted,
               const LogitsVisitor& visit) { model.embed(tree, wanted, visit); },
      "plumb: the model lacks embed of a tree. Write: void embed(const plumb::TokenTree& tree, "
      "std::span<const plumb::NodeId> wanted, const plumb::LogitsVisitor& visit), which calls "
      "visit(node, vector) for each wanted node");
  return check_dimension<M>() && check_tree_holder<M>();
}

template <class M>
consteval bool check_embedder_parts() {
  static_assert(
      requires(M & model, std::span<const std::string> texts, bool with_bos) {
        { model.embed(texts, with_bos) } -> std::same_as<EmbeddingMatrix>;
      },
      "plumb: the model lacks embed. Write: plumb::EmbeddingMatrix embed(std::span<const "
      "std::string> texts, bool with_bos), one row for each text");
  return check_dimension<M>();
}

template <class M>
consteval bool check_batch_parts() {
  static_assert(
      requires(M & model, std::span<const std::vector<TokenId>> prompts,
               const GenerationOptions& options, std::span<const std::uint64_t> seeds) {
        {
          model.generate(prompts, options, seeds)
          } -> std::same_as<std::vector<std::vector<Continuation>>>;
      },
      "plumb: the model lacks generate of many prompts. Write: "
      "std::vector<std::vector<plumb::Continuation>> generate(std::span<const "
      "std::vector<plumb::TokenId>> prompts, const plumb::GenerationOptions& options, "
      "std::span<const std::uint64_t> seeds), the continuations of each prompt");
  return true;
}

template <class M>
consteval bool check_release() {
  static_assert(
      !NamesRelease<M> ||
          requires(M & model, const TokenTree& tree, NodeId node) { model.release(tree, node); },
      "plumb: the model's release has the wrong signature and would not be used. Write: void "
      "release(const plumb::TokenTree& tree, plumb::NodeId node), or remove it");
  return true;
}

/// Checks each optional form that the model implements at least in part.
template <class M>
consteval bool check_optional_forms() {
  bool all = true;
  if constexpr (HasIncompleteTrees<M>) all = check_tree_parts<M>() && all;
  if constexpr (NamesLookUp<M>) all = check_lookup_parts<M>() && all;
  if constexpr (NamesTreeEmbed<M>) all = check_tree_embedder_parts<M>() && all;
  if constexpr (NamesTextEmbed<M>) all = check_embedder_parts<M>() && all;
  if constexpr (NamesBatchGenerate<M>) all = check_batch_parts<M>() && all;
  return check_release<M>() && all;
}

/// True for a CausalLm; for any other type the compiler names the missing member and its signature.
template <class M>
consteval bool check_causal_lm() {
  static_assert(
      requires(M & model, std::span<const TokenId> sequence, const LogitsVisitor& visit) {
        model.evaluate(sequence, visit);
      },
      "plumb: the model lacks evaluate. Write: void evaluate(std::span<const plumb::TokenId> "
      "sequence, const plumb::LogitsVisitor& visit), which calls visit(i, logits) for each "
      "position i, where the logits predict token i + 1");
  return detail::check_optional_forms<M>() && check_language_model<M>() && CausalLm<M>;
}

/// The same check for a TreeCausalLm.
template <class M>
consteval bool check_tree_causal_lm() {
  return detail::check_tree_parts<M>() && check_causal_lm<M>() && TreeCausalLm<M>;
}

/// The same check for a LookupLm.
template <class M>
consteval bool check_lookup_lm() {
  return detail::check_lookup_parts<M>() && detail::check_release<M>() &&
         check_language_model<M>() && LookupLm<M>;
}

/// For a type that should be a ScoringLm: checks for a LookupLm if the type has look_up, or else
/// for a CausalLm. Scorers call this themselves.
template <class M>
consteval bool check_scoring_lm() {
  static_assert(ScoringLm<M> || !ScoringLm<std::remove_const_t<M>>,
                "plumb: the model is const, but its functions are not. Pass a reference to a "
                "non-const model");
  if constexpr (ScoringLm<std::remove_const_t<M>>) {
    return ScoringLm<M> && detail::check_optional_forms<std::remove_const_t<M>>();
  } else if constexpr (detail::NamesLookUp<M>) {
    return check_lookup_lm<M>();
  } else {
    return check_causal_lm<M>();
  }
}

/// The same check for a MaskedLm.
template <class M>
consteval bool check_masked_lm() {
  static_assert(
      requires(M & model) {
        { model.mask() } -> std::same_as<TokenId>;
      },
      "plumb: the model lacks mask. Write: plumb::TokenId mask() const, the token that hides "
      "another one");
  static_assert(
      requires(M & model, std::span<const MaskedQuery> queries, const LogitsVisitor& visit) {
        model.evaluate(queries, visit);
      },
      "plumb: the model lacks evaluate of masked queries. Write: void evaluate(std::span<const "
      "plumb::MaskedQuery> queries, const plumb::LogitsVisitor& visit), which calls visit(i, "
      "logits) for query i's position");
  return check_language_model<M>() && MaskedLm<M>;
}

/// For a type that should work with the whole command: checks for a MaskedLm if the type has mask,
/// or else for a ScoringLm. AnyModel calls this itself.
template <class M>
consteval bool check_any_model() {
  if constexpr (!ScoringLm<M> && requires { &M::mask; }) {
    return check_masked_lm<M>();
  } else {
    return check_scoring_lm<M>();
  }
}

template <class M>
consteval bool check_tree_embedder() {
  return detail::check_tree_embedder_parts<M>() && check_language_model<M>() && TreeEmbedder<M>;
}

template <class M>
consteval bool check_embedder() {
  return detail::check_embedder_parts<M>() && Embedder<M>;
}

template <class M>
consteval bool check_generator() {
  static_assert(
      requires(M & model, std::span<const TokenId> prompt, const GenerationOptions& options) {
        { model.generate(prompt, options) } -> std::same_as<std::vector<Continuation>>;
      },
      "plumb: the model lacks generate. Write: std::vector<plumb::Continuation> generate("
      "std::span<const plumb::TokenId> prompt, const plumb::GenerationOptions& options), or wrap a "
      "CausalLm in plumb::TreeGenerator");
  return check_language_model<M>() && Generator<M>;
}

template <class M>
consteval bool check_batch_generator() {
  return detail::check_batch_parts<M>() && check_language_model<M>() && BatchGenerator<M>;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
