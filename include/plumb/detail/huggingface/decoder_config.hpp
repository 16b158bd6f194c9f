// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which parts does a language model have?
//
// One network (decoder_network.hpp) implements every causal architecture. This struct describes its
// parts: positions, norms, attention, feed-forward, residual, head. For each architecture, a
// function fills in the struct from config.json and sets the tensor names
// (decoder_architectures.hpp lists the functions). If an architecture lacks a part, the part's name
// here is empty, or its value has no effect. Masked models have the same layers and a few more
// parts (encoder_config.hpp).

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/huggingface/activation.hpp"
#include "plumb/detail/huggingface/config_fields.hpp"
#include "plumb/detail/huggingface/norm.hpp"
#include "plumb/detail/huggingface/rotary.hpp"
#include "plumb/detail/huggingface/weight_reader.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The order of the outputs (queries, keys and values) if one tensor stores all of them.
enum class ProjectionOrder {
  /// All queries, then all keys, then all values.
  stacked,
  /// For each key head: its queries, its key, its value.
  by_key_head
};

/// What the norm on queries and keys normalises; this norm is applied before the rotation.
enum class HeadNorm {
  none,
  /// Each head separately, with one weight for all heads.
  shared,
  /// Each head separately, with its own weight; one tensor [heads, size].
  each,
  /// Like `each`, but with one tensor for each head, `name`.norms.H.weight.
  each_named,
  /// All heads together, as a single row.
  whole
};

/// The architecture's names for its tensors, after the network's prefix and, in a layer, the
/// layer's own name. An empty name means that the architecture lacks the part.
struct DecoderNames {
  /// Prepended to every name except the head's. If there is no such tensor, the name without the
  /// prefix is tried.
  std::string prefix = "model.";
  /// Prefixes for a language model that is one of several submodels; prepended to `prefix`.
  std::vector<std::string> outer{};
  std::string tokens = "embed_tokens.weight";
  std::string positions{};
  std::string embedding_norm{}, project_in{}, project_out{};
  /// Followed by the layer's number and a dot.
  std::string layer = "layers.";
  std::string final_norm = "norm";
  std::string head = "lm_head";

  /// Three names, or one name if a single tensor contains all three.
  std::vector<std::string> query_key_value{"self_attn.q_proj", "self_attn.k_proj",
                                           "self_attn.v_proj"};
  std::string query_norm{}, key_norm{};
  std::string attention_out = "self_attn.o_proj";
  /// The norms before attention and before the feed-forward. If the second name is empty and the
  /// residual is parallel, the first norm is used for both.
  std::string attention_norm = "input_layernorm", feed_norm = "post_attention_layernorm";
  /// The norms applied to the outputs of attention and feed-forward before these outputs are added
  /// to the residual.
  std::string attention_end_norm{}, feed_end_norm{};
  /// `gate` is empty for a feed-forward without a gate. It equals `up` if a single tensor contains
  /// the gate's weights followed by those of `up`.
  std::string gate = "mlp.gate_proj", up = "mlp.up_proj", down = "mlp.down_proj";
  /// For experts: the router's name, and the prefix of an expert's name, which is followed by the
  /// expert's number and a dot.
  std::string router{}, expert{};
  WeightOrder order = WeightOrder::by_output;
};

struct DecoderConfig {
  DecoderNames names{};
  std::size_t vocabulary = 0;
  /// The size of a token's embedding. It differs from `hidden` if a projection connects the two.
  std::size_t embedding = 0;
  std::size_t hidden = 0;
  std::size_t layers = 0;
  std::size_t heads = 0;
  /// The number of key and value heads; each of them serves `heads / key_heads` query heads.
  std::size_t key_heads = 0;
  /// The size of a query, a key and a value in one head.
  std::size_t head_size = 0;
  /// The size of the feed-forward's intermediate rows.
  std::size_t intermediate = 0;
  /// The maximum number of tokens in a sequence.
  std::size_t positions = 0;
  /// The number of rows that precede the first token's row in the learned position embeddings.
  std::size_t first_position = 0;

  float embedding_scale = 1, residual_scale = 1, logits_scale = 1;
  NormShape norm{};
  bool has_final_norm = true;
  /// Whether norms come after each sum instead of before attention and feed-forward (OPT-350m).
  bool norm_after_sum = false;
  /// Whether the outputs of attention and feed-forward are added to the norm's output instead of
  /// its input (Bloom).
  bool residual_from_norm = false;
  /// Whether attention and feed-forward read the same rows, to which the outputs of both are then
  /// added.
  bool parallel = false;

