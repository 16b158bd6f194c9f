// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which parts do Llama and the architectures that use Llama's tensor names have?
//
// Llama, Mistral, Mixtral, Qwen 2 and 3, Phi-3, StableLM, OLMo 1 and 2, Granite, Cohere and Gemma 1
// to 3 have RMS or layer norms, rotated positions, grouped heads and a gated feed-forward part.
// Each function reads one kind of config.json, using transformers' field names and defaults.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "plumb/detail/huggingface/decoder_config.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline NormShape rms_norm(const ConfigFields& fields, const char* field, double absent) {
  return {.kind = NormKind::rms, .epsilon = fields.epsilon(field, absent), .has_bias = false};
}

/// Reads one rotation for all layers.
inline void read_one_rotary(const ConfigFields& fields, DecoderConfig& config,
                            RotaryDefaults defaults = {}) {
  defaults.head_size = config.head_size;
  config.rotaries = {read_rotary(fields, defaults, config.positions)};
}

/// Reads the sizes, a gated feed-forward part, and a separate head unless config.json ties the head
/// to the embeddings.
inline void read_gated(const ConfigFields& fields, DecoderConfig& config) {
  read_common_sizes(fields, config);
  config.activation = fields.activation("hidden_act", "silu");
  config.tied = fields.flag("tie_word_embeddings", false);
}

/// Reads whether the four products of attention have biases.
inline void read_attention_bias(const ConfigFields& fields, DecoderConfig& config) {
  config.has_attention_bias = config.has_attention_out_bias = fields.flag("attention_bias", false);
}

/// Reads one window for all layers, regardless of `layer_types`. If `sliding_window` is null or
/// absent, there is no window.
inline void read_one_window(const ConfigFields& fields, DecoderConfig& config) {
  check_layers(fields, config.layers);
  const bool slides = fields.find("sliding_window") != nullptr;
  config.windows.assign(config.layers, slides ? fields.count("sliding_window") : 0);
}

/// Reads the number of key heads of Mistral and Mixtral: 8 if config.json lacks the field; null
/// means one key head for each query head.
inline void read_eight_key_heads(const ConfigFields& fields, DecoderConfig& config) {
  const char* const field = "num_key_value_heads";
  if (fields.find(field) == nullptr && !fields.is_null(field)) config.key_heads = 8;
}

inline void read_llama(const ConfigFields& fields, DecoderConfig& config) {
  read_gated(fields, config);
  read_attention_bias(fields, config);
  config.norm = rms_norm(fields, "rms_norm_eps", 1e-6);
  config.has_feed_bias = fields.flag("mlp_bias", false);
  read_one_rotary(fields, config);
}

inline void read_mistral(const ConfigFields& fields, DecoderConfig& config) {
  read_llama(fields, config);
  config.has_attention_bias = config.has_attention_out_bias = config.has_feed_bias = false;
  read_eight_key_heads(fields, config);
  // transformers reads a folder with layer_types as Ministral, which uses layer_types.
  const std::size_t window =
      fields.is_null("sliding_window") ? 0 : fields.count("sliding_window", 4096);
  read_windows(fields, config, window, [](std::size_t) { return true; });
}

inline constexpr FieldAlias mixtral_aliases[] = {{"num_experts", "num_local_experts"}};

inline void read_mixtral(const ConfigFields& fields, DecoderConfig& config) {
  read_gated(fields, config);
  read_eight_key_heads(fields, config);
  config.norm = rms_norm(fields, "rms_norm_eps", 1e-5);
  read_one_rotary(fields, config, {.theta = 1e6});
  config.experts = fields.count("num_local_experts", 8);
  config.experts_per_token = fields.count("num_experts_per_tok", 2);
  config.names.router = "block_sparse_moe.gate";
  config.names.expert = "block_sparse_moe.experts.";
  config.names.gate = "w1";
  config.names.up = "w3";
  config.names.down = "w2";
  read_one_window(fields, config);
}

