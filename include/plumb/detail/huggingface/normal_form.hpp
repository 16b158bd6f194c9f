// SPDX-License-Identifier: Apache-2.0
#pragma once

// Converts a text to one of Unicode's normal forms, and records which characters each new character
// replaces.
//
// The forms are NFD, NFC, NFKD and NFKC of UAX 15. utf8proc decomposes characters and determines
// which pairs compose. The ordering of combining marks and the recording of changes are implemented
// here, because utf8proc does not track offsets.

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/huggingface/aligned_text.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

enum class NormalForm { nfd, nfc, nfkd, nfkc };

[[nodiscard]] inline int combining_class(char32_t c) noexcept {
  if (c < 0x300) return 0;
  return utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->combining_class;
}

/// Fully decomposes a text, and sorts each run of combining marks by class.
[[nodiscard]] inline std::vector<CharacterChange> decomposed(std::string_view text,
                                                             bool compatible) {
  std::vector<CharacterChange> result;
  result.reserve(text.size());
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE |
                                                      (compatible ? UTF8PROC_COMPAT : 0));
  std::array<utf8proc_int32_t, 32> parts{};
  std::size_t run = 0;  // where the marks after the last starter begin
  const auto order = [&] {
    std::stable_sort(result.begin() + static_cast<std::ptrdiff_t>(run), result.end(),
                     [](const CharacterChange& a, const CharacterChange& b) {
                       return combining_class(a.value) < combining_class(b.value);
                     });
  };
  const auto push = [&](char32_t c, bool inserted) {
    if (combining_class(c) == 0) {
      order();
      result.push_back({c, inserted ? 1 : 0});
      run = result.size();
    } else {
      result.push_back({c, inserted ? 1 : 0});
    }
  };
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = first_code_point(text.substr(at));
    at += c.size;
    if (c.value < 0x80) {
      push(c.value, false);
      continue;
    }
    const auto count =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c.value), parts.data(),
                                static_cast<utf8proc_ssize_t>(parts.size()), options, nullptr);
    if (count <= 0 || count > static_cast<utf8proc_ssize_t>(parts.size())) {
      push(c.value, false);
      continue;
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      push(static_cast<char32_t>(parts[i]), i > 0);
    }
  }
  order();
  return result;
}

/// The single character into which the pair composes; nullopt if there is none or it is excluded.
[[nodiscard]] inline std::optional<char32_t> composed_pair(char32_t first, char32_t second) {
  if (first < 0x3C || second < 0x300) return std::nullopt;
  std::array<utf8proc_int32_t, 2> pair{static_cast<utf8proc_int32_t>(first),
                                       static_cast<utf8proc_int32_t>(second)};
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
  if (utf8proc_normalize_utf32(pair.data(), 2, options) != 1) return std::nullopt;
  return static_cast<char32_t>(pair[0]);
}

/// The canonical composition of a full decomposition.
[[nodiscard]] inline std::vector<CharacterChange> recomposed(
    const std::vector<CharacterChange>& parts) {
  std::vector<CharacterChange> result;
  result.reserve(parts.size());
  constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::size_t starter = none;
  int last_class = -1;  // class of the last mark after the starter; -1 if there is none
  for (const CharacterChange& part : parts) {
    const int its_class = combining_class(part.value);
    if (starter != none && last_class < its_class) {
      if (const auto both = composed_pair(result[starter].value, part.value)) {
        result[starter] = {*both, result[starter].change + part.change - 1};
        continue;
      }
    }
    if (its_class == 0) {
      starter = result.size();
      last_class = -1;
    } else {
      last_class = its_class;
    }
    result.push_back(part);
  }
  return result;
}

/// Converts a text to the given normal form.
inline void normalize(AlignedText& text, NormalForm form) {
  const std::string_view now = text.text();
  if (std::all_of(now.begin(), now.end(), [](char c) { return (c & 0x80) == 0; })) return;
  const bool compatible = form == NormalForm::nfkd || form == NormalForm::nfkc;
  std::vector<CharacterChange> changes = detail::decomposed(now, compatible);
  if (form == NormalForm::nfc || form == NormalForm::nfkc) changes = detail::recomposed(changes);
  text.transform(changes);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
