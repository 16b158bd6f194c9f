// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does each column of a user's table contain?
//
//   subject, relation, object      any names that triple_header.hpp knows, in any order and case
//   subject_id, object_id          identifiers: also subj_id, obj_id, head_id, …
//   subject_aliases, object_aliases   other names: also s_aliases, o_aliases, possible_answers
//   objects, answers, tails        instead of the object, if a fact has several right objects
// All other columns are stored unchanged with the fact. A column called subject, relation or object
// always has that role, so if "relation" exists, "type" is just another column. If both "source"
// and "head" exist, neither is taken as the subject.

#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/bare_name.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/data/triple_header.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The indices of a row's fields.
struct FactColumns {
  std::size_t subject = 0, relation = 0, object = 0;
  std::optional<std::size_t> subject_id{}, object_id{};
  std::vector<std::size_t> subject_aliases{}, object_aliases{};
  /// Whether the object's column may contain several objects, separated by ";" or "|".
  bool several = false;

  /// Whether a column has one of these roles.
  [[nodiscard]] bool has(std::size_t column) const {
    const auto among = [&](const std::vector<std::size_t>& columns) {
      return ranges::find(columns, column) != columns.end();
    };
    return column == subject || column == relation || column == object || column == subject_id ||
           column == object_id || among(subject_aliases) || among(object_aliases);
  }
};

inline constexpr auto subject_id_names = std::to_array<std::string_view>(
    {"subjectid", "subjid", "subid", "headid", "sourceid", "sid", "subjecturi", "suburi", "suri"});
inline constexpr auto relation_id_names =
    std::to_array<std::string_view>({"relationid", "predicateid", "propid", "propertyid", "relid"});
inline constexpr auto object_id_names = std::to_array<std::string_view>(
    {"objectid", "objid", "tailid", "targetid", "oid", "objecturi", "objuri", "ouri"});
inline constexpr auto subject_alias_names = std::to_array<std::string_view>(
    {"subjectaliases", "subjaliases", "subaliases", "headaliases", "saliases"});
inline constexpr auto object_alias_names = std::to_array<std::string_view>(
    {"possibleanswers", "objectaliases", "objaliases", "tailaliases", "oaliases", "answeraliases"});
inline constexpr auto several_object_names =
    std::to_array<std::string_view>({"objects", "answers", "tails", "targets"});

/// The indices of the columns with known names.
inline std::vector<std::size_t> columns_named(const std::vector<std::string>& header,
                                              std::span<const std::string_view> known) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (ranges::find(known, bare_name(header[i])) != known.end()) found.push_back(i);
  }
  return found;
}

/// The columns that could have one of the three roles: the column called `normal` if it exists,
/// otherwise all columns with a known name. Identifier columns are included only if there are no
/// others.
inline std::vector<std::size_t> role_columns(const std::vector<std::string>& header,
                                             std::string_view normal,
                                             std::span<const std::string_view> known,
                                             std::span<const std::string_view> ids) {
  std::vector<std::size_t> found = columns_named(header, std::span(&normal, 1));
  if (!found.empty()) return found;
  found = columns_named(header, known);
  std::vector<std::size_t> names = found;
  std::erase_if(names, [&](std::size_t column) {
    return ranges::find(ids, bare_name(header[column])) != ids.end();
  });
  return names.empty() ? found : names;
}

/// For each of subject, relation and object, the columns that could have that role.
inline std::array<std::vector<std::size_t>, 3> named_columns(
    const std::vector<std::string>& header) {
  std::array<std::vector<std::size_t>, 3> made{
      role_columns(header, "subject", head_names, subject_id_names),
      role_columns(header, "relation", relation_names, relation_id_names),
      role_columns(header, "object", tail_names, object_id_names)};
  if (made[2].empty()) made[2] = columns_named(header, several_object_names);
  return made;
}

/// The roles of a header's columns; nullopt unless each of the three roles has exactly one column.
[[nodiscard]] inline std::optional<FactColumns> fact_columns(
    const std::vector<std::string>& header) {
  const auto roles = detail::named_columns(header);
  if (ranges::any_of(roles, [](const auto& columns) { return columns.size() != 1; })) {
    return std::nullopt;
  }
  FactColumns made{
      .subject = roles[0].front(), .relation = roles[1].front(), .object = roles[2].front()};
  made.several =
      ranges::find(detail::several_object_names, detail::bare_name(header[made.object])) !=
      detail::several_object_names.end();
  // Finds the first column that has no role yet and has one of the `known` names.
  const auto further = [&](std::span<const std::string_view> known) -> std::optional<std::size_t> {
    for (const std::size_t column : detail::columns_named(header, known)) {
      if (!made.has(column)) return column;
    }
    return std::nullopt;
  };
  made.subject_id = further(detail::subject_id_names);
  made.object_id = further(detail::object_id_names);
  made.subject_aliases = detail::columns_named(header, detail::subject_alias_names);
  made.object_aliases = detail::columns_named(header, detail::object_alias_names);
  return made;
}

/// The problem with a header that does not belong to a table of facts, such as "the header
/// 'country', 'capital' names no subject and no object".
[[nodiscard]] inline std::string lacking_columns(const std::vector<std::string>& header) {
  const auto roles = detail::named_columns(header);
  constexpr std::array<const char*, 3> names{"subject", "relation", "object"};
  std::vector<std::string> lacks;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (roles[i].size() == 1) continue;
    lacks.push_back((roles[i].empty() ? "no " : "more than one ") + std::string(names[i]));
  }
  return "the header " +
         text_list(
             header, [](const std::string& name) { return "'" + name + "'"; }, ", ", ", ") +
         " names " + text_list(lacks, {}, ", ", " and ");
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
