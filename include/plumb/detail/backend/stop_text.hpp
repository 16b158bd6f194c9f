// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where does a stop text end a model's continuation?
//
//   "\n Paris\nQ: The capital"   with the stop text "\n" becomes   "\n Paris"
// Models often begin an answer with a line break, so a stop text within leading white space is
// ignored: only a stop text that extends beyond it counts, and the continuation ends where the
// first such text begins. If the answer begins with a stop text of other characters (such as "." in
// ". No."), the continuation is empty, and that is the model's answer. Every Generator ends its
// continuations with these functions or in an equivalent way.

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/core/white_space.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The byte offset of the first stop text that is not ignored; npos if there is none. Empty stop
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

/// If such a stop text occurs, truncates the continuation before the token in which it begins and
/// returns true. Call it after each token: everything after the stop text is removed too. `model`
/// may be any type with `detokenize(ids)`.
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
