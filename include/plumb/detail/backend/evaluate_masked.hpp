// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a masked model evaluated, regardless of which optional members of its concept it has?

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/backend/capabilities.hpp"
#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/backend/text_tokens.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/token.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The special tokens around a text; none if the model has no `frame()`.
template <MaskedLm M>
[[nodiscard]] TextFrame frame_of(const M& model) {
  if constexpr (requires { model.frame(); }) return model.frame();
  return {};
}

/// The token for text that the vocabulary cannot spell; nullopt if the model does not specify one.
template <class M>
[[nodiscard]] std::optional<TokenId> unknown_of(const M& model) {
  if constexpr (requires { model.unknown(); }) return model.unknown();
  return std::nullopt;
}

/// The word number of each token. Throws a user error if the model does not number words, or does
/// not return exactly one number for each token.
template <MaskedLm M>
[[nodiscard]] std::vector<std::uint32_t> words_of(const M& model, std::string_view text,
                                                  std::size_t tokens) {
  if constexpr (NumbersWords<M>) {
    if (capabilities_of(model).words) {
      std::vector<std::uint32_t> words = model.words(text);
      if (words.size() == tokens) return words;
      throw user_error({.field = "words"},
                       "gave " + counted(words.size(), "word") + " of " + counted(tokens, "token"),
                       "fix the model's words");
    }
  }
  throw user_error({.setting = "pll"},
                   "within-word masks need word numbers, and the model has no "
                   "words(text)",
                   "set `pll` to original, or add words(text) to the model");
}

/// The tokens of a text with one mask between `before` and `after`, without the model's frame, and
/// the mask's position.
template <MaskedLm M>
[[nodiscard]] MaskedQuery masked_text(const M& model, std::string_view before,
                                      std::string_view after) {
  if constexpr (requires { model.masked_text(before, after); }) {
    return model.masked_text(before, after);
  } else {
    MaskedQuery made;
    const auto append = [&](std::string_view text) {
      for (const Token& token : text_tokens(model, text).tokens) made.sequence.push_back(token.id);
    };
    append(before);
    made.position = static_cast<std::uint32_t>(made.sequence.size());
    made.sequence.push_back(model.mask());
    append(after);
    return made;
  }
}

/// The same query inside the model's frame, as the model evaluates it.
template <MaskedLm M>
[[nodiscard]] MaskedQuery framed_masked_text(const M& model, std::string_view before,
                                             std::string_view after) {
  MaskedQuery made = masked_text(model, before, after);
  const TextFrame frame = frame_of(model);
  made.sequence.insert(made.sequence.begin(), frame.before.begin(), frame.before.end());
  made.sequence.insert(made.sequence.end(), frame.after.begin(), frame.after.end());
  made.position += static_cast<std::uint32_t>(frame.before.size());
  return made;
}

/// Calls `visit(query, logits)` once for each query. Throws a user error if the model's rows
/// violate its concept.
template <MaskedLm M>
void evaluate_masked(M& model, std::span<const MaskedQuery> queries, const LogitsVisitor& visit) {
  const auto fail = [](const std::string& problem) {
    return user_error({.field = "evaluate"}, problem, "fix the model's evaluate");
  };
  std::vector<bool> pending(queries.size(), true);
  std::size_t missing = queries.size();
  model.evaluate(queries, [&](std::uint32_t query, std::span<const float> logits) {
    if (query >= pending.size() || !pending[query]) {
      throw fail("returned a row for query " + std::to_string(query) +
                 ", which was not requested or had already been answered");
    }
    if (logits.size() != model.vocabulary_size()) {
      throw fail("returned a row of " + std::to_string(logits.size()) +
                 " logits, but vocabulary_size() is " + std::to_string(model.vocabulary_size()));
    }
    pending[query] = false;
    --missing;
    visit(query, logits);
  });
  if (missing > 0) throw fail("returned no row for " + std::to_string(missing) + " of the queries");
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
