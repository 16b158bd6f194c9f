// SPDX-License-Identifier: Apache-2.0
#pragma once

// Numbers in sentences and tables: with a fixed number of decimals, or with the noun they count.

#include <array>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A number with a fixed number of decimals. The decimal separator is a point in every locale, and
/// a number that rounds to zero has no sign.
[[nodiscard]] inline std::string with_decimals(double value, int decimals) {
  std::array<char, 400> text{};  // a double has up to 309 digits before the point
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::fixed, decimals);
  std::string digits(text.data(), end.ptr);
  if (digits.front() == '-' && digits.find_first_not_of("-0.") == std::string::npos)
    digits.erase(0, 1);
  return digits;
}

/// "1 fact", "2 facts"; "1 query", "2 queries"; "1 key", "2 keys".
[[nodiscard]] inline std::string counted(std::size_t count, std::string noun) {
  const bool is_ie =
      noun.size() > 1 && noun.back() == 'y' &&
      std::string_view("aeiou").find(noun[noun.size() - 2]) == std::string_view::npos;
  if (count != 1 && is_ie) noun.replace(noun.size() - 1, 1, "ie");
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
