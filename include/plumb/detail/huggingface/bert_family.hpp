// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which parts do BERT and the later masked models have?
//
// BERT, RoBERTa, XLM-RoBERTa, ALBERT, DistilBERT and ELECTRA's generator have a norm after each sum
// and learned positions. DeBERTa 2 and 3 also use distances in attention. ModernBERT has norms
// before attention and feed-forward, rotary positions, windows and a gated feed-forward. Each
// function reads one kind of config.json, using the names and defaults of transformers.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/lower_case.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/huggingface/encoder_config.hpp"
#include "plumb/detail/huggingface/rotary.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Selects a layer norm after each sum, and enables the biases of all products, including the
/// head's.
inline void set_bert_parts(EncoderConfig& config, float epsilon) {
  config.norm.epsilon = epsilon;
  config.norm_after_sum = true;
  config.has_final_norm = false;
  config.has_head_bias = true;
  set_all_biases(config);
}

inline void name_as_bert(EncoderConfig& config, const char* prefix) {
  DecoderNames& names = config.names;
  names.prefix = prefix;
  names.tokens = "embeddings.word_embeddings.weight";
  names.positions = "embeddings.position_embeddings.weight";
  names.embedding_norm = "embeddings.LayerNorm";
  names.layer = "encoder.layer.";
  names.query_key_value = {"attention.self.query", "attention.self.key", "attention.self.value"};
  names.attention_out = "attention.output.dense";
  names.attention_norm = "attention.output.LayerNorm";
  names.feed_norm = "output.LayerNorm";
  name_plain_feed(names, "intermediate.dense", "output.dense");
}

/// The head's bias is `decoder`.bias if that is stored and either the head is untied or `bias` is
/// not stored; otherwise it is `bias`.
inline void name_head(EncoderConfig& config, const char* dense, const char* norm,
                      const char* decoder, const char* bias) {
  config.head_dense = dense;
  config.head_norm = norm;
  config.names.head = decoder;
  config.head_bias = bias;
}

inline void read_bert_sizes(const ConfigFields& fields, EncoderConfig& config) {
  config.vocabulary = fields.count("vocab_size");
  config.hidden = config.embedding = fields.count("hidden_size");
  config.layers = fields.count("num_hidden_layers");
  config.heads = fields.count("num_attention_heads");
  set_equal_heads(fields, config);
  config.intermediate = fields.count("intermediate_size");
  config.positions = fields.count("max_position_embeddings");
}

/// Reads the settings that BERT's descendants share, except tensor names.
inline void read_bert_parts(const ConfigFields& fields, EncoderConfig& config) {
  read_bert_sizes(fields, config);
  config.token_types = fields.count("type_vocab_size", 2);
  config.activation = config.head_activation = fields.activation("hidden_act", "gelu");
  set_bert_parts(config, fields.epsilon("layer_norm_eps", 1e-12));
  fields.expect("position_embedding_type", "absolute");
  fields.expect("is_decoder", false);
  fields.expect("add_cross_attention", false);
}

inline void read_bert(const ConfigFields& fields, EncoderConfig& config) {
  read_bert_parts(fields, config);
  name_as_bert(config, "bert.");
  name_head(config, "cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm",
            "cls.predictions.decoder", "cls.predictions.bias");
}

inline void read_roberta(const ConfigFields& fields, EncoderConfig& config) {
  read_bert_parts(fields, config);
  config.head_activation = Activation::gelu;  // regardless of hidden_act
  const Json* padding = fields.find("pad_token_id");
  if (padding != nullptr && !padding->is_number_unsigned()) {
    throw fields.wrong("pad_token_id", "is " + padding->dump() + ", not a token",
                       "fetch the model's config.json again");
  }
  const std::size_t row = padding == nullptr ? 1 : padding->get<std::size_t>();
  if (row + 1 >= config.positions || row >= config.vocabulary) {
    throw fields.wrong("pad_token_id",
                       std::to_string(row) + " is outside the range of positions or the vocabulary",
                       "fetch the model's config.json again");
  }
  config.padding = static_cast<std::int32_t>(row);
  config.first_position = row + 1;
  config.positions -= config.first_position;
  name_as_bert(config, "roberta.");
  name_head(config, "lm_head.dense", "lm_head.layer_norm", "lm_head.decoder", "lm_head.bias");
}

