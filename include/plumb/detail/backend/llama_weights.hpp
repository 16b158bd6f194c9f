// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which weights does llama.cpp compute with, and what does it round?
//
// On a CPU, its kernels round the activations to the type of the weights, except for F32. For exact
// scores, 16-bit weights and adapters are widened to F32. Quantised weights are used as they are,
// and the results record this. docs/measured.md reports the error caused by 16-bit weights that are
// not widened.

#include <llama.h>

#include <filesystem>
#include <string>
#include <vector>

#include "plumb/detail/backend/engine_options.hpp"
#include "plumb/detail/backend/llama_f32_cache.hpp"
#include "plumb/detail/backend/llama_file.hpp"
#include "plumb/detail/backend/llama_parameters.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The weights of one model and its adapters. Any number of threads may read the same object.
class LlamaWeights {
 public:
  LlamaWeights() = default;
  explicit LlamaWeights(const GgufModel& model) : types_(model.weight_types()) {}

  /// The file for llama.cpp to load. Throws a user error if exact scores are requested for 16-bit
  /// weights that cannot be widened.
  [[nodiscard]] std::filesystem::path to_load(const GgufModel& model, const LlamaOptions& options) {
    if (!types_.half() || options.precision == Precision::fast) return model.first().path();
    if (!options.widen) throw no_exact_scores(model, "");
    std::filesystem::path file = options.widen(model);
    widened_ = file != model.first().path();
    return file;
  }

  /// The adapters to load, widened in the same way.
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
        continue;  // not a GGUF file; LlamaAdapters refuses it
      }
      quantized_adapter_ = quantized_adapter_ || weights.types_.quantized();
      if (weights.types_.half() && !weights.widened_) half_adapter_ = weights.types_.names();
    }
    return all;
  }

  /// The weight types as the results show them: "Q4_1", "BF16 and F32, widened to F32". If the
  /// tensors contradict the file type that llama.cpp reports, the tensors take precedence.
  [[nodiscard]] std::string name(llama_ftype file_type) const {
    const auto base = static_cast<llama_ftype>(file_type & ~LLAMA_FTYPE_GUESSED);
    const bool tells_quantized = base != LLAMA_FTYPE_ALL_F32 && base != LLAMA_FTYPE_MOSTLY_F16 &&
                                 base != LLAMA_FTYPE_MOSTLY_BF16;
    if (types_.quantized() && tells_quantized) return llama_ftype_name(file_type);
    if (types_.only(GGML_TYPE_F32)) return llama_ftype_name(LLAMA_FTYPE_ALL_F32);
    return types_.names() + (widened_ ? ", widened to F32" : "");
  }
  [[nodiscard]] bool quantized() const { return types_.quantized() || quantized_adapter_; }

  /// Warnings for scores from 16-bit weights that were not widened.
  [[nodiscard]] std::vector<std::string> warnings() const {
    const std::string names = types_.half() && !widened_ ? types_.names() : half_adapter_;
    if (names.empty()) return {};
    return {"Warning: weights in " + names +
            " are used without widening, so activations are rounded to 16 bits and scores differ "
            "from those of the same weights in F32. On SmolLM2-135M (756 statements from "
            "benchmarks/half_weights.sh) they differ by 0.14 nats per statement on average and "
            "0.49 at worst in BF16, and by 0.008 and 0.041 in F16."};
  }

 private:
  GgufWeightTypes types_;
  bool widened_ = false, quantized_adapter_ = false;
  std::string half_adapter_{};
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
