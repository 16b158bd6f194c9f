// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a user's own table read?
//
//   facts.tsv    subject <tab> relation <tab> object, one fact per line, without quoting; or
//                any columns, with a header that names them (fact_columns.hpp) and RFC 4180 quotes
//   facts.csv    the same with commas; the header is required
//   facts.jsonl  objects with these fields, as Hugging Face's datasets library writes a table
//   facts.json   {"relation": ["The capital of [X] is [Y].", …], …}, next to the table
//
// The options are a relation's distinct objects, in order of appearance. A row with several correct
// objects yields one fact for each of them. The objects are in a JSON or Python list, or in a
// column for several objects (such as `objects`). Other columns are stored with the fact, but
// columns that look like choices are rejected. Without facts.json, relations have no templates and
// are in order of appearance; they need a `template_file` or a probe without templates.

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/bare_name.hpp"
#include "plumb/detail/core/white_space.hpp"
#include "plumb/detail/data/choice_fields.hpp"
#include "plumb/detail/data/csv_file.hpp"
#include "plumb/detail/data/fact_columns.hpp"
#include "plumb/detail/data/python_list.hpp"
#include "plumb/detail/data/relation_builder.hpp"
#include "plumb/detail/data/triple_header.hpp"
#include "plumb/detail/data/written_numbers.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

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

/// A fact in the form that RelationBuilder reads, with the additional fields "relation" and
/// "objects".
using FactRow = std::function<void(Json& fact, std::size_t line)>;

inline char separator_of(const DiskPath& table) {
  return table.extension() == ".tsv" ? '\t' : ',';
}

/// A table's column names: its first record, or the fields of its first JSON object.
inline std::vector<std::string> table_header(const DiskPath& table) {
  if (table.extension() != ".jsonl") return csv_header(table, separator_of(table));
  std::vector<std::string> names;
  Json row;
  if (!parse_json(first_line(table), row) && row.is_object()) {
    for (const auto& [name, value] : row.items()) names.push_back(name);
  }
  return names;
}

/// A field as text; a missing value (null) is empty.
inline std::string field_text(const Json& field) {
  return field.is_string() ? field.get<std::string>() : field.is_null() ? "" : field.dump();
}

/// Whether a text in brackets is a name, such as "[REC]", and not a list.
inline bool is_bracketed_name(const std::string& text) {
  if (text.find_first_of(",;|\"'") != std::string::npos) return false;
  const std::string word = bare_name(text);
  const bool has_letter = ranges::any_of(word, [](char c) { return c < '0' || c > '9'; });
  constexpr std::array values{"none", "null", "nan", "true", "false"};
  return has_letter && ranges::none_of(values, [&](const char* value) { return word == value; });
}

/// The strings in a field that contains several: a list, a string that contains a list or, if
/// `separated` is true, strings separated by ";" or "|". Returns nullopt after reporting an invalid
/// list.
inline std::optional<std::vector<std::string>> several_texts(const Json& field, bool separated,
                                                             const Site& site,
                                                             const ProblemSink& report) {
  std::vector<std::string> texts;
  if (field.is_array()) {
    for (const Json& one : field) texts.push_back(field_text(one));
    return texts;
  }
  if (!field.is_string()) return std::vector{field_text(field)};
  const std::string& text = field.get_ref<const std::string&>();
  if (has_brackets(text) && (separated || text.find_first_of("\"'") != std::string::npos)) {
    WrittenList list = read_written_list(text);
    if (list.wrong.empty()) return std::move(list.texts);
    if (is_bracketed_name(text)) return std::vector{text};
    report(user_error(site, "the list in the string " + list.wrong,
                      "write it in JSON or Python syntax, such as [\"a\", \"b\"]"));
    return std::nullopt;
  }
  if (!separated) return std::vector{text};
  const char separator = text.find('|') != std::string::npos ? '|' : ';';
  for (const std::string& one : split(text, separator)) {
    if (!is_blank(one)) texts.emplace_back(trimmed(one));
  }
  return texts;
}

