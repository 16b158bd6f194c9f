// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which parameters does llama.cpp receive for the requested precision and device?
//
// A model runs on a GPU if llama.cpp finds one and at least one layer is assigned to it; otherwise
// it runs only on the CPU. If `gpu_layers` is 0, no GPU is used. Attention runs over the whole
// unified cache, so a step four times as large wastes four times as much work on cells that a token
// may not see. On a CPU, steps of about 256 nodes are the fastest. A GPU needs larger steps. The
// default for a GPU is 1,024 nodes, which was close to the fastest of the sizes from 64 to 8,192 on
// an H200 (docs/gpus.md). The step size depends only on the kind of device and the settings, never
// on the machine, so that the shards of a job plan the same packs.

#include <ggml-backend.h>
#include <llama.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/backend/engine_options.hpp"
#include "plumb/detail/backend/llama_file.hpp"
#include "plumb/detail/backend/llama_log.hpp"
#include "plumb/detail/core/error.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct LlamaOptions {
  std::filesystem::path model;
  Precision precision = Precision::exact;
  /// The number of threads; 0 means as many as the machine supports.
  int threads = 0;
  /// The minimum number of KV cells, rounded up to a multiple of 256. A larger tree gets more cells
  /// while it exists, up to the model's context length. The number of cells is always a multiple of
  /// the rounded minimum.
  std::size_t cells = 1024;
  /// Receives llama.cpp's log, which is otherwise discarded.
  LlamaListener on_log{};
  /// Whether a special token's text is parsed as that token rather than as plain text.
  bool parse_special_tokens = false;
  /// Options for GPUs, adapters, the cache's number type and nodes per step.
  EngineOptions engine{};
  /// Returns a file with the same weights in F32, for exact scores from 16-bit weights (F32Cache).
  /// If this function is not set, requests for such scores are rejected.
  std::function<std::filesystem::path(const GgufModel&)> widen{};
};

/// The kind of GPU that llama.cpp would use, identified by the name of its backend ("CUDA",
/// "Vulkan", "MTL"); empty if llama.cpp was built without GPU support or finds no GPU.
[[nodiscard]] inline std::string llama_gpu_kind() {
  if (!llama_supports_gpu_offload()) return "";
  for (std::size_t i = 0; i < ggml_backend_dev_count(); ++i) {
    const ggml_backend_dev_t device = ggml_backend_dev_get(i);
    const auto type = ggml_backend_dev_type(device);
    if (type == GGML_BACKEND_DEVICE_TYPE_GPU || type == GGML_BACKEND_DEVICE_TYPE_IGPU) {
      return ggml_backend_reg_name(ggml_backend_dev_backend_reg(device));
    }
  }
  return "";
}

/// Any number of threads may read one object.
class LlamaParameters {
 public:
  /// `gpu` is the kind of GPU that is available. Throws a user error for settings that would have
  /// no effect: a GPU setting if there is no GPU or no layer is on it, a cache type other than F32
  /// for exact scores, F32 for fast scores, and more GPU shares than the number of devices that
  /// llama.cpp supports. Also throws a user error for fewer than least_pack nodes per step.
  explicit LlamaParameters(LlamaOptions options, std::string gpu = llama_gpu_kind())
      : options_(std::move(options)), gpu_(std::move(gpu)) {
    const EngineOptions& engine = options_.engine;
    if (engine.gpu_layers.value_or(0) > 0) need_gpu("gpu-layers");
    if (engine.main_gpu) need_layers("main-gpu");
    if (engine.split_mode) need_layers("split-mode");
    if (!engine.tensor_split.empty()) need_layers("tensor-split");
    if (engine.tensor_split.size() > llama_max_devices()) {
      throw user_error({.setting = "tensor-split"},
                       "has " + std::to_string(engine.tensor_split.size()) + " shares",
                       "llama.cpp supports at "
                       "most " +
                           std::to_string(llama_max_devices()) + " GPUs");
    }
    if (options_.precision == Precision::bf16) {
      throw user_error({.setting = "precision"},
                       "bf16 is only for Hugging Face folders; .gguf files use exact or fast",
                       "set one of these, or drop `precision`");
    }
    const bool exact = options_.precision == Precision::exact;
    if (exact != (cache_type() == CacheType::f32)) {
      throw user_error({.setting = "cache-type"},
                       exact ? std::string(name_of(cache_type())) +
                                   " is not allowed for exact scores, which need an f32 cache"
                             : "f32 has no effect on fast scores, because flash attention rounds "
                               "the cache to f16",
                       "change `precision`, or drop `cache-type`");
    }
    if (engine.pack > 0 && engine.pack < least_pack) {
      throw user_error({.setting = "pack"},
                       "is " + std::to_string(engine.pack) +
                           ", but must be at "
                           "least " +
                           std::to_string(least_pack),
                       "use 0 for the device's default");
    }
    if (!engine.tensor_split.empty()) {
      shares_ = engine.tensor_split;
      shares_.resize(llama_max_devices(), 0);
    }
  }

