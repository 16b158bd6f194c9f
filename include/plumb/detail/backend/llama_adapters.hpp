// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which LoRA adapters are added to a GGUF model?
//
// The weights become W + Σ scale · (alpha / rank) · B A, with the last term computed separately
// from W in each step, not merged into it (Hu et al. 2021, "LoRA: Low-Rank Adaptation of Large
// Language Models", section 4.1).

#include <ggml.h>
#include <llama.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ios>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plumb/detail/backend/engine_options.hpp"
#include "plumb/detail/backend/llama_file.hpp"
#include "plumb/detail/backend/llama_log.hpp"
#include "plumb/detail/core/error.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The adapters of one model. The model must outlive them, and frees them. Not thread-safe.
class LlamaAdapters {
 public:
  LlamaAdapters() = default;
  /// Throws a user error for a file that is missing, damaged or made for another model, and for an
  /// adapter that takes effect only after a special activation token (aLoRA).
  LlamaAdapters(llama_model& model, std::span<const LoraAdapter> adapters, detail::LlamaLog& log) {
    for (const LoraAdapter& adapter : adapters) {
      const Site site{.file = adapter.file};
      if (!std::filesystem::is_regular_file(adapter.file)) {
        throw user_error(site, "no such adapter file", "set `lora` to the path of a .gguf file");
      }
      llama_adapter_lora* const loaded = llama_adapter_lora_init(&model, adapter.file.c_str());
      if (loaded == nullptr) {
        throw user_error(site, "cannot be loaded as a LoRA adapter: " + log.take(),
                         "use an adapter made for this model, in llama.cpp's format");
      }
      if (llama_adapter_get_alora_n_invocation_tokens(loaded) > 0) {
        throw user_error(site, "takes effect only after its own invocation tokens (aLoRA)",
                         "use an adapter that applies to every token");
      }
      adapters_.push_back(loaded);
      scales_.push_back(static_cast<float>(adapter.scale));
    }
  }

  /// Adds the adapters to a context. Throws an internal error if llama.cpp rejects them.
  void add_to(llama_context& context) {
    if (adapters_.empty()) return;
    if (llama_set_adapters_lora(&context, adapters_.data(), adapters_.size(), scales_.data()) !=
        0) {
      throw internal_error({.setting = "lora"}, "llama.cpp does not accept the adapters");
    }
  }

  /// Throws a user error for an adapter whose alpha or weights are not finite; otherwise the
  /// resulting scores would look like a fault in the model. llama.cpp itself reports a file that is
  /// not a GGUF file.
  static void refuse_not_finite(const std::filesystem::path& file) {
    std::optional<GgufFile> head;
    try {
      head.emplace(file);
    } catch (const Error&) {
      return;
    }
    const auto refuse = [&](const std::string& what) {
      throw user_error({.file = file}, what + " not finite",
                       "the adapter is damaged; fetch or convert it again");
    };
    const char* const alpha = "adapter.lora.alpha";
    const auto stated = head->real_number(alpha);
    if (stated && !std::isfinite(*stated)) refuse(std::string("its ") + alpha + " is");
    std::ifstream bytes(file, std::ios::binary);
    for (std::size_t i = 0; i < head->tensors(); ++i) {
      const ggml_tensor& tensor = head->tensor(i);
      const auto to_float = ggml_get_type_traits(tensor.type)->to_float;
      if (tensor.type != GGML_TYPE_F32 && to_float == nullptr) continue;
      std::vector<char> stored(ggml_nbytes(&tensor));
      std::vector<float> numbers(static_cast<std::size_t>(ggml_nelements(&tensor)));
      bytes.seekg(static_cast<std::streamoff>(head->place(i)));
      if (!bytes.read(stored.data(), static_cast<std::streamsize>(stored.size()))) return;
      if (tensor.type == GGML_TYPE_F32) {
        std::memcpy(numbers.data(), stored.data(), stored.size());
      } else {
        to_float(stored.data(), numbers.data(), ggml_nelements(&tensor));
      }
      if (std::all_of(numbers.begin(), numbers.end(), [](float x) { return std::isfinite(x); })) {
        continue;
      }
      refuse("its tensor " + std::string(tensor.name) + " has values that are");
    }
  }

 private:
  std::vector<llama_adapter_lora*> adapters_;
  std::vector<float> scales_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
