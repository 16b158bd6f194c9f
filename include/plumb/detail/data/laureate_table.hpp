// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is IC-LKE's table of Nobel laureates read?
//
//   Name,Birth Year,Award Year,Nature of Award,Gender
//   Albert Einstein,1879,1921,Physics,male
// This is a .csv whose header contains Name and Birth Year, as in the paper's printed excerpt; the
// file itself is not published. Each of the four columns other than Name is a relation. Its name is
// the column's name in lower case, with spaces replaced by "-". A column may be missing, and an
// empty field yields no fact. A column with only one distinct value, as in a table for a single
// prize, is skipped. There are no templates. Source: "Towards Reliable Latent Knowledge Estimation
// in LLMs", appendix A.1, whose probe uses birth-year.

#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/text_file.hpp"
#include "plumb/detail/data/csv_file.hpp"
#include "plumb/detail/data/relation_builder.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The table at a path: the file itself, or the only .csv in a folder; nullopt if it is not such a
/// table.
[[nodiscard]] inline std::optional<DiskPath> laureate_file(const DiskPath& path) {
  const std::vector<DiskPath> files = path.files(".csv");
  if (files.size() != 1) return std::nullopt;
  const std::string header = first_line(files.front());
  const bool fits =
      header.find("Name") != std::string::npos && header.find("Birth Year") != std::string::npos;
  return fits ? std::optional(files.front()) : std::nullopt;
}

/// Throws a user error if the file cannot be read or lacks a required column. Unusable records and
/// relations are passed to `report`.
[[nodiscard]] inline Dataset load_laureates(const DiskPath& file,
                                            const ProblemSink& report = throw_problem) {
  struct Column {
    const char* name;
    const char* code;
  };
  constexpr std::array<Column, 4> columns{{{"Birth Year", "birth-year"},
                                           {"Award Year", "award-year"},
                                           {"Nature of Award", "nature-of-award"},
                                           {"Gender", "gender"}}};
  const CsvFile csv(file, report);
  (csv.require)("Name");
  (csv.require)("Birth Year");
  Dataset dataset{file.stem(), {}, {file}};
  for (const Column& column : columns) {
    if (!csv.has(column.name)) continue;
    RelationBuilder builder(column.code, report);
    builder.needs_no_template();
    std::set<std::string> objects;
    for (const CsvRecord& record : csv.records()) {
      const std::string& object = csv.at(record, column.name);
      if (object.empty()) continue;
      objects.insert(object);
      builder.add_fact(csv.at(record, "Name"), object, {file, record.line});
    }
    if (objects.size() < 2 && column.name != columns.front().name) {
      dataset.left_out.push_back(std::string(column.code) + " (" +
                                 counted(objects.size(), "answer") + " in all)");
      continue;
    }
    if (auto relation = std::move(builder).finish({.file = file, .field = column.name})) {
      dataset.relations.push_back(std::move(*relation));
    }
  }
  return dataset;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
