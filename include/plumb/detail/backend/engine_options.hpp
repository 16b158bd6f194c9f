// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where does an engine run, with which adapters, and how much does it take at once?
//
// Said by the caller, for engines that can choose: the layers a GPU holds, how several GPUs share
// them, LoRA adapters (Hu et al. 2021, "LoRA: Low-Rank Adaptation of Large Language Models"), the
// numbers of the KV cache, and nodes a step. What is not said is the engine's to choose. An engine
// that cannot do what is said refuses it (`first_chosen`).

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// How a model is split over several GPUs: not at all, by layers, or by rows of its matrices.
enum class SplitMode { none, layer, row };
[[nodiscard]] constexpr std::array<SplitMode, 3> every(SplitMode) noexcept {
  return {SplitMode::none, SplitMode::layer, SplitMode::row};
}
[[nodiscard]] constexpr std::string_view name_of(SplitMode mode) noexcept {
  constexpr std::array<std::string_view, 3> names{"none", "layer", "row"};
  return names[static_cast<std::size_t>(mode)];
}

/// Numbers of the KV cache; q8_0 has blocks of 32 bytes with a scale.
enum class CacheType { f32, f16, q8_0 };
[[nodiscard]] constexpr std::array<CacheType, 3> every(CacheType) noexcept {
  return {CacheType::f32, CacheType::f16, CacheType::q8_0};
}
[[nodiscard]] constexpr std::string_view name_of(CacheType type) noexcept {
  constexpr std::array<std::string_view, 3> names{"f32", "f16", "q8_0"};
  return names[static_cast<std::size_t>(type)];
}

/// How a model computes. exact: so that scores are those of the weights, in llama.cpp with an F32 cache
/// and without flash attention. fast: in llama.cpp without both. bf16: in a Hugging Face folder's network
/// with weights and activations rounded to BF16 in each product.
enum class Precision { exact, fast, bf16 };
[[nodiscard]] constexpr std::array<Precision, 3> every(Precision) noexcept {
  return {Precision::exact, Precision::fast, Precision::bf16};
}
[[nodiscard]] constexpr std::string_view name_of(Precision precision) noexcept {
  constexpr std::array<std::string_view, 3> names{"exact", "fast", "bf16"};
  return names[static_cast<std::size_t>(precision)];
}

/// What computes a .gguf model: plumb's own network, or llama.cpp.
enum class EngineChoice { native, llama };
[[nodiscard]] constexpr std::array<EngineChoice, 2> every(EngineChoice) noexcept {
  return {EngineChoice::native, EngineChoice::llama};
}
[[nodiscard]] constexpr std::string_view name_of(EngineChoice choice) noexcept {
  return choice == EngineChoice::native ? "native" : "llama";
}
/// What ModelDescription::backend begins with.
[[nodiscard]] constexpr std::string_view backend_lead(EngineChoice choice) noexcept {
  return choice == EngineChoice::native ? "native" : "llama.cpp";
}

/// A LoRA adapter in a file; its change of the weights is multiplied by `scale`.
struct LoraAdapter {
  std::filesystem::path file{};
  double scale = 1;

  bool operator==(const LoraAdapter&) const = default;
};

struct EngineOptions {
  /// Not said: what suits the file.
  std::optional<EngineChoice> choice{};
  /// Layers that a GPU holds; not said: all, where the engine has a GPU.
  std::optional<std::size_t> gpu_layers{};
  /// The GPU that holds what is not split.
  std::optional<std::size_t> main_gpu{};
  std::optional<SplitMode> split_mode{};
  /// What each GPU takes of the model, in any unit; empty: by their memory.
  std::vector<float> tensor_split{};
  /// Added to the weights, all at once.
  std::vector<LoraAdapter> lora{};
  /// Not said: f32 where scores are exact, else f16.
  std::optional<CacheType> cache_type{};
  /// Nodes that are evaluated in one step (TreeLimits::batch); 0 is the engine's choice.
  std::size_t pack = 0;

  /// The setting of the first that was chosen; empty where all is the engine's choice.
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