/// If `use_sliding_window` is true, layers from `max_window_layers` on have a sliding window.
inline void read_qwen_windows(const ConfigFields& fields, DecoderConfig& config) {
  const bool slides = fields.flag("use_sliding_window", false) && !fields.is_null("sliding_window");
  const std::size_t first = fields.count_from_0("max_window_layers", 28);
  read_windows(fields, config, slides ? fields.count("sliding_window", 4096) : 0,
               [&](std::size_t layer) { return slides && layer >= first; });
}

inline void read_qwen2(const ConfigFields& fields, DecoderConfig& config) {
  read_llama(fields, config);
  config.has_attention_bias = true;
  config.has_attention_out_bias = config.has_feed_bias = false;
  read_qwen_windows(fields, config);
}

inline void read_qwen3(const ConfigFields& fields, DecoderConfig& config) {
  read_gated(fields, config);
  set_head_size(config, fields.count("head_dim", 128));
  config.norm = rms_norm(fields, "rms_norm_eps", 1e-6);
  read_attention_bias(fields, config);
  set_head_norms(config, HeadNorm::shared, config.norm, "self_attn.q_norm", "self_attn.k_norm");
  read_one_rotary(fields, config);
  read_qwen_windows(fields, config);
}

inline void read_phi3(const ConfigFields& fields, DecoderConfig& config) {
  read_gated(fields, config);
  config.norm = rms_norm(fields, "rms_norm_eps", 1e-5);
  config.names.query_key_value = {"self_attn.qkv_proj"};
  config.names.gate = config.names.up = "mlp.gate_up_proj";
  read_one_rotary(fields, config, {.partial = 1, .original = 4096, .yarn_is_longrope = true});
  read_one_window(fields, config);
}

inline void read_stablelm(const ConfigFields& fields, DecoderConfig& config) {
  read_gated(fields, config);
  config.norm = {.epsilon = fields.epsilon("layer_norm_eps", 1e-5)};
  config.has_attention_bias = fields.flag("use_qkv_bias", false);
  config.parallel = fields.flag("use_parallel_residual", false);
  if (config.parallel) config.names.feed_norm.clear();
  if (fields.flag("qk_layernorm", false)) {
    set_head_norms(config, HeadNorm::each_named,
                   {.epsilon = config.norm.epsilon, .has_bias = false}, "self_attn.q_layernorm",
                   "self_attn.k_layernorm");
  }
  read_one_rotary(fields, config, {.partial = 0.25});
}

inline void read_olmo(const ConfigFields& fields, DecoderConfig& config) {
  read_gated(fields, config);
  config.norm = {.epsilon = 1e-5F, .has_weight = false, .has_bias = false};
  read_attention_bias(fields, config);
  if (fields.find("clip_qkv")) config.clip = static_cast<float>(fields.positive("clip_qkv"));
  read_one_rotary(fields, config);
}

inline void read_olmo2(const ConfigFields& fields, DecoderConfig& config) {
  read_gated(fields, config);
  config.norm = rms_norm(fields, "rms_norm_eps", 1e-5);
  read_attention_bias(fields, config);
  set_head_norms(config, HeadNorm::whole, config.norm, "self_attn.q_norm", "self_attn.k_norm");
  config.names.attention_norm.clear();
  config.names.feed_norm.clear();
  config.names.attention_end_norm = "post_attention_layernorm";
  config.names.feed_end_norm = "post_feedforward_layernorm";
  read_one_rotary(fields, config);
}

inline void read_granite(const ConfigFields& fields, DecoderConfig& config) {
  read_llama(fields, config);
  config.embedding_scale = static_cast<float>(fields.number("embedding_multiplier", 1));
  config.attention_scale = static_cast<float>(fields.number("attention_multiplier", 1));
  config.residual_scale = static_cast<float>(fields.number("residual_multiplier", 1));
  config.logits_scale = static_cast<float>(1 / fields.positive("logits_scaling", 1));
}

