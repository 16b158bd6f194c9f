// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which chat template does a Hugging Face folder have?
//
// The template is looked up in the same places as in transformers 5: chat_template.jinja first,
// then the chat_template.json of older processors, then `chat_template` in tokenizer_config.json.
// The last is a string, or a list of {name, template} objects, of which the one named "default" is
// used. The template's special tokens are those of the tokenizer (tokenizer_config.hpp). A template
// from elsewhere uses them too, so they are read even if the folder has no template.

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
#include "plumb/detail/huggingface/json_part.hpp"
#include "plumb/detail/huggingface/tokenizer_class.hpp"
#include "plumb/detail/huggingface/tokenizer_config.hpp"

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

/// The texts of a folder's special tokens, by name, as its tokenizer has them.
[[nodiscard]] inline std::map<std::string, std::string> template_tokens(
    const std::filesystem::path& folder) {
  TokenizerFiles files = read_tokenizer_config(folder);
  for (const auto& [name, content] : tokenizer_class_of(files).named) {
    files.defaults[name] = content;
  }
  std::map<std::string, std::string> tokens;
  for (const TokenizerJson* const from : {&files.defaults, &files.config}) {
    for (const auto& [name, value] : from->items()) {
      if (!name.ends_with("_token")) continue;
      if (auto text = files.named(name)) tokens[name] = *std::move(text);
    }
  }
  return tokens;
}

/// The folder's template, whose text is empty if there is none, with its special tokens. Throws a
/// user error for a damaged file.
[[nodiscard]] inline ChatTemplate folder_chat_template(const std::filesystem::path& path) {
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
  return {std::move(text).value_or(""), template_tokens(path)};
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
