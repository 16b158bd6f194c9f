// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which older character has the same properties as a new one?
//
// Oniguruma's tables may be older than utf8proc's (Debian 12: Unicode 14 and 15), and `tokenizers`
// contains a newer Oniguruma. A character that only utf8proc knows is therefore replaced, before a
// search, with an older character of the same general category and the same number of bytes. The
// scripts of new characters are unknown, except that of Chinese characters.

#include <utf8proc.h>

#include <array>
#include <cstddef>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A character of a general category with three bytes in UTF-8, and one with four; 0 if there is
/// none.
struct OlderCharacters {
  int category;
  char32_t three_bytes, four_bytes;
};

inline constexpr std::array<OlderCharacters, 24> older_characters{
    {{UTF8PROC_CATEGORY_LU, 0x1E00, 0x10400}, {UTF8PROC_CATEGORY_LL, 0x1E01, 0x10428},
     {UTF8PROC_CATEGORY_LT, 0x1F88, 0},       {UTF8PROC_CATEGORY_LM, 0x1D2C, 0x16B40},
     {UTF8PROC_CATEGORY_LO, 0x0E01, 0x10000}, {UTF8PROC_CATEGORY_MN, 0x20D0, 0x1D167},
     {UTF8PROC_CATEGORY_MC, 0x0903, 0x1D165}, {UTF8PROC_CATEGORY_ME, 0x20DD, 0},
     {UTF8PROC_CATEGORY_ND, 0x0966, 0x104A0}, {UTF8PROC_CATEGORY_NL, 0x2160, 0x10140},
     {UTF8PROC_CATEGORY_NO, 0x2460, 0x10107}, {UTF8PROC_CATEGORY_PC, 0x203F, 0},
     {UTF8PROC_CATEGORY_PD, 0x2010, 0x10EAD}, {UTF8PROC_CATEGORY_PS, 0x2045, 0},
     {UTF8PROC_CATEGORY_PE, 0x2046, 0},       {UTF8PROC_CATEGORY_PI, 0x2018, 0},
     {UTF8PROC_CATEGORY_PF, 0x2019, 0},       {UTF8PROC_CATEGORY_PO, 0x2020, 0x10100},
     {UTF8PROC_CATEGORY_SM, 0x2200, 0x1D6C1}, {UTF8PROC_CATEGORY_SC, 0x20AC, 0x1E2FF},
     {UTF8PROC_CATEGORY_SK, 0x309B, 0x1F3FB}, {UTF8PROC_CATEGORY_SO, 0x2605, 0x1F300},
     {UTF8PROC_CATEGORY_CF, 0x200E, 0x1D173}, {UTF8PROC_CATEGORY_CO, 0xE000, 0xF0000}}};

/// The older character for a character of `size` bytes; 0 if utf8proc does not know the character
/// either, or if there is no older one.
[[nodiscard]] inline char32_t older_character(char32_t c, std::size_t size) noexcept {
  const auto category = static_cast<int>(utf8proc_category(static_cast<utf8proc_int32_t>(c)));
  const bool is_chinese = c >= 0x20000 && c < 0x40000;
  if (category == UTF8PROC_CATEGORY_LO && is_chinese && size == 4) return 0x20000;
  for (const OlderCharacters& each : older_characters) {
    if (each.category != category) continue;
    return size == 3 ? each.three_bytes : size == 4 ? each.four_bytes : 0;
  }
  return 0;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