inline void read_albert(const ConfigFields& fields, EncoderConfig& config) {
  read_bert_parts(fields, config);
  config.activation = config.head_activation = fields.activation("hidden_act", "gelu_new");
  config.embedding = fields.count("embedding_size", 128);
  const std::size_t groups = fields.count("num_hidden_groups", 1);
  const std::size_t inner = fields.count("inner_group_num", 1);
  if (groups > config.layers) {
    throw fields.wrong("num_hidden_groups", "is larger than the number of layers",
                       "fetch the model's config.json again");
  }
  check_layers(fields, config.layers, inner);
  for (std::size_t g = 0; g < groups; ++g) {
    for (std::size_t i = 0; i < inner; ++i) {
      config.stored_layers.push_back(std::to_string(g) + ".albert_layers." + std::to_string(i));
    }
  }
  for (std::size_t l = 0; l < config.layers; ++l) {
    for (std::size_t i = 0; i < inner; ++i) {
      config.path.push_back(l * groups / config.layers * inner + i);
    }
  }
  name_as_bert(config, "albert.");
  DecoderNames& names = config.names;
  names.project_in = "encoder.embedding_hidden_mapping_in";
  names.layer = "encoder.albert_layer_groups.";
  names.query_key_value = {"attention.query", "attention.key", "attention.value"};
  names.attention_out = "attention.dense";
  names.attention_norm = "attention.LayerNorm";
  names.feed_norm = "full_layer_layer_norm";
  name_plain_feed(names, "ffn", "ffn_output");
  name_head(config, "predictions.dense", "predictions.LayerNorm", "predictions.decoder",
            "predictions.bias");
}

inline void read_distilbert(const ConfigFields& fields, EncoderConfig& config) {
  config.vocabulary = fields.count("vocab_size");
  config.hidden = config.embedding = fields.count("dim");
  config.layers = fields.count("n_layers");
  config.heads = fields.count("n_heads");
  set_equal_heads(fields, config);
  config.intermediate = fields.count("hidden_dim");
  config.positions = fields.count("max_position_embeddings");
  config.activation = config.head_activation = fields.activation("activation", "gelu");
  set_bert_parts(config, 1e-12F);
  name_as_bert(config, "distilbert.");
  DecoderNames& names = config.names;
  names.layer = "transformer.layer.";
  names.query_key_value = {"attention.q_lin", "attention.k_lin", "attention.v_lin"};
  names.attention_out = "attention.out_lin";
  names.attention_norm = "sa_layer_norm";
  names.feed_norm = "output_layer_norm";
  name_plain_feed(names, "ffn.lin1", "ffn.lin2");
  name_head(config, "vocab_transform", "vocab_layer_norm", "vocab_projector",
            "vocab_projector.bias");
}

/// Reads the generator. The discriminator does not predict tokens; it only classifies each token as
/// replaced or not.
inline void read_electra(const ConfigFields& fields, EncoderConfig& config) {
  for (const std::string& each : fields.texts("architectures")) {
    if (each == "ElectraForPreTraining") {
      throw fields.wrong("architectures",
                         "names " + each + ", the discriminator, which does not predict tokens",
                         "fetch the generator of the same size");
    }
  }
  read_bert_parts(fields, config);
  config.head_activation = Activation::gelu;  // regardless of hidden_act
  config.embedding = fields.count("embedding_size", 128);
  name_as_bert(config, "electra.");
  if (config.embedding != config.hidden) config.names.project_in = "embeddings_project";
  name_head(config, "generator_predictions.dense", "generator_predictions.LayerNorm",
            "generator_lm_head", "generator_lm_head.bias");
}

/// The parts of a string such as "p2c|c2p", or of a list of such parts.
inline std::vector<std::string> distance_parts(const ConfigFields& fields) {
  const Json* const value = fields.find("pos_att_type");
  if (value == nullptr || !value->is_string()) return fields.texts("pos_att_type");
  std::vector<std::string> parts{""};
  for (const char letter : lower_case(value->get<std::string>())) {
    if (letter == '|') {
      parts.emplace_back();
    } else if (letter != ' ') {
      parts.back() += letter;
    }
  }
  return parts;
}

inline void read_distances(const ConfigFields& fields, EncoderConfig& config) {
  DistanceShape shape;
  for (const std::string& part : distance_parts(fields)) {
    if (part == "c2p") {
      shape.by_query = true;
    } else if (part == "p2c") {
      shape.by_key = true;
    } else {
      throw fields.wrong("pos_att_type", "'" + part + "' is not supported", "only c2p and p2c are");
    }
  }
  const float products = 1.0F + (shape.by_query ? 1.0F : 0.0F) + (shape.by_key ? 1.0F : 0.0F);
  config.attention_scale = 1.0F / std::sqrt(static_cast<float>(config.head_size) * products);
  if (!fields.flag("relative_attention", false) || products == 1) return;
  // Values below 1 mean no limit (`max_relative_positions`) or no buckets (`position_buckets`).
  const double most = fields.number("max_relative_positions", -1);
  const double buckets = fields.number("position_buckets", -1);
  shape.most = most < 1 ? config.positions : fields.count("max_relative_positions");
  shape.buckets = buckets < 1 ? 0 : fields.count("position_buckets");
  shape.span = shape.buckets > 0 ? shape.buckets : shape.most;
  if (shape.buckets == 1 || (shape.buckets > 0 && shape.most <= shape.buckets / 2 + 1)) {
    throw fields.wrong("position_buckets",
                       std::to_string(shape.buckets) + " buckets are invalid for distances up to " +
                           std::to_string(shape.most),
                       "fetch the model's config.json again");
  }
  shape.is_shared = fields.flag("share_att_key", false);
  shape.has_norm =
      lower_case(fields.text("norm_rel_ebd", "none")).find("layer_norm") != std::string::npos;
  config.distances = shape;
}

