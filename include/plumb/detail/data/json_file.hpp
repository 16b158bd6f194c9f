// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does a JSON or JSON Lines file contain, and which line contains a mistake?
//
// Every loader uses these functions, so that a broken file is always reported in the same way, with
// file, line and remedy. Keys keep their order. Non-goal: schemas.

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/text_file.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/core/white_space.hpp"
#include "plumb/detail/data/dataset.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// JSON that preserves the order of keys.
using Json = nlohmann::ordered_json;

/// How deeply lists and objects may be nested. Functions that copy or write a value recurse once
/// for each level.
inline constexpr std::size_t deepest_json = 500;

/// The byte at which the nesting becomes too deep, whether or not the text is JSON; nullopt if it
/// never does.
[[nodiscard]] inline std::optional<std::size_t> too_deep_at(std::string_view text) {
  const auto opens = [](char c) { return c == '[' || c == '{'; };
  if (std::count_if(text.begin(), text.end(), opens) <= std::ptrdiff_t{deepest_json}) return {};
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c == '\\') ++at;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (opens(c)) {
      if (++depth > deepest_json) return at;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return {};
}

inline std::size_t line_of_byte(std::string_view text, std::size_t byte) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>((std::min)(byte, text.size()));
  return 1 + static_cast<std::size_t>(std::count(text.begin(), end, '\n'));
}

/// Parses a text into `value`. Returns the problem if the text is not JSON, otherwise nullopt.
inline std::optional<std::string> parse_json(std::string_view text, Json& value,
                                             std::size_t* bad_byte = nullptr) {
  if (const auto at = first_invalid_utf8(text); at != std::string_view::npos) {
    if (bad_byte != nullptr) *bad_byte = at;
    return "not UTF-8 at byte " + std::to_string(at + 1);
  }
  if (const auto at = too_deep_at(text)) {
    if (bad_byte != nullptr) *bad_byte = *at;
    return "nested more than " + std::to_string(deepest_json) + " levels deep at byte " +
           std::to_string(*at + 1);
  }
  try {
    value = Json::parse(text);
    return std::nullopt;
  } catch (const Json::parse_error& error) {
    const std::size_t at = error.byte == 0 ? 0 : error.byte - 1;
    if (bad_byte != nullptr) *bad_byte = at;
    // Python writes these values, but JSON does not allow them.
    for (const std::string_view word : {"NaN", "Infinity", "-Infinity"}) {
      if (text.substr((std::min)(at, text.size())).starts_with(word)) {
        return "contains " + std::string(word) + ", which JSON does not allow (byte " +
               std::to_string(error.byte) + ")";
      }
    }
    return "not JSON (byte " + std::to_string(error.byte) + ")";
  } catch (const Json::out_of_range& error) {  // a number outside the range of double
    if (bad_byte != nullptr) *bad_byte = 0;
    return "not JSON (contains a number outside the range of double)";
  }
}

/// Parses a file's text as JSON. Throws a user error if the text is not JSON.
[[nodiscard]] inline Json json_of_text(const std::string& text, const DiskPath& file) {
  refuse_lfs_pointer(file, text);
  Json value;
  std::size_t bad_byte = 0;
  if (const auto wrong = detail::parse_json(text, value, &bad_byte)) {
    throw user_error({file, detail::line_of_byte(text, bad_byte)}, *wrong, "fix the syntax there");
  }
  return value;
}

/// Like json_of_text, but the text must contain an object.
[[nodiscard]] inline Json object_of_text(const std::string& text, const DiskPath& file) {
  Json value = json_of_text(text, file);
  if (!value.is_object()) {
    throw user_error({file, 1}, "is JSON but not an object", "write {…}");
  }
  return value;
}

/// Reads a file that contains one JSON value. Throws a user error if the file does not contain one.
[[nodiscard]] inline Json read_json(const DiskPath& file) {
  return json_of_text(read_text(file), file);
}

/// Reads a file that contains one JSON object. Throws a user error if it does not.
[[nodiscard]] inline Json read_json_object(const DiskPath& file) {
  return object_of_text(read_text(file), file);
}

/// The line number, counted from 1, of `value` after `key` in a JSON text. Returns the key's line
/// if `value` is empty or is spelled differently from how nlohmann-json would write it, and 0 if
/// the key itself is spelled differently.
[[nodiscard]] inline std::size_t line_of_json(std::string_view text, const std::string& key,
                                              const std::string& value = {}) {
  const std::string wanted = Json(key).dump();
  for (std::size_t at = text.find(wanted); at != text.npos; at = text.find(wanted, at + 1)) {
    const std::size_t behind = text.find_first_not_of(" \t\r\n", at + wanted.size());
    if (behind == text.npos || text[behind] != ':')
      continue;  // not a key, but a string value with
                 // the same text
    const std::size_t there = value.empty() ? text.npos : text.find(Json(value).dump(), behind);
    return detail::line_of_byte(text, there == text.npos ? at : there);
  }
  return 0;
}

/// The .jsonl files at a path, in sorted order; empty if any file does not begin with an object
/// that `fits` accepts.
template <class Fits>
[[nodiscard]] std::vector<DiskPath> files_of_rows(const DiskPath& path, Fits fits) {
  std::vector<DiskPath> files = path.files(".jsonl");
  for (const DiskPath& file : files) {
    Json row;
    if (detail::parse_json(first_line(file), row) || !row.is_object() || !fits(row)) return {};
  }
  return files;
}

/// Calls `visit(object, line)`, or `visit(object, line, text)`, for each line. Skips blank lines and
/// reports invalid ones.
template <class Visit>
void for_each_json_line(const DiskPath& file, const ProblemSink& report, Visit visit) {
  for_each_line(file, [&](const std::string& text, std::size_t line) {
    if (is_blank(text)) return;
    Json value;
    if (const auto wrong = detail::parse_json(text, value)) {
      report(user_error({file, line}, *wrong, "each line must be one JSON object"));
    } else if (!value.is_object()) {
      report(user_error({file, line}, "is JSON but not an object", "each line must be {…}"));
    } else if constexpr (std::is_invocable_v<Visit&, Json&, std::size_t, const std::string&>) {
      visit(value, line, text);
    } else {
      visit(value, line);
    }
  });
}

/// The list of strings under `field`; nullopt if it is absent or has another type.
[[nodiscard]] inline std::optional<std::vector<std::string>> string_list(const Json& object,
                                                                         const std::string& field) {
  const auto found = object.find(field);
  if (found == object.end() || !found->is_array()) return std::nullopt;
  std::vector<std::string> list;
  for (const Json& item : *found) {
    if (!item.is_string()) return std::nullopt;
    list.push_back(item.get<std::string>());
  }
  return list;
}

/// Whether an object has a field whose value is not null.
[[nodiscard]] inline bool has_value(const Json& object, const std::string& field) {
  const auto found = object.find(field);
  return found != object.end() && !found->is_null();
}

/// The first non-empty string under one of `fields`; nullopt if there is none.
template <class... Fields>
[[nodiscard]] std::optional<std::string> first_string(const Json& object, const Fields&... fields) {
  std::optional<std::string> result;
  const auto look = [&](const char* field) {
    const auto found = object.find(field);
    if (!result && found != object.end() && found->is_string() &&
        !found->template get_ref<const std::string&>().empty()) {
      result = found->template get<std::string>();
    }
  };
  (look(fields), ...);
  return result;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
