// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random texts that a format must preserve exactly.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/random.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// Well-formed UTF-8 with at most `most` pieces: characters that formats use for separating,
/// quoting and escaping, control characters, letters of several scripts, combining marks, and
/// four-byte characters.
[[nodiscard]] inline std::string any_text(RandomStream& random, std::size_t most = 6) {
  using namespace std::string_view_literals;
  static constexpr std::array pieces{
      "a"sv,      "Paris"sv,  " "sv,       "\t"sv,     "\n"sv,        "\r"sv,   "\""sv,
      "\\"sv,     ","sv,      ";"sv,       "{"sv,      "]"sv,         "\0"sv,   "\x7F"sv,
      "\u0085"sv, "\u00e9"sv, "e\u0301"sv, "\u2028"sv, "[X]"sv,       "null"sv, "="sv,
      "\\n"sv,    "\u4e2d"sv, "\u202E"sv,  "\uFFFD"sv, "\U0001F600"sv};
  std::string text;
  for (std::size_t left = random.below(most + 1); left > 0; --left) {
    text += pieces[random.below(pieces.size())];
  }
  return text;
}

[[nodiscard]] inline std::vector<std::string> any_texts(RandomStream& random, std::size_t most) {
  std::vector<std::string> texts(random.below(most + 1));
  for (std::string& text : texts) text = any_text(random);
  return texts;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
