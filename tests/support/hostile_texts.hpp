// SPDX-License-Identifier: Apache-2.0
#pragma once

// Texts that are harmful unless they are handled as plain text, generated from a seed.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "plumb/detail/core/random.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// Separators, paths, NUL, terminal controls in both forms, formulas, HTML, script end tags,
/// Unicode's line separators and direction overrides, and the backticks that messages put around
/// settings.
inline constexpr auto hostile_parts = std::to_array<std::string_view>({",",
                                                                       ";",
                                                                       "\t",
                                                                       "\n",
                                                                       "\r",
                                                                       "\"",
                                                                       "'",
                                                                       "..",
                                                                       "/",
                                                                       "\\",
                                                                       std::string_view("\0", 1),
                                                                       "\x1b[2J",
                                                                       "\x1b]0;title\x07",
                                                                       "\x7f",
                                                                       "\u0085",
                                                                       "\u009B31m",
                                                                       "=1+1",
                                                                       "@SUM(A1)",
                                                                       "+1-1",
                                                                       "-2+3",
                                                                       "=cmd|'/C calc'!A0",
                                                                       "<b>",
                                                                       "</script>",
                                                                       "<!--",
                                                                       "]]>",
                                                                       "&amp;",
                                                                       "\u2028",
                                                                       "\u2029",
                                                                       "\u202E",
                                                                       "\u2066",
                                                                       "`bos`",
                                                                       "%s",
                                                                       "{}",
                                                                       "$(id)",
                                                                       "a",
                                                                       "é",
                                                                       "القاهرة"});

/// Texts of one to four parts, with or without a letter before them. Not thread-safe.
class HostileTexts {
 public:
  explicit HostileTexts(std::uint64_t seed) : random_(seed, "hostile texts") {}

  [[nodiscard]] std::string operator()() {
    std::string text;
    for (std::size_t parts = 1 + random_.below(4); parts > 0; --parts) {
      text += hostile_parts[random_.below(hostile_parts.size())];
    }
    return text;
  }

 private:
  RandomStream random_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
