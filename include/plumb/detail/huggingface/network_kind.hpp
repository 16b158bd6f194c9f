// SPDX-License-Identifier: Apache-2.0
#pragma once

// Does a Hugging Face folder contain a masked or a causal model?

#include <cstdint>
#include <filesystem>
#include <string>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/huggingface/config_fields.hpp"
#include "plumb/detail/huggingface/decoder_architectures.hpp"
#include "plumb/detail/huggingface/encoder_architectures.hpp"
#include "plumb/detail/huggingface/other_ways.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Whether a path is a folder with a config.json. This backend treats such a folder as a model.
[[nodiscard]] inline bool is_hugging_face_folder(const std::filesystem::path& path) {
  return std::filesystem::is_directory(path) && std::filesystem::exists(path / "config.json");
}

enum class NetworkKind : std::uint8_t { masked, causal };

/// The kind of network, according to config.json's model_type. Throws a user error if the
/// model_type is missing or not supported; the message lists other ways to use the model.
[[nodiscard]] inline NetworkKind network_kind(const std::filesystem::path& folder) {
  const detail::ConfigFields fields(folder / "config.json");
  const detail::TextPart part = detail::text_part(fields);
  const std::string& type = part.model_type;
  if (find_architecture(type) != nullptr) return NetworkKind::causal;
  if (!part.is_wrapped && find_masked_architecture(type) != nullptr) return NetworkKind::masked;
  if (type.empty()) {
    throw fields.wrong("model_type", "is missing",
                       "pass a folder with the config.json that transformers writes");
  }
  if (fields.flag("is_encoder_decoder", false)) {
    throw fields.wrong("is_encoder_decoder", "'" + type + "' has an encoder and a decoder",
                       "choose a causal or a masked model");
  }
  const bool is_code = type == "phi3small" || fields.find("auto_map") != nullptr;
  throw part.fields.wrong(
      "model_type", "'" + type + "' is not supported",
      is_code
          ? "its network is custom Python code: serve it with vLLM and "
            "--trust-remote-code, and set `server`"
          : detail::other_ways(folder) + "; plumb supports " +
                text_list(encoder_architectures, [](const auto& one) { return one.model_type; }) +
                ", " +
                text_list(decoder_architectures, [](const auto& one) { return one.model_type; }) +
                ", and for texts with images " +
                text_list(detail::text_wrappers, [](const auto& one) { return one.model_type; }));
}

/// Whether a folder contains a masked model (for HuggingFaceMaskedModel) rather than a causal one.
/// Throws like network_kind.
[[nodiscard]] inline bool is_masked_folder(const std::filesystem::path& folder) {
  return network_kind(folder) == NetworkKind::masked;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
