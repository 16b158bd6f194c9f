// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which weights does llama.cpp compute, and what of them does it round?
//
// Its kernels on a CPU round the activations to the type of the weights beside them, F32 alone
// excepted. Where scores are to be exact, 16-bit weights and adapters are widened to F32; quantised ones
// are run as they are, and results say so. What 16 bits cost otherwise is measured in
// docs/measured.md.

#include <llama.h>

#include <filesystem>
#include <string>
#include <vector>

#include "plumb/detail/backend/engine_options.hpp"
#include "plumb/detail/backend/llama_f32_cache.hpp"
#include "plumb/detail/backend/llama_file.hpp"
#include "plumb/detail/backend/llama_parameters.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Of one model and its adapters. Any number of threads may read one.
class LlamaWeights {
 public:
  LlamaWeights() = default;
  explicit LlamaWeights(const GgufModel& model) : types_(model.weight_types()) {}

  /// The file that llama.cpp is to load. Throws a user error where exact scores are asked of 16-bit
  /// weights that cannot be widened.
  [[nodiscard]] std::filesystem::path to_load(const GgufModel& model, const LlamaOptions& options) {
    if (!types_.half() || options.precision == Precision::fast) return model.first().path();
    if (!options.widen) throw no_exact_scores(model, "");
    std::filesystem::path file = options.widen(model);
    widened_ = file != model.first().path();
    return file;
  }

  /// The adapters likewise.
  [[nodiscard]] std::vector<LoraAdapter> adapters(const LlamaOptions& options) {
    std::vector<LoraAdapter> all = options.engine.lora;
    for (LoraAdapter& one : all) {
      if (!std::filesystem::is_regular_file(one.file)) continue;  // LlamaAdapters refuses it
      LlamaWeights weights;
      try {
        const GgufModel file(one.file);
        weights = LlamaWeights(file);
        one.file = weights.to_load(file, options);
      } catch (const Error& error) {
        if (weights.types_.half()) throw;
        continue;  // no GGUF file, which LlamaAdapters refuses
      }
      quantized_adapter_ = quantized_adapter_ || weights.types_.quantized();
      if (weights.types_.half() && !weights.widened_) half_adapter_ = weights.types_.names();
    }
    return all;
  }

  /// As results show it, of the type that llama.cpp tells: "Q4_1", "BF16 and F32, widened to F32". The
  /// tensors decide, where a file calls itself something else.
  [[nodiscard]] std::string name(llama_ftype file_type) const {
    const auto base = static_cast<llama_ftype>(file_type & ~LLAMA_FTYPE_GUESSED);
    const bool tells_quantized = base != LLAMA_FTYPE_ALL_F32 && base != LLAMA_FTYPE_MOSTLY_F16 &&
                                 base != LLAMA_FTYPE_MOSTLY_BF16;
    if (types_.quantized() && tells_quantized) return llama_ftype_name(file_type);
    if (types_.only(GGML_TYPE_F32)) return llama_ftype_name(LLAMA_FTYPE_ALL_F32);
    return types_.names() + (widened_ ? ", widened to F32" : "");
  }
  [[nodiscard]] bool quantized() const { return types_.quantized() || quantized_adapter_; }

  /// What a reader must know of scores that 16-bit weights gave as they are.
  [[nodiscard]] std::vector<std::string> warnings() const {
    const std::string names = types_.half() && !widened_ ? types_.names() : half_adapter_;
    if (names.empty()) return {};
    return {"Warning: weights in " + names +
            " that run as they are round the activations to 16 bits: scores differ from the same "
            "weights in F32, on SmolLM2-135M (756 statements of benchmarks/half_weights.sh) by "
            "0.14 nats a statement on average and 0.49 at worst in "
            "BF16, by 0.008 and 0.041 in F16."};
  }

 private:
  GgufWeightTypes types_;
  bool widened_ = false, quantized_adapter_ = false;
  std::string half_adapter_{};
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
