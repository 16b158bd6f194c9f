// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a statement turned into a conversation with an instruction-tuned model?
//
//   ChatTurn::question     user: "The capital of France is"   assistant: "Paris."
//   ChatTurn::statement    user: the prefix                   assistant: "The capital of France is Paris."
// The model's chat template writes the text up to the assistant's turn, including the generation
// prompt (add_generation_prompt), as in normal use of the model. The assistant's words follow it,
// after the white space that the template writes before an answer. Only the assistant's words are
// scored. Each solved fact before the question has its own turns.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/chat.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/core/white_space.hpp"
#include "plumb/detail/core/word_character.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/prompt/prompt.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The content of the user's turn: the part of a statement before its answer, or only the prefix.
enum class ChatTurn : std::uint8_t { question, statement };
[[nodiscard]] constexpr std::array<ChatTurn, 2> every(ChatTurn) noexcept {
  return {ChatTurn::question, ChatTurn::statement};
}
[[nodiscard]] constexpr std::string_view name_of(ChatTurn turn) noexcept {
  return turn == ChatTurn::question ? "question" : "statement";
}

/// A prompt, split where the assistant's turn begins.
struct QuestionAndAnswer {
  std::string question;
  Prompt answer;
};

/// Splits a statement into the question, without trailing white space, and the answer with the text
/// after it. Throws a user error if there is no question or if words follow the answer.
[[nodiscard]] inline QuestionAndAnswer question_and_answer(const Prompt& statement) {
  const auto refused = [&](const std::string& why) {
    return user_error({.setting = "chat"}, "'" + shortened(statement.text) + "' " + why,
                      "write templates that end in [Y], or score whole statements with "
                      "`chat-turn` statement and a `prefix`");
  };
  if (statement.answer.empty()) throw refused("has no marked answer");
  const ByteSpan first = statement.answer.front();
  std::string question = statement.text.substr(0, first.begin);
  question = trimmed(question);
  if (question.empty()) throw refused("begins with its answer, so there is no question");
  std::string_view rest = std::string_view(statement.text).substr(first.end);
  bool has_words = statement.answer.size() > 1;
  while (!rest.empty() && !has_words) has_words = is_word_character(take_code_point(rest));
  if (has_words) throw refused("has words after its answer");
  return {std::move(question),
          {.text = statement.text.substr(first.begin), .answer = {{0, first.end - first.begin}}}};
}

/// Writes conversations with one chat template. This class is as thread-safe as the renderer.
class Chat {
 public:
  Chat() = default;
  /// Throws the renderer's errors, and a user error if the template omits the system message.
  Chat(ChatTemplate by, ChatRenderer render, ChatTurn turn, std::string system)
      : template_(std::move(by)),
        render_(std::move(render)),
        turn_(turn),
        system_(std::move(system)) {
    find_answer();
    check_turns();
  }

  [[nodiscard]] explicit operator bool() const noexcept { return render_ != nullptr; }
  [[nodiscard]] const ChatTemplate& source() const noexcept { return template_; }
  /// A warning if the template puts more than white space before an answer, such as an empty
  /// thinking block; otherwise nothing.
  [[nodiscard]] const std::optional<std::string>& warning() const noexcept { return warning_; }

  /// The part of a statement that the assistant's turn contains.
  [[nodiscard]] Prompt answer(Prompt statement) const {
    if (turn_ == ChatTurn::statement) return statement;
    return question_and_answer(statement).answer;
  }

  /// The text before the assistant's words: the system message, the solved statements, and the
  /// question of `asked`. Throws the constructor's errors, and a user error if the template changes
  /// the question.
  [[nodiscard]] std::string context(const std::string& prefix, const std::vector<Prompt>& solved,
                                    const Prompt& asked) const {
    return whole(prefix, solved, asked).first;
  }

  /// The part of `context` before the last question. All questions that follow the same solved
  /// statements share this part.
  [[nodiscard]] std::string shared_context(const std::string& prefix,
                                           const std::vector<Prompt>& solved,
                                           const Prompt& asked) const {
    const auto [text, question] = whole(prefix, solved, asked);
    return text.substr(0, text.rfind(question));
  }

