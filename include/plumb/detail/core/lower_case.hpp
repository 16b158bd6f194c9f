// SPDX-License-Identifier: Apache-2.0
#pragma once

// Converts text to lower case.
//
// It converts one letter at a time, using Unicode's simple lower-case mapping (UnicodeData, version
// 14). Most of the mapping is the inverse of the upper-case table; the rest is listed here. It
// differs from Python's str.lower in two ways: "İ" becomes "i" without a second dot, and a final
// "ς" becomes "σ" like every other sigma, so that a word matches its form in capitals. "ß" does not
// match "SS", "ı" does not match "I", and separate accent marks are not composed.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "plumb/detail/core/capitalize.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/utf8.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Characters whose upper-case form maps to a different lower-case letter, such as "µ", "ı", "ſ"
/// and "ς". If a run of upper_case_runs begins with such a letter, it contains only such letters.
inline constexpr auto second_lower_cases = std::to_array<std::uint32_t>({
    // clang-format off
    0xB5, 0x131, 0x17F, 0x1C5, 0x1C8, 0x1CB, 0x1F2, 0x345, 0x3C2, 0x3D0, 0x3D1, 0x3D5, 0x3D6,
    0x3F0, 0x3F1, 0x3F5, 0x1C80, 0x1C81, 0x1C82, 0x1C83, 0x1C85, 0x1C86, 0x1C87, 0x1C88, 0x1E9B,
    0x1FBE,
    // clang-format on
});

/// Title-case digraphs, and capitals whose lower-case form is not mapped back to them by the
/// upper-case table.
inline constexpr auto further_lower_case_runs = std::to_array<UpperCaseRun>({
    // clang-format off
    {0x130, 0x130, 1, -199}, {0x1C5, 0x1C5, 1, 1}, {0x1C8, 0x1C8, 1, 1}, {0x1CB, 0x1CB, 1, 1},
    {0x1F2, 0x1F2, 1, 1}, {0x3F4, 0x3F4, 1, -60}, {0x1E9E, 0x1E9E, 1, -7615},
    {0x1F88, 0x1F8F, 1, -8}, {0x1F98, 0x1F9F, 1, -8}, {0x1FA8, 0x1FAF, 1, -8},
    {0x1FBC, 0x1FBC, 1, -9}, {0x1FCC, 0x1FCC, 1, -9}, {0x1FFC, 0x1FFC, 1, -9},
    {0x2126, 0x2126, 1, -7517}, {0x212A, 0x212A, 1, -8383}, {0x212B, 0x212B, 1, -8262},
    // clang-format on
});

/// Runs of upper-case letters, with the delta to lower case, sorted by their last code point.
inline constexpr auto lower_case_runs = [] {
  std::array<UpperCaseRun,
             upper_case_runs.size() - second_lower_cases.size() + further_lower_case_runs.size()>
      runs{};
  std::size_t size = 0;
  for (const UpperCaseRun& run : further_lower_case_runs) runs[size++] = run;
  for (const UpperCaseRun& run : upper_case_runs) {
    if (ranges::find(second_lower_cases, run.first) != second_lower_cases.end()) continue;
    const auto upper = [&](std::uint32_t lower) {
      return static_cast<std::uint32_t>(static_cast<std::int64_t>(lower) + run.delta);
    };
    runs[size++] = {upper(run.first), upper(run.last), run.stride, -run.delta};
  }
  ranges::sort(runs, {}, &UpperCaseRun::last);
  return runs;
}();

/// The code point's simple lower-case mapping in Unicode, or the code point itself if it has none.
[[nodiscard]] inline char32_t to_lower(char32_t value) noexcept {
  if (value < 0x80) return value >= U'A' && value <= U'Z' ? value + 0x20 : value;
  return detail::mapped_by(detail::lower_case_runs, value);
}

/// Appends the lower-case form of a code point as UTF-8, with "σ" for "ς".
inline void append_lower_case(std::string& text, char32_t value) {
  const char32_t lower = to_lower(value);
  append_utf8(text, lower == U'ς' ? U'σ' : lower);
}

/// The text in lower case; bytes that are not UTF-8 stay unchanged.
[[nodiscard]] inline std::string lower_case(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const CodePoint head = first_code_point(text);
    if (head.size > 0) {
      append_lower_case(result, head.value);
    } else {
      result.push_back(text.front());
    }
    text.remove_prefix(std::max<std::size_t>(head.size, 1));
  }
  return result;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
