// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is FACTOR read?
//
// Each record has a context, one true completion and three false ones (Muhlgay et al. 2024). A
// statement is the context (`turncated_prefixes`, the field's own spelling), a space unless the
// context ends in white space, and a completion. It is scored byte for byte. All records form one
// relation. Its options are the four roles, and each fact has its own texts for them. The true
// completion is the first option, so a tie would count as right. Records whose completions are not
// all different are therefore reported.

#include <optional>
#include <string>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/lower_case.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/csv_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline const std::vector<std::string>& factor_roles() {
  static const std::vector<std::string> roles{"completion", "contradiction_0", "contradiction_1",
                                              "contradiction_2"};
  return roles;
}

/// A note to show with the numbers. The calibration paper uses Wiki-FACTOR, and only the file's
/// name shows which part of FACTOR a file contains.
inline std::string factor_note(const std::string& file_name) {
  const std::string name = lower_case(file_name);
  if (name.find("wiki") != std::string::npos) return "";
  const bool expert = name.find("expert") != std::string::npos;
  return std::string(expert ? "Expert-FACTOR: not" : "FACTOR, but, judging by its name, not") +
         " the calibration paper's Wiki-FACTOR, so the numbers are not comparable with the "
         "paper's.";
}

/// Reads only the file's first line.
inline bool is_factor_header(const DiskPath& file) {
  return first_line(file).find("turncated_prefixes") != std::string::npos;
}

/// The FACTOR file at a path: the file itself, or the only .csv in a folder; nullopt if it is not
/// FACTOR.
[[nodiscard]] inline std::optional<DiskPath> factor_file(const DiskPath& path) {
  const std::vector<DiskPath> tables = path.files(".csv");
  if (tables.size() != 1 || !detail::is_factor_header(tables.front())) return std::nullopt;
  return tables.front();
}

/// Throws a user error if the file cannot be read or lacks a column; all other problems are passed
/// to `report`.
[[nodiscard]] inline Dataset load_factor(const DiskPath& file,
                                         const ProblemSink& report = throw_problem) {
  const CsvFile csv(file, report);
  std::vector<std::string> columns = detail::factor_roles();
  columns.push_back("turncated_prefixes");
  for (const std::string& column : columns) (csv.require)(column);
  Dataset dataset{file.stem(), {}, {file}};
  Relation relation;
  relation.code = file.stem();
  relation.templates = {"[X][Y]"};
  relation.options = relation.option_ids = detail::factor_roles();
  relation.file = file;
  relation.verbatim = true;
  relation.cardinality = Cardinality::many_to_one;
  relation.note = detail::factor_note(relation.code);
  std::size_t instance = 0;
  for (const CsvRecord& record : csv.records()) {
    Fact fact;
    fact.instance = instance++;
    fact.line = record.line;
    fact.subject_id = std::to_string(fact.instance);
    fact.subject = csv.at(record, "turncated_prefixes");
    bool sound = true;
    const auto refuse = [&](const std::string& field, const char* what, const char* remedy) {
      report(user_error({file, record.line, field}, what, remedy));
      sound = false;
    };
    if (fact.subject.empty()) refuse("turncated_prefixes", "is empty", "add the context");
    for (const std::string& role : detail::factor_roles()) {
      const std::string& text = csv.at(record, role);
      if (text.empty()) {
        refuse(role, "is empty", "add the completion");
      } else if (ranges::find(fact.choices, text) != fact.choices.end()) {
        refuse(role, "has the same text as another completion", "remove the record");
      }
      fact.choices.push_back(text);
    }
    if (!sound) continue;
    if (std::isspace(static_cast<unsigned char>(fact.subject.back())) == 0) fact.subject += ' ';
    relation.facts.push_back(std::move(fact));
  }
  if (!relation.facts.empty()) dataset.relations.push_back(std::move(relation));
  return dataset;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
