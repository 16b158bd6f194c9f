// SPDX-License-Identifier: Apache-2.0
#pragma once

// Joins items into a list for a sentence.

#include <cstddef>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Appends an item to `list`, preceded by `between` unless the list is empty.
inline void add_to_list(std::string& list, std::string_view item, std::string_view between = ", ") {
  if (!list.empty()) list += between;
  list += item;
}

/// Joins `text(item)` for each item of a range, as in "a, b, c". Before the last item, `last` is
/// used instead of `between`.
template <class Range, class Text = std::identity>
[[nodiscard]] std::string text_list(const Range& range, Text text, std::string_view between,
                                    std::string_view last) {
  std::string list;
  std::size_t left = std::size(range);
  for (const auto& item : range) {
    add_to_list(list, std::invoke(text, item), --left == 0 ? last : between);
  }
  return list;
}
template <class Range, class Text = std::identity>
[[nodiscard]] std::string text_list(const Range& range, Text text = {},
                                    std::string_view between = ", ") {
  return text_list(range, text, between, between);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
