// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads a folder's tokenizer settings from files other than tokenizer.json.
//
// tokenizer_config.json, special_tokens_map.json and config.json are merged as in transformers 5:
// special_tokens_map.json takes precedence over tokenizer_config.json, but is not read if
// tokenizer_config.json has added_tokens_decoder. docs/model-files.md lists the rule for each
// field.

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/huggingface/json_part.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A tokenizer in tokenizer.json's format, and the contents of the files next to it.
struct TokenizerFiles {
  /// The file that error messages refer to.
  std::filesystem::path file;
  TokenizerJson tokenizer;
  /// The contents of tokenizer_config.json and special_tokens_map.json; empty if these files are
  /// missing.
  TokenizerJson config = TokenizerJson::object();
  /// The class's special tokens, used if the configuration does not specify them.
  TokenizerJson defaults = TokenizerJson::object();
  /// The contents of config.json and generation_config.json; empty if these files are missing.
  TokenizerJson model = TokenizerJson::object(), generation = TokenizerJson::object();
  /// Warnings about fields that have no effect. They apply to all of the model's results.
  std::vector<std::string> warnings{};

  /// The content of a named special token ("mask_token"), which is stored as a string or as
  /// {content, …}.
  [[nodiscard]] std::optional<std::string> named(const std::string& name) const {
    const TokenizerJson& from = config.contains(name) ? config : defaults;
    const auto found = from.find(name);
    if (found == from.end()) return std::nullopt;
    if (found->is_string()) return found->get<std::string>();
    if (!found->is_object() || !found->contains("content")) return std::nullopt;
    const TokenizerJson& content = (*found)["content"];
    return content.is_string() ? std::optional(content.get<std::string>()) : std::nullopt;
  }
  [[nodiscard]] std::filesystem::path config_file() const {
    return file.parent_path() / "tokenizer_config.json";
  }
};

/// The names of special tokens, in the order in which transformers adds those that are missing from
/// the vocabulary.
inline constexpr std::array<std::string_view, 7> named_tokens{
    "bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"};

/// A boolean field of tokenizer_config.json.
[[nodiscard]] inline bool config_flag(const TokenizerFiles& files, const char* name,
                                      bool otherwise) {
  return JsonPart(files.config_file(), files.config).flag_or(name, otherwise);
}

/// Refuses fields that change a tokenizer in a way that plumb does not support.
inline void check_config(const TokenizerFiles& files) {
  const JsonPart config(files.config_file(), files.config);
  if (config.has("auto_map")) {
    const JsonPart map = config.at("auto_map");
    if (!map.value().is_object() || map.has("AutoTokenizer")) {
      throw map.wrong("refers to code in the folder, which plumb does not run",
                      "remove it if tokenizer.json describes the whole tokenizer");
    }
  }
  if (config.has("init_inputs") && !config.at("init_inputs").value().empty()) {
    throw config.at("init_inputs").wrong("is not supported", "remove it");
  }
  if (config.has("fix_mistral_regex") && config.at("fix_mistral_regex").flag()) {
    throw config.at("fix_mistral_regex")
        .wrong("would replace the pattern of tokenizer.json, which is not supported",
               "write the pattern into tokenizer.json and remove this");
  }
  if (config.has("fast_tokenizer_files")) {
    const JsonPart names = config.at("fast_tokenizer_files");
    for (std::size_t i = 0; i < names.items(); ++i) {
      if (names.item(i).text() == "tokenizer.json") continue;
      throw names.item(i).wrong("a file for a specific version of transformers is not supported",
                                "list only tokenizer.json");
    }
  }
}

/// Reads the files in a folder that configure its tokenizer. `file` is set to the path of
/// tokenizer.json, which is not read, so `tokenizer` stays empty. Throws a user error for broken
/// files and unsupported fields.
[[nodiscard]] inline TokenizerFiles read_tokenizer_config(const std::filesystem::path& folder) {
  const auto read_or_empty = [&](const char* name) {
    return std::filesystem::exists(folder / name) ? read_tokenizer_json(folder / name)
                                                  : TokenizerJson::object();
  };
  TokenizerFiles files;
  files.file = folder / "tokenizer.json";
  files.config = read_or_empty("tokenizer_config.json");
  files.model = read_or_empty("config.json");
  files.generation = read_or_empty("generation_config.json");
  // The older name for additional special tokens. Both lists are used, the one in
  // tokenizer_config.json first.
  const char* const extra = "extra_special_tokens";
  const char* const older = "additional_special_tokens";
  const auto is_empty = [&](const char* name) {
    return !files.config.contains(name) || files.config[name].empty();
  };
  if (is_empty(extra) && !is_empty(older)) {
    files.config[extra] = files.config[older];
    files.config.erase(older);
  }
  if (!files.config.contains("added_tokens_decoder")) {
    TokenizerJson map = read_or_empty("special_tokens_map.json");
    if (map.contains(extra) && map[extra].is_array() && files.config.contains(extra) &&
        files.config[extra].is_array()) {
      TokenizerJson all = files.config[extra];
      for (const TokenizerJson& token : map[extra]) {
        if (std::find(all.begin(), all.end(), token) == all.end()) all.push_back(token);
      }
      map[extra] = std::move(all);
    }
    for (const std::string_view name : detail::named_tokens) {
      const auto found = map.find(name);
      if (found != map.end() && found->is_object()) (*found)["special"] = true;
    }
    if (files.config.contains(extra)) map.erase(older);
    files.config.update(map);
  }
  detail::check_config(files);
  return files;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
