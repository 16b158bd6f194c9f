// SPDX-License-Identifier: Apache-2.0
#pragma once

// Is the first line of a table of triples a header, and what does each column contain?
//
//   head <tab> relation <tab> tail       subject <tab> predicate <tab> object
// A line is a header if its three fields are known names of three different columns. Case, quotes,
// spaces and underscores are ignored: "Subject_ID" is the same as "subject id". Fields may be in
// any order (OpenKE has head, tail, relation), and the rows are read in the header's order.
// Non-goal: headers that do not name their columns ("0", "col1").

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/bare_name.hpp"
#include "plumb/detail/core/ranges.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The indices of the fields in a row.
struct TripleColumns {
  std::size_t head = 0;
  std::size_t relation = 1;
  std::size_t tail = 2;
};

inline constexpr auto head_names = std::to_array<std::string_view>(
    {"head", "headentity", "headid", "h", "subject", "subjectid", "subj", "sub", "s", "source",
     "sourceid", "src", "from", "start", "entity1", "e1"});
inline constexpr auto relation_names = std::to_array<std::string_view>(
    {"relation", "relationid", "relationtype", "relationship", "rel", "r", "predicate",
     "predicateid", "pred", "p", "property", "prop", "edge", "edgetype", "label", "type"});
inline constexpr auto tail_names = std::to_array<std::string_view>(
    {"tail", "tailentity", "tailid", "t", "object", "objectid", "obj", "o", "target", "targetid",
     "tgt", "dst", "destination", "to", "end", "entity2", "e2"});

/// The three columns in a header; nullopt unless each of them is named by exactly one field.
[[nodiscard]] inline std::optional<TripleColumns> triple_columns(
    const std::vector<std::string>& header) {
  const auto place = [&](const auto& known) -> std::optional<std::size_t> {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < header.size(); ++i) {
      if (ranges::find(known, detail::bare_name(header[i])) == known.end()) continue;
      if (found) return std::nullopt;
      found = i;
    }
    return found;
  };
  const auto head = place(detail::head_names), relation = place(detail::relation_names),
             tail = place(detail::tail_names);
  if (!head || !relation || !tail) return std::nullopt;
  return TripleColumns{*head, *relation, *tail};
}

/// The columns named by a line of three fields; nullopt if the line is not a header.
[[nodiscard]] inline std::optional<TripleColumns> triple_header(
    const std::vector<std::string>& fields) {
  return fields.size() == 3 ? triple_columns(fields) : std::nullopt;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
