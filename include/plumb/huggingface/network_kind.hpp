// SPDX-License-Identifier: Apache-2.0
#pragma once

// Does a Hugging Face folder hold a masked or a causal model?

#include <cstdint>
#include <filesystem>
#include <string>

#include "plumb/core/error.hpp"
#include "plumb/core/text_list.hpp"
#include "plumb/huggingface/config_fields.hpp"
#include "plumb/huggingface/decoder_architectures.hpp"
#include "plumb/huggingface/encoder_config.hpp"
#include "plumb/huggingface/other_ways.hpp"

namespace plumb {

enum class NetworkKind : std::uint8_t { masked, causal };

/// By config.json's model_type. Throws a user error for a folder without one, and for one that neither
/// kind knows, with what can be done instead.
[[nodiscard]] inline NetworkKind network_kind(const std::filesystem::path& folder) {
  const detail::ConfigFields fields(folder / "config.json");
  const std::string type = fields.text("model_type", "");
  if (find_architecture(type) != nullptr) return NetworkKind::causal;
  if (detail::is_masked_type(type)) return NetworkKind::masked;
  if (type.empty()) {
    throw fields.wrong("model_type", "is missing",
                       "give a folder with the config.json that transformers writes");
  }
  throw fields.wrong(
      "model_type", "'" + type + "' is not known",
      detail::other_ways(folder) + "; known are " + std::string(detail::masked_type_list) + ", " +
          text_list(decoder_architectures, [](const auto& one) { return one.model_type; }));
}

}  // namespace plumb
