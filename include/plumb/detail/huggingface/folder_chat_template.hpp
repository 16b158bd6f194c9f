// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which chat template does a Hugging Face folder have?
//
// As transformers 5 looks for it: chat_template.jinja; else chat_template.json of older processors; else
// `chat_template` of tokenizer_config.json, a text or a list of {name, template}, of which "default"
// counts. Its special tokens are those that tokenizer_config.json or special_tokens_map.json name.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "plumb/detail/core/chat.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/text_file.hpp"
#include "plumb/detail/data/json_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The text of `chat_template`, as a file's JSON has it; nothing where it has none. Throws a user error for
/// what is no template, and for a list without a default.
[[nodiscard]] inline std::optional<std::string> template_text(const Json& json,
                                                              const DiskPath& file) {
  if (json.is_null()) return std::nullopt;
  if (json.is_string()) return json.get<std::string>();
  const Site site{.file = file, .field = "chat_template"};
  if (json.is_array()) {
    for (const Json& one : json) {
      if (!one.is_object() || first_string(one, "name") != "default") continue;
      if (auto text = first_string(one, "template")) return text;
    }
    throw user_error(site, "lists templates but none is named default",
                     "name one by its file with `chat-template`");
  }
  throw user_error(site, "is neither a text nor a list", "fetch the model again");
}

/// Texts of the special tokens that a folder's configuration names, by name.
[[nodiscard]] inline std::map<std::string, std::string> template_tokens(const DiskPath& folder) {
  std::map<std::string, std::string> tokens;
  for (const char* const name : {"special_tokens_map.json", "tokenizer_config.json"}) {
    const DiskPath file = folder / name;
    if (!file.is_file()) continue;
    const Json json = read_json_object(file);
    for (const auto& [key, value] : json.items()) {
      if (!key.ends_with("_token")) continue;
      if (value.is_string()) tokens[key] = value.get<std::string>();
      if (auto text = value.is_object() ? first_string(value, "content") : std::nullopt) {
        tokens[key] = *std::move(text);
      }
    }
  }
  return tokens;
}

/// Nothing where the folder has no template. Throws a user error for a file that is damaged.
[[nodiscard]] inline std::optional<ChatTemplate> folder_chat_template(
    const std::filesystem::path& path) {
  const DiskPath folder(path);
  std::optional<std::string> text;
  if (const DiskPath file = folder / "chat_template.jinja"; file.is_file()) {
    text = read_text(file);
  }
  for (const char* const name : {"chat_template.json", "tokenizer_config.json"}) {
    const DiskPath file = folder / name;
    if (text || !file.is_file()) continue;
    const Json json = read_json_object(file);
    text = template_text(json.value("chat_template", Json()), file);
  }
  if (!text) return std::nullopt;
  return ChatTemplate{*std::move(text), template_tokens(folder)};
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
