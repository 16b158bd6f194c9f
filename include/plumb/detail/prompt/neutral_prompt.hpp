// SPDX-License-Identifier: Apache-2.0
#pragma once

// How likely is an answer without its question? This file builds the prompt that PMI compares with.
//
//   with a user's text      the text, then the separator between the answer and the words before
//                           it in the statement (usually a space), then the answer
//   without one             the statement with an empty subject, up to the answer, without the
//                           spaces that the subject leaves
// Nothing follows the answer, and there are no shots and no prefix. With an empty text, the answer
// directly follows BOS. Source: Holtzman et al. 2021, "Surface Form Competition".

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "plumb/detail/core/capitalize.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/white_space.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/prompt/prompt.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The text without leading spaces and with each run of spaces replaced by one.
inline std::string with_single_spaces(std::string_view text) {
  std::string made;
  for (const char c : text) {
    if (c == ' ' && (made.empty() || made.back() == ' ')) continue;
    made.push_back(c);
  }
  return made;
}

/// A prompt that consists of `head` and the answer.
inline Prompt answer_after(std::string head, std::string_view answer) {
  Prompt made;
  made.given = head.find_last_not_of(' ') + 1;
  made.answer.push_back({head.size(), head.size() + answer.size()});
  made.text = std::move(head.append(answer));
  return made;
}

inline Error no_answer_in(const Relation& relation) {
  return user_error({.file = relation.file, .field = relation.code},
                    "its statements have no marked answer, which pmi needs",
                    "use another `reduction`");
}

/// The neutral prompt of an option. The answer follows `text` or, if there is none, the template
/// with its subject removed. Throws a user error if a prompt has no answer, or if there is no text
/// and the relation's subjects are whole sentences.
template <PromptBuilder Builder>
[[nodiscard]] Prompt neutral_prompt(const Builder& builder, const Relation& relation,
                                    const Fact& fact, std::size_t template_index,
                                    std::size_t option, const std::optional<std::string>& text) {
  if (text) {
    const Prompt statement = builder.build(relation, fact, template_index, option);
    if (statement.answer.empty()) throw detail::no_answer_in(relation);
    const ByteSpan answer = statement.answer.front();
    std::string join = text->empty() ? "" : " ";
    if (answer.begin > statement.context) {
      const std::string_view before =
          std::string_view(statement.text).substr(0, answer.begin).substr(statement.context);
      join = before.substr(before.size() - trailing_white_space(before));
    }
    std::string head = *text;
    if (!join.empty() && join != " " && head.ends_with(join)) {
      join.clear();
    } else if (join.starts_with(' ')) {
      if (head.ends_with('\n')) {
        join.erase(0, 1);
      } else {
        head.erase(head.find_last_not_of(' ') + 1);
      }
    }
    return detail::answer_after(
        head + join,
        std::string_view(statement.text).substr(answer.begin, answer.end - answer.begin));
  }
  if (relation.own_sentences) {
    throw user_error({.file = relation.file, .field = relation.code},
                     "has whole sentences as subjects, so there is no template without the subject",
                     "set the text before the answer with `neutral`");
  }
  Fact nameless = fact;
  nameless.subject.clear();
  Prompt asked = builder.build(relation, nameless, template_index, option);
  if (asked.answer.empty()) throw detail::no_answer_in(relation);
  const ByteSpan answer = asked.answer.front();
  const std::string_view all = asked.text;
  std::string head =
      detail::with_single_spaces(all.substr(asked.context, answer.begin - asked.context));
  if (!relation.verbatim) head = capitalize(head);
  return detail::answer_after(std::move(head), all.substr(answer.begin, answer.end - answer.begin));
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
