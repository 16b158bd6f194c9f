// SPDX-License-Identifier: Apache-2.0
#pragma once

// What network does the Hugging Face folder of a masked model describe?
//
// config.json as one struct for all architectures of masked models that can be run. Every field that changes a
// network's numbers is read or, where only one value of it is supported, checked: a model is
// refused by name rather than run with other numbers. A field that is absent has the value that
// transformers gives it; sizes must be there. What changes training only is not looked at.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "plumb/core/error.hpp"
#include "plumb/core/number_words.hpp"
#include "plumb/data/json_file.hpp"
#include "plumb/huggingface/activation.hpp"
#include "plumb/huggingface/config_fields.hpp"
#include "plumb/huggingface/other_ways.hpp"

namespace plumb {

/// Whether a path is a folder with a config.json, and so a model for this backend.
[[nodiscard]] inline bool is_hugging_face_folder(const std::filesystem::path& path) {
  return std::filesystem::is_directory(path) && std::filesystem::exists(path / "config.json");
}

enum class Architecture { bert, roberta, xlm_roberta, albert, distilbert };

struct EncoderConfig {
  Architecture architecture = Architecture::bert;
  std::size_t vocabulary = 0;
  /// Numbers in a token's embedding; another number than `hidden` where a projection stands between.
  std::size_t embedding = 0;
  std::size_t hidden = 0;
  std::size_t layers = 0;
  std::size_t heads = 0;
  /// Numbers between the two products of a feed-forward layer.
  std::size_t intermediate = 0;
  /// Rows of the position embeddings that tokens may stand at, so the longest sequence.
  std::size_t positions = 0;
  /// The row of the first token.
  std::size_t first_position = 0;
  /// RoBERTa counts positions over tokens that are not this one, which stands at its own row.
  std::optional<std::int32_t> padding{};
  /// Rows of the token type embeddings; 0 where there are none.
  std::size_t token_types = 0;
  Activation activation = Activation::gelu;
  /// That of the masked-LM head.
  Activation head_activation = Activation::gelu;
  float norm_epsilon = 1e-12F;
  /// Whether the decoder's weights are the token embeddings.
  bool tied = true;
  /// ALBERT: sets of weights, each used by layers / groups layers, and layers within a set.
  std::size_t groups = 1, inner_groups = 1;
};

namespace detail {

inline constexpr std::string_view masked_type_list =
    "bert, roberta, xlm-roberta, albert, distilbert";

inline void read_bert_sizes(const ConfigFields& fields, EncoderConfig& config) {
  config.vocabulary = fields.count("vocab_size");
  config.hidden = config.embedding = fields.count("hidden_size");
  config.layers = fields.count("num_hidden_layers");
  config.heads = fields.count("num_attention_heads");
  config.intermediate = fields.count("intermediate_size");
  config.positions = fields.count("max_position_embeddings");
  config.token_types = fields.count("type_vocab_size", 2);
  config.activation = config.head_activation = fields.activation("hidden_act", "gelu");
  config.norm_epsilon = fields.epsilon("layer_norm_eps", 1e-12);
  fields.expect("position_embedding_type", "absolute");
  fields.expect("is_decoder", false);
  fields.expect("add_cross_attention", false);
}

inline void read_roberta(const ConfigFields& fields, EncoderConfig& config) {
  read_bert_sizes(fields, config);
  config.head_activation = Activation::gelu;  // whatever hidden_act says
  const Json* padding = fields.find("pad_token_id");
  if (padding != nullptr && !padding->is_number_unsigned()) {
    throw fields.wrong("pad_token_id", "is " + padding->dump() + ", not a token",
                       "fetch the model's config.json again");
  }
  const std::size_t row = padding == nullptr ? 1 : padding->get<std::size_t>();
  if (row + 1 >= config.positions || row >= config.vocabulary) {
    throw fields.wrong("pad_token_id", std::to_string(row) + " is past the positions or tokens",
                       "fetch the model's config.json again");
  }
  config.padding = static_cast<std::int32_t>(row);
  config.first_position = row + 1;
  config.positions -= config.first_position;
}

inline void read_albert(const ConfigFields& fields, EncoderConfig& config) {
  read_bert_sizes(fields, config);
  config.activation = config.head_activation = fields.activation("hidden_act", "gelu_new");
  config.embedding = fields.count("embedding_size", 128);
  config.groups = fields.count("num_hidden_groups", 1);
  config.inner_groups = fields.count("inner_group_num", 1);
  if (config.groups > config.layers) {
    throw fields.wrong("num_hidden_groups", "is more than the layers",
                       "fetch the model's config.json again");
  }
}

inline void read_distilbert(const ConfigFields& fields, EncoderConfig& config) {
  config.vocabulary = fields.count("vocab_size");
  config.hidden = config.embedding = fields.count("dim");
  config.layers = fields.count("n_layers");
  config.heads = fields.count("n_heads");
  config.intermediate = fields.count("hidden_dim");
  config.positions = fields.count("max_position_embeddings");
  config.activation = config.head_activation = fields.activation("activation", "gelu");
}

struct MaskedType {
  std::string_view name;
  Architecture architecture;
  void (*read)(const ConfigFields&, EncoderConfig&);
};
inline constexpr MaskedType masked_types[] = {
    {"bert", Architecture::bert, &read_bert_sizes},
    {"roberta", Architecture::roberta, &read_roberta},
    {"xlm-roberta", Architecture::xlm_roberta, &read_roberta},
    {"albert", Architecture::albert, &read_albert},
    {"distilbert", Architecture::distilbert, &read_distilbert}};

[[nodiscard]] inline bool is_masked_type(std::string_view type) {
  return std::any_of(std::begin(masked_types), std::end(masked_types),
                     [&](const MaskedType& one) { return one.name == type; });
}

}  // namespace detail

/// Reads config.json. Throws a user error for an architecture, an activation or a variant that is
/// not known, and for a field that makes no sense.
[[nodiscard]] inline EncoderConfig read_encoder_config(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "config.json";
  const detail::ConfigFields fields(file);
  const Json* type = fields.find("model_type");
  if (type == nullptr || !type->is_string()) {
    throw fields.wrong("model_type", "is missing or not a string",
                       "known are " + std::string(detail::masked_type_list));
  }
  for (const auto& [name, architecture, read] : detail::masked_types) {
    if (name != type->get<std::string>()) continue;
    EncoderConfig config;
    config.architecture = architecture;
    config.tied = fields.flag("tie_word_embeddings", true);
    read(fields, config);
    fields.expect("pruned_heads", Json::object());
    fields.expect("is_causal", false);  // true hides from a token those behind it
    if (const Json* const quantized = fields.find("quantization_config")) {
      const auto by = detail::quantization_of(*quantized);
      throw fields.wrong("quantization_config", detail::quantized_problem(by),
                         detail::quantized_ways(folder, by.method, true));
    }
    if (config.layers * config.inner_groups > 10'000) {
      throw fields.wrong("", "has more layers than any model has: " + std::to_string(config.layers),
                         "fetch the model's config.json again");
    }
    if (config.hidden % config.heads != 0) {
      throw fields.wrong("",
                         std::to_string(config.hidden) + " numbers do not share out among " +
                             counted(config.heads, "head"),
                         "fetch the model's config.json again");
    }
    return config;
  }
  throw fields.wrong("model_type", "'" + type->get<std::string>() + "' is not known",
                     "known are " + std::string(detail::masked_type_list));
}

}  // namespace plumb
