// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which causal architectures does plumb read from Hugging Face folders?
//
// The table has one line for each `model_type` of config.json. To add an architecture that consists
// of known parts, write a function that fills in a DecoderConfig, and add a line here or in the
// caller's own table. If a model handles both text and images, only its language model is read
// (text_part.hpp).

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/huggingface/config_fields.hpp"
#include "plumb/detail/huggingface/decoder_config.hpp"
#include "plumb/detail/huggingface/gpt_family.hpp"
#include "plumb/detail/huggingface/llama_family.hpp"
#include "plumb/detail/huggingface/other_ways.hpp"
#include "plumb/detail/huggingface/text_part.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// How to read the config.json of one model_type.
struct DecoderArchitecture {
  std::string_view model_type;
  /// Throws a user error for settings that plumb does not support.
  void (*read)(const detail::ConfigFields&, DecoderConfig&);
  /// The maximum number of tokens in a sequence if config.json does not specify it; 0 if `read`
  /// sets it.
  std::size_t positions = 0;
  /// Alternative field names.
  std::span<const FieldAlias> aliases{};
};

inline constexpr DecoderArchitecture decoder_architectures[] = {
    {"bloom", &read_bloom, 0, bloom_aliases},
    {"cohere", &read_cohere, 8192},
    {"falcon", &read_falcon, 0, falcon_aliases},
    {"RefinedWeb", &read_falcon, 0, falcon_aliases},
    {"RefinedWebModel", &read_falcon, 0, falcon_aliases},
    {"gemma", &read_gemma, 8192},
    {"gemma2", &read_gemma2, 8192},
    {"gemma3_text", &read_gemma3, 131072},
    {"gpt2", &read_gpt2, 1024, gpt_aliases},
    {"gpt_bigcode", &read_gpt_bigcode, 1024, gpt_aliases},
    {"gpt_neo", &read_gpt_neo, 2048, gpt_neo_aliases},
    {"gpt_neox", &read_gpt_neox, 2048},
    {"gptj", &read_gptj, 2048, gpt_aliases},
    {"granite", &read_granite, 2048},
    {"llama", &read_llama, 2048},
    {"mistral", &read_mistral, 131072},
    {"mixtral", &read_mixtral, 131072, mixtral_aliases},
    {"mpt", &read_mpt, 0, mpt_aliases},
    {"olmo", &read_olmo, 2048},
    {"olmo2", &read_olmo2, 2048},
    {"opt", &read_opt, 2048},
    {"phi", &read_phi, 2048},
    {"phi3", &read_phi3, 4096},
    {"qwen2", &read_qwen2, 32768},
    {"qwen3", &read_qwen3, 32768},
    {"stablelm", &read_stablelm, 4096},
};

/// The entry for a model_type; null if there is none.
[[nodiscard]] inline const DecoderArchitecture* find_architecture(
    std::string_view model_type,
    std::span<const DecoderArchitecture> known = decoder_architectures) {
  for (const DecoderArchitecture& one : known) {
    if (one.model_type == model_type) return &one;
  }
  return nullptr;
}

/// Reads the config.json of a causal model. Throws a user error for an unsupported architecture,
/// activation or variant, for an invalid field, and for quantised weights.
[[nodiscard]] inline DecoderConfig read_decoder_config(
    const std::filesystem::path& folder,
    std::span<const DecoderArchitecture> known = decoder_architectures) {
  // Only serving is suggested as a remedy: llama.cpp's converter drops unknown fields, so its GGUF
  // file would contain a different model.
  const detail::ConfigFields fields(folder / "config.json", detail::serving_way(folder));
  const detail::TextPart part = detail::text_part(fields);
  const DecoderArchitecture* const found = find_architecture(part.model_type, known);
  if (found == nullptr) {
    throw part.fields.unmodelled(
        "model_type", "'" + part.model_type + "' is not a supported causal model",
        "plumb supports " + text_list(known, [](const auto& one) { return one.model_type; }));
  }
  for (const detail::ConfigFields* of : {&fields, &part.fields}) {
    detail::refuse_quantized(*of, folder, false);
    detail::refuse_attention_to_both_sides(*of);
    of->expect("per_layer_config", Json::object());
  }
  DecoderConfig config;
  Json absent = Json::object();
  if (found->positions > 0) {
    absent = {{"max_position_embeddings", found->positions}, {"n_positions", found->positions}};
  }
  found->read(part.fields.renamed(found->aliases).completed(absent), config);
  detail::unwrap(part, config);
  detail::check_decoder(part.fields, config);
  return config;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