  ProjectionOrder projection = ProjectionOrder::stacked;
  bool has_attention_bias = false, has_attention_out_bias = false, has_feed_bias = false,
       has_head_bias = false;
  HeadNorm head_norm = HeadNorm::none;
  NormShape head_norm_shape{};
  /// Queries, keys and values are clamped to ± this value; 0 for no clamping.
  float clip = 0;
  float attention_scale = 1;
  /// The c in c · tanh(x / c), applied to attention scores and to logits; 0 for no cap.
  float attention_cap = 0, logits_cap = 0;
  /// Head h adds slopes[h] · j to the score of a key at position j, counted from 0.
  std::vector<float> slopes{};
  /// Falcon: the slopes and then the products slopes[h] · j are rounded to BF16, and the rounded
  /// products are multiplied by the attention scale.
  bool rounds_slopes = false;
  /// For each layer, the number of tokens that a token sees, including itself; 0 means all. Empty
  /// if every layer sees all tokens.
  std::vector<std::size_t> windows{};
  /// The kinds of rotation, and which kind each layer uses; empty if no positions are rotated.
  std::vector<Rotary> rotaries{};
  std::vector<std::size_t> rotary_of_layer{};

  Activation activation = Activation::gelu;
  /// The number of experts, and the number of experts that each token uses. 0 means one
  /// feed-forward for all tokens.
  std::size_t experts = 0, experts_per_token = 0;
  /// Whether the head's weights are the token embeddings.
  bool tied = false;
  /// Whether a stored head overrides `tied` if config.json does not set `tied`.
  bool unties_by_stored_head = false;

  /// Prefixes of tensor names, in the order in which they are tried.
  [[nodiscard]] std::vector<std::string> prefixes() const {
    std::vector<std::string> list = names.outer;
    list.push_back(names.prefix);
    return list;
  }
  [[nodiscard]] std::size_t query_size() const { return heads * head_size; }
  [[nodiscard]] std::size_t key_size() const { return key_heads * head_size; }
  [[nodiscard]] std::size_t window(std::size_t layer) const {
    return windows.empty() ? 0 : windows[layer];
  }
  /// The rotation of a layer's positions; null if there is none.
  [[nodiscard]] const Rotary* rotary(std::size_t layer) const {
    if (rotaries.empty()) return nullptr;
    return &rotaries[rotary_of_layer.empty() ? 0 : rotary_of_layer[layer]];
  }
};

/// Sets the head size and the attention scale, which divides scores by the square root of the head
/// size.
inline void set_head_size(DecoderConfig& config, std::size_t size) {
  config.head_size = size;
  config.attention_scale = 1.0F / std::sqrt(static_cast<float>(size));
}

/// Reads the sizes, using the names that nearly all architectures share.
inline void read_common_sizes(const ConfigFields& fields, DecoderConfig& config) {
  config.vocabulary = fields.count("vocab_size");
  config.hidden = config.embedding = fields.count("hidden_size");
  config.layers = fields.count("num_hidden_layers");
  config.heads = fields.count("num_attention_heads");
  config.key_heads = fields.count("num_key_value_heads", config.heads);
  set_head_size(config, fields.count("head_dim", config.hidden / config.heads));
  config.intermediate = fields.count("intermediate_size");
  config.positions = fields.count("max_position_embeddings");
}

/// Reads the same sizes, using the field names of GPT-2 and similar models.
inline void read_gpt_sizes(const ConfigFields& fields, DecoderConfig& config) {
  config.vocabulary = fields.count("vocab_size");
  config.hidden = config.embedding = fields.count("n_embd");
  config.layers = fields.count("n_layer");
  config.heads = config.key_heads = fields.count("n_head");
  set_head_size(config, config.hidden / config.heads);
  config.intermediate = fields.count("n_inner", 4 * config.hidden);
  config.positions = fields.count("n_positions");
}

/// Enables the biases of all products except the head's.
inline void set_all_biases(DecoderConfig& config) {
  config.has_attention_bias = config.has_attention_out_bias = config.has_feed_bias = true;
}

/// Sets the tensor names of a feed-forward without a gate.
inline void name_plain_feed(DecoderNames& names, const char* up, const char* down) {
  names.gate.clear();
  names.up = up;
  names.down = down;
}

/// Chooses between two kinds of rotation: rotaries[1] in layers with a sliding window, rotaries[0]
/// in the others.
inline void rotate_by_window(DecoderConfig& config) {
  for (const std::size_t window : config.windows) {
    config.rotary_of_layer.push_back(window > 0 ? 1 : 0);
  }
}

