// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where does a stop text end a model's continuation?
//
//   "\n Paris\nQ: The capital"      by "\n" ends as   "\n Paris"
// Models often begin an answer with a line break, so leading white space ends nothing: a
// continuation ends where the first stop text begins that reaches past it. A stop text of other
// characters may come first ("." in ". No."); then the continuation is empty, which is the model's
// answer. Every Generator ends its continuations by these functions, or in the same way.

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/core/white_space.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The byte at which the first stop text begins that ends `text`; npos if none does. Empty stop
/// texts are ignored.
[[nodiscard]] inline std::size_t stop_place(std::string_view text,
                                            std::span<const std::string> stops) noexcept {
  const std::size_t begin = leading_white_space(text);
  std::size_t place = std::string_view::npos;
  for (const std::string& stop : stops) {
    if (stop.empty()) continue;
    const std::size_t from = begin < stop.size() ? 0 : begin - stop.size() + 1;
    place = (std::min)(place, text.find(stop, from));
  }
  return place;
}

/// If such a stop text occurs, cuts the continuation before the token in which it begins and
/// returns true. Call it after each token: everything after a stop text is cut too. `model` may be
/// any type with `detokenize(ids)`.
template <class Model>
bool end_at_stop(Model& model, Continuation& continuation, std::span<const std::string> stops) {
  if (stops.empty()) return false;
  auto& [tokens, log_probabilities] = continuation;
  const std::size_t place = stop_place(model.detokenize(tokens), stops);
  if (place == std::string_view::npos) return false;
  while (model.detokenize(tokens).size() > place) {
    tokens.pop_back();
    log_probabilities.pop_back();
  }
  return true;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
