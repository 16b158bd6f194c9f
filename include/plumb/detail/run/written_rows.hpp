// SPDX-License-Identifier: Apache-2.0
#pragma once

// Does a file still contain the vectors that were written to it?
//
// For each pack of embedded texts, the journal lists the rows that the pack wrote into the file,
// counted from 0, with the FNV-1a hash of their bytes in that order: {"rows": [0, 1], "fnv1a":
// "af63dc4c8601ec8c"}. Journals from earlier versions contain an empty list instead, which cannot
// be checked.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "plumb/detail/core/hash.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/rank/vectors.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline std::uint64_t hash_of_rows(VectorRows vectors, std::span<const std::size_t> rows) {
  const std::size_t size = static_cast<std::size_t>(vectors.cols()) * sizeof(float);
  std::uint64_t hash = fnv1a("");
  for (const std::size_t row : rows) {
    const auto* bytes = reinterpret_cast<const char*>(vectors.data()) + row * size;
    hash = fnv1a({bytes, size}, hash);
  }
  return hash;
}

/// The journal's entry for a pack that wrote these rows.
[[nodiscard]] inline Json written_rows(VectorRows vectors, const std::vector<std::size_t>& rows) {
  return {{"rows", rows}, {"fnv1a", hash_digits(detail::hash_of_rows(vectors, rows))}};
}

/// The first row of a pack if its rows have changed since they were written, or the first missing
/// row; nothing if all rows match. Throws Json::exception if the entry does not have the format
/// that `written_rows` produces.
[[nodiscard]] inline std::optional<std::size_t> changed_row(VectorRows vectors,
                                                            const Json& recorded) {
  if (recorded.empty()) return std::nullopt;
  const std::vector<std::size_t> rows = recorded.at("rows");
  for (const std::size_t row : rows) {
    if (row >= static_cast<std::size_t>(vectors.rows())) return row;
  }
  if (recorded.at("fnv1a") == hash_digits(detail::hash_of_rows(vectors, rows))) return std::nullopt;
  return rows.empty() ? 0 : rows.front();
}

/// Whether two lists of vectors have the same shape and bytes.
[[nodiscard]] inline bool are_same_bytes(VectorRows a, VectorRows b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(float)) == 0;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
