// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is the smallest model that meets the Embedder concept?

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <string>

#include "plumb/detail/backend/concepts.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// An Embedder: h_i = h_{i−1} / 2 + e(byte_i), with one dimension for each byte value and one for
/// BOS. A vector therefore determines the whole text, and the last bytes have the largest weights.
/// Any number of threads may share one embedder.
class DecayEmbedder {
 public:
  [[nodiscard]] std::size_t dimension() const { return 257; }
  [[nodiscard]] EmbeddingMatrix embed(std::span<const std::string> texts, bool with_bos) const {
    EmbeddingMatrix rows = EmbeddingMatrix::Zero(static_cast<Eigen::Index>(texts.size()), 257);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      auto row = rows.row(static_cast<Eigen::Index>(i));
      if (with_bos) row(256) = 1;
      for (const char c : texts[i]) {
        row *= 0.5F;
        row(static_cast<unsigned char>(c)) += 1;
      }
    }
    return rows;
  }
};

static_assert(Embedder<DecayEmbedder> && !LanguageModel<DecayEmbedder>);

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
