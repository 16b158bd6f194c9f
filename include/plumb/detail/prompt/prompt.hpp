// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a question put into words?
//
// A prompt is a text and the bytes of it that are the answer. A builder makes one prompt for each
// option of a fact, so a scorer sees texts only and knows nothing of relations.

#include <concepts>
#include <cstddef>
#include <string>
#include <vector>

#include "plumb/detail/core/token.hpp"
#include "plumb/detail/data/dataset.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Where a text is cut before it is tokenised.
struct Cut {
  // NOLINTNEXTLINE(google-explicit-constructor): a byte stands for a cut between two texts
  Cut(std::size_t byte = 0, bool is_separator = false) : at(byte), separator(is_separator) {}

  /// The byte at which the piece behind the cut begins.
  std::size_t at = 0;
  /// Whether that piece is a separator, which gets no space that the tokenizer puts before a text.
  bool separator = false;

  friend bool operator==(const Cut&, const Cut&) = default;
};

struct Prompt {
  std::string text;
  /// Where the answer stands, in order; several spans when the template repeats [Y].
  std::vector<ByteSpan> answer;
  /// Ascending: each piece is tokenised by itself, their tokens in a row. Mostly none: the text is
  /// tokenised whole.
  std::vector<Cut> cuts{};
  /// Bytes that the model is given; the continuation is what follows them. 0: nothing is given.
  std::size_t given = 0;
  /// Bytes that stand before the statement and are no part of it: no span counts them.
  std::size_t context = 0;
};

/// What stands before a prompt's statement, as a prompt of which nothing is asked; without the spaces
/// at its end, which mostly are a part of the token behind them.
[[nodiscard]] inline Prompt context_part(const Prompt& prompt) {
  Prompt before{prompt.text.substr(0, prompt.context), {}};
  before.text.erase(before.text.find_last_not_of(' ') + 1);
  before.given = before.text.size();
  return before;
}

/// A PromptBuilder turns an option of a fact into a prompt.
///
/// Requires: `builder.build(relation, fact, template_index, option)` returns a Prompt;
/// `template_index` and `option` are indices into the relation's templates and options.
/// Means: equal arguments give equal prompts; the answer spans hold the option's label.
/// Does not promise: that prompts of one fact share a prefix, or that the answer stands at the end.
template <class B>
concept PromptBuilder = requires(const B& builder, const Relation& relation, const Fact& fact,
                                 std::size_t template_index, std::size_t option) {
  { builder.build(relation, fact, template_index, option) } -> std::same_as<Prompt>;
};

/// static_assert(plumb::check_prompt_builder<MyBuilder>()) names what a type lacks of a
/// PromptBuilder, as backend/check_model.hpp does of models.
template <class B>
consteval bool check_prompt_builder() {
  static_assert(
      requires(const B& builder, const Relation& relation, const Fact& fact,
               std::size_t template_index, std::size_t option) {
        { builder.build(relation, fact, template_index, option) } -> std::same_as<Prompt>;
      },
      "plumb: the prompt builder lacks build. Write: plumb::Prompt build(const plumb::Relation& "
      "relation, const plumb::Fact& fact, std::size_t template_index, std::size_t option) const, "
      "the text for an option and the bytes of it that are the answer");
  return PromptBuilder<B>;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
