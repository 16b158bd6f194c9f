// SPDX-License-Identifier: Apache-2.0
#pragma once

// Do a folder's own files show that it really contains a causal language model?
//
// The check runs before the weights are read, like the check for GGUF files in
// backend/llama_causal.hpp. It refuses a classifier (recognised by its `architectures` or its
// head's tensors), an embedding model (recognised by the pooling that sentence-transformers stores
// in modules.json and 1_Pooling/config.json), and an adapter next to the weights or among them. A
// model with last-token pooling is causal; it is accepted with a warning. Another warning lists
// other tensors that no part of the network reads (WeightReader::unread).

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/huggingface/config_fields.hpp"
#include "plumb/detail/huggingface/safetensors.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline constexpr std::string_view no_language_model = "is not a language model: ";

/// Whether a transformers class has a head other than a language model head.
[[nodiscard]] inline bool is_other_head(std::string_view architecture) {
  constexpr std::array<std::string_view, 8> heads{"ForSequenceClassification",
                                                  "ForTokenClassification",
                                                  "ForQuestionAnswering",
                                                  "ForMultipleChoice",
                                                  "ForNextSentencePrediction",
                                                  "ForReward",
                                                  "RewardModel",
                                                  "ForTextEncoding"};
  return std::any_of(heads.begin(), heads.end(), [&](std::string_view head) {
    return architecture.find(head) != std::string_view::npos;
  });
}

/// Throws a user error if none of the classes in config.json has a language model head.
inline void refuse_other_heads(const ConfigFields& fields) {
  const std::vector<std::string> classes = fields.texts("architectures");
  if (classes.empty() || !std::all_of(classes.begin(), classes.end(), is_other_head)) return;
  throw fields.wrong("architectures",
                     std::string(no_language_model) + "'" + classes.front() +
                         "' has a head that is not a language model head",
                     "choose a folder with a language model's head");
}

/// Throws a user error if there is an adapter next to the weights, since transformers would apply
/// it.
inline void refuse_adapter_beside(const std::filesystem::path& folder) {
  for (const char* const name : {"adapter_config.json", "adapter_model.safetensors"}) {
    if (!std::filesystem::exists(folder / name)) continue;
    throw user_error(
        {.file = folder / name},
        "there is an adapter next to the weights; plumb does not apply adapters in folders",
        "merge it into the weights (PEFT's merge_and_unload), or move it elsewhere to "
        "use the model without it");
  }
}

/// The pooling configurations of sentence-transformers in a folder: those that modules.json lists,
/// and 1_Pooling.
[[nodiscard]] inline std::set<std::filesystem::path> pooling_files(
    const std::filesystem::path& folder) {
  std::set<std::filesystem::path> files{folder / "1_Pooling" / "config.json"};
  if (std::filesystem::exists(folder / "modules.json")) {
    const Json modules = read_json(folder / "modules.json");
    for (const Json& one : modules.is_array() ? modules : Json::array()) {
      const auto type = first_string(one, "type"), path = first_string(one, "path");
      if (type && path && type->ends_with("Pooling")) files.insert(folder / *path / "config.json");
    }
  }
  std::erase_if(files, [](const auto& file) { return !std::filesystem::exists(file); });
  return files;
}

/// How a pooling configuration combines a text's vectors, for example "lasttoken" or "mean_tokens".
/// Older files have one switch per mode; newer ones have `pooling_mode`, a string or a list.
[[nodiscard]] inline std::vector<std::string> pooling_modes(const Json& config) {
  constexpr std::string_view lead = "pooling_mode";
  std::vector<std::string> modes;
  for (const auto& [name, value] : config.items()) {
    if (!name.starts_with(lead)) continue;
    if (value == Json(true) && name.size() > lead.size() + 1) {
      modes.push_back(name.substr(lead.size() + 1));
    }
    if (value.is_string()) modes.push_back(value.get<std::string>());
    for (const Json& one : value.is_array() ? value : Json::array()) {
      if (one.is_string()) modes.push_back(one.get<std::string>());
    }
  }
  return modes;
}

/// Throws a user error for tensors of a classifier's head or of an adapter.
inline void refuse_other_tensors(const Safetensors& tensors) {
  constexpr std::array<std::string_view, 4> heads{"score.", "classifier.", "qa_outputs.",
                                                  "classification_head."};
  for (const auto& stored : tensors.tensors()) {
    const std::string& name = stored.first;
    const Site site{.file = stored.second.file(), .field = name};
    if (name.starts_with("base_model.model.") || name.find("lora_") != std::string::npos) {
      throw user_error(site, "belongs to an adapter, which plumb does not apply",
                       "merge it into the weights (PEFT's merge_and_unload)");
    }
    const bool is_head = std::any_of(heads.begin(), heads.end(),
                                     [&](std::string_view head) { return name.starts_with(head); });
    if (!is_head) continue;
    throw user_error(site,
                     std::string(no_language_model) + "the tensor belongs to a classifier head",
                     "choose a folder with a language model's head");
  }
}

/// A warning that lists the unread tensors; nullopt if there are none.
[[nodiscard]] inline std::optional<std::string> unread_warning(
    const std::vector<std::string>& names) {
  if (names.empty()) return std::nullopt;
  const auto shown = std::vector<std::string>(
      names.begin(), names.begin() + std::min<std::ptrdiff_t>(3, std::ssize(names)));
  const bool one = names.size() == 1;
  return "Warning: " + counted(names.size(), "tensor") + " of the weights " + (one ? "is" : "are") +
         " not part of the network that config.json describes, and " + (one ? "is" : "are") +
         " ignored: " + text_list(shown, [](const std::string& name) { return shortened(name); }) +
         (names.size() > shown.size() ? ", …" : "") +
         ". Scores may differ from those of the intended model.";
}

/// Throws a user error for a folder whose own files show that it is not a causal language model.
/// Returns the warnings that apply to all of the model's results.
[[nodiscard]] inline std::vector<std::string> check_folder_claims(
    const std::filesystem::path& folder) {
  detail::refuse_other_heads(detail::ConfigFields(folder / "config.json"));
  detail::refuse_adapter_beside(folder);
  std::vector<std::string> warnings;
  for (const std::filesystem::path& file : detail::pooling_files(folder)) {
    for (const std::string& mode : detail::pooling_modes(read_json_object(file))) {
      if (mode != "lasttoken") {
        throw user_error({.file = file},
                         std::string(detail::no_language_model) + "it pools vectors (" + mode + ")",
                         "choose a decoder-only model that is not an embedding model");
      }
      warnings.assign(
          1,
          "Warning: the model's folder describes an embedding model (last-token pooling). It was "
          "trained to produce vectors, so its token probabilities may mean little.");
    }
  }
  return warnings;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
