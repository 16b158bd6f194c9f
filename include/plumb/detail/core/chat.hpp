// SPDX-License-Identifier: Apache-2.0
#pragma once

// A conversation and the chat template that turns it into a prompt for the model.
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
  /// The Jinja source; empty if a model has special tokens but no template.
  std::string text;
  /// Maps each special token's name in templates to its text; for example, "bos_token" to "<s>".
  std::map<std::string, std::string> tokens{};

  friend bool operator==(const ChatTemplate&, const ChatTemplate&) = default;
};

/// Renders a conversation with a model's template. If `opens_answer` is true, the text ends where
/// the assistant's answer begins (add_generation_prompt). Throws a user error if the template is
/// not valid Jinja or rejects the conversation.
using ChatRenderer = std::function<std::string(
    const ChatTemplate& by, std::span<const ChatMessage> conversation, bool opens_answer)>;

/// Runs templates with llama.cpp's Jinja engine; defined in the component plumb::chat. The output
/// matches the output of transformers' apply_chat_template. `strftime_now` always returns 26 July
/// 2024, so that a run produces the same bytes on any day. Llama 3's templates fall back to this
/// date if no clock is available. Each thread needs its own renderer.
[[nodiscard]] ChatRenderer jinja_renderer();

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