inline void read_cohere(const ConfigFields& fields, DecoderConfig& config) {
  read_gated(fields, config);
  config.norm = {.epsilon = fields.epsilon("layer_norm_eps", 1e-5), .has_bias = false};
  read_attention_bias(fields, config);
  config.tied = fields.flag("tie_word_embeddings", true);
  config.parallel = true;
  config.names.feed_norm.clear();
  config.logits_scale = static_cast<float>(fields.number("logit_scale", 0.0625));
  if (fields.flag("use_qk_norm", false)) {
    set_head_norms(config, HeadNorm::each, config.norm, "self_attn.q_norm", "self_attn.k_norm");
  }
  read_one_rotary(fields, config, {.theta = 500'000, .interleaved = true});
}

/// Reads the common parts of Gemma 1 to 3: norms whose weights are relative to 1, and scaled
/// embeddings.
inline void read_gemma_parts(const ConfigFields& fields, DecoderConfig& config) {
  read_common_sizes(fields, config);
  set_head_size(config, fields.count("head_dim", 256));
  config.norm = rms_norm(fields, "rms_norm_eps", 1e-6);
  config.norm.weight_offset = 1;
  read_attention_bias(fields, config);
  config.tied = fields.flag("tie_word_embeddings", true);
  config.embedding_scale = std::sqrt(static_cast<float>(config.hidden));
}

inline void read_gemma(const ConfigFields& fields, DecoderConfig& config) {
  read_gemma_parts(fields, config);
  // hidden_activation is ignored. The first releases specify "gelu", but the tanh approximation of
  // GELU is intended.
  config.activation = fields.activation("hidden_act", "gelu_pytorch_tanh");
  if (fields.text("hidden_act", "") == "gelu") config.activation = Activation::gelu_new;
  read_one_rotary(fields, config);
}

/// Reads the common parts of Gemma 2 and 3: norms before and after each part, the activation, and
/// the attention scale.
inline void read_gemma2_parts(const ConfigFields& fields, DecoderConfig& config) {
  read_gemma_parts(fields, config);
  config.activation = fields.activation("hidden_activation", "gelu_pytorch_tanh");
  config.names.attention_end_norm = "post_attention_layernorm";
  config.names.feed_norm = "pre_feedforward_layernorm";
  config.names.feed_end_norm = "post_feedforward_layernorm";
  config.attention_scale =
      static_cast<float>(1 / std::sqrt(fields.positive("query_pre_attn_scalar", 256)));
}

/// Reads a soft cap. Null in config.json means no cap; if the field is absent, the cap is `absent`.
inline float soft_cap(const ConfigFields& fields, const std::string& field, double absent) {
  return fields.is_null(field) ? 0.0F : static_cast<float>(fields.number(field, absent));
}

inline void read_gemma2(const ConfigFields& fields, DecoderConfig& config) {
  read_gemma2_parts(fields, config);
  config.attention_cap = soft_cap(fields, "attn_logit_softcapping", 50);
  config.logits_cap = soft_cap(fields, "final_logit_softcapping", 30);
  read_one_rotary(fields, config);
  read_windows(fields, config, fields.count("sliding_window", 4096),
               [](std::size_t layer) { return layer % 2 == 0; });
}

inline void read_gemma3(const ConfigFields& fields, DecoderConfig& config) {
  read_gemma2_parts(fields, config);
  config.logits_cap =
      soft_cap(fields, "final_logit_softcapping", 0);  // attention scores are not capped
  set_head_norms(config, HeadNorm::shared, config.norm, "self_attn.q_norm", "self_attn.k_norm");
  const std::size_t pattern = fields.count("sliding_window_pattern", 6);
  read_windows(fields, config, fields.count("sliding_window", 4096),
               [&](std::size_t layer) { return (layer + 1) % pattern != 0; });
  const RotaryDefaults global{.theta = 1e6, .head_size = config.head_size, .is_entry = true};
  const RotaryDefaults local{.theta = fields.positive("rope_local_base_freq", 10'000),
                             .head_size = config.head_size,
                             .is_entry = true};
  const ConfigFields rope = fields.object("rope_parameters");
  // rope_scaling applies to the layers that see all tokens. Its fields override those of
  // rope_parameters.
  const ConfigFields scaling = fields.object("rope_scaling");
  config.rotaries = {
      read_rotary(rotary_entry(rope, "full_attention", scaling), fields, global, config.positions),
      read_rotary(rope.object("sliding_attention"), fields.none(), local, config.positions)};
  rotate_by_window(config);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
