// SPDX-License-Identifier: Apache-2.0
#pragma once

// If plumb does not support a folder, which command produces a model that it supports?
//
// llama.cpp's converter writes a GGUF file for most causal models, whatever their parts, and for
// weights quantised by some methods. A model server can run nearly all of these models. Neither way
// works for a masked model. Messages contain the commands with the folder's path, so that users can
// paste them.

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/lower_case.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/huggingface/config_fields.hpp"
#include "plumb/detail/huggingface/stored_tensors.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A path as a shell word: quoted if it has characters other than letters, digits and ./_+:@-.
[[nodiscard]] inline std::string shell_word(const std::filesystem::path& path) {
  const std::string text = path.string();
  const bool is_plain = text.find_first_not_of(
                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                            "0123456789./_+:@-") == std::string::npos;
  if (is_plain && !text.empty()) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

/// A path next to the folder, named after the folder with `tail` appended.
[[nodiscard]] inline std::filesystem::path beside(std::filesystem::path folder, const char* tail) {
  folder = folder.lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  if (folder.empty() || folder == ".") folder = std::filesystem::path("..") / "model";
  return folder += tail;
}

[[nodiscard]] inline std::string conversion_way(const std::filesystem::path& folder) {
  const std::filesystem::path output = beside(folder, ".gguf");
  return "convert it: `python3 convert_hf_to_gguf.py " + shell_word(folder) +
         " --outtype f32 --outfile " + shell_word(output) +
         "` in a clone of llama.cpp (github.com/ggml-org/llama.cpp), then set `model` to that file";
}
[[nodiscard]] inline std::string serving_way(const std::filesystem::path& folder) {
  return "serve it: `vllm serve " + shell_word(folder) +
         "`, then set `server` to http://localhost:8000 instead of `model`";
}
/// The remedies for a causal model with parts that plumb does not support.
[[nodiscard]] inline std::string other_ways(const std::filesystem::path& folder) {
  return conversion_way(folder) + "; or " + serving_way(folder);
}

enum class Quantization : std::uint8_t { gptq, awq, bitsandbytes, fp8, compressed, other };

/// A quantisation method, with its name in config.json and its name in messages. Unlisted methods
/// map to `other`.
struct QuantizationName {
  std::string_view in_config;
  Quantization method;
  std::string_view shown;
};
inline constexpr std::array<QuantizationName, 7> quantization_names{{
    {"gptq", Quantization::gptq, "GPTQ"},
    {"awq", Quantization::awq, "AWQ"},
    {"bitsandbytes", Quantization::bitsandbytes, "bitsandbytes"},
    {"fp8", Quantization::fp8, "FP8"},
    {"fbgemm_fp8", Quantization::other, "FP8"},
    {"compressed-tensors", Quantization::compressed, "compressed-tensors"},
    {"modelopt", Quantization::other, "ModelOpt"},
}};

/// The method given by a quantization_config: its quant_method or, in old bitsandbytes
/// configurations, load_in_4bit or load_in_8bit.
[[nodiscard]] inline QuantizationName quantization_of(const Json& config) {
  std::string_view named;
  if (config.is_object()) {
    const auto method = config.find("quant_method");
    if (method != config.end() && method->is_string()) {
      named = method->get_ref<const std::string&>();
    } else if (config.contains("load_in_4bit") || config.contains("load_in_8bit")) {
      named = "bitsandbytes";
    }
  }
  const std::string low = lower_case(named);
  for (const QuantizationName& one : quantization_names) {
    if (one.in_config == low) return one;
  }
  return {"", Quantization::other, named};
}

/// The method inferred from the stored tensors, for folders whose config.json does not name one.
/// Indicators are packed integers (.qweight; GPTQ also has .g_idx), bitsandbytes' block sizes
/// (.absmax, .SCB), and 8-bit numbers.
[[nodiscard]] inline std::optional<QuantizationName> quantization_of(const StoredTensors& tensors) {
  bool packed = false, grouped = false, blocks = false, bytes = false;
  for (const auto& [name, tensor] : tensors.tensors()) {
    packed = packed || name.ends_with(".qweight");
    grouped = grouped || name.ends_with(".g_idx");
    blocks = blocks || name.ends_with(".absmax") || name.ends_with(".SCB");
    bytes = bytes || tensor.type().starts_with("F8_");
  }
  if (packed) return quantization_names[grouped ? 0 : 1];
  if (blocks) return quantization_names[2];
  if (bytes) return quantization_names[3];
  return std::nullopt;
}

/// Remedies for a folder with quantised weights. llama.cpp's converter widens GPTQ, FP8 and
/// compressed-tensors weights; transformers widens bitsandbytes weights.
[[nodiscard]] inline std::string quantized_ways(const std::filesystem::path& folder,
                                                Quantization method, bool is_masked) {
  const std::string fetch = "fetch the model's F32, F16 or BF16 weights";
  if (method == Quantization::bitsandbytes) {
    const std::string from = folder.string(), to = beside(folder, "-widened").string();
    const bool is_quoted = (from + to).find_first_of("'\"\\$`") != std::string::npos;
    const std::string kind = is_masked ? "AutoModelForMaskedLM" : "AutoModelForCausalLM";
    const std::string widen =
        fetch + ", or widen them: `python3 -c \"from transformers import AutoTokenizer as T, " +
        kind + " as M; M.from_pretrained('" + (is_quoted ? "FOLDER" : from) +
        "').dequantize().save_pretrained('" + (is_quoted ? "WIDENED" : to) +
        "'); T.from_pretrained('" + (is_quoted ? "FOLDER" : from) + "').save_pretrained('" +
        (is_quoted ? "WIDENED" : to) + "')\"`, then set `model` to that folder";
    return is_masked ? widen : widen + "; or " + serving_way(folder);
  }
  if (is_masked) return fetch;
  const bool converts = method == Quantization::gptq || method == Quantization::fp8 ||
                        method == Quantization::compressed;
  return fetch + ", or " + (converts ? other_ways(folder) : serving_way(folder));
}

/// For example "weights quantised by GPTQ are not supported".
[[nodiscard]] inline std::string quantized_problem(const QuantizationName& name) {
  return "weights quantised" + (name.shown.empty() ? "" : " by " + std::string(name.shown)) +
         " are not supported";
}

/// Throws a user error if config.json describes quantised weights.
inline void refuse_quantized(const ConfigFields& fields, const std::filesystem::path& folder,
                             bool is_masked) {
  if (const Json* const config = fields.find("quantization_config")) {
    const QuantizationName name = quantization_of(*config);
    throw fields.wrong("quantization_config", quantized_problem(name),
                       quantized_ways(folder, name.method, is_masked));
  }
}

/// Throws a user error if the tensors contain quantised weights.
inline void refuse_quantized(const StoredTensors& tensors, const std::filesystem::path& folder,
                             bool is_masked) {
  if (const auto found = quantization_of(tensors)) {
    throw user_error({.file = folder}, quantized_problem(*found),
                     quantized_ways(folder, found->method, is_masked));
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
