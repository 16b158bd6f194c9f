// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which masked architectures does plumb read from Hugging Face folders?
//
// The table has one line for each `model_type` of config.json. Every field that changes a network's
// numbers is read or, if only one value is supported, checked. An unsupported model is therefore
// rejected with an error that names the field, and is never evaluated with wrong numbers. To add an
// architecture that consists of known parts, write a function that fills in an EncoderConfig, and
// add a line here or in the caller's own table.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/huggingface/bert_family.hpp"
#include "plumb/detail/huggingface/config_fields.hpp"
#include "plumb/detail/huggingface/encoder_config.hpp"
#include "plumb/detail/huggingface/other_ways.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// How to read the config.json of one model_type. `read` throws user errors for unsupported
/// settings.
struct EncoderArchitecture {
  std::string_view model_type;
  void (*read)(const detail::ConfigFields&, EncoderConfig&);
};

inline constexpr EncoderArchitecture encoder_architectures[] = {
    {"bert", &detail::read_bert},
    {"roberta", &detail::read_roberta},
    {"xlm-roberta", &detail::read_roberta},
    {"albert", &detail::read_albert},
    {"distilbert", &detail::read_distilbert},
    {"electra", &detail::read_electra},
    {"deberta-v2", &detail::read_deberta2},
    {"modernbert", &detail::read_modernbert},
};

/// The entry for a model_type; null if there is none.
[[nodiscard]] inline const EncoderArchitecture* find_masked_architecture(
    std::string_view model_type,
    std::span<const EncoderArchitecture> known = encoder_architectures) {
  for (const EncoderArchitecture& one : known) {
    if (one.model_type == model_type) return &one;
  }
  return nullptr;
}

/// Reads the config.json of a masked model. Throws a user error for an unsupported architecture,
/// activation or variant, for an invalid field, and for quantised weights.
[[nodiscard]] inline EncoderConfig read_encoder_config(
    const std::filesystem::path& folder,
    std::span<const EncoderArchitecture> known = encoder_architectures) {
  const detail::ConfigFields fields(folder / "config.json");
  const std::string type = fields.text("model_type", "");
  const EncoderArchitecture* const found = find_masked_architecture(type, known);
  if (found == nullptr) {
    throw fields.wrong(
        "model_type", "'" + type + "' is not a supported masked model",
        "plumb supports " + text_list(known, [](const auto& one) { return one.model_type; }));
  }
  detail::refuse_quantized(fields, folder, true);
  fields.expect("is_causal", false);  // true would hide later tokens
  fields.expect("pruned_heads", Json::object());
  fields.expect("per_layer_config", Json::object());
  EncoderConfig config;
  config.tied = fields.flag("tie_word_embeddings", true);
  found->read(fields, config);
  detail::check_layers(fields, config.layers);
  detail::check_decoder(fields, config);
  detail::number_layers(config);
  return config;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