/// The fact in a row whose fields are named by `header`; if the row is invalid, reports the problem
/// and returns nullopt.
inline std::optional<Json> fact_of_row(const std::vector<Json>& fields, const FactColumns& columns,
                                       const std::vector<std::string>& header, const Site& site,
                                       const ProblemSink& report) {
  const auto at = [&](std::size_t column) { return Site{site.file, site.line, header[column]}; };
  Json fact = {{"sub_label", field_text(fields[columns.subject])},
               {"relation", field_text(fields[columns.relation])}};
  auto objects = several_texts(fields[columns.object], columns.several, at(columns.object), report);
  if (!objects) return std::nullopt;
  fact["objects"] = std::move(*objects);
  if (columns.subject_id) fact["sub_id"] = field_text(fields[*columns.subject_id]);
  if (columns.object_id && fact["objects"].size() == 1) {
    fact["obj_id"] = field_text(fields[*columns.object_id]);
  }
  for (const char* id : {"sub_id", "obj_id"}) {
    if (fact.contains(id) && fact[id] == "") fact.erase(id);
  }
  for (const auto& [name, list] : {std::pair("sub_aliases", &columns.subject_aliases),
                                   {"obj_aliases", &columns.object_aliases}}) {
    // If there are several objects, it is unknown which of them the aliases belong to.
    if (list == &columns.object_aliases && fact["objects"].size() > 1) continue;
    for (const std::size_t column : *list) {
      if (is_blank(field_text(fields[column]))) continue;
      const auto names = several_texts(fields[column], true, at(column), report);
      if (!names) return std::nullopt;
      for (const std::string& one : *names) {
        if (!one.empty()) fact[name].push_back(one);
      }
    }
  }
  Json further = Json::object();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const bool names_objects =
        ranges::find(columns.object_aliases, i) != columns.object_aliases.end();
    if ((!columns.has(i) || names_objects) && !field_text(fields[i]).empty()) {
      further[header[i]] = field_text(fields[i]);
    }
  }
  if (!further.empty()) fact["further"] = std::move(further);
  return fact;
}

/// Whether a .tsv begins with a fact rather than a header. A first line that names all three
/// columns or does not have three fields is treated as a header.
inline bool has_no_header(const DiskPath& tsv) {
  const std::vector<std::string> first = table_header(tsv);
  return first.size() == 3 && !fact_columns(first);
}

/// Visits the rows of a table with three fields and no header.
inline void for_each_plain_row(const DiskPath& file, const ProblemSink& report,
                               const FactRow& visit) {
  for_each_table_line(file, [&](const std::string& text, std::size_t line) {
    if (first_invalid_utf8(text) != std::string::npos) {
      report(user_error({file, line}, "is not UTF-8", "convert the file"));
      return;
    }
    const auto fields = split(text, '\t');
    if (fields.size() != 3) {
      report(user_error({file, line}, std::to_string(fields.size()) + " fields instead of 3",
                        "write subject, relation and object, separated by one tab each, or name "
                        "the columns in the first line"));
      return;
    }
    Json fact = {{"sub_label", fields[0]}, {"relation", fields[1]}, {"objects", {fields[2]}}};
    visit(fact, line);
  });
}

/// Visits the rows of a table with a header, or of a JSON Lines file.
inline void for_each_named_row(const DiskPath& file, const ProblemSink& report,
                               const FactRow& visit) {
  UnreadChoices unread(report);
  const auto show = [&](const std::vector<std::string>& header, const std::vector<Json>& fields,
                        std::size_t line) {
    const auto columns = fact_columns(header);
    if (!columns) {
      return report(user_error({file, line}, lacking_columns(header),
                               "write a subject, a relation and an object on each line"));
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (!columns->has(i)) unread.look_at(header[i], fields[i], {file, line});
    }
    if (auto fact = fact_of_row(fields, *columns, header, {file, line}, report)) visit(*fact, line);
  };
  if (file.extension() == ".jsonl") {
    for_each_json_line(file, report, [&](Json& row, std::size_t line, const std::string& text) {
      keep_spellings_of_floats(row, text);
      std::vector<std::string> header;
      std::vector<Json> fields;
      for (const auto& [name, value] : row.items()) {
        header.push_back(name);
        fields.push_back(value);
      }
      show(header, fields, line);
    });
    return;
  }
  const CsvFile csv(file, report, separator_of(file));
  if (!fact_columns(csv.header())) {
    throw user_error({file, 1}, lacking_columns(csv.header()),
                     "name the columns subject, relation and object");
  }
  for (const CsvRecord& record : csv.records()) {
    show(csv.header(), {record.fields.begin(), record.fields.end()}, record.line);
  }
}

/// Whether a path is a table of facts: a .tsv, a folder containing one, or a .csv or .jsonl (or a
/// folder with exactly one) that has the fields of such a table.
[[nodiscard]] inline bool is_fact_table(const DiskPath& path) {
  if (!path.files(".tsv").empty()) return true;
  for (const char* ending : {".csv", ".jsonl"}) {
    const std::vector<DiskPath> tables = path.files(ending);
    if (tables.empty()) continue;
    return tables.size() == 1 && fact_columns(detail::table_header(tables.front())).has_value();
  }
  return false;
}

