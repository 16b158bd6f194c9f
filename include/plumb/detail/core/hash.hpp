// SPDX-License-Identifier: Apache-2.0
#pragma once

// Hashes a text, with the same result on every machine. Not suitable for secrets.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// 64-bit FNV-1a. To hash a text in pieces, pass the hash of the preceding pieces as `hash`. Two
/// texts of equal length that differ in exactly one byte always have different hashes, because each
/// step is a bijection of the state. Source: Fowler, Noll and Vo, draft-eastlake-fnv.
[[nodiscard]] constexpr std::uint64_t fnv1a(std::string_view text,
                                            std::uint64_t hash = 0xcbf29ce484222325ULL) noexcept {
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  return hash;
}

/// Allows string_view lookups in an unordered map with string keys.
struct TextHash {
  using is_transparent = void;
  [[nodiscard]] std::size_t operator()(std::string_view text) const noexcept {
    return std::hash<std::string_view>()(text);
  }
};

/// A hash as 16 hexadecimal digits.
[[nodiscard]] inline std::string hash_digits(std::uint64_t hash) {
  std::string digits(16, '0');
  char made[16];
  const auto end = std::to_chars(made, made + 16, hash, 16).ptr;
  const auto count = static_cast<std::size_t>(end - made);
  digits.replace(16 - count, count, made, count);
  return digits;
}
[[nodiscard]] inline std::string fnv1a_hex(std::string_view text) {
  return hash_digits(fnv1a(text));
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
