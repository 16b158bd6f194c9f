// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is the published MyriadLAMA read?
//
//   {"uuid": "…", "rel_uri": "P36", "sub_ent": "France", "obj_uris": ["Q90"], "obj_ents": ["Paris"],
//    "obj_aliases": [["City of Light"]], "template": "The capital of [X] is [Y].", "is_manual": true}
// JSON lines with one row for each fact and template, in one file or in all .jsonl files of a
// folder. Rows with the same `uuid` in a relation form one fact. The names of the fact's subject
// are all `sub_ent` and `sub_aliases` values in these rows, in order of appearance. Its objects and
// their names are collected in the same way. `obj_aliases` contains one list for each object, or is
// a single list for all objects. A single list is assigned to the first object, because any name of
// any object is a correct answer; object labels in that list are not aliases. A relation's
// templates are the distinct templates of its rows. Each forms its own group, because rows do not
// specify the template that they paraphrase. A row without `is_manual` is treated as manual, and a
// template's first row determines its origin. Other fields are ignored. Source: "What Matters in
// Learning Facts in Language Models?", section 4 and appendix A.

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/data/multi_prompt.hpp"
#include "plumb/detail/data/multi_prompt_checks.hpp"
#include "plumb/detail/data/prompt_template_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// MyriadLAMA's .jsonl files at a path, in sorted order; empty unless each file begins with a row
/// in this format.
[[nodiscard]] inline std::vector<DiskPath> myriad_lama_files(const DiskPath& path) {
  return files_of_rows(path, [](const Json& row) {
    return row.contains("uuid") && row.contains("rel_uri") && row.contains("template") &&
           row.contains("obj_ents");
  });
}

[[nodiscard]] inline bool is_myriad_lama(const DiskPath& path) {
  return !myriad_lama_files(path).empty();
}

/// Combines rows into relations. Not thread-safe.
class MyriadLamaRows {
 public:
  MyriadLamaRows(DiskPath file, const ProblemSink& report)
      : file_(std::move(file)), report_(report) {}

  void read_from(DiskPath file) { file_ = std::move(file); }

  void add(const Json& row, std::size_t number) {
    const Site site{file_, number};
    const auto code = required_string(row, "rel_uri", site, report_);
    const auto uuid = code ? required_string(row, "uuid", site, report_) : std::nullopt;
    const auto subject = uuid ? required_string(row, "sub_ent", site, report_) : std::nullopt;
    const auto text = subject ? required_string(row, "template", site, report_) : std::nullopt;
    if (!text) return;
    NamedEntity named{*uuid, {}};
    add_name(named, *subject);
    add_names(named, string_list(row, "sub_aliases").value_or(std::vector<std::string>{}));
    const auto objects = objects_of(row, site);
    const auto origin = origin_of(row, site);
    if (!objects || !origin || !is_sound(named, "sub_ent", site)) return;
    for (const NamedEntity& object : *objects) {
      if (!is_sound(object, "obj_ents", site)) return;
    }
    const auto [place, is_new] = places_.try_emplace(*code, relations_.size());
    if (is_new) relations_.push_back({{*code, {}, {}, file_, file_}, number, {}, {}});
    Relation& relation = relations_[place->second];
    add_template(relation, *text, *origin, site);
    const auto [fact_place, is_new_fact] =
        relation.facts.try_emplace(*uuid, relation.made.facts.size());
    if (is_new_fact) relation.made.facts.push_back({{*uuid, {}}, {}, number});
    ManyNamedFact& fact = relation.made.facts[fact_place->second];
    add_names(fact.subject, named.names);
    for (const NamedEntity& object : *objects) {
      const auto known = ranges::find(fact.objects, object.id, &NamedEntity::id);
      if (known == fact.objects.end()) {
        fact.objects.push_back(object);
      } else {
        add_names(*known, object.names);
      }
    }
  }

  /// Whether any row specifies its template's origin.
  [[nodiscard]] bool knows_origins() const noexcept { return knows_origins_; }

  [[nodiscard]] std::vector<MultiPromptRelation> finish() && {
    std::vector<MultiPromptRelation> all;
    for (Relation& relation : relations_) {
      if (const auto problem = problem_with_relation(
              relation.made, {relation.made.file, relation.line, "rel_uri"})) {
        report_(*problem);
      } else {
        all.push_back(std::move(relation.made));
      }
    }
    return all;
  }

