// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is KAMEL read?
//
//   P190/train.jsonl         {"sub_label": "Luhačovice", "obj_label": ["Piešťany", "Ustroń"]}
//   P190/test.jsonl          {"sub_label": "Elek", "obj_uri": ["Q507846"], "obj_label": [{"rdf":
//                             "Sebiș", "alternative": ["Sebiş"], "chosen": "Sebiș"}]}
//   question-templates.csv   P190, What are the twin municipalities of [S]?
// Each row is a fact with all of its objects. `obj_label` may also be a single string. An object's
// label is `chosen`, as in KAMEL's shots; its aliases are `alternative`. `rdf` is ignored: it
// equals `chosen` for entities and is null for dates and quantities. For dates and quantities,
// KAMEL's table script uses the first alternative as the main label ("16 December 1949", while
// `chosen` is "1949"). The question list is in the folder or, as published, in one of the two
// folders above it. Each relation gets one template from it, "… [X]? [Y]". Training rows become
// shots, test rows become questions, and dev.jsonl is not read. Relations are in the order of their
// numbers. Source: Kalo and Fichtel 2022, "KAMEL: Knowledge Analysis with Multitoken Entities in
// Language Models"; prompt/kamel_prompt.hpp describes how KAMEL phrases its questions.

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_file.hpp"
#include "plumb/detail/core/white_space.hpp"
#include "plumb/detail/data/multi_prompt.hpp"
#include "plumb/detail/data/multi_prompt_checks.hpp"
#include "plumb/detail/data/prompt_template_file.hpp"
#include "plumb/detail/data/relation_builder.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The test rows and the training rows of a relation, each with the relation's question. Rows
/// contain no subject identifiers, so a subject is identified by its part and line ("test-3"). An
/// object is identified by its Wikidata item, or by its label if it is not an item.
struct KamelRelation {
  MultiPromptRelation asked;
  MultiPromptRelation training;
};

struct KamelFolder {
  std::string name;
  std::vector<KamelRelation> relations;
  /// Every file that was read, in order.
  std::vector<std::filesystem::path> files;
  std::vector<std::string> left_out;
};

/// KAMEL's list of questions, in the folder or above it; nullopt if there is none.
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
  ranges::sort(found, [](const auto& a, const auto& b) {
    const std::string x = a.name(), y = b.name();
    return x.size() != y.size() ? x.size() < y.size() : x < y;
  });
  return found;
}

[[nodiscard]] inline bool is_kamel(const DiskPath& folder) {
  return !kamel_relations(folder).empty() && kamel_questions(folder).has_value();
}

/// Templates by relation. A line is split at its first comma, because questions are not quoted.
inline std::map<std::string, PromptTemplate> read_kamel_questions(const DiskPath& file,
                                                                  const ProblemSink& report) {
  std::map<std::string, PromptTemplate> templates;
  for_each_table_line(file, [&](const std::string& line, std::size_t number) {
    if (is_blank(line)) return;
    const std::size_t comma = line.find(',');
    std::string text(
        comma == std::string::npos ? "" : trimmed(std::string_view(line).substr(comma + 1)));
    constexpr std::string_view subject = "[S]";
    std::size_t subjects = 0;
    for (std::size_t at = text.find(subject); at != std::string::npos;
         at = text.find(subject, at)) {
      text.replace(at, subject.size(), "[X]");
      ++subjects;
    }
    if (subjects == 0 || first_invalid_utf8(text) != std::string::npos) {
      report(user_error({file, number}, "is not a relation, a comma and a question with [S]",
                        "write, for example, P36, What is the capital of [S]?"));
      return;
    }
    PromptTemplate made{text + " [Y]"};
    if (is_question(made.text)) made.style = TemplateStyle::question;
    templates[std::string(trimmed(std::string_view(line).substr(0, comma)))] = std::move(made);
  });
  return templates;
}

/// An object with its names; nullopt if it has no label.
inline std::optional<NamedEntity> kamel_object(const Json& object) {
  std::optional<std::string> label;
  std::vector<std::string> aliases;
  if (object.is_string()) label = object.get<std::string>();
  if (object.is_object()) {
    label = first_string(object, "chosen");
    aliases = string_list(object, "alternative").value_or(aliases);
  }
  if (!label || is_blank(*label) || problem_with_name(*label, {})) return std::nullopt;
  NamedEntity made{*label, {*label}};
  for (const std::string& name : aliases) {
    if (!problem_with_name(name, {})) add_name(made, name);
  }
  return made;
}

