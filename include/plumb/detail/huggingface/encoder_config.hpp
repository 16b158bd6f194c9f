// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which parts does a masked language model have?
//
// Its layers and embeddings are those of DecoderConfig, but every token sees all others, or those
// within a window on either side. The parts that only masked models have are here: padding among
// positions, token types, layers that are used several times, distances of tokens in attention, and
// the head before the decoder. An architecture is a function that fills in this struct
// (encoder_architectures.hpp lists them).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/huggingface/activation.hpp"
#include "plumb/detail/huggingface/config_fields.hpp"
#include "plumb/detail/huggingface/decoder_config.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// How DeBERTa's attention uses the distance of two tokens (distance_scores.hpp).
struct DistanceShape {
  /// Half of the distance embeddings: distances are numbered from −span to span − 1.
  std::size_t span = 0;
  /// Distances from `buckets / 2` on share numbers, up to `most`; 0 means a number for each
  /// distance.
  std::size_t buckets = 0, most = 0;
  /// Which products are added: of a query with the distance's key, and of a key with the distance's
  /// query.
  bool by_query = false, by_key = false;
  /// Whether distances use the layer's projections of queries and keys instead of their own.
  bool is_shared = false;
  /// Whether the distance embeddings are normalised.
  bool has_norm = false;
};

struct EncoderConfig : DecoderConfig {
  /// Names of the stored layers: the part after `names.layer`, without the dot.
  std::vector<std::string> stored_layers{};
  /// By step: the index of its stored layer. ALBERT uses a layer several times.
  std::vector<std::size_t> path{};
  /// RoBERTa counts positions only over tokens that are not this one. This token has the row before
  /// the first position.
  std::optional<std::int32_t> padding{};
  /// Rows of the token type embeddings; 0 if there are none.
  std::size_t token_types = 0;
  /// Whether the projection from `embedding` to `hidden` numbers has a bias, and whether it comes
  /// before the embeddings' norm.
  bool has_projection_bias = true, projects_before_norm = false;
  /// ModernBERT: false, as the embeddings' norm also serves the first layer.
  bool first_layer_norms_input = true;
  std::optional<DistanceShape> distances{};
  /// The head: decoder · norm(f(W x)) + bias; `names.head` is the decoder.
  std::string head_dense{}, head_norm{}, head_bias{};
  bool has_head_dense_bias = true;
  Activation head_activation = Activation::gelu;
};

/// Names the stored layers by number, each used once, if `config` names none.
inline void number_layers(EncoderConfig& config) {
  for (std::size_t l = 0; l < config.layers && config.path.size() < config.layers; ++l) {
    config.stored_layers.push_back(std::to_string(l));
    config.path.push_back(l);
  }
}

/// Divides the hidden numbers equally among the heads.
inline void set_equal_heads(const ConfigFields& fields, EncoderConfig& config) {
  if (config.hidden % config.heads != 0) {
    throw fields.wrong("",
                       std::to_string(config.hidden) + " numbers cannot be divided equally among " +
                           counted(config.heads, "head"),
                       "fetch the model's config.json again");
  }
  config.key_heads = config.heads;
  set_head_size(config, config.hidden / config.heads);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
