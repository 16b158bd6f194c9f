// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which LoRA adapters are added to a GGUF model?
//
// The weights become W + Σ scale · (alpha / rank) · B A, computed beside W at each step and not
// merged (Hu et al. 2021, "LoRA: Low-Rank Adaptation of Large Language Models", section 4.1).

#include <llama.h>

#include <filesystem>
#include <span>
#include <vector>

#include "plumb/backend/engine_options.hpp"
#include "plumb/backend/llama_log.hpp"
#include "plumb/core/error.hpp"

namespace plumb {

/// Adapters of one model, which must outlive them and frees them. Not thread-safe.
class LlamaAdapters {
 public:
  LlamaAdapters() = default;
  /// Throws a user error for a file that is missing, damaged or of another model, and for an
  /// adapter that begins to act at a token of its own (aLoRA).
  LlamaAdapters(llama_model& model, std::span<const LoraAdapter> adapters, detail::LlamaLog& log) {
    for (const LoraAdapter& adapter : adapters) {
      const Site site{.file = adapter.file};
      if (!std::filesystem::is_regular_file(adapter.file)) {
        throw user_error(site, "no such adapter file", "give `lora` the path of a .gguf file");
      }
      llama_adapter_lora* const loaded = llama_adapter_lora_init(&model, adapter.file.c_str());
      if (loaded == nullptr) {
        throw user_error(site, "cannot be loaded as a LoRA adapter: " + log.take(),
                         "give one that was made for this model, in llama.cpp's format");
      }
      if (llama_adapter_get_alora_n_invocation_tokens(loaded) > 0) {
        throw user_error(site, "acts behind tokens of its own alone (aLoRA)",
                         "give an adapter that acts everywhere");
      }
      adapters_.push_back(loaded);
      scales_.push_back(static_cast<float>(adapter.scale));
    }
  }

  /// Adds them to what a context computes. Throws an internal error when llama.cpp does not.
  void add_to(llama_context& context) {
    if (adapters_.empty()) return;
    if (llama_set_adapters_lora(&context, adapters_.data(), adapters_.size(), scales_.data()) !=
        0) {
      throw internal_error({.setting = "lora"}, "llama.cpp does not take the adapters");
    }
  }

 private:
  std::vector<llama_adapter_lora*> adapters_;
  std::vector<float> scales_;
};

}  // namespace plumb
