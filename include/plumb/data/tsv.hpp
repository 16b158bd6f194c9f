// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a user's own table read?
//
//   facts.tsv    subject <tab> relation <tab> object, one fact a line; a first line that says so, in any order,
//                is a header (triple_header.hpp)
//   facts.csv    the same with commas and RFC 4180's quotes; it needs the header, and further columns are
//                passed over unless they look like choices
//   facts.json   {"relation": ["The capital of [X] is [Y].", …], …}, beside it
//
// In a .tsv there is no quoting: a field ends at a tab or the end of the line. The options are a relation's
// distinct objects, in order of appearance. Without facts.json relations have no templates, for a
// `template_file` or a probe that needs none; they are then in order of appearance.

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/data/choice_fields.hpp"
#include "plumb/data/csv_file.hpp"
#include "plumb/data/relation_builder.hpp"
#include "plumb/data/triple_header.hpp"

namespace plumb {

namespace detail {

inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back().push_back(c);
    }
  }
  return parts;
}

/// Whether the first record of a .csv names a subject, a relation and an object.
inline bool has_fact_columns(const DiskPath& csv) {
  return triple_columns(csv_header(csv)).has_value();
}

/// Subject, relation and object of a row, and its line.
using FactRow = std::function<void(const std::string& subject, const std::string& relation,
                                   const std::string& object, std::size_t line)>;

inline void for_each_tsv_row(const DiskPath& file, const ProblemSink& report,
                             const FactRow& visit) {
  TripleColumns columns;
  bool is_first = true;
  for_each_table_line(file, [&](const std::string& text, std::size_t line) {
    if (first_invalid_utf8(text) != std::string::npos) {
      report(user_error({file, line}, "is not UTF-8", "convert the file"));
      return;
    }
    const auto fields = split(text, '\t');
    if (std::exchange(is_first, false)) {
      if (const auto header = triple_header(fields)) {
        columns = *header;
        return;
      }
    }
    if (fields.size() != 3) {
      report(user_error({file, line}, std::to_string(fields.size()) + " fields instead of 3",
                        "write subject, relation and object with one tab between"));
      return;
    }
    visit(fields[columns.head], fields[columns.relation], fields[columns.tail], line);
  });
}

inline void for_each_csv_row(const DiskPath& file, const ProblemSink& report,
                             const FactRow& visit) {
  const CsvFile csv(file, report);
  const auto columns = triple_columns(csv.header());
  if (!columns) {
    throw user_error({file, 1}, "the header does not name one subject, relation and object",
                     "name the columns subject, relation and object");
  }
  const auto is_read = [&](std::size_t column) {
    return column == columns->head || column == columns->relation || column == columns->tail;
  };
  UnreadChoices unread(report);
  for (const CsvRecord& record : csv.records()) {
    for (std::size_t i = 0; i < record.fields.size(); ++i) {
      if (!is_read(i)) unread.look_at(csv.header()[i], record.fields[i], {file, record.line});
    }
    visit(record.fields[columns->head], record.fields[columns->relation],
          record.fields[columns->tail], record.line);
  }
}

}  // namespace detail

/// Whether a path names a table of facts: a .tsv, a folder with one, or a .csv, itself or the only one of a
/// folder, whose header says so.
[[nodiscard]] inline bool is_fact_table(const DiskPath& path) {
  if (!path.files(".tsv").empty()) return true;
  const std::vector<DiskPath> tables = path.files(".csv");
  return tables.size() == 1 && detail::has_fact_columns(tables.front());
}

/// The table that a path names: itself, or the only one of a folder. Throws a user error for others.
[[nodiscard]] inline DiskPath tsv_file(const DiskPath& path) {
  std::vector<DiskPath> tables = path.files(".tsv");
  if (tables.empty()) tables = path.files(".csv");
  if (tables.size() == 1) return tables.front();
  throw user_error({.file = path},
                   tables.empty() ? "holds no .tsv or .csv file"
                                  : "holds several " + tables.front().extension() + " files",
                   "name the one to read");
}

/// Throws a user error when a file cannot be read; all else goes to `report`.
[[nodiscard]] inline Dataset load_tsv(const DiskPath& table_file,
                                      const ProblemSink& report = throw_problem) {
  if (table_file.extension() == ".tsv") detail::refuse_choices_in_tsv(table_file);
  const auto template_file = table_file.parent() / (table_file.stem() + ".json");
  Dataset dataset{table_file.stem(), {}, {table_file}};
  const bool has_templates = template_file.exists();
  std::vector<std::string> order;
  std::map<std::string, RelationBuilder> builders;
  if (has_templates) {
    dataset.files.push_back(template_file);
    const Json templates = read_json_object(template_file);
    for (const auto& [code, list] : templates.items()) {
      const Site site{.file = template_file, .line = 0, .field = code};
      const auto texts = string_list(templates, code);
      if (!texts) {
        report(user_error(site, "is not a list of templates", "write [\"… [X] … [Y] …\"]"));
        continue;
      }
      order.push_back(code);
      RelationBuilder& builder = builders.try_emplace(code, code, report).first->second;
      for (const std::string& text : *texts) builder.add_template(text, site);
    }
  }
  const auto add = [&](const std::string& subject, const std::string& relation,
                       const std::string& object, std::size_t line) {
    if (subject.empty() || object.empty()) {
      report(user_error({table_file, line, subject.empty() ? "subject" : "object"}, "is empty",
                        "fill the field or remove the line"));
      return;
    }
    auto builder = builders.find(relation);
    if (builder == builders.end()) {
      if (has_templates) {
        report(user_error({table_file, line, "relation"}, "'" + relation + "' has no templates",
                          "add it to " + template_file.string()));
        return;
      }
      order.push_back(relation);
      builder = builders.try_emplace(relation, relation, report).first;
      builder->second.needs_no_template();
    }
    builder->second.add_fact(subject, object, {table_file, line});
  };
  if (table_file.extension() == ".csv") {
    detail::for_each_csv_row(table_file, report, add);
  } else {
    detail::for_each_tsv_row(table_file, report, add);
  }
  for (const std::string& code : order) {
    if (auto relation = std::move(builders.at(code)).finish({.file = table_file})) {
      dataset.relations.push_back(std::move(*relation));
    }
  }
  return dataset;
}

}  // namespace plumb