/// ALiBi's slopes: 2^(−8 i / n), where n is the largest power of two that does not exceed the
/// number of heads, followed by every second slope for 2n. Source: Press, Smith and Lewis, "Train
/// Short, Test Long" (2021), as computed in Bloom and Falcon.
inline std::vector<float> alibi_slopes(std::size_t heads) {
  std::size_t whole = 1;
  while (whole * 2 <= heads) whole *= 2;
  const auto base = [](std::size_t n) {
    return static_cast<float>(std::exp2(-std::exp2(-(std::log2(static_cast<double>(n)) - 3))));
  };
  std::vector<float> slopes;
  for (std::size_t i = 1; i <= whole; ++i) {
    slopes.push_back(std::pow(base(whole), static_cast<float>(i)));
  }
  for (std::size_t i = 1; slopes.size() < heads; i += 2) {
    slopes.push_back(std::pow(base(2 * whole), static_cast<float>(i)));
  }
  return slopes;
}

/// Sets norms on the heads of queries and keys.
inline void set_head_norms(DecoderConfig& config, HeadNorm kind, const NormShape& shape,
                           const char* query, const char* key) {
  config.head_norm = kind;
  config.head_norm_shape = shape;
  config.names.query_norm = query;
  config.names.key_norm = key;
}

/// Throws a user error for an implausible number of layers. Each layer consists of `inner` inner
/// layers.
inline void check_layers(const ConfigFields& fields, std::size_t layers, std::size_t inner = 1) {
  if (layers * inner <= 10'000) return;
  throw fields.wrong("", "has an implausible number of layers: " + std::to_string(layers * inner),
                     "fetch the model's config.json again");
}

/// Determines which layers have a sliding window of `size` tokens: from `layer_types` or, if
/// config.json does not contain it, from `slides(layer)`.
template <class Slides>
void read_windows(const ConfigFields& fields, DecoderConfig& config, std::size_t size,
                  Slides slides) {
  check_layers(fields, config.layers);
  const std::vector<std::string> types = fields.texts("layer_types");
  if (!types.empty() && types.size() != config.layers) {
    throw fields.wrong(
        "layer_types",
        "has " + counted(types.size(), "text") + " for " + counted(config.layers, "layer"),
        "fetch the model's config.json again");
  }
  config.windows.assign(config.layers, 0);
  for (std::size_t l = 0; l < config.layers; ++l) {
    if (!types.empty() && types[l] != "sliding_attention" && types[l] != "full_attention") {
      throw fields.unmodelled("layer_types", "'" + types[l] + "' is not supported",
                              "only full_attention and sliding_attention are");
    }
    if (types.empty() ? slides(l) : types[l] == "sliding_attention") config.windows[l] = size;
  }
}

/// Throws a user error if a config.json, for any architecture, lets tokens see later tokens.
/// transformers treats `is_causal` as false if it is null or 0, and `use_bidirectional_attention`
/// as true if it is a string ("all") or a number.
inline void refuse_attention_to_both_sides(const ConfigFields& fields) {
  const auto refuse = [&](const char* field, const std::string& value) {
    throw fields.wrong(
        field, value + " lets tokens see later tokens, so the model is not a causal language model",
        "choose a causal model, or correct the field if the model is causal");
  };
  const Json* const causal = fields.find("is_causal");
  if (fields.is_null("is_causal")) refuse("is_causal", "null");
  if (causal != nullptr && *causal != Json(true)) refuse("is_causal", causal->dump());
  const Json* const both = fields.find("use_bidirectional_attention");
  if (both != nullptr && *both != Json(false)) refuse("use_bidirectional_attention", both->dump());
}

/// Throws a user error if the numbers of a config.json contradict each other.
inline void check_decoder(const ConfigFields& fields, const DecoderConfig& config) {
  const std::string again = "fetch the model's config.json again";
  check_layers(fields, config.layers);
  if (config.head_size == 0 || config.heads % config.key_heads != 0) {
    throw fields.wrong("",
                       counted(config.heads, "head") + " of queries cannot share " +
                           counted(config.key_heads, "head") + " of keys and values",
                       again);
  }
  for (const Rotary& rotary : config.rotaries) {
    if (rotary.size() <= config.head_size && rotary.size() % 2 == 0) continue;
    throw fields.wrong("",
                       "rotates " + std::to_string(rotary.size()) + " numbers of a head of " +
                           std::to_string(config.head_size),
                       again);
  }
  if (config.experts_per_token > config.experts) {
    throw fields.wrong("num_experts_per_tok",
                       "is " + std::to_string(config.experts_per_token) + " of " +
                           counted(config.experts, "expert"),
                       again);
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
