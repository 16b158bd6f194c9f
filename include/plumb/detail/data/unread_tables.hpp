// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which tables in a dataset's folder are not read?
//
// A format reads only files with one extension. A training part with a different extension
// (train.csv next to test.jsonl) would be ignored, and shots would be drawn from the test facts. A
// table is recognised by its extension, in upper or lower case, compressed or not. Because
// templates are JSON too, a .json file is treated as a table only if it also has a table's name
// (test.json) or contains rows of facts. A JSON Lines file of templates is not a table. Subfolders
// are not searched.

#include <array>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/lower_case.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_file.hpp"
#include "plumb/detail/data/choice_table.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/data/json_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline constexpr auto table_endings = std::to_array<std::string_view>(
    {".csv", ".tsv", ".tab", ".jsonl", ".ndjson", ".jl", ".parquet", ".arrow", ".feather", ".xls",
     ".xlsx", ".ods", ".pkl", ".pickle"});
inline constexpr auto packed_endings =
    std::to_array<std::string_view>({".gz", ".bz2", ".xz", ".zst", ".zip"});

/// Whether a JSON value contains rows of facts: a JSON object with subject and object fields, or
/// lists or columns of such objects.
[[nodiscard]] inline bool holds_fact_rows(const Json& value, int depth = 3) {
  if (depth == 0 || !value.is_structured()) return false;
  if (value.is_object()) {
    const Json fact = choice_table_fact(value);
    if (fact.contains("sub_label") && fact.contains("obj_label")) return true;
    if (value.contains("head") && value.contains("tail")) return true;
  }
  return ranges::any_of(value, [&](const Json& one) { return holds_fact_rows(one, depth - 1); });
}

/// Whether a file in a dataset's folder is a table.
[[nodiscard]] inline bool is_table(const DiskPath& file) {
  std::string name = lower_case(file.name());
  for (const std::string_view packed : packed_endings) {
    if (name.ends_with(packed)) name.resize(name.size() - packed.size());
  }
  const bool is_packed = name.size() < file.name().size();
  Json row;
  if (name.ends_with(".jsonl") && !is_packed) {
    const bool is_row = !parse_json(first_line(file), row) && row.is_object();
    return !is_row || !row.contains("template");
  }
  if (ranges::any_of(table_endings, [&](std::string_view end) { return name.ends_with(end); })) {
    return true;
  }
  if (!name.ends_with(".json")) return false;
  if (is_packed || split_file(file) != SplitFile::none) return true;
  if (!parse_json(read_text(file), row)) return holds_fact_rows(row);
  return !parse_json(first_line(file), row) && holds_fact_rows(row);
}

/// Reports a folder's tables that are neither among the dataset's files nor in its `left_out`.
inline void report_unread_tables(const DiskPath& folder, const Dataset& dataset,
                                 const ProblemSink& report) {
  if (!folder.is_folder() || dataset.files.empty()) return;
  const std::string read = dataset.files.front().filename().string();
  for (const DiskPath& file : folder.list()) {
    const bool is_known = ranges::find(dataset.files, file.path()) != dataset.files.end() ||
                          ranges::find(dataset.left_out, file.name()) != dataset.left_out.end();
    if (is_known || !file.is_file() || !is_table(file)) continue;
    report(user_error({.file = file}, "is not read, because the dataset is read from " + read,
                      "convert all tables to one format, pass only the file to read, or move this "
                      "one elsewhere"));
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
