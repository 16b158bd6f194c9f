// SPDX-License-Identifier: Apache-2.0
#pragma once

// What can a model do? Its type shows which concepts it meets. A wrapper around other types
// (any_model.hpp) reports the concepts of the wrapped model instead.

#include <concepts>
#include <cstdint>
#include <string_view>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Which concepts a model meets, and which of their optional parts it has.
struct Capabilities {
  /// Whether the model is a CausalLm, a TreeCausalLm, a TreeEmbedder and an Embedder, respectively.
  bool causal = false;
  bool trees = false;
  bool tree_embeddings = false;
  bool text_embeddings = false;
  /// Whether it is a MaskedLm, and whether it can number the words of a text.
  bool masked = false;
  bool words = false;
  /// Whether it models ListsSpecialTokens.
  bool special_tokens = false;
  /// Whether it is itself a LookupLm. Likelihood probes need a LookupLm or a CausalLm.
  bool lookups = false;
  /// Whether it is itself a BatchGenerator. Generation needs a BatchGenerator or a CausalLm.
  bool generates = false;

  /// Whether it supports only masked queries.
  [[nodiscard]] constexpr bool only_masked() const { return masked && !causal && !lookups; }
};

/// A MaskedLm that numbers the words of a text.
template <class M>
concept NumbersWords = requires(const M& model, std::string_view text) {
  { model.words(text) } -> std::same_as<std::vector<std::uint32_t>>;
};

/// Returns a model's capabilities: the result of its own `capabilities()` if it is a wrapper with
/// that member, or else the capabilities of its type.
template <class M>
[[nodiscard]] constexpr Capabilities capabilities_of(const M& model) {
  if constexpr (requires {
                  { model.capabilities() } -> std::same_as<Capabilities>;
                }) {
    return model.capabilities();
  } else {
    return {.causal = CausalLm<M>,
            .trees = TreeCausalLm<M>,
            .tree_embeddings = TreeEmbedder<M>,
            .text_embeddings = Embedder<M>,
            .masked = MaskedLm<M>,
            .words = NumbersWords<M>,
            .special_tokens = ListsSpecialTokens<M>,
            .lookups = LookupLm<M>,
            .generates = BatchGenerator<M>};
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
