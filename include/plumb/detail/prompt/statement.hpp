// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does a fact become a plain sentence?
//
// The template's [X] is replaced by the subject and its [Y] by the option, in one pass, so that a
// subject that itself contains "[Y]" stays unchanged. Then the first letter is upper-cased, unless
// the relation is verbatim. This matches the Templater of lm-pub-quiz 0.3.3. Placeholders may be
// anywhere and may repeat. If a relation's subjects are whole sentences, the subject itself serves
// as the template.

#include <string>
#include <string_view>

#include "plumb/detail/core/capitalize.hpp"
#include "plumb/detail/prompt/prompt.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Fills a template. Answer spans are byte ranges in the finished text. The given part is the text
/// before the first [Y], without trailing spaces.
[[nodiscard]] inline Prompt fill_template(std::string_view pattern, std::string_view subject,
                                          std::string_view answer, bool verbatim = false) {
  Prompt prompt;
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t next = pattern.find('[', at);
    const std::size_t stop = next == std::string_view::npos ? pattern.size() : next;
    prompt.text += pattern.substr(at, stop - at);
    at = stop;
    if (const auto placeholder = pattern.substr(at, 3); placeholder == "[X]") {
      prompt.text += subject;
      at += 3;
    } else if (placeholder == "[Y]") {
      if (prompt.answer.empty()) prompt.given = prompt.text.find_last_not_of(' ') + 1;
      prompt.answer.push_back({prompt.text.size(), prompt.text.size() + answer.size()});
      prompt.text += answer;
      at += 3;
    } else if (at < pattern.size()) {
      prompt.text.push_back(pattern[at++]);
    }
  }
  if (verbatim) return prompt;
  const std::string capitalized = capitalize(prompt.text);
  // An upper-case letter may take fewer or more bytes than its lower-case form ("ſ", "ɐ").
  const auto shift = [&](std::size_t& byte) {
    if (byte > 0) byte = byte + capitalized.size() - prompt.text.size();
  };
  for (ByteSpan& span : prompt.answer) {
    shift(span.begin);
    shift(span.end);
  }
  shift(prompt.given);
  prompt.text = capitalized;
  return prompt;
}

/// The text before the template's last [Y], filled without upper-casing and without trailing
/// spaces. For "What is the capital of [X]? [Y]", this is only the question.
[[nodiscard]] inline std::string fill_question(std::string_view pattern, std::string_view subject) {
  std::string text = fill_template(pattern.substr(0, pattern.rfind("[Y]")), subject, "", true).text;
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

/// The PromptBuilder of closed-set probes: one sentence, with the answer at the template's [Y].
struct Statement {
  [[nodiscard]] Prompt build(const Relation& relation, const Fact& fact, std::size_t template_index,
                             std::size_t option) const {
    const std::string& answer = option_text(relation, fact, option);
    if (relation.own_sentences) return fill_template(fact.subject, "", answer, true);
    return fill_template(relation.templates[template_index], fact.subject, answer,
                         relation.verbatim);
  }
};

static_assert(PromptBuilder<Statement>);

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
