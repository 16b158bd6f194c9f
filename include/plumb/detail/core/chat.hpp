// SPDX-License-Identifier: Apache-2.0
#pragma once

// A conversation, and the template by which a model writes one as a text.
//
// A chat template is a Jinja program that instruction models bring with them (tokenizer.chat_template of
// a GGUF file, chat_template.jinja of a folder). The library runs none itself: a ChatRenderer does, which
// the component plumb::chat or a program of yours provides.

#include <functional>
#include <map>
#include <span>
#include <string>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// One turn. Roles are those of chat templates: "system", "user", "assistant".
struct ChatMessage {
  std::string role, content;

  friend bool operator==(const ChatMessage&, const ChatMessage&) = default;
};

struct ChatTemplate {
  /// The Jinja source.
  std::string text;
  /// Texts of special tokens by the names that templates use: "bos_token" is "<s>".
  std::map<std::string, std::string> tokens{};

  friend bool operator==(const ChatTemplate&, const ChatTemplate&) = default;
};

/// Writes a conversation as a model's template does. `opens_answer` ends the text where the assistant's
/// answer begins (add_generation_prompt). Throws a user error for a template that is no Jinja, or that
/// refuses the conversation.
using ChatRenderer = std::function<std::string(
    const ChatTemplate& by, std::span<const ChatMessage> conversation, bool opens_answer)>;

/// Runs templates by llama.cpp's Jinja engine; defined in the component plumb::chat. Texts are those of
/// transformers' apply_chat_template. `strftime_now` gives 26 July 2024, the date that Llama 3's templates
/// write without a clock, so that a run gives the same bytes on any day. Each thread needs one of its own.
[[nodiscard]] ChatRenderer jinja_renderer();

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
