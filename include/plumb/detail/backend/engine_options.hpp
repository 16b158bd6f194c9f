// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where does an engine run, with which adapters, and how large are its steps?
//
// The caller sets these options for engines that support them: the layers on a GPU, how several
// GPUs share them, LoRA adapters (Hu et al. 2021, "LoRA: Low-Rank Adaptation of Large Language
// Models"), the number type of the KV cache, and nodes per step. The engine chooses values for the
// options that are not set. An engine rejects any option that it does not support (`first_chosen`).

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// How a model is split across several GPUs: not at all, by layer, or by the rows of its matrices.
enum class SplitMode { none, layer, row };
[[nodiscard]] constexpr std::array<SplitMode, 3> every(SplitMode) noexcept {
  return {SplitMode::none, SplitMode::layer, SplitMode::row};
}
[[nodiscard]] constexpr std::string_view name_of(SplitMode mode) noexcept {
  constexpr std::array<std::string_view, 3> names{"none", "layer", "row"};
  return names[static_cast<std::size_t>(mode)];
}

/// Number type of the KV cache; q8_0 stores blocks of 32 bytes, each with a scale.
enum class CacheType { f32, f16, q8_0 };
[[nodiscard]] constexpr std::array<CacheType, 3> every(CacheType) noexcept {
  return {CacheType::f32, CacheType::f16, CacheType::q8_0};
}
[[nodiscard]] constexpr std::string_view name_of(CacheType type) noexcept {
  constexpr std::array<std::string_view, 3> names{"f32", "f16", "q8_0"};
  return names[static_cast<std::size_t>(type)];
}

/// The precision of a model's computation. exact: scores are exactly those that the weights yield;
/// llama.cpp uses an F32 cache and no flash attention. fast: llama.cpp uses a smaller cache (F16 by
/// default) and flash attention. bf16: a Hugging Face folder's network rounds weights and
/// activations to BF16 in each product.
enum class Precision { exact, fast, bf16 };
[[nodiscard]] constexpr std::array<Precision, 3> every(Precision) noexcept {
  return {Precision::exact, Precision::fast, Precision::bf16};
}
[[nodiscard]] constexpr std::string_view name_of(Precision precision) noexcept {
  constexpr std::array<std::string_view, 3> names{"exact", "fast", "bf16"};
  return names[static_cast<std::size_t>(precision)];
}

/// Which engine runs a .gguf model: plumb's own network, or llama.cpp.
enum class EngineChoice { native, llama };
[[nodiscard]] constexpr std::array<EngineChoice, 2> every(EngineChoice) noexcept {
  return {EngineChoice::native, EngineChoice::llama};
}
[[nodiscard]] constexpr std::string_view name_of(EngineChoice choice) noexcept {
  return choice == EngineChoice::native ? "native" : "llama";
}
/// The prefix of ModelDescription::backend.
[[nodiscard]] constexpr std::string_view backend_lead(EngineChoice choice) noexcept {
  return choice == EngineChoice::native ? "native" : "llama.cpp";
}

/// A LoRA adapter's file. The adapter's change to the weights is multiplied by `scale`.
struct LoraAdapter {
  std::filesystem::path file{};
  double scale = 1;

  bool operator==(const LoraAdapter&) const = default;
};

struct EngineOptions {
  /// Default: the engine that suits the file.
  std::optional<EngineChoice> choice{};
  /// The number of layers on a GPU. Default: all, if the engine has a GPU.
  std::optional<std::size_t> gpu_layers{};
  /// The GPU that stores everything that is not split.
  std::optional<std::size_t> main_gpu{};
  std::optional<SplitMode> split_mode{};
  /// The share of the model on each GPU, in any unit. If empty, the GPUs share the model in
  /// proportion to their memory.
  std::vector<float> tensor_split{};
  /// The adapters. All adapters are added to the weights.
  std::vector<LoraAdapter> lora{};
  /// Default: f32 if scores are exact, otherwise f16.
  std::optional<CacheType> cache_type{};
  /// Nodes evaluated in one step (TreeLimits::batch); 0 lets the engine choose.
  std::size_t pack = 0;

  /// The name of the first option that is set; empty if none is.
  [[nodiscard]] std::string_view first_chosen() const noexcept {
    return choice                  ? "engine"
           : gpu_layers            ? "gpu-layers"
           : main_gpu              ? "main-gpu"
           : split_mode            ? "split-mode"
           : !tensor_split.empty() ? "tensor-split"
           : !lora.empty()         ? "lora"
           : cache_type            ? "cache-type"
           : pack > 0              ? "pack"
                                   : "";
  }
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