  [[nodiscard]] bool on_gpu() const {
    return !gpu_.empty() && options_.engine.gpu_layers.value_or(1) > 0;
  }
  /// "CPU", or the kind of GPU that runs layers.
  [[nodiscard]] std::string device() const { return on_gpu() ? gpu_ : "CPU"; }
  [[nodiscard]] CacheType cache_type() const {
    const bool exact = options_.precision == Precision::exact;
    return options_.engine.cache_type.value_or(exact ? CacheType::f32 : CacheType::f16);
  }
  /// The minimum number of nodes per step.
  static constexpr std::size_t least_pack = 32;
  [[nodiscard]] std::size_t pack() const {
    const std::size_t stated = options_.engine.pack;
    return stated > 0 ? stated : on_gpu() ? 1024 : 256;
  }

  /// The returned parameters point into this object.
  [[nodiscard]] llama_model_params of_model() {
    llama_model_params params = llama_model_default_params();
    // llama.cpp's AMX kernels crash on repacked quantised weights (its issue 20824).
    params.use_extra_bufts =
        std::string_view(llama_print_system_info()).find("AMX_INT8 = 1") == std::string_view::npos;
    const EngineOptions& engine = options_.engine;
    if (!on_gpu()) {
      params.n_gpu_layers = 0;
      if (!gpu_.empty()) params.devices = no_devices_;
      return params;
    }
    params.n_gpu_layers = engine.gpu_layers ? clamped(*engine.gpu_layers) : -1;  // all
    if (engine.main_gpu) params.main_gpu = clamped(*engine.main_gpu);
    if (engine.split_mode) {
      constexpr llama_split_mode modes[] = {LLAMA_SPLIT_MODE_NONE, LLAMA_SPLIT_MODE_LAYER,
                                            LLAMA_SPLIT_MODE_ROW};
      params.split_mode = modes[static_cast<std::size_t>(*engine.split_mode)];
    }
    if (!shares_.empty()) params.tensor_split = shares_.data();
    return params;
  }

  /// Parameters for a cache of `cells` cells and `sequences` sequences. The caller adds the
  /// evaluation callback.
  [[nodiscard]] llama_context_params of_context(std::size_t cells, std::size_t sequences) const {
    const bool exact = options_.precision == Precision::exact;
    llama_context_params params = llama_context_default_params();
    params.n_ctx = static_cast<std::uint32_t>(cells);
    params.n_batch = params.n_ubatch = static_cast<std::uint32_t>(pack());
    params.n_seq_max = static_cast<std::uint32_t>(sequences);
    params.kv_unified = true;
    params.swa_full = true;
    params.n_threads = params.n_threads_batch = options_.threads;
    params.flash_attn_type = exact ? LLAMA_FLASH_ATTN_TYPE_DISABLED : LLAMA_FLASH_ATTN_TYPE_ENABLED;
    params.offload_kqv = params.op_offload = on_gpu();
    constexpr ggml_type types[] = {GGML_TYPE_F32, GGML_TYPE_F16, GGML_TYPE_Q8_0};
    params.type_k = params.type_v = types[static_cast<std::size_t>(cache_type())];
    return params;
  }

 private:
  static std::int32_t clamped(std::size_t number) {
    constexpr std::size_t most = (std::numeric_limits<std::int32_t>::max)();
    return static_cast<std::int32_t>((std::min)(number, most));
  }
  void need_gpu(const char* setting) const {
    if (!gpu_.empty()) return;
    throw user_error({.setting = setting}, "this llama.cpp cannot use a GPU",
                     "build it for a GPU (PLUMB_LLAMA_BACKEND), or drop the setting");
  }
  void need_layers(const char* setting) const {
    need_gpu(setting);
    if (on_gpu()) return;
    throw user_error({.setting = setting}, "has no effect with `gpu-layers` 0",
                     "drop one of the two");
  }

  LlamaOptions options_;
  std::string gpu_;
  std::vector<float> shares_;
  ggml_backend_dev_t no_devices_[1] = {nullptr};
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
