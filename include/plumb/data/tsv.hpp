// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a user's own table read?
//
//   facts.tsv    subject <tab> relation <tab> object, one fact a line; a first line that says just
//                that is a header
//   facts.json   {"relation": ["The capital of [X] is [Y].", …], …}, beside it
//
// No quoting: a field ends at a tab or the end of the line. The options are a relation's distinct
// objects, in order of appearance.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "plumb/data/relation_builder.hpp"

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

}  // namespace detail

/// The table that a path names: itself, or the only one of a folder. Throws a user error for others.
[[nodiscard]] inline DiskPath tsv_file(const DiskPath& path) {
  const std::vector<DiskPath> tables = path.files(".tsv");
  if (tables.size() == 1) return tables.front();
  throw user_error({.file = path},
                   tables.empty() ? "holds no .tsv file" : "holds several .tsv files",
                   "name the one to read");
}

/// Throws a user error when either file cannot be read; all else goes to `report`.
[[nodiscard]] inline Dataset load_tsv(const DiskPath& table_file,
                                      const ProblemSink& report = throw_problem) {
  const auto template_file = table_file.parent() / (table_file.stem() + ".json");
  Dataset dataset{table_file.stem(), {}, {table_file, template_file}};
  const Json templates = read_json_object(template_file);
  std::vector<std::string> order;
  std::map<std::string, RelationBuilder> builders;
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
  for_each_table_line(table_file, [&](const std::string& text, std::size_t line) {
    if (line == 1 && text == "subject\trelation\tobject") return;
    if (first_invalid_utf8(text) != std::string::npos) {
      report(user_error({table_file, line}, "is not UTF-8", "convert the file"));
      return;
    }
    const auto fields = detail::split(text, '\t');
    if (fields.size() != 3) {
      report(user_error({table_file, line}, std::to_string(fields.size()) + " fields instead of 3",
                        "write subject, relation and object with one tab between"));
      return;
    }
    if (fields[0].empty() || fields[2].empty()) {
      report(user_error({table_file, line, fields[0].empty() ? "subject" : "object"}, "is empty",
                        "fill the field or remove the line"));
      return;
    }
    const auto builder = builders.find(fields[1]);
    if (builder == builders.end()) {
      report(user_error({table_file, line, "relation"}, "'" + fields[1] + "' has no templates",
                        "add it to " + template_file.string()));
      return;
    }
    builder->second.add_fact(fields[0], fields[2], {table_file, line});
  });
  for (const std::string& code : order) {
    if (auto relation = std::move(builders.at(code)).finish({.file = table_file})) {
      dataset.relations.push_back(std::move(*relation));
    }
  }
  return dataset;
}

}  // namespace plumb
