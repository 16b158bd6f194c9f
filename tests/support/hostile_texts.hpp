// SPDX-License-Identifier: Apache-2.0
#pragma once

// Texts that would do harm where they are not taken as text, put together by seed.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "plumb/detail/core/random.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// Separators, paths, NUL, controls of a terminal in both their forms, formulas, HTML, ends of scripts,
/// separators of lines and overrides of direction that Unicode has, and what messages write settings in.
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

/// Of one to four parts, behind a letter or not. Not thread-safe.
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