 private:
  struct Relation {
    MultiPromptRelation made;
    std::size_t line = 0;
    std::unordered_map<std::string, std::size_t> facts;       // by uuid
    std::unordered_map<std::string, TemplateOrigin> origins;  // keyed by template text; includes
                                                              // rejected templates
  };

  void add_template(Relation& relation, const std::string& text, TemplateOrigin origin,
                    const Site& site) {
    if (!relation.origins.emplace(text, origin).second) return;
    PromptTemplate one{text, {}, TemplateStyle::cloze, origin};
    if (is_question(text)) one.style = TemplateStyle::question;
    if (const auto problem = problem_with_prompt_template(one, with_field(site, "template"))) {
      return report_(*problem);
    }
    relation.made.templates.push_back(std::move(one));
  }

  /// Whether an entity's names can be used in a prompt; reports the first name that cannot.
  bool is_sound(const NamedEntity& entity, const char* field, const Site& site) {
    for (const std::string& name : entity.names) {
      if (const auto problem = problem_with_name(name, with_field(site, field))) {
        report_(*problem);
        return false;
      }
    }
    return true;
  }

  std::optional<TemplateOrigin> origin_of(const Json& row, const Site& site) {
    const auto found = row.find("is_manual");
    knows_origins_ = knows_origins_ || found != row.end();
    if (found == row.end() || *found == true || *found == 1) return TemplateOrigin::manual;
    if (*found == false || *found == 0) return TemplateOrigin::generated;
    report_(user_error(with_field(site, "is_manual"), "is neither true nor false",
                       "write one of them, or remove it to mean true"));
    return std::nullopt;
  }

  /// A row's objects with their names; if the row is invalid, reports the problem and returns
  /// nullopt.
  std::optional<std::vector<NamedEntity>> objects_of(const Json& row, const Site& site) {
    const auto refuse = [&](const char* field, const char* message, const char* remedy) {
      report_(user_error(with_field(site, field), message, remedy));
      return std::nullopt;
    };
    const auto labels = string_list(row, "obj_ents");
    if (!labels || labels->empty()) {
      return refuse("obj_ents", "is not a list of names", "write [\"…\", …]");
    }
    const auto ids = row.contains("obj_uris") ? string_list(row, "obj_uris") : labels;
    if (!ids || ids->size() != labels->size()) {
      return refuse("obj_uris", "does not have one identifier for each of obj_ents",
                    "write them in the order of obj_ents, or remove the field");
    }
    std::vector<NamedEntity> objects;
    for (std::size_t i = 0; i < ids->size(); ++i) {
      if (is_blank((*labels)[i])) return refuse("obj_ents", "has an empty name", "name the object");
      objects.push_back({(*ids)[i], {(*labels)[i]}});
    }
    const auto aliases = row.find("obj_aliases");
    if (aliases == row.end() || aliases->is_null()) return objects;
    if (const auto of_all = string_list(row, "obj_aliases")) {
      for (const std::string& name : *of_all) {
        if (ranges::find(*labels, name) == labels->end()) add_name(objects.front(), name);
      }
      return objects;
    }
    if (!aliases->is_array() || aliases->size() != objects.size()) {
      return refuse("obj_aliases", "does not have one list of names for each of obj_ents",
                    "write [[\"…\", …], …], or remove it");
    }
    for (std::size_t i = 0; i < objects.size(); ++i) {
      const Json one = {{"names", (*aliases)[i]}};
      const auto names = string_list(one, "names");
      if (!names) return refuse("obj_aliases", "is not a list of names", "write [[\"…\", …], …]");
      add_names(objects[i], *names);
    }
    return objects;
  }

  DiskPath file_;
  const ProblemSink& report_;
  std::vector<Relation> relations_;
  std::unordered_map<std::string, std::size_t> places_;  // by code
  bool knows_origins_ = false;
};

/// The relations and facts are in order of appearance. Reports invalid rows and templates, and
/// relations without facts or templates. Throws a user error if a file cannot be read.
[[nodiscard]] inline MultiPromptDataset load_myriad_lama(
    const DiskPath& path, const ProblemSink& report = throw_problem) {
  MultiPromptDataset dataset{path.is_folder() ? path.name() : path.stem(), {}, {}};
  detail::MyriadLamaRows rows(path, report);
  for (const DiskPath& file : myriad_lama_files(path)) {
    rows.read_from(file);
    for_each_json_line(file, report,
                       [&](const Json& row, std::size_t number) { rows.add(row, number); });
    dataset.files.push_back(file);
  }
  dataset.knows_origins = rows.knows_origins();
  dataset.relations = std::move(rows).finish();
  return dataset;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
