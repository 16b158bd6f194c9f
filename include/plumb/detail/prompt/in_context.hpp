// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a question placed after a prefix and solved facts?
//
//   prefix shot₁ ⏎ … shot_K ⏎ statement
// The prefix is used unchanged, including spaces and line breaks at its end. Each shot is the
// builder's prompt for another fact of the relation (solved_facts.hpp), under the same template and
// with its right option. Only the statement is scored; the text before it is the same for all
// options. In a conversation (chat.hpp), the prefix, shots and question become turns.

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/prompt/chat.hpp"
#include "plumb/detail/prompt/prompt.hpp"
#include "plumb/detail/prompt/solved_facts.hpp"
#include "plumb/detail/prompt/statement.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Puts a context, which is not scored, before a prompt.
[[nodiscard]] inline Prompt behind(const std::string& context, Prompt prompt) {
  if (context.empty()) return prompt;
  const std::size_t before = context.size();
  for (ByteSpan& span : prompt.answer) {
    span.begin += before;
    span.end += before;
  }
  for (Cut& cut : prompt.cuts) cut.at += before;
  // If the statement has no given part, the context without its trailing spaces becomes the given
  // part.
  prompt.given = prompt.given > 0 ? prompt.given + before : context.find_last_not_of(' ') + 1;
  prompt.context += before;
  prompt.text.insert(0, context);
  return prompt;
}

/// Models PromptBuilder. Any number of threads may use the same object.
template <PromptBuilder Builder = Statement>
class InContext {
 public:
  InContext() = default;
  /// The shots are drawn from the dataset's facts, which are copied.
  InContext(const Dataset& dataset, std::string prefix, const ShotChoice& shots,
            Builder builder = {}, Chat chat = {})
      : builder_(std::move(builder)),
        prefix_(std::move(prefix)),
        solved_(dataset, shots),
        chat_(std::move(chat)) {}

  [[nodiscard]] const SolvedFacts& solved() const noexcept { return solved_; }
  [[nodiscard]] const Builder& builder() const noexcept { return builder_; }
  [[nodiscard]] const Chat& chat() const noexcept { return chat_; }
  /// Whether any text precedes the statements.
  [[nodiscard]] bool has_context() const {
    return chat_ || !prefix_.empty() || solved_.choice().count > 0;
  }

  /// The text that precedes every option of a fact under a template. Throws the same errors as
  /// SolvedFacts::of and Chat.
  [[nodiscard]] std::string context(const Relation& relation, const Fact& fact,
                                    std::size_t template_index) const {
    if (chat_) {
      return chat_.context(prefix_, shots(relation, fact, template_index),
                           builder_.build(relation, fact, template_index, 0));
    }
    return before(relation, fact, template_index);
  }
  /// The part of the context that is shared with other facts that follow the same shots.
  [[nodiscard]] std::string shared_context(const Relation& relation, const Fact& fact,
                                           std::size_t template_index) const {
    if (chat_) {
      return chat_.shared_context(prefix_, shots(relation, fact, template_index),
                                  builder_.build(relation, fact, template_index, 0));
    }
    return before(relation, fact, template_index);
  }

  /// A prompt that follows the given context.
  [[nodiscard]] Prompt build(const std::string& context, const Relation& relation, const Fact& fact,
                             std::size_t template_index, std::size_t option) const {
    Prompt statement = builder_.build(relation, fact, template_index, option);
    return behind(context, chat_ ? chat_.answer(std::move(statement)) : std::move(statement));
  }
  [[nodiscard]] Prompt build(const Relation& relation, const Fact& fact, std::size_t template_index,
                             std::size_t option) const {
    return build(context(relation, fact, template_index), relation, fact, template_index, option);
  }

 private:
  [[nodiscard]] std::vector<Prompt> shots(const Relation& relation, const Fact& fact,
                                          std::size_t template_index) const {
    std::vector<Prompt> made;
    for (const Fact* const shown : solved_.of(relation, fact)) {
      made.push_back(builder_.build(relation, *shown, template_index, shown->answer));
    }
    return made;
  }

  [[nodiscard]] std::string before(const Relation& relation, const Fact& fact,
                                   std::size_t template_index) const {
    std::string text = prefix_;
    for (const Prompt& shot : shots(relation, fact, template_index)) text += shot.text + "\n";
    return text;
  }

  Builder builder_{};
  std::string prefix_;
  SolvedFacts solved_;
  Chat chat_;
};

static_assert(PromptBuilder<InContext<>>);

/// The most frequent context among the first 64 of these facts. The model can keep this context
/// while the facts are scored.
template <PromptBuilder Builder>
[[nodiscard]] Prompt shared_context(const InContext<Builder>& builder, const Relation& relation,
                                    std::size_t first, std::size_t count,
                                    std::size_t template_index) {
  std::map<std::string, std::size_t> seen;
  std::string most;
  for (std::size_t f = first; f < first + std::min<std::size_t>(count, 64); ++f) {
    std::string context = builder.shared_context(relation, relation.facts[f], template_index);
    if (++seen[context] > seen[most]) most = std::move(context);
  }
  return context_part(behind(most, {}));
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
