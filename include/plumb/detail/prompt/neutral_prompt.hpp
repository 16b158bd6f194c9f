// SPDX-License-Identifier: Apache-2.0
#pragma once

// How likely is an answer before anything is asked? The prompt that a PMI compares with.
//
//   a text of the user's    the text, then the answer behind what separates it from the words before
//                           it in the statement, mostly a space
//   the template alone      the statement of a subject without a name, up to the answer, without the
//                           spaces that the name leaves
// Nothing follows the answer, and neither shots nor a prefix stand before it. A text that is empty
// leaves the answer behind BOS. Source: Holtzman et al. 2021, "Surface Form Competition".

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "plumb/detail/core/capitalize.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/prompt/prompt.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A text without the spaces at its start and with one space for several.
inline std::string with_single_spaces(std::string_view text) {
  std::string made;
  for (const char c : text) {
    if (c == ' ' && (made.empty() || made.back() == ' ')) continue;
    made.push_back(c);
  }
  return made;
}

/// `head`, then the answer.
inline Prompt answer_behind(std::string head, std::string_view answer) {
  Prompt made;
  made.given = head.find_last_not_of(' ') + 1;
  made.answer.push_back({head.size(), head.size() + answer.size()});
  made.text = std::move(head.append(answer));
  return made;
}

inline Error no_answer_in(const Relation& relation) {
  return user_error(
      {.file = relation.file, .field = relation.code},
      "its statements do not say where their answer stands, and pmi asks for it alone",
      "use another `reduction`");
}

/// The neutral prompt of an option. `text` is what stands before the answer; without one it is the
/// template without its subject. Throws a user error where the builder's subjects are the sentences
/// themselves and there is no text, and for a prompt without an answer.
template <PromptBuilder Builder>
[[nodiscard]] Prompt neutral_prompt(const Builder& builder, const Relation& relation,
                                    const Fact& fact, std::size_t template_index,
                                    std::size_t option, const std::optional<std::string>& text) {
  if (text) {
    const Prompt statement = builder.build(relation, fact, template_index, option);
    if (statement.answer.empty()) throw detail::no_answer_in(relation);
    const ByteSpan answer = statement.answer.front();
    std::string join = answer.begin > statement.context
                           ? statement.text.substr(statement.given, answer.begin - statement.given)
                       : text->empty() ? ""
                                       : " ";
    std::string head = *text;
    if (join.starts_with(' ')) {
      if (head.ends_with('\n')) {
        join.erase(0, 1);
      } else {
        head.erase(head.find_last_not_of(' ') + 1);
      }
    }
    return detail::answer_behind(
        head + join,
        std::string_view(statement.text).substr(answer.begin, answer.end - answer.begin));
  }
  if (relation.own_sentences) {
    throw user_error({.file = relation.file, .field = relation.code},
                     "asks whole sentences, so there is no template without the subject",
                     "say with `neutral` what stands before the answer");
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
  return detail::answer_behind(std::move(head),
                               all.substr(answer.begin, answer.end - answer.begin));
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
