// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which model does a job use, and what does run.json record about it?

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/backend/engine_options.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/version.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/kernels/row_kernels.hpp"
#include "plumb/detail/run/job_setting.hpp"
#include "plumb/detail/run/special_token_check.hpp"
#include "plumb/detail/score/bos.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Identifies the model and the files that a job uses. Empty or null means unknown.
struct Provenance {
  /// The model's name in results.
  std::string model{};
  Json model_sha256{};
  ModelDescription description{};
  /// The precision requested from the engine; not set if the engine has no such option.
  std::optional<Precision> precision{};
  /// SHA-256 over several files' names and contents, in hex.
  std::function<Json(const std::vector<std::filesystem::path>&)> hash_files{};
  /// SHA-256 of one file, or of the files directly in a folder.
  std::function<Json(const std::filesystem::path&)> hash_file{};
  /// Two lists: the names and the hashes of the LoRA adapters; null without adapters.
  Json lora{}, lora_sha256{};
  /// SHA-256 of the tokenizer that the user specified for a model on a server.
  Json tokenizer_sha256{};

  /// Adds the warning, if there is one, to those that must appear on every page.
  void warn(std::optional<std::string> warning) {
    if (warning) description.warnings.push_back(*std::move(warning));
  }

  /// The hash of a file; null if `file` is empty.
  [[nodiscard]] Json hash_of(const DiskPath& file) const {
    return file.empty() || !hash_file ? Json() : hash_file(file);
  }
};

/// The settings that affect the model's computation; changing them may change the results. It is
/// unknown whether a model on a server is exact.
[[nodiscard]] inline Json model_settings(const Provenance& from) {
  const ModelDescription& model = from.description;
  return {{"model_sha256", from.model_sha256},
          {"backend", model.backend},
          {"weights", setting::to_json(model.weights)},
          {"precision", model.name.empty() ? setting::to_json(from.precision) : Json()},
          {"device", setting::to_json(model.device)},
          {"gpu_layers", setting::to_json(model.gpu_layers)},
          {"cache_type", setting::to_json(model.cache_type)},
          {"pack", model.pack > 0 ? Json(model.pack) : Json()},
          {"vector", row_kernels().width},
          {"lora", from.lora},
          {"lora_sha256", from.lora_sha256}};
}

/// The settings that all jobs share. A model that does not list its special tokens is assumed to
/// treat their texts as ordinary text.
[[nodiscard]] inline Json shared_settings(const char* command, const Provenance& from,
                                          const std::string& dataset,
                                          const std::vector<std::filesystem::path>& files,
                                          const Bos& bos, SpecialTokenReading special_tokens) {
  const ModelDescription& model = from.description;
  Json shared = {{"command", command},
                 {"plumb_version", PLUMB_VERSION},
                 {"dataset", dataset},
                 {"dataset_sha256", from.hash_files ? from.hash_files(files) : Json()},
                 {"model", from.model}};
  const Json computing = model_settings(from);
  for (const auto& [name, value] : computing.items()) {
    shared[name] = value;
    if (name == "weights") shared["quantized"] = model.quantized;
  }
  shared["bos"] = setting::to_json(bos);
  shared["special_tokens"] =
      name_of(model.lists_special_tokens ? special_tokens : SpecialTokenReading::text);
  shared["special_tokens_known"] = model.lists_special_tokens;
  if (!from.tokenizer_sha256.is_null()) shared["tokenizer_sha256"] = from.tokenizer_sha256;
  if (!model.answers.empty()) shared["model_answers"] = model.answers;
  if (!model.warnings.empty()) shared["warnings"] = model.warnings;
  return shared;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