/// A row's fact; if the row is invalid, reports the problem and returns nullopt.
inline std::optional<ManyNamedFact> kamel_fact(const Json& row, const std::string& part,
                                               const Site& site, const ProblemSink& report) {
  const auto subject = required_string(row, "sub_label", site, report);
  if (!subject) return std::nullopt;
  if (const auto problem = problem_with_name(*subject, with_field(site, "sub_label"))) {
    report(*problem);
    return std::nullopt;
  }
  const auto listed = row.find("obj_label");
  if (listed == row.end() || listed->empty()) {
    report(user_error(with_field(site, "obj_label"), "the fact has no answer",
                      "add the fact's objects to the line"));
    return std::nullopt;
  }
  const Json objects = listed->is_array() ? *listed : Json::array({*listed});
  const auto ids = string_list(row, "obj_uri").value_or(std::vector<std::string>{});
  ManyNamedFact fact{{part + "-" + std::to_string(site.line), {*subject}}, {}, site.line};
  for (std::size_t i = 0; i < objects.size(); ++i) {
    auto object = kamel_object(objects[i]);
    if (!object) {
      report(user_error(
          with_field(site, "obj_label"),
          "has an object that is not a one-line string and whose field chosen is not one either",
          "write [\"…\"] or [{\"chosen\": \"…\", \"alternative\": […]}]"));
      continue;
    }
    // For dates and numbers, the identifier is a type.
    if (ids.size() == objects.size() && is_wikidata_item(ids[i])) object->id = ids[i];
    const auto known = ranges::find(fact.objects, object->id, &NamedEntity::id);
    if (known == fact.objects.end()) {
      fact.objects.push_back(std::move(*object));
    } else {
      add_names(*known, object->names);
    }
  }
  if (fact.objects.empty()) return std::nullopt;  // each was reported
  return fact;
}

/// Adds a relation's rows as closed-set facts, one for each object.
inline void add_kamel_rows(RelationBuilder& builder, const MultiPromptRelation& rows,
                           const char* part) {
  for (const ManyNamedFact& row : rows.facts) {
    for (const NamedEntity& object : row.objects) {
      Json fact = {{"sub_label", row.subject.names.front()},
                   {"obj_label", object.names.front()},
                   {"split", part}};
      if (object.names.size() > 1) {
        fact["obj_aliases"] =
            std::vector<std::string>(object.names.begin() + 1, object.names.end());
      }
      builder.add_fact(fact, {rows.file, row.line});
    }
  }
}

/// Reads the rows as published. Throws a user error if a file cannot be read. Reports relations
/// without a question, and broken lines.
[[nodiscard]] inline KamelFolder read_kamel(const DiskPath& folder,
                                            const ProblemSink& report = throw_problem) {
  KamelFolder made{folder.name(), {}, {}, {}};
  const DiskPath questions = kamel_questions(folder).value_or(folder / "question-templates.csv");
  const auto templates = detail::read_kamel_questions(questions, report);
  made.files.push_back(questions);
  std::size_t development = 0;
  for (const DiskPath& place : kamel_relations(folder)) {
    const std::string code = place.name();
    const auto found = templates.find(code);
    if (found == templates.end()) {
      report(user_error({.file = questions, .field = code}, "has no question",
                        "add one, or remove the relation's folder"));
      continue;
    }
    const auto rows_of = [&](const char* part) {
      const auto file = place / (std::string(part) + ".jsonl");
      MultiPromptRelation rows{code, {found->second}, {}, file, questions};
      for_each_json_line(file, report, [&](const Json& row, std::size_t line) {
        if (auto fact = detail::kamel_fact(row, part, {file, line}, report)) {
          rows.facts.push_back(std::move(*fact));
        }
      });
      made.files.push_back(file);
      return rows;
    };
    MultiPromptRelation training = rows_of("train");
    made.relations.push_back({rows_of("test"), std::move(training)});
    development += (place / "dev.jsonl").exists() ? 1U : 0U;
  }
  if (development > 0) {
    made.left_out.push_back("dev.jsonl (relations that have one: " + std::to_string(development) +
                            ")");
  }
  return made;
}

/// Reads the same files as a closed set. Each row becomes one fact for each of its objects. The
/// options are the distinct labels in both parts of the relation, each with the aliases of all
/// objects with that label. Throws and reports like read_kamel, and also reports a relation with a
/// single option.
[[nodiscard]] inline Dataset load_kamel(const DiskPath& folder,
                                        const ProblemSink& report = throw_problem) {
  KamelFolder read = read_kamel(folder, report);
  Dataset dataset{std::move(read.name), {}, std::move(read.files), std::move(read.left_out)};
  for (const KamelRelation& one : read.relations) {
    RelationBuilder builder(one.asked.code, report);
    const Site question{.file = one.asked.template_file, .line = 0, .field = one.asked.code};
    for (const PromptTemplate& of : one.asked.templates) builder.add_template(of.text, question);
    detail::add_kamel_rows(builder, one.training, "train");
    detail::add_kamel_rows(builder, one.asked, "test");
    if (auto relation = std::move(builder).finish({.file = folder / one.asked.code})) {
      dataset.relations.push_back(std::move(*relation));
    }
  }
  return dataset;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
