// SPDX-License-Identifier: Apache-2.0
#pragma once

// A language model that embeds whole texts, like engines that do not share prefixes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/backend/decay_embedder.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// The n-gram model with the vectors of DecayEmbedder, which equal those of NgramTreeModel if there
/// are no pieces. Records the number of texts in each call.
struct PlainEmbedder : NgramModel {
  using NgramModel::NgramModel;

  [[nodiscard]] std::size_t dimension() const { return DecayEmbedder().dimension(); }
  [[nodiscard]] EmbeddingMatrix embed(std::span<const std::string> texts, bool with_bos) {
    asked.push_back(texts.size());
    return DecayEmbedder().embed(texts.first(std::min(texts.size(), most_vectors)), with_bos);
  }

  std::vector<std::size_t> asked;
  std::size_t most_vectors = SIZE_MAX;  ///< if less than the number of texts, simulates a broken
                                        ///< engine
};

static_assert(CausalLm<PlainEmbedder> && Embedder<PlainEmbedder> && !TreeEmbedder<PlainEmbedder>);

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
