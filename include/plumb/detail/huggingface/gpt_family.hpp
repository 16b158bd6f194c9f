// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which parts do GPT-2 and its successors, OPT, Phi and the models with ALiBi have?
//
// OPT, GPT-2, GPT-BigCode, GPT-Neo, GPT-J, GPT-NeoX (Pythia), Phi 1 and 2, Bloom, Falcon and MPT
// have layer norms and a plain feed-forward part; their positions are learned, rotated or added as
// a bias. Each function reads one kind of config.json, using transformers' field names and
// defaults.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "plumb/detail/huggingface/decoder_config.hpp"
#include "plumb/detail/huggingface/llama_family.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Other field names that transformers accepts.
inline constexpr FieldAlias gpt_aliases[] = {{"hidden_size", "n_embd"},
                                             {"max_position_embeddings", "n_positions"},
                                             {"num_attention_heads", "n_head"},
                                             {"num_hidden_layers", "n_layer"}};
inline constexpr FieldAlias gpt_neo_aliases[] = {{"num_attention_heads", "num_heads"},
                                                 {"num_hidden_layers", "num_layers"}};
inline constexpr FieldAlias bloom_aliases[] = {{"n_embed", "hidden_size"},
                                               {"num_attention_heads", "n_head"},
                                               {"num_hidden_layers", "n_layer"}};
inline constexpr FieldAlias falcon_aliases[] = {{"n_embed", "hidden_size"},
                                                {"n_head", "num_attention_heads"},
                                                {"n_head_kv", "num_kv_heads"},
                                                {"n_layer", "num_hidden_layers"}};
inline constexpr FieldAlias mpt_aliases[] = {{"hidden_size", "d_model"},
                                             {"num_attention_heads", "n_heads"},
                                             {"num_hidden_layers", "n_layers"}};

/// Sets the tensor names that GPT-2, GPT-Neo and GPT-J share.
inline void name_as_gpt(DecoderNames& names) {
  names.prefix = "transformer.";
  names.tokens = "wte.weight";
  names.layer = "h.";
  names.final_norm = "ln_f";
  names.attention_norm = "ln_1";
  names.feed_norm = "ln_2";
}

inline void read_opt(const ConfigFields& fields, DecoderConfig& config) {
  config.vocabulary = fields.count("vocab_size");
  config.hidden = fields.count("hidden_size");
  config.embedding = fields.count("word_embed_proj_dim", config.hidden);
  config.layers = fields.count("num_hidden_layers");
  config.heads = config.key_heads = fields.count("num_attention_heads");
  set_head_size(config, config.hidden / config.heads);
  config.intermediate = fields.count("ffn_dim");
  config.positions = fields.count("max_position_embeddings");
  config.first_position = 2;
  config.activation = fields.activation("activation_function", "relu");
  const bool norm_before = fields.flag("do_layer_norm_before", true);
  config.norm_after_sum = !norm_before;
  config.has_final_norm = norm_before && !fields.flag("_remove_final_layer_norm", false);
  if (fields.flag("enable_bias", true)) set_all_biases(config);
  config.norm.has_weight = config.norm.has_bias =
      fields.flag("layer_norm_elementwise_affine", true);
  config.tied = fields.flag("tie_word_embeddings", true);
  DecoderNames& names = config.names;
  names.tokens = "decoder.embed_tokens.weight";
  names.positions = "decoder.embed_positions.weight";
  names.project_in = "decoder.project_in";
  names.project_out = "decoder.project_out";
  names.layer = "decoder.layers.";
  names.final_norm = "decoder.final_layer_norm";
  names.attention_out = "self_attn.out_proj";
  names.attention_norm = "self_attn_layer_norm";
  names.feed_norm = "final_layer_norm";
  name_plain_feed(names, "fc1", "fc2");
}

inline void read_gpt2(const ConfigFields& fields, DecoderConfig& config) {
  read_gpt_sizes(fields, config);
  config.activation = fields.activation("activation_function", "gelu_new");
  config.norm.epsilon = fields.epsilon("layer_norm_epsilon", 1e-5);
  config.tied = fields.flag("tie_word_embeddings", true);
  set_all_biases(config);
  fields.expect("scale_attn_weights", true);
  fields.expect("scale_attn_by_inverse_layer_idx", false);
  fields.expect("add_cross_attention", false);
  DecoderNames& names = config.names;
  name_as_gpt(names);
  names.positions = "wpe.weight";
  names.query_key_value = {"attn.c_attn"};
  names.attention_out = "attn.c_proj";
  name_plain_feed(names, "mlp.c_fc", "mlp.c_proj");
  names.order = WeightOrder::by_input;
}

