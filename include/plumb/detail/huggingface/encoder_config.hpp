// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which parts does a masked language model have?
//
// Its layers and embeddings are described by DecoderConfig, but every token sees all other tokens,
// or those within a window on either side. This struct describes the parts that only masked models
// have: the positions of padding tokens, token types, layers that are used several times, distances
// between tokens in attention, and the head before the decoder. For each architecture, a function
// fills in this struct (encoder_architectures.hpp lists the functions).

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

/// How DeBERTa's attention uses the distance between two tokens (distance_scores.hpp).
struct DistanceShape {
  /// Half the number of distance embeddings: distances are numbered from −span to span − 1.
  std::size_t span = 0;
  /// Distances above `buckets / 2` share numbers, up to the distance `most`. If `buckets` is 0,
  /// each distance has its own number.
  std::size_t buckets = 0, most = 0;
  /// Which products are added to scores: those of a query and the distance's key (`by_query`), and
  /// those of a key and the distance's query (`by_key`).
  bool by_query = false, by_key = false;
  /// Whether distances use the layer's projections of queries and keys instead of their own.
  bool is_shared = false;
  /// Whether the distance embeddings are normalised.
  bool has_norm = false;
};

struct EncoderConfig : DecoderConfig {
  /// The names of the stored layers: the part after `names.layer`, without the dot.
  std::vector<std::string> stored_layers{};
  /// For each computed layer, the index of the stored layer whose weights it uses. ALBERT uses a
  /// layer several times.
  std::vector<std::size_t> path{};
  /// The padding token. RoBERTa does not count padding tokens when it numbers positions, and
  /// assigns them the row before the first position.
  std::optional<std::int32_t> padding{};
  /// The number of token type embeddings; 0 if there are none.
  std::size_t token_types = 0;
  /// Whether the projection from `embedding` to `hidden` numbers has a bias, and whether it comes
  /// before the embeddings' norm.
  bool has_projection_bias = true, projects_before_norm = false;
  /// False for ModernBERT, whose embedding norm also serves as the first layer's input norm.
  bool first_layer_norms_input = true;
  std::optional<DistanceShape> distances{};
  /// The head: decoder · norm(f(W x)) + bias; `names.head` is the decoder.
  std::string head_dense{}, head_norm{}, head_bias{};
  bool has_head_dense_bias = true;
  Activation head_activation = Activation::gelu;
};

/// If `config` does not list stored layers, names them by number and uses each one once.
inline void number_layers(EncoderConfig& config) {
  for (std::size_t l = 0; l < config.layers && config.path.size() < config.layers; ++l) {
    config.stored_layers.push_back(std::to_string(l));
    config.path.push_back(l);
  }
}

/// Divides the hidden size equally among the heads.
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
