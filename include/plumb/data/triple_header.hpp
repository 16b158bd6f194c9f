// SPDX-License-Identifier: Apache-2.0
#pragma once

// Is the first line of a table of triples a header, and which column holds what?
//
//   head <tab> relation <tab> tail       subject <tab> predicate <tab> object
// A line is a header when each of its three fields is a known name of another column, whatever its case,
// quotes, spaces and underscores: "Subject_ID" is "subject id". Fields may come in any order, as OpenKE
// has head, tail, relation; the rows are read in the header's. Non-goal: headers that do not say what
// their columns are ("0", "col1").

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/core/over.hpp"

namespace plumb {

/// Places of a row's fields.
struct TripleColumns {
  std::size_t head = 0;
  std::size_t relation = 1;
  std::size_t tail = 2;
};

namespace detail {

/// The name of a field as its letters and digits in lower case: "Multiple_Choices" as "multiplechoices".
inline std::string bare_field_name(std::string_view name) {
  std::string bare;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') bare += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80) {
      bare += c;
    }
  }
  return bare;
}

inline constexpr auto head_names = std::to_array<std::string_view>(
    {"head", "headentity", "headid", "h", "subject", "subjectid", "subj", "sub", "s", "source",
     "sourceid", "src", "from", "start", "entity1", "e1"});
inline constexpr auto relation_names = std::to_array<std::string_view>(
    {"relation", "relationid", "relationtype", "relationship", "rel", "r", "predicate",
     "predicateid", "pred", "p", "property", "edge", "edgetype", "label", "type"});
inline constexpr auto tail_names = std::to_array<std::string_view>(
    {"tail", "tailentity", "tailid", "t", "object", "objectid", "obj", "o", "target", "targetid",
     "tgt", "dst", "destination", "to", "end", "entity2", "e2"});

}  // namespace detail

/// The columns that a header names; nothing for a line that is none.
[[nodiscard]] inline std::optional<TripleColumns> triple_header(
    const std::vector<std::string>& fields) {
  if (fields.size() != 3) return std::nullopt;
  std::vector<std::string> names;
  for (const std::string& field : fields) names.push_back(detail::bare_field_name(field));
  const auto place = [&](const auto& known) {
    return static_cast<std::size_t>(over::find_if(names,
                                                  [&](const std::string& name) {
                                                    return over::find(known, name) != known.end();
                                                  }) -
                                    names.begin());
  };
  // No name is in two of the lists, so three places that are there are three columns.
  const TripleColumns columns{place(detail::head_names), place(detail::relation_names),
                              place(detail::tail_names)};
  if (columns.head == 3 || columns.relation == 3 || columns.tail == 3) return std::nullopt;
  return columns;
}

}  // namespace plumb
