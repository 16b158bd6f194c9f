// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is KAMEL read?
//
//   P190/train.jsonl         {"sub_label": "Luhačovice", "obj_label": ["Piešťany", "Ustroń"]}
//   P190/test.jsonl          {"sub_label": "Elek", "obj_label": [{"rdf": "Sebiș", "alternative":
//                             ["Sebiş"], "chosen": "Sebiș"}]}
//   question-templates.csv   P190, What are the twin municipalities of [S]?
// `obj_label` may be one text too. An object's label is `chosen`, its aliases are `alternative`; `rdf`
// is not read, as KAMEL's own script does not compare with it. The question list is in the folder or
// in one of the two above it, as published. It becomes one template a relation, "… [X]? [Y]".
// Training facts are shots, test facts are asked, dev.jsonl is left out. A fact with several objects
// is one row for each; the options are a relation's distinct labels in both parts. Relations are in the
// order of their numbers. Source: Kalo and Fichtel 2022, "KAMEL: Knowledge Analysis with Multitoken
// Entities in Language Models"; how it asks is said in prompt/kamel_prompt.hpp.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/core/disk_path.hpp"
#include "plumb/core/over.hpp"
#include "plumb/core/text_file.hpp"
#include "plumb/data/relation_builder.hpp"

namespace plumb {

/// KAMEL's list of questions, in the folder or above it; nothing where there is none.
[[nodiscard]] inline std::optional<DiskPath> kamel_questions(const DiskPath& folder) {
  DiskPath place = folder;
  for (int above = 0; above <= 2; ++above, place = place / "..") {
    auto file = place.with((place / "question-templates.csv").path().lexically_normal());
    if (file.is_file()) return file;
  }
  return std::nullopt;
}

/// The folders of KAMEL's relations, in the order of their numbers.
[[nodiscard]] inline std::vector<DiskPath> kamel_relations(const DiskPath& folder) {
  std::vector<DiskPath> found;
  if (!folder.is_folder()) return found;
  for (const DiskPath& one : folder.list()) {
    if ((one / "test.jsonl").is_file() && (one / "train.jsonl").is_file()) found.push_back(one);
  }
  over::sort(found, [](const auto& a, const auto& b) {
    const std::string x = a.name(), y = b.name();
    return x.size() != y.size() ? x.size() < y.size() : x < y;
  });
  return found;
}

[[nodiscard]] inline bool is_kamel(const DiskPath& folder) {
  return !kamel_relations(folder).empty() && kamel_questions(folder).has_value();
}

namespace detail {

inline std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// Templates by relation; a line is split at its first comma, as questions are not quoted.
inline std::map<std::string, std::string> read_kamel_questions(const DiskPath& file,
                                                               const ProblemSink& report) {
  std::map<std::string, std::string> templates;
  for_each_table_line(file, [&](const std::string& line, std::size_t number) {
    if (trimmed(line).empty()) return;
    const std::size_t comma = line.find(',');
    std::string text = comma == std::string::npos ? "" : trimmed(line.substr(comma + 1));
    const std::size_t subject = text.find("[S]");
    if (subject == std::string::npos || first_invalid_utf8(text) != std::string::npos) {
      report(user_error({file, number}, "is no relation, comma and question about [S]",
                        "write P36, What is the capital of [S]?"));
      return;
    }
    templates[trimmed(line.substr(0, comma))] =
        text.replace(subject, std::string("[S]").size(), "[X]") + " [Y]";
  });
  return templates;
}

/// The label and the aliases of an object; nothing where it has no label.
inline std::optional<std::pair<std::string, std::vector<std::string>>> kamel_object(
    const Json& object) {
  std::optional<std::string> label;
  std::vector<std::string> aliases;
  if (object.is_string()) label = object.get<std::string>();
  if (object.is_object()) {
    label = first_string(object, "chosen");
    aliases = string_list(object, "alternative").value_or(aliases);
  }
  if (!label || trimmed(*label).empty()) return std::nullopt;
  return std::pair{*label, std::move(aliases)};
}

inline void read_kamel_part(RelationBuilder& builder, const DiskPath& file, const char* part,
                            const ProblemSink& report) {
  for_each_json_line(file, report, [&](const Json& line, std::size_t number) {
    const Site site{file, number, "obj_label"};
    const auto objects = line.find("obj_label");
    if (objects == line.end() || objects->empty()) {
      return report(user_error(site, "the fact has no answer", "give the line its objects"));
    }
    const Json one = Json::array({*objects});
    for (const Json& object : objects->is_array() ? *objects : one) {
      const auto named = kamel_object(object);
      if (!named) {
        report(user_error(site, "holds what is no text and has no `chosen`",
                          "write [\"…\"] or [{\"chosen\": \"…\", \"alternative\": […]}]"));
        continue;
      }
      Json fact = {{"sub_label", line.value("sub_label", Json())},
                   {"obj_label", named->first},
                   {"split", part}};
      if (!named->second.empty()) fact["obj_aliases"] = named->second;
      builder.add_fact(fact, {file, number});
    }
  });
}

}  // namespace detail

/// Throws a user error when a file cannot be read; a relation without a question and broken lines go
/// to `report`.
[[nodiscard]] inline Dataset load_kamel(const DiskPath& folder,
                                        const ProblemSink& report = throw_problem) {
  Dataset dataset{folder.name(), {}, {}};
  const DiskPath questions = kamel_questions(folder).value_or(folder / "question-templates.csv");
  const auto templates = detail::read_kamel_questions(questions, report);
  dataset.files.push_back(questions);
  std::size_t development = 0;
  for (const auto& place : kamel_relations(folder)) {
    const std::string code = place.name();
    const auto found = templates.find(code);
    if (found == templates.end()) {
      report(user_error({.file = questions, .field = code}, "has no question",
                        "add one, or remove the relation's folder"));
      continue;
    }
    RelationBuilder builder(code, report);
    builder.add_template(found->second, {.file = questions, .field = code});
    for (const char* part : {"train", "test"}) {
      const auto file = place / (std::string(part) + ".jsonl");
      detail::read_kamel_part(builder, file, part, report);
      dataset.files.push_back(file);
    }
    development += (place / "dev.jsonl").exists() ? 1U : 0U;
    if (auto relation = std::move(builder).finish({.file = place})) {
      dataset.relations.push_back(std::move(*relation));
    }
  }
  if (development > 0) {
    dataset.left_out.push_back(
        "dev.jsonl (relations that have one: " + std::to_string(development) + ")");
  }
  return dataset;
}

}  // namespace plumb
