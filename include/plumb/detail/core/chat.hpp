// SPDX-License-Identifier: Apache-2.0
#pragma once

// A conversation, and the chat template that turns it into a model's prompt.
//
// A chat template is a Jinja program that comes with an instruction model (tokenizer.chat_template
// in a GGUF file, chat_template.jinja in a model folder). The library does not run templates
// itself. A ChatRenderer does; the component plumb::chat or your own program provides one.

#include <functional>
#include <map>
#include <span>
#include <string>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// One turn. Its role is "system", "user" or "assistant", as in chat templates.
struct ChatMessage {
  std::string role, content;

  friend bool operator==(const ChatMessage&, const ChatMessage&) = default;
};

struct ChatTemplate {
  /// The Jinja source.
  std::string text;
  /// The texts of special tokens, by the names that templates use for them: for example,
  /// "bos_token" is "<s>".
  std::map<std::string, std::string> tokens{};

  friend bool operator==(const ChatTemplate&, const ChatTemplate&) = default;
};

/// Renders a conversation with a model's template. With `opens_answer` the text ends where the
/// assistant's answer begins (add_generation_prompt). Throws a user error if the template is not
/// valid Jinja or rejects the conversation.
using ChatRenderer = std::function<std::string(
    const ChatTemplate& by, std::span<const ChatMessage> conversation, bool opens_answer)>;

/// Runs templates with llama.cpp's Jinja engine; defined in the component plumb::chat. The texts
/// equal those of transformers' apply_chat_template. `strftime_now` always returns 26 July 2024, so
/// that a run produces the same bytes on any day. Llama 3's templates use this date if there is no
/// clock. Each thread needs its own renderer.
[[nodiscard]] ChatRenderer jinja_renderer();

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
