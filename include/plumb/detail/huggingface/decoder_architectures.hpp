// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which causal architectures can be asked from their Hugging Face folders?
//
// One line for each `model_type` of config.json. A new architecture of known parts is a function that
// fills in a DecoderConfig and a line here, or a line in a table of the caller's own. Of a model for
// texts and images the language model is read (text_part.hpp).

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

namespace plumb::detail {

/// How the config.json of one model_type is read. `read` throws user errors for what it cannot model.
struct DecoderArchitecture {
  std::string_view model_type;
  void (*read)(const detail::ConfigFields&, DecoderConfig&);
};

inline constexpr DecoderArchitecture decoder_architectures[] = {
    {"bloom", &detail::read_bloom},
    {"cohere", &detail::read_cohere},
    {"falcon", &detail::read_falcon},
    {"RefinedWeb", &detail::read_falcon},
    {"RefinedWebModel", &detail::read_falcon},
    {"gemma", &detail::read_gemma},
    {"gemma2", &detail::read_gemma2},
    {"gemma3_text", &detail::read_gemma3},
    {"gpt2", &detail::read_gpt2},
    {"gpt_bigcode", &detail::read_gpt_bigcode},
    {"gpt_neo", &detail::read_gpt_neo},
    {"gpt_neox", &detail::read_gpt_neox},
    {"gptj", &detail::read_gptj},
    {"granite", &detail::read_granite},
    {"llama", &detail::read_llama},
    {"mistral", &detail::read_mistral},
    {"mixtral", &detail::read_mixtral},
    {"mpt", &detail::read_mpt},
    {"olmo", &detail::read_olmo},
    {"olmo2", &detail::read_olmo2},
    {"opt", &detail::read_opt},
    {"phi", &detail::read_phi},
    {"phi3", &detail::read_phi3},
    {"qwen2", &detail::read_qwen2},
    {"qwen3", &detail::read_qwen3},
    {"stablelm", &detail::read_stablelm},
};

/// The entry of a model_type; null where there is none.
[[nodiscard]] inline const DecoderArchitecture* find_architecture(
    std::string_view model_type,
    std::span<const DecoderArchitecture> known = decoder_architectures) {
  for (const DecoderArchitecture& one : known) {
    if (one.model_type == model_type) return &one;
  }
  return nullptr;
}

/// Reads the config.json of a causal model. Throws a user error for an architecture, an activation or a
/// variant that is not known, for a field that makes no sense, and for quantised weights.
[[nodiscard]] inline DecoderConfig read_decoder_config(
    const std::filesystem::path& folder,
    std::span<const DecoderArchitecture> known = decoder_architectures) {
  // llama.cpp's converter drops fields it does not know, so the GGUF would be a different model.
  const detail::ConfigFields fields(folder / "config.json", detail::serving_way(folder));
  const detail::TextPart part = detail::text_part(fields);
  const DecoderArchitecture* const found = find_architecture(part.model_type, known);
  if (found == nullptr) {
    throw part.fields.unmodelled(
        "model_type", "'" + part.model_type + "' is not a causal model that is known",
        "known are " + text_list(known, [](const auto& one) { return one.model_type; }));
  }
  for (const detail::ConfigFields* of : {&fields, &part.fields}) {
    detail::refuse_quantized(*of, folder, false);
    detail::refuse_attention_to_both_sides(*of);
  }
  DecoderConfig config;
  found->read(part.fields, config);
  detail::unwrap(part, config);
  detail::check_decoder(part.fields, config);
  return config;
}

}  // namespace plumb::detail
