// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which chat template does a Hugging Face folder have?
//
// The template is looked up in the same places as in transformers 5: chat_template.jinja first,
// then the chat_template.json of older processors, then `chat_template` in tokenizer_config.json.
// The last is a string, or a list of {name, template} objects, of which the one named "default" is
// used. The template's special tokens are listed in tokenizer_config.json or
// special_tokens_map.json.

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

/// The text of `chat_template` in a file's JSON; nullopt if there is none. Throws a user error for
/// a value that is not a template, and for a list without a default template.
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
    throw user_error(site, "lists templates, but none is named default",
                     "pass a template file with `chat-template`");
  }
  throw user_error(site, "is neither a string nor a list", "fetch the model again");
}

/// The strings of the special tokens listed in a folder's configuration, by token name.
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

/// nullopt if the folder has no template. Throws a user error for a damaged file.
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
