// SPDX-License-Identifier: Apache-2.0
#pragma once

// Engine settings for every job that uses a model: GPUs, adapters, cache and nodes per step
// (backend/engine_options.hpp).
//
// The number of nodes per step determines a job's packs, so all shards of a job must use the same
// number. run.json records it, whether the user or the engine chose it (`shared_settings`).

#include <charconv>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "plumb/detail/backend/engine_options.hpp"
#include "plumb/detail/core/decimal_number.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/data/tsv.hpp"
#include "plumb/detail/run/job_setting.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A number without trailing zeros, such as "0.5".
inline std::string short_number(double value) {
  char text[32];
  const auto [end, failed] = std::to_chars(text, text + sizeof(text), value);
  return failed == std::errc() ? std::string(text, end) : "";
}

/// LoRA adapters, "FILE[:SCALE]" separated by commas.
struct LoraSetting {
  std::vector<LoraAdapter> adapters{};

  [[nodiscard]] std::string word() const {
    return with_paths([](const std::string& path) { return path; });
  }
  /// The same text with each file's path replaced by `path(text)`.
  template <class Path>
  [[nodiscard]] std::string with_paths(Path path) const {
    std::string word;
    for (const LoraAdapter& one : adapters) {
      add_to_list(word, path(one.file.string()), ",");
      if (one.scale != 1) word += ":" + detail::short_number(one.scale);
    }
    return word;
  }
  /// The JSON for run.json: the file names without their folders; null without adapters.
  [[nodiscard]] Json json() const {
    Json list;
    for (const LoraAdapter& one : adapters) {
      LoraSetting named{{{one.file.filename(), one.scale}}};
      list.push_back(named.word());
    }
    return list;
  }
  void read(const std::string& word, const std::string& name) {
    adapters.clear();
    std::vector<std::string> items;
    setting::read(word, name, items);
    for (const std::string& item : items) {
      const std::size_t colon = item.rfind(':');
      const auto scale =
          colon == std::string::npos ? std::nullopt : detail::finite_number(item.substr(colon + 1));
      LoraAdapter one{scale ? item.substr(0, colon) : item, scale.value_or(1)};
      if (one.file.empty()) {
        throw user_error({.setting = name}, "'" + item + "' does not name a file",
                         "write FILE or FILE:0.5");
      }
      adapters.push_back(std::move(one));
    }
  }
};

/// Each GPU's share of the model, such as "3,1".
struct TensorSplitSetting {
  std::vector<float> shares{};

  [[nodiscard]] std::string word() const {
    return text_list(
        shares, [](float share) { return detail::short_number(static_cast<double>(share)); }, ",");
  }
  [[nodiscard]] Json json() const { return setting::to_json(word()); }
  void read(const std::string& word, const std::string& name) {
    shares.clear();
    std::vector<std::string> items;
    setting::read(word, name, items);
    double sum = 0;
    for (const std::string& item : items) {
      const auto share = detail::finite_number(item);
      if (!share || *share < 0) {
        throw user_error({.setting = name}, "'" + item + "' is not a valid GPU share", "write 3,1");
      }
      shares.push_back(static_cast<float>(*share));
      sum += *share;
    }
    if (!items.empty() && sum == 0) {
      throw user_error({.setting = name}, "assigns every GPU a share of 0", "write 3,1");
    }
  }
};

struct EngineSettings {
  std::optional<EngineChoice> choice{};
  std::optional<std::size_t> gpu_layers{}, main_gpu{};
  std::optional<SplitMode> split_mode{};
  TensorSplitSetting tensor_split{};
  LoraSetting lora{};
  std::optional<CacheType> cache_type{};
  /// If 0, the engine chooses.
  std::size_t pack = 0;

  /// `precision` is the precision of the scores. `elsewhere` explains why none of these settings
  /// affects the model; it is empty if the settings do affect it.
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& visitor, Precision precision,
                    const std::string& elsewhere = "") {
    const bool exact = precision == Precision::exact;
    const bool on_cpu = self.gpu_layers == std::optional<std::size_t>(0);
    const bool is_native = self.choice == std::optional(EngineChoice::native);
    const std::string of_llama = !elsewhere.empty() ? elsewhere
                                 : is_native        ? "with `engine` native; remove one of the two"
                                                    : "";
    const std::string idle = !of_llama.empty() ? of_llama
                             : on_cpu          ? "with `gpu-layers` 0; remove one of the two"
                                               : "";
    const bool is_f32 = self.cache_type == std::optional(CacheType::f32);
    const std::string idle_cache =
        !of_llama.empty()                     ? of_llama
        : !self.cache_type || is_f32 == exact ? ""
        : exact ? "with `precision` exact, which needs f32; set `precision` to fast"
                : "with `precision` fast, whose flash attention rounds it to f16; remove it";
    const EngineVisitor of_engine(visitor);
    of_engine(
        "engine", self.choice,
        {.value = "native|llama",
         .help = "plumb's own network (native) or llama.cpp for a .gguf file; default: native if "
                 "exact, on CPU and supported",
         .idle = elsewhere});
    of_engine("gpu-layers", self.gpu_layers,
              {.value = "N",
               .help = "layers on the GPU; default: all, if llama.cpp has a GPU; 0 uses the CPU",
               .idle = on_cpu ? elsewhere : of_llama});
    of_engine(
        "main-gpu", self.main_gpu,
        {.value = "I", .help = "index of the GPU for everything that is not split", .idle = idle});
    of_engine(
        "split-mode", self.split_mode,
        {.value = "none|layer|row", .help = "how several GPUs share the model", .idle = idle});
    of_engine("tensor-split", self.tensor_split,
              {.value = "3,1", .help = "share of the model on each GPU", .idle = idle});
    of_engine("lora", self.lora,
              {.value = "FILE[:SCALE]",
               .help = "LoRA adapter in a .gguf file, or several separated by commas",
               .idle = of_llama});
    of_engine("cache-type", self.cache_type,
              {.value = "f32|f16|q8_0",
               .help = "type of the KV cache: f32 if `precision` is exact, else f16 or q8_0",
               .idle = idle_cache});
    of_engine("pack", self.pack,
              {.value = "N",
               .help = "nodes per step of a .gguf model, at least 32; 0: 256 on a CPU, 1024 on a "
                       "GPU; changes scores by up to 1e-4 nats",
               .most = 8192,
               .remedy = "0 selects a value for the device",
               .idle = of_llama});
  }

  [[nodiscard]] EngineOptions options() const {
    return {choice,        gpu_layers, main_gpu, split_mode, tensor_split.shares,
            lora.adapters, cache_type, pack};
  }
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