inline void read_gpt_bigcode(const ConfigFields& fields, DecoderConfig& config) {
  read_gpt2(fields, config);
  config.activation = fields.activation("activation_function", "gelu_pytorch_tanh");
  config.names.order = WeightOrder::by_output;
  if (fields.flag("multi_query", true)) {
    config.key_heads = 1;
  } else {
    config.projection = ProjectionOrder::by_key_head;
  }
}

/// "global" or "local" for each layer. The kinds are read from attention_layers, or from
/// attention_types, which lists patterns with their repeat counts, for example [[["global",
/// "local"], 12]]. If both fields are absent, the two kinds alternate.
inline std::vector<std::string> gpt_neo_attention(const ConfigFields& fields, std::size_t layers) {
  std::vector<std::string> kinds = fields.texts("attention_layers");
  const Json* const types = kinds.empty() ? fields.find("attention_types") : nullptr;
  for (const Json& type : types == nullptr ? Json::array() : *types) {
    if (!type.is_array() || type.size() != 2 || !type[0].is_array() ||
        !type[1].is_number_unsigned() || type[1].get<std::uint64_t>() > layers) {
      throw fields.wrong("attention_types", "is not a list of patterns and counts",
                         "fetch the model's config.json again");
    }
    for (std::size_t n = 0; n < type[1].get<std::size_t>(); ++n) {
      for (const Json& kind : type[0]) kinds.push_back(kind.is_string() ? kind : Json(""));
    }
  }
  if (types == nullptr && kinds.empty()) {
    for (std::size_t l = 0; l < layers; ++l) kinds.push_back(l % 2 == 0 ? "global" : "local");
  }
  for (const std::string& kind : kinds) {
    if (kind != "global" && kind != "local") {
      throw fields.unmodelled("attention_types", "'" + kind + "' is not supported",
                              "plumb supports global and local");
    }
  }
  if (kinds.size() != layers) {
    throw fields.wrong(
        "attention_types",
        "lists " + std::to_string(kinds.size()) + " layers instead of " + std::to_string(layers),
        "fetch the model's config.json again");
  }
  return kinds;
}

inline void read_gpt_neo(const ConfigFields& fields, DecoderConfig& config) {
  config.vocabulary = fields.count("vocab_size");
  config.hidden = config.embedding = fields.count("hidden_size");
  config.layers = fields.count("num_layers");
  config.heads = config.key_heads = fields.count("num_heads");
  set_head_size(config, config.hidden / config.heads);
  config.intermediate = fields.count("intermediate_size", 4 * config.hidden);
  config.positions = fields.count("max_position_embeddings");
  config.attention_scale = 1;  // GPT-Neo does not scale its scores
  config.activation = fields.activation("activation_function", "gelu_new");
  config.norm.epsilon = fields.epsilon("layer_norm_epsilon", 1e-5);
  config.tied = fields.flag("tie_word_embeddings", true);
  config.has_attention_out_bias = config.has_feed_bias = true;
  const std::size_t window = fields.count("window_size", 256);
  const std::vector<std::string> kinds = gpt_neo_attention(fields, config.layers);
  for (std::size_t l = 0; l < config.layers; ++l) {
    config.windows.push_back(kinds[l] == "local" ? window : 0);
  }
  DecoderNames& names = config.names;
  name_as_gpt(names);
  names.positions = "wpe.weight";
  names.query_key_value = {"attn.attention.q_proj", "attn.attention.k_proj",
                           "attn.attention.v_proj"};
  names.attention_out = "attn.attention.out_proj";
  name_plain_feed(names, "mlp.c_fc", "mlp.c_proj");
}

