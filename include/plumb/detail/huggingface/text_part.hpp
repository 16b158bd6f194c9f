// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which part of a model for text and images is its language model?
//
// In such a folder, `text_config` of config.json contains the language model's own fields, and
// tensor names have an additional prefix. Text needs only the language model, so that part is read
// like a separate folder, and the image parts are ignored. Fields that text_config lacks get the
// defaults of the language model's own class in transformers, because published folders rely on
// these defaults.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/huggingface/config_fields.hpp"
#include "plumb/detail/huggingface/decoder_config.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The model_type of a wrapper, and the model_type of its language model if text_config does not
/// specify one.
struct TextWrapper {
  std::string_view model_type, text_type;
};
inline constexpr TextWrapper text_wrappers[] = {
    {"gemma3", "gemma3_text"}, {"llava", "llama"}, {"mistral3", "mistral"}};

/// Default sizes for a text_config of the given type, which may omit them.
inline Json absent_sizes(std::string_view text_type) {
  if (text_type == "gemma3_text") {
    return {{"vocab_size", 262'208U},
            {"hidden_size", 2304U},
            {"intermediate_size", 9216U},
            {"num_hidden_layers", 26U},
            {"num_attention_heads", 8U},
            {"num_key_value_heads", 4U},
            {"max_position_embeddings", 131'072U}};
  }
  if (text_type == "llama") {
    return {{"vocab_size", 32'000U},        {"hidden_size", 4096U},
            {"intermediate_size", 11'008U}, {"num_hidden_layers", 32U},
            {"num_attention_heads", 32U},   {"max_position_embeddings", 2048U}};
  }
  return Json::object();
}

/// A folder's language model.
struct TextPart {
  /// Its fields, with defaults for the missing ones.
  ConfigFields fields;
  std::string model_type;
  /// Whether the language model is one of several parts.
  bool is_wrapped = false;
  /// If `is_wrapped`: whether config.json ties the embeddings, in its outer fields or, failing
  /// that, in text_config (for LLaVA, in either); nullopt if it does not specify this.
  std::optional<bool> tied{};
};

/// The language model that a config.json describes: the whole model, or its text_config. Throws a
/// user error for fields of the wrong type.
[[nodiscard]] inline TextPart text_part(const ConfigFields& fields) {
  const std::string type = fields.text("model_type", "");
  for (const auto& [model_type, text_type] : text_wrappers) {
    if (type != model_type) continue;
    const ConfigFields given = fields.object("text_config");
    TextPart part{given, given.text("model_type", std::string(text_type)), true, std::nullopt};
    part.fields = given.completed(absent_sizes(part.model_type));
    const ConfigFields& by = fields.find("tie_word_embeddings") != nullptr ? fields : given;
    if (by.find("tie_word_embeddings") != nullptr) part.tied = by.flag("tie_word_embeddings", true);
    // LLaVA ties the embeddings if one of the two fields is true.
    if (type == "llava" && given.flag("tie_word_embeddings", false)) part.tied = true;
    return part;
  }
  return {fields, type, false, std::nullopt};
}

/// Applies a wrapper's changes to the configuration of its language model.
inline void unwrap(const TextPart& part, DecoderConfig& config) {
  if (!part.is_wrapped) return;
  // The prefixes of transformers 5 and 4, with the part's own prefix. The head is outside that
  // prefix.
  const std::string inner = config.names.prefix;
  config.names.outer = {"model.language_model.", "language_model." + inner, "language_model."};
  config.tied = part.tied.value_or(true);
  // The head of transformers' models for text and images is a matrix, and nothing else.
  config.logits_cap = 0;
  config.logits_scale = 1;
  config.has_head_bias = false;
  config.unties_by_stored_head = !part.tied;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
