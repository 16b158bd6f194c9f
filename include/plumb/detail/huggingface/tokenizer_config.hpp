// SPDX-License-Identifier: Apache-2.0
#pragma once

// What do the files beside a folder's tokenizer say of it?
//
// tokenizer_config.json, special_tokens_map.json and config.json, merged as transformers 5 merges
// them: special_tokens_map.json wins over tokenizer_config.json, but is not read at all where that
// has added_tokens_decoder. docs/models.md has the rule field by field.

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

/// A tokenizer in the words of tokenizer.json, and what the files beside it say.
struct TokenizerFiles {
  /// The file that errors are about.
  std::filesystem::path file;
  TokenizerJson tokenizer;
  /// tokenizer_config.json and special_tokens_map.json; empty without them.
  TokenizerJson config = TokenizerJson::object();
  /// The special tokens that its class names where the configuration does not.
  TokenizerJson defaults = TokenizerJson::object();
  /// config.json; empty without it.
  TokenizerJson model = TokenizerJson::object();
  /// What a reader must know of every number: where a file says something that does not count.
  std::vector<std::string> warnings{};

  /// The content of a named special token ("mask_token"), as text or as {content, …}.
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

/// In the order in which transformers adds those that the vocabulary lacks.
inline constexpr std::array<std::string_view, 7> named_tokens{
    "bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"};

/// A switch of tokenizer_config.json.
[[nodiscard]] inline bool config_flag(const TokenizerFiles& files, const char* name,
                                      bool otherwise) {
  return JsonPart(files.config_file(), files.config).flag_or(name, otherwise);
}

/// Refuses fields that change what a tokenizer does in a way that plumb does not compute.
inline void check_config(const TokenizerFiles& files) {
  const JsonPart config(files.config_file(), files.config);
  if (config.has("auto_map")) {
    const JsonPart map = config.at("auto_map");
    if (!map.value().is_object() || map.has("AutoTokenizer")) {
      throw map.wrong("names code of the folder's own, which plumb does not run",
                      "remove it where tokenizer.json is all that the tokenizer does");
    }
  }
  if (config.has("init_inputs") && !config.at("init_inputs").value().empty()) {
    throw config.at("init_inputs").wrong("is not supported", "remove it");
  }
  if (config.has("fix_mistral_regex") && config.at("fix_mistral_regex").flag()) {
    throw config.at("fix_mistral_regex")
        .wrong("would replace the pattern of tokenizer.json, and is not supported",
               "write the pattern into tokenizer.json and remove this");
  }
  if (config.has("fast_tokenizer_files")) {
    const JsonPart names = config.at("fast_tokenizer_files");
    for (std::size_t i = 0; i < names.items(); ++i) {
      if (names.item(i).text() == "tokenizer.json") continue;
      throw names.item(i).wrong("a file by version of transformers is not supported",
                                "keep tokenizer.json alone");
    }
  }
}

/// Reads the files of a folder that describe its tokenizer; `file` and `tokenizer` stay empty. Throws a
/// user error for files that are broken or fields that are not supported.
[[nodiscard]] inline TokenizerFiles read_tokenizer_config(const std::filesystem::path& folder) {
  const auto read_or_empty = [&](const char* name) {
    return std::filesystem::exists(folder / name) ? read_tokenizer_json(folder / name)
                                                  : TokenizerJson::object();
  };
  TokenizerFiles files;
  files.file = folder / "tokenizer.json";
  files.config = read_or_empty("tokenizer_config.json");
  files.model = read_or_empty("config.json");
  // The older name of further special tokens; they add up, those of tokenizer_config.json first.
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