 private:
  /// The context, and the content of its last user turn.
  [[nodiscard]] std::pair<std::string, std::string> whole(const std::string& prefix,
                                                          const std::vector<Prompt>& solved,
                                                          const Prompt& asked) const {
    std::vector<ChatMessage> turns = begun();
    const auto user = [&](const Prompt& statement) {
      if (turn_ == ChatTurn::statement) return prefix;
      const bool is_first = turns.empty() || turns.back().role == "system";
      return (is_first ? prefix : "") + question_and_answer(statement).question;
    };
    for (const Prompt& one : solved) {
      turns.push_back({"user", user(one)});
      turns.push_back({"assistant", answer(one).text});
    }
    turns.push_back({"user", user(asked)});
    std::string text = render_(template_, turns, true);
    if (!solved.empty() && !keeps_turns_) {
      throw user_error({.setting = "chat"}, "the model's chat template omits earlier turns",
                       "drop `shots`, or pass another template with `chat-template`");
    }
    std::size_t at = 0;  // turns appear in order, so each search starts after the previous turn
    for (const ChatMessage& turn : turns) {
      const std::string_view words = trimmed(turn.content);
      const std::size_t place = text.find(words, at);
      if (place != std::string::npos) {
        at = place + words.size();
        continue;
      }
      throw user_error(
          {.setting = "chat"},
          "the model's chat template changes the " + turn.role + "'s '" + shortened(turn.content) +
              "'",
          turn.role == "system" ? "drop `system`" : "pass another with `chat-template`");
    }
    return {text + join_, std::string(trimmed(turns.back().content))};
  }

  [[nodiscard]] std::vector<ChatMessage> begun() const {
    if (system_.empty()) return {};
    return {{"system", system_}};
  }

  /// Checks that the template writes all turns, using unique placeholder words. Throws a user error
  /// if it omits the system message.
  void check_turns() {
    std::vector<ChatMessage> turns;
    if (!system_.empty()) turns.push_back({"system", "plumb-system"});
    turns.insert(turns.end(),
                 {{"user", "plumb-first"}, {"assistant", "plumb-answer"}, {"user", "plumb-last"}});
    const std::string text = render_(template_, turns, true);
    std::size_t at = 0;
    for (const ChatMessage& turn : turns) {
      const std::size_t place = text.find(turn.content, at);
      if (place != std::string::npos) {
        at = place;
        continue;
      }
      if (turn.role == "system") {
        throw user_error({.setting = "chat"}, "the model's chat template omits the system message",
                         "drop `system`");
      }
      keeps_turns_ = false;
    }
  }

  /// Finds the text between the generation prompt and the answer. Only white space is put before
  /// answers: some templates write "[/INST] Paris". Other text is part of what a model generates.
  void find_answer() {
    const std::string answer = "plumb-answer";
    std::vector<ChatMessage> turns = begun();
    turns.push_back({"user", "plumb-question"});
    const std::string asking = render_(template_, turns, true);
    turns.push_back({"assistant", answer});
    const std::string answered = render_(template_, turns, false);
    const std::size_t place = answered.rfind(answer);
    const std::string scored = " Answers are scored directly after the generation prompt.";
    if (place == std::string::npos || place < asking.size() || !answered.starts_with(asking)) {
      warning_ =
          "Warning: in the chat template's conversations, an answer does not follow the "
          "generation prompt." +
          scored;
      return;
    }
    const std::string between = answered.substr(asking.size(), place - asking.size());
    if (is_blank(between)) {
      join_ = between;
      return;
    }
    warning_ = "Warning: the chat template writes " + Json(shortened(between)).dump() +
               " before an answer." + scored;
  }

  ChatTemplate template_{};
  ChatRenderer render_{};
  ChatTurn turn_ = ChatTurn::question;
  std::string system_{};
  std::string join_{};
  std::optional<std::string> warning_{};
  bool keeps_turns_ = true;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