inline void read_deberta2(const ConfigFields& fields, EncoderConfig& config) {
  read_bert_sizes(fields, config);
  config.token_types =
      fields.find("type_vocab_size") != nullptr && *fields.find("type_vocab_size") == Json(0)
          ? 0
          : fields.count("type_vocab_size", 0);
  config.activation = config.head_activation = fields.activation("hidden_act", "gelu");
  set_bert_parts(config, fields.epsilon("layer_norm_eps", 1e-7));
  config.embedding = fields.count("embedding_size", config.hidden);
  config.has_projection_bias = false;
  config.projects_before_norm = true;
  fields.expect("attention_head_size", config.head_size);
  fields.expect("conv_kernel_size", 0);
  name_as_bert(config, "deberta.");
  DecoderNames& names = config.names;
  names.query_key_value = {"attention.self.query_proj", "attention.self.key_proj",
                           "attention.self.value_proj"};
  if (config.embedding != config.hidden) names.project_in = "embeddings.embed_proj";
  if (!fields.flag("position_biased_input", true)) names.positions.clear();
  read_distances(fields, config);
  if (fields.flag("legacy", true)) {
    name_head(config, "cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm",
              "cls.predictions.decoder", "cls.predictions.bias");
    return;
  }
  name_head(config, "lm_predictions.lm_head.dense", "lm_predictions.lm_head.LayerNorm",
            "lm_predictions.lm_head", "lm_predictions.lm_head.bias");
  config.tied = true;  // this head multiplies by the embeddings, regardless of tie_word_embeddings
  fields.expect("embedding_size", config.hidden);
}

inline void read_modernbert(const ConfigFields& fields, EncoderConfig& config) {
  read_bert_sizes(fields, config);
  config.norm = {.epsilon = fields.epsilon("norm_eps", 1e-5),
                 .has_bias = fields.flag("norm_bias", false)};
  config.first_layer_norms_input = false;
  config.activation = fields.activation("hidden_activation", "gelu");
  config.head_activation = fields.activation("classifier_activation", "gelu");
  config.has_attention_bias = config.has_attention_out_bias = fields.flag("attention_bias", false);
  config.has_feed_bias = fields.flag("mlp_bias", false);
  config.has_head_dense_bias = fields.flag("classifier_bias", false);
  config.has_head_bias = fields.flag("decoder_bias", true);
  const std::size_t each = fields.count("global_attn_every_n_layers", 3);
  // The number of tokens seen on each side of a token: sliding_window or, if that is absent, half
  // of local_attention.
  const std::size_t side = fields.count("sliding_window", fields.count("local_attention", 128) / 2);
  read_windows(fields, config, side + 1, [&](std::size_t layer) { return layer % each != 0; });
  const ConfigFields rope = fields.object("rope_parameters"), old = fields.object("rope_scaling");
  const auto rotary = [&](const char* kind, const char* theta, double absent) {
    return read_rotary(
        rotary_entry(rope, kind, old), fields.none(),
        {.theta = fields.positive(theta, absent), .head_size = config.head_size, .is_entry = true},
        config.positions);
  };
  const double global = fields.positive("global_rope_theta", 160'000);
  config.rotaries = {rotary("full_attention", "global_rope_theta", global),
                     rotary("sliding_attention", "local_rope_theta",
                            fields.is_null("local_rope_theta") ? global : 10'000)};
  rotate_by_window(config);
  DecoderNames& names = config.names;
  names.tokens = "embeddings.tok_embeddings.weight";
  names.embedding_norm = "embeddings.norm";
  names.final_norm = "final_norm";
  names.query_key_value = {"attn.Wqkv"};
  names.attention_out = "attn.Wo";
  names.attention_norm = "attn_norm";
  names.feed_norm = "mlp_norm";
  names.gate = names.up = "mlp.Wi";
  names.down = "mlp.Wo";
  name_head(config, "head.dense", "head.norm", "decoder", "decoder.bias");
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