inline void read_gptj(const ConfigFields& fields, DecoderConfig& config) {
  read_gpt_sizes(fields, config);
  config.activation = fields.activation("activation_function", "gelu_new");
  config.norm.epsilon = fields.epsilon("layer_norm_epsilon", 1e-5);
  config.tied = fields.flag("tie_word_embeddings", false);
  config.has_feed_bias = config.has_head_bias = true;
  config.parallel = true;
  const std::size_t rotated =
      fields.is_null("rotary_dim") ? config.hidden : fields.count("rotary_dim", 64);
  config.rotaries = {{plain_frequencies(10'000, rotated), 1, true}};
  DecoderNames& names = config.names;
  name_as_gpt(names);
  names.query_key_value = {"attn.q_proj", "attn.k_proj", "attn.v_proj"};
  names.attention_out = "attn.out_proj";
  names.feed_norm.clear();
  name_plain_feed(names, "mlp.fc_in", "mlp.fc_out");
}

inline void read_gpt_neox(const ConfigFields& fields, DecoderConfig& config) {
  read_common_sizes(fields, config);
  config.key_heads = config.heads;  // regardless of num_key_value_heads
  config.activation = fields.activation("hidden_act", "gelu");
  config.norm.epsilon = fields.epsilon("layer_norm_eps", 1e-5);
  config.tied = fields.flag("tie_word_embeddings", false);
  set_all_biases(config);
  config.has_attention_bias = config.has_attention_out_bias = fields.flag("attention_bias", true);
  config.parallel = fields.flag("use_parallel_residual", true);
  config.projection = ProjectionOrder::by_key_head;
  read_one_rotary(fields, config,
                  {.theta = fields.positive("rotary_emb_base", 10'000),
                   .partial = fields.positive("rotary_pct", 0.25),
                   .reads_beside = false});
  // transformers uses head_dim only for the rotation.
  set_head_size(config, config.hidden / config.heads);
  DecoderNames& names = config.names;
  names.prefix = "gpt_neox.";
  names.tokens = "embed_in.weight";
  names.final_norm = "final_layer_norm";
  names.head = "embed_out";
  names.query_key_value = {"attention.query_key_value"};
  names.attention_out = "attention.dense";
  name_plain_feed(names, "mlp.dense_h_to_4h", "mlp.dense_4h_to_h");
}

inline void read_phi(const ConfigFields& fields, DecoderConfig& config) {
  read_common_sizes(fields, config);
  config.activation = fields.activation("hidden_act", "gelu_new");
  config.norm.epsilon = fields.epsilon("layer_norm_eps", 1e-5);
  config.tied = fields.flag("tie_word_embeddings", false);
  set_all_biases(config);
  config.has_head_bias = true;
  config.parallel = true;
  read_one_rotary(fields, config, {.partial = 0.5});
  DecoderNames& names = config.names;
  if (fields.flag("qk_layernorm", false)) {
    set_head_norms(config, HeadNorm::shared, config.norm, "self_attn.q_layernorm",
                   "self_attn.k_layernorm");
  }
  names.final_norm = "final_layernorm";
  names.attention_out = "self_attn.dense";
  names.feed_norm.clear();
  name_plain_feed(names, "mlp.fc1", "mlp.fc2");
}

/// Sets the tensor names that Bloom and Falcon share.
inline void name_as_bloom(DecoderNames& names) {
  names.prefix = "transformer.";
  names.tokens = "word_embeddings.weight";
  names.layer = "h.";
  names.final_norm = "ln_f";
  names.query_key_value = {"self_attention.query_key_value"};
  names.attention_out = "self_attention.dense";
  name_plain_feed(names, "mlp.dense_h_to_4h", "mlp.dense_4h_to_h");
}

inline void read_bloom(const ConfigFields& fields, DecoderConfig& config) {
  config.vocabulary = fields.count("vocab_size");
  config.hidden = config.embedding = fields.count("hidden_size");
  config.layers = fields.count("n_layer");
  config.heads = config.key_heads = fields.count("n_head");
  set_head_size(config, config.hidden / config.heads);
  config.intermediate = 4 * config.hidden;
  config.positions = fields.count("seq_length", 2048);  // the network itself has no limit
  config.activation = Activation::gelu_new;
  config.norm.epsilon = fields.epsilon("layer_norm_epsilon", 1e-5);
  config.tied = fields.flag("tie_word_embeddings", true);
  // If pretraining_tp is above 1 and slow_but_exact is true, transformers sums the products of
  // slices and omits the bias.
  if (fields.count("pretraining_tp", 1) > 1) fields.expect("slow_but_exact", false);
  set_all_biases(config);
  config.residual_from_norm = fields.flag("apply_residual_connection_post_layernorm", false);
  config.projection = ProjectionOrder::by_key_head;
  config.slopes = alibi_slopes(config.heads);
  name_as_bloom(config.names);
  config.names.embedding_norm = "word_embeddings_layernorm";
}

inline void read_falcon(const ConfigFields& fields, DecoderConfig& config) {
  config.vocabulary = fields.count("vocab_size");
  config.hidden = config.embedding = fields.count("hidden_size");
  config.layers = fields.count("num_hidden_layers");
  config.heads = fields.count("num_attention_heads");
  set_head_size(config, config.hidden / config.heads);
  config.intermediate = fields.count("ffn_hidden_size", 4 * config.hidden);
  config.positions = fields.count("max_position_embeddings", 2048);
  config.activation = fields.activation("activation", "gelu");
  config.norm.epsilon = fields.epsilon("layer_norm_epsilon", 1e-5);
  config.tied = fields.flag("tie_word_embeddings", true);
  if (fields.flag("bias", false)) set_all_biases(config);
  name_as_bloom(config.names);
  const bool is_new = fields.flag("new_decoder_architecture", false);
  // transformers treats null as false.
  const bool is_parallel = !fields.is_null("parallel_attn") && fields.flag("parallel_attn", true);
  const bool is_multi_query = !fields.is_null("multi_query") && fields.flag("multi_query", true);
  config.key_heads = is_new || !is_multi_query ? fields.count("num_kv_heads", config.heads) : 1;
  config.projection = ProjectionOrder::by_key_head;
  config.parallel = is_new || is_parallel;
  if (is_new && fields.count("num_ln_in_parallel_attn", 2) == 2) {
    config.names.attention_norm = "ln_attn";
    config.names.feed_norm = "ln_mlp";
  } else if (config.parallel) {
    config.names.feed_norm.clear();
  }
  if (fields.flag("alibi", false)) {
    config.slopes = alibi_slopes(config.heads);
    config.rounds_slopes = true;
  } else {
    read_one_rotary(fields, config);
  }
}

inline void read_mpt(const ConfigFields& fields, DecoderConfig& config) {
  config.vocabulary = fields.count("vocab_size");
  config.hidden = config.embedding = fields.count("d_model");
  config.layers = fields.count("n_layers");
  config.heads = config.key_heads = fields.count("n_heads");
  set_head_size(config, config.hidden / config.heads);
  config.intermediate = 4 * config.hidden;  // regardless of expansion_ratio
  config.positions = fields.count("max_seq_len", 2048);
  config.activation = Activation::gelu;
  config.norm = {.epsilon = fields.epsilon("layer_norm_epsilon", 1e-5), .has_bias = false};
  config.tied = fields.flag("tie_word_embeddings", true);
  fields.expect("no_bias", true);
  fields.expect("logit_scale", Json());
  const ConfigFields attention = fields.object("attn_config");
  attention.expect("attn_type", "multihead_attention");
  attention.expect("alibi", true);
  attention.expect("prefix_lm", false);
  attention.expect("qk_ln", false);
  attention.expect("alibi_bias_max", 8);  // transformers always uses 8
  if (attention.find("clip_qkv")) config.clip = static_cast<float>(attention.positive("clip_qkv"));
  config.attention_scale = static_cast<float>(
      attention.positive("softmax_scale", 1 / std::sqrt(static_cast<double>(config.head_size))));
  // 2^(−8 i / n), where n is the number of heads rounded up to a power of two. If there are more
  // slopes than heads, those with an even i come first.
  std::size_t whole = 1;
  while (whole < config.heads) whole *= 2;
  const auto slope = [&](std::size_t i) {
    return static_cast<float>(std::exp2(-static_cast<double>(i) * 8 / static_cast<double>(whole)));
  };
  if (whole == config.heads) {
    for (std::size_t i = 1; i <= whole; ++i) config.slopes.push_back(slope(i));
  } else {
    for (std::size_t i = 2; i <= whole; i += 2) config.slopes.push_back(slope(i));
    for (std::size_t i = 1; i <= whole; i += 2) config.slopes.push_back(slope(i));
    config.slopes.resize(config.heads);
  }
  DecoderNames& names = config.names;
  names.prefix = "transformer.";
  names.tokens = "wte.weight";
  names.layer = "blocks.";
  names.final_norm = "norm_f";
  names.query_key_value = {"attn.Wqkv"};
  names.attention_out = "attn.out_proj";
  names.attention_norm = "norm_1";
  names.feed_norm = "norm_2";
  name_plain_feed(names, "ffn.up_proj", "ffn.down_proj");
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
