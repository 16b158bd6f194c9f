// SPDX-License-Identifier: Apache-2.0
#pragma once

// What network does a Hugging Face folder describe?
//
// config.json as one struct for all architectures that can be run. Every field that changes a
// network's numbers is read or, where only one value of it is supported, checked: a model is
// refused by name rather than run with other numbers. A field that is absent has the value that
// transformers gives it; sizes must be there. What changes training only is not looked at.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "plumb/core/error.hpp"
#include "plumb/core/number_words.hpp"
#include "plumb/data/json_file.hpp"
#include "plumb/huggingface/activation.hpp"

namespace plumb {

/// Whether a path is a folder with a config.json, and so a model for this backend.
[[nodiscard]] inline bool is_hugging_face_folder(const std::filesystem::path& path) {
  return std::filesystem::is_directory(path) && std::filesystem::exists(path / "config.json");
}

enum class Architecture { bert, roberta, xlm_roberta, albert, distilbert, opt, gpt2 };

struct ModelConfig {
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
  /// OPT: layer norm before attention and feed-forward, not after their sums.
  bool norm_before = false;
  /// A layer norm after the last layer.
  bool final_norm = false;
  /// OPT: whether layers have biases, and layer norms weights.
  bool has_bias = true, has_norm_weights = true;

  /// Whether it predicts tokens from both sides.
  [[nodiscard]] bool is_masked() const {
    return architecture != Architecture::opt && architecture != Architecture::gpt2;
  }
};

namespace detail {

inline constexpr std::string_view known_model_types =
    "known are bert, roberta, xlm-roberta, albert, distilbert, opt, gpt2";

/// The fields of a config.json.
class ConfigFields {
 public:
  explicit ConfigFields(const std::filesystem::path& file)
      : file_(file), object_(read_json_object(file)) {}

  [[nodiscard]] Error wrong(const std::string& field, const std::string& problem,
                            const std::string& remedy) const {
    return user_error({.file = file_, .field = field}, problem, remedy);
  }

  [[nodiscard]] const Json* find(const std::string& field) const {
    const auto found = object_.find(field);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }

  /// A number of things, at least 1.
  [[nodiscard]] std::size_t count(const std::string& field,
                                  std::optional<std::size_t> absent = std::nullopt) const {
    const Json* value = find(field);
    if (value == nullptr && absent) return *absent;
    if (value == nullptr) throw wrong(field, "is missing", "fetch the model's config.json again");
    if (!value->is_number_unsigned() || value->get<std::uint64_t>() < 1 ||
        value->get<std::uint64_t>() > 0x7FFFFFFF) {
      throw wrong(field, "is " + value->dump() + ", not a number of things",
                  "fetch the model's config.json again");
    }
    return value->get<std::size_t>();
  }

  [[nodiscard]] bool flag(const std::string& field, bool absent) const {
    const Json* value = find(field);
    if (value == nullptr) return absent;
    if (!value->is_boolean()) {
      throw wrong(field, "is " + value->dump() + ", not true or false",
                  "fetch the model's config.json again");
    }
    return value->get<bool>();
  }

  [[nodiscard]] float epsilon(const std::string& field, double absent) const {
    const Json* value = find(field);
    if (value == nullptr) return static_cast<float>(absent);
    if (!value->is_number() || !(value->get<double>() >= 0 && value->get<double>() < 1)) {
      throw wrong(field, "is " + value->dump() + ", not within [0, 1)",
                  "fetch the model's config.json again");
    }
    return static_cast<float>(value->get<double>());
  }

  [[nodiscard]] Activation activation(const std::string& field, const char* absent) const {
    const Json* value = find(field);
    const std::string name = value == nullptr     ? absent
                             : value->is_string() ? value->get<std::string>()
                                                  : value->dump();
    const auto known = activation_named(name);
    if (!known) {
      throw wrong(field, "'" + name + "' is not known", "known are " + activation_list());
    }
    return *known;
  }

  /// The only supported value of a field, which is also what its absence means.
  void expect(const std::string& field, const Json& supported) const {
    if (const Json* value = find(field); value != nullptr && *value != supported) {
      throw wrong(field, value->dump() + " is not supported", "only " + supported.dump() + " is");
    }
  }

