// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is a prompt, and how is one built?
//
// A prompt is a text together with the byte spans that form the answer. A builder creates one
// prompt for each option of a fact, so a scorer sees only texts and does not depend on relations.

#include <concepts>
#include <cstddef>
#include <string>
#include <vector>

#include "plumb/detail/core/token.hpp"
#include "plumb/detail/data/dataset.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A position at which a text is cut before it is tokenised.
struct Cut {
  // NOLINTNEXTLINE(google-explicit-constructor): a byte converts to a cut between two texts
  Cut(std::size_t byte = 0, bool is_separator = false) : at(byte), separator(is_separator) {}

  /// The byte at which the piece after the cut begins.
  std::size_t at = 0;
  /// Whether that piece is a separator. A separator does not get the space that a tokenizer adds
  /// before a text.
  bool separator = false;

  friend bool operator==(const Cut&, const Cut&) = default;
};

struct Prompt {
  std::string text;
  /// The spans of the answer, in order; several if the template repeats [Y].
  std::vector<ByteSpan> answer;
  /// Ascending. Each piece is tokenised separately, and the tokens are concatenated. Usually empty:
  /// the text is tokenised as a whole.
  std::vector<Cut> cuts{};
  /// The number of leading bytes that the model is given; the rest of the text is the continuation.
  /// 0 means that nothing is given.
  std::size_t given = 0;
  /// The number of bytes before the statement. These bytes are not part of the statement, and no
  /// span includes them.
  std::size_t context = 0;
};

/// The context before a prompt's statement, as a prompt without an answer. Trailing spaces are
/// removed, because they usually belong to the next token.
[[nodiscard]] inline Prompt context_part(const Prompt& prompt) {
  Prompt before{prompt.text.substr(0, prompt.context), {}};
  before.text.erase(before.text.find_last_not_of(' ') + 1);
  before.given = before.text.size();
  return before;
}

/// A PromptBuilder turns an option of a fact into a prompt.
///
/// Requires: `builder.build(relation, fact, template_index, option)` returns a Prompt;
/// `template_index` and `option` are indices into the relation's templates and options. Means:
/// equal arguments give equal prompts; the answer spans contain the option's label. Does not
/// promise: that prompts of one fact share a prefix, or that the answer is at the end.
template <class B>
concept PromptBuilder = requires(const B& builder, const Relation& relation, const Fact& fact,
                                 std::size_t template_index, std::size_t option) {
  { builder.build(relation, fact, template_index, option) } -> std::same_as<Prompt>;
};

/// static_assert(plumb::check_prompt_builder<MyBuilder>()) reports which PromptBuilder requirement
/// a type does not meet, as backend/check_model.hpp does for models.
template <class B>
consteval bool check_prompt_builder() {
  static_assert(
      requires(const B& builder, const Relation& relation, const Fact& fact,
               std::size_t template_index, std::size_t option) {
        { builder.build(relation, fact, template_index, option) } -> std::same_as<Prompt>;
      },
      "plumb: the prompt builder lacks build. Write: plumb::Prompt build(const plumb::Relation& "
      "relation, const plumb::Fact& fact, std::size_t template_index, std::size_t option) const, "
      "which returns the text for an option and the spans of its answer");
  return PromptBuilder<B>;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