/// The file of templates next to a table.
[[nodiscard]] inline DiskPath templates_next_to(const DiskPath& table) {
  return table.parent() / (table.stem() + ".json");
}

/// Whether a JSON file contains a string with [X] or [Y]; true if it is not JSON, so that this is
/// reported when it is read.
inline bool has_templates(const DiskPath& file) {
  Json value;
  if (detail::parse_json(read_text(file), value)) return true;
  const auto is_template = [](const Json& one) {
    return one.is_string() && (one.get_ref<const std::string&>().find("[X]") != std::string::npos ||
                               one.get_ref<const std::string&>().find("[Y]") != std::string::npos);
  };
  return ranges::any_of(value, [&](const Json& one) {
    return is_template(one) || (one.is_array() && ranges::any_of(one, is_template));
  });
}

/// Whether any line of a .jsonl table has a split or choices of its own.
inline bool has_splits_or_choices(const DiskPath& table) {
  bool found = false;
  for_each_json_line(
      table, [](const Error&) {},
      [&](const Json& row, std::size_t) {
        for (const auto& [name, value] : row.items()) {
          const std::string bare = bare_name(name);
          found = found || bare == "split" || names_choices(bare);
        }
      });
  return found;
}

/// Whether a path is a .jsonl table of facts, or a folder with no other table, and templates are
/// next to it. The formats whose lines may look the same have no templates.
[[nodiscard]] inline bool is_table_with_templates(const DiskPath& path) {
  const std::vector<DiskPath> tables = path.files(".jsonl");
  if (tables.size() != 1 || !templates_next_to(tables.front()).is_file()) return false;
  if (!path.files(".tsv").empty() || !path.files(".csv").empty()) return false;
  return fact_columns(detail::table_header(tables.front())).has_value() &&
         has_templates(templates_next_to(tables.front())) && !has_splits_or_choices(tables.front());
}

/// The table at a path: the file itself, or the only table of a folder. Throws a user error for
/// other paths.
[[nodiscard]] inline DiskPath tsv_file(const DiskPath& path) {
  std::vector<DiskPath> tables = path.files(".tsv");
  if (tables.empty()) tables = path.files(".csv");
  if (tables.empty()) tables = path.files(".jsonl");
  if (tables.size() == 1) return tables.front();
  throw user_error({.file = path},
                   tables.empty() ? "contains no .tsv, .csv or .jsonl file"
                                  : "contains several " + tables.front().extension() + " files",
                   "pass the one to read");
}

/// Throws a user error if a file cannot be read; all other problems are passed to `report`.
[[nodiscard]] inline Dataset load_tsv(const DiskPath& table_file,
                                      const ProblemSink& report = throw_problem) {
  if (table_file.extension() == ".tsv") detail::refuse_choices_in_tsv(table_file);
  const DiskPath template_file = templates_next_to(table_file);
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
      builder.take_known_ids();
      for (const std::string& text : *texts) builder.add_template(text, site);
    }
  }
  const auto add = [&](Json& fact, std::size_t line) {
    const std::string relation = fact["relation"];
    const std::vector<std::string> objects = fact["objects"];
    const bool no_subject = fact["sub_label"] == "";
    if (no_subject || objects.empty() || ranges::find(objects, "") != objects.end()) {
      report(user_error({table_file, line, no_subject ? "subject" : "object"}, "is empty",
                        "fill the field or remove the line"));
      return;
    }
    auto builder = builders.find(relation);
    if (builder == builders.end()) {
      if (has_templates) {
        report(user_error({table_file, line, "relation"}, "'" + relation + "' has no templates",
                          "add the relation to " + template_file.string()));
        return;
      }
      order.push_back(relation);
      builder = builders.try_emplace(relation, relation, report).first;
      builder->second.take_known_ids();
      builder->second.needs_no_template();
    }
    for (const std::string& object : objects) {
      fact["obj_label"] = object;
      builder->second.add_fact(fact, {table_file, line});
    }
  };
  const bool is_plain = table_file.extension() == ".tsv" &&
                        (!table_file.exists() || detail::has_no_header(table_file));
  is_plain ? detail::for_each_plain_row(table_file, report, add)
           : detail::for_each_named_row(table_file, report, add);
  for (const std::string& code : order) {
    if (auto relation = std::move(builders.at(code)).finish({.file = table_file})) {
      dataset.relations.push_back(std::move(*relation));
    }
  }
  return dataset;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