 private:
  std::filesystem::path file_;
  Json object_;
};

inline void read_bert_sizes(const ConfigFields& fields, ModelConfig& config) {
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

inline void read_roberta(const ConfigFields& fields, ModelConfig& config) {
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

inline void read_albert(const ConfigFields& fields, ModelConfig& config) {
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

inline void read_distilbert(const ConfigFields& fields, ModelConfig& config) {
  config.vocabulary = fields.count("vocab_size");
  config.hidden = config.embedding = fields.count("dim");
  config.layers = fields.count("n_layers");
  config.heads = fields.count("n_heads");
  config.intermediate = fields.count("hidden_dim");
  config.positions = fields.count("max_position_embeddings");
  config.activation = config.head_activation = fields.activation("activation", "gelu");
}

inline void read_opt(const ConfigFields& fields, ModelConfig& config) {
  config.vocabulary = fields.count("vocab_size");
  config.hidden = fields.count("hidden_size");
  config.embedding = fields.count("word_embed_proj_dim", config.hidden);
  config.layers = fields.count("num_hidden_layers");
  config.heads = fields.count("num_attention_heads");
  config.intermediate = fields.count("ffn_dim");
  config.positions = fields.count("max_position_embeddings");
  config.first_position = 2;
  config.activation = fields.activation("activation_function", "relu");
  config.norm_epsilon = 1e-5F;
  config.norm_before = fields.flag("do_layer_norm_before", true);
  config.final_norm = config.norm_before && !fields.flag("_remove_final_layer_norm", false);
  config.has_bias = fields.flag("enable_bias", true);
  config.has_norm_weights = fields.flag("layer_norm_elementwise_affine", true);
}

inline void read_gpt2(const ConfigFields& fields, ModelConfig& config) {
  config.vocabulary = fields.count("vocab_size");
  config.hidden = config.embedding = fields.count("n_embd");
  config.layers = fields.count("n_layer");
  config.heads = fields.count("n_head");
  config.intermediate = fields.count("n_inner", 4 * config.hidden);
  config.positions = fields.count("n_positions");
  config.activation = fields.activation("activation_function", "gelu_new");
  config.norm_epsilon = fields.epsilon("layer_norm_epsilon", 1e-5);
  config.norm_before = config.final_norm = true;
  fields.expect("scale_attn_weights", true);
  fields.expect("scale_attn_by_inverse_layer_idx", false);
  fields.expect("add_cross_attention", false);
}

}  // namespace detail

/// Reads config.json. Throws a user error for an architecture, an activation or a variant that is
/// not known, and for a field that makes no sense.
[[nodiscard]] inline ModelConfig read_model_config(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "config.json";
  const detail::ConfigFields fields(file);
  const Json* type = fields.find("model_type");
  if (type == nullptr || !type->is_string()) {
    throw fields.wrong("model_type", "is missing or not a string",
                       std::string(detail::known_model_types));
  }
  struct Known {
    std::string_view type;
    Architecture architecture;
    void (*read)(const detail::ConfigFields&, ModelConfig&);
  };
  static constexpr Known all[] = {
      {"bert", Architecture::bert, &detail::read_bert_sizes},
      {"roberta", Architecture::roberta, &detail::read_roberta},
      {"xlm-roberta", Architecture::xlm_roberta, &detail::read_roberta},
      {"albert", Architecture::albert, &detail::read_albert},
      {"distilbert", Architecture::distilbert, &detail::read_distilbert},
      {"opt", Architecture::opt, &detail::read_opt},
      {"gpt2", Architecture::gpt2, &detail::read_gpt2}};
  for (const auto& [name, architecture, read] : all) {
    if (name != type->get<std::string>()) continue;
    ModelConfig config;
    config.architecture = architecture;
    config.tied = fields.flag("tie_word_embeddings", true);
    read(fields, config);
    fields.expect("pruned_heads", Json::object());
    if (const Json* quantized = fields.find("quantization_config"); quantized != nullptr) {
      throw fields.wrong("quantization_config", "quantised weights are not supported",
                         "fetch the model's F32, F16 or BF16 weights");
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
                     std::string(detail::known_model_types));
}

}  // namespace plumb
