// SPDX-License-Identifier: Apache-2.0
#pragma once

// Does a readable dataset contain hidden mistakes?
//
// The checks find mistakes that no loader rejects but that silently make numbers wrong: a duplicate
// fact, which counts twice; a subject with two answers, one of which counts as wrong; options that
// look alike, so that a right answer counts as wrong; a duplicate template; control characters;
// names that are not what they seem (name_check.hpp); a duplicate key in a JSON object, whose first
// value is lost. In a graph, they find a duplicate triple, a triple in both the training and the
// test part, and the case of a single entity, which always ranks first. Each problem gets its own
// message; nothing is left out.

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/printable.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/white_space.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/data/knowledge_graph.hpp"
#include "plumb/detail/data/multi_prompt.hpp"
#include "plumb/detail/data/name_check.hpp"
#include "plumb/detail/data/repeated_json_keys.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline void report_control(const std::string& text, const Site& site, const std::string& what,
                           const ProblemSink& report) {
  const CodePoint found = first_control(text);
  if (found.size == 0) return;
  report(user_error(site,
                    what + " '" + text + "' contains the control character " +
                        control_escape(found.value).replace(0, 2, "U+"),
                    "remove it"));
}

/// Reports each text of a list that repeats, or looks like, an earlier one.
inline void report_repeated(const std::vector<std::string>& texts, const Site& site,
                            const std::string& what, const ProblemSink& report) {
  std::unordered_map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto [found, fresh] = first.emplace(appearance_key(texts[i]), i);
    if (fresh) continue;
    const std::string& other = texts[found->second];
    const std::string places = what + " " + std::to_string(i) + " ";
    if (other == texts[i]) {
      report(user_error(
          site,
          places + "'" + other + "' is " + what + " " + std::to_string(found->second) + " again",
          "keep one of them"));
    } else {
      report(user_error(site,
                        places + "'" + texts[i] + "' differs from " + what + " " +
                            std::to_string(found->second) + " '" + other + "' in " +
                            difference_in_looks(other, texts[i]) + " only",
                        "keep one of them"));
    }
  }
}

/// Reports a text that is invisible because it consists only of white space.
inline void report_blank(const std::string& text, const Site& site, const std::string& what,
                         const ProblemSink& report) {
  if (leading_white_space(text) < text.size()) return;
  report(user_error(site, what + " '" + text + "' is blank", "give it a name, or remove it"));
}

/// Reports suspicious parts of a relation.
inline void check_relation(const Relation& relation, const ProblemSink& report) {
  const Site of_templates{
      .file = relation.template_file.empty() ? relation.file : relation.template_file,
      .field = relation.code};
  detail::NameCheck templates("template", false), options("option"), subjects("subject");
  for (const std::string& text : relation.templates) {
    detail::report_control(text, of_templates, "template", report);
    templates.add(text, of_templates);
  }
  templates.report(report);
  detail::report_repeated(relation.templates, of_templates, "template", report);
  for (const std::string& domain : relation.domains) {
    detail::report_control(domain, of_templates, "domain", report);
    detail::report_blank(domain, of_templates, "domain", report);
  }
  detail::report_repeated(relation.domains, of_templates, "domain", report);
  for (const std::string& option : relation.options) {
    const Site site{.file = relation.file, .field = relation.code};
    detail::report_control(option, site, "option", report);
    detail::report_blank(option, site, "option", report);
    if (!relation.verbatim) options.add(option, site);
  }
  options.report(report);
  detail::report_repeated(relation.options, {.file = relation.file, .field = relation.code},
                          "option", report);
  std::unordered_map<std::string, std::vector<const Fact*>> by_subject;
  std::unordered_map<std::string, const Fact*> by_id;
  for (const Fact& fact : relation.facts) {
    const Site site = site_of(relation, fact, relation.code);
    if (!relation.verbatim) subjects.add(fact.subject, site);
    if (!fact.subject_id.empty()) {
      const Fact& known = *by_id.emplace(fact.subject_id, &fact).first->second;
      if (known.subject != fact.subject) {
        report(user_error(site,
                          "the identifier " + fact.subject_id + " belongs to '" + fact.subject +
                              "' here and to '" + known.subject + "' on line " +
                              std::to_string(known.line),
                          "give each subject its own identifier"));
      }
    }
    if (fact.offered.size() == 1 && fact.part != FactPart::training) {
      report(user_error(site, "'" + fact.subject + "' has no wrong choice",
                        "add a wrong one to its choices, or remove the fact"));
    }
    detail::report_control(fact.subject, site, "subject", report);
    for (const std::string& alias : fact.subject_aliases) {
      detail::report_control(alias, site, "alias", report);
    }
    std::vector<const Fact*>& others = by_subject[fact.subject];
    for (const Fact* other : others) {
      const std::string line = " on line " + std::to_string(other->line);
      if (other->choices != fact.choices) continue;
      if (other->answer != fact.answer) {
        report(user_error(site,
                          "'" + fact.subject + "' has the answer '" +
                              option_text(relation, fact, fact.answer) + "' here and '" +
                              option_text(relation, *other, other->answer) + "'" + line,
                          "keep one, or give the subjects different names; otherwise one of the "
                          "two facts always counts as wrong"));
      } else if (other->subject_id == fact.subject_id) {
        report(user_error(site, "the fact about '" + fact.subject + "' appears" + line + " as well",
                          "keep only one; otherwise it counts twice"));
      } else {
        continue;
      }
      break;
    }
    others.push_back(&fact);
  }
  subjects.report(report);
}

/// Reports suspicious parts of a dataset, including its JSON files.
inline void check_dataset(const Dataset& dataset, const ProblemSink& report) {
  for (const auto& file : dataset.files) check_json_keys(file, report);
  for (const Relation& relation : dataset.relations) check_relation(relation, report);
}

/// Reports suspicious parts of a many-prompt dataset, whose facts have several objects.
inline void check_dataset(const MultiPromptDataset& dataset, const ProblemSink& report) {
  for (const auto& file : dataset.files) check_json_keys(file, report);
  for (const MultiPromptRelation& relation : dataset.relations) {
    const Site of_templates{.file = relation.template_file, .field = relation.code};
    std::vector<std::string> templates;
    detail::NameCheck texts("template", false), subjects("subject"), objects("object");
    for (const PromptTemplate& one : relation.templates) {
      templates.push_back(one.text);
      texts.add(one.text, of_templates);
      detail::report_control(one.text, of_templates, "template", report);
    }
    texts.report(report);
    detail::report_repeated(templates, of_templates, "template", report);
    std::map<std::pair<std::string, std::string>, std::size_t> lines;
    for (const ManyNamedFact& fact : relation.facts) {
      const Site site{relation.file, fact.line, relation.code};
      const auto check_names = [&](const NamedEntity& entity, const char* what,
                                   detail::NameCheck& names) {
        for (const std::string& name : entity.names) {
          detail::report_control(name, site, what, report);
          names.add(name, site);
        }
      };
      check_names(fact.subject, "subject", subjects);
      for (const NamedEntity& object : fact.objects) check_names(object, "object", objects);
      const auto [found, fresh] =
          lines.emplace(std::pair(fact.subject.id, fact.subject.names.front()), fact.line);
      if (fresh) continue;
      report(user_error(site,
                        "the fact about '" + fact.subject.names.front() + "' appears on line " +
                            std::to_string(found->second) + " as well",
                        "put all its objects on one line"));
    }
    subjects.report(report);
    objects.report(report);
  }
}

/// Reports entities whose names look alike but differ. Names that differ only in case are different
/// words ("turkey", "Turkey") and are not reported.
inline void report_similar_labels(const KnowledgeGraph& graph, const ProblemSink& report) {
  std::unordered_map<std::string, const Entity*> first;
  for (const Entity& entity : graph.entities) {
    const Entity& other = *first.emplace(appearance_key(entity.name), &entity).first->second;
    if (without_case_and_spaces(other.name) == without_case_and_spaces(entity.name)) continue;
    report(user_error({.file = graph.files.front(), .field = printable(entity.id)},
                      "entity '" + entity.name + "' differs from '" + other.name + "' in " +
                          difference_in_looks(other.name, entity.name) + " only",
                      "keep one of them, or give them different names"));
  }
}

/// Indices of test triples that are also in another part.
inline std::vector<std::size_t> tested_and_in(std::vector<Triple> other,
                                              const KnowledgeGraph& graph) {
  ranges::sort(other);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < graph.test.size(); ++i) {
    if (std::binary_search(other.begin(), other.end(), graph.test[i])) places.push_back(i);
  }
  return places;
}

/// Indices of test triples that are also in the training part.
[[nodiscard]] inline std::vector<std::size_t> trained_on(const KnowledgeGraph& graph) {
  return detail::tested_and_in(graph.train, graph);
}

/// Whether a name is only an identifier: a number, an address, Freebase's or Wikidata's.
[[nodiscard]] inline bool is_bare_identifier(std::string_view name) {
  return (!name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos) ||
         is_wikidata_item(name) || name.starts_with("/m/") || name.starts_with("http://") ||
         name.starts_with("https://");
}

/// How many entities have only an identifier as their name, if they are more than half of the
/// graph's; otherwise 0, because a few may be numbers or years.
[[nodiscard]] inline std::size_t unnamed_entities(const KnowledgeGraph& graph) {
  const auto count =
      static_cast<std::size_t>(ranges::count_if(graph.entities, is_bare_identifier, &Entity::name));
  return 2 * count > graph.entities.size() ? count : 0;
}

/// Reports suspicious parts of a graph.
inline void check_graph(const KnowledgeGraph& graph, const ProblemSink& report) {
  const auto words = [&](const Triple& triple) {
    return "'" + graph.entities[triple.head].id + "', '" + graph.relations[triple.relation].id +
           "', '" + graph.entities[triple.tail].id + "'";
  };
  const auto file_of = [&](std::initializer_list<std::string_view> stems) {
    for (const std::filesystem::path& file : graph.files) {
      for (const std::string_view stem : stems) {
        if (file.stem() == stem) return file;
      }
    }
    return std::filesystem::path();
  };
  const std::filesystem::path test = file_of({"test"});
  if (graph.entities.size() < 2) {
    report(user_error({.file = test}, "the graph has only one entity",
                      "add others to rank it against"));
  }
  if (const std::size_t unnamed = unnamed_entities(graph); unnamed > 0) {
    report(user_error({.file = graph.files.front()},
                      std::to_string(unnamed) + " of " + counted(graph.entities.size(), "entity") +
                          " have an identifier as their name, which prompts then contain",
                      "add their names in entity2text.txt"));
  }
  detail::NameCheck entities("entity"), descriptions("description", false), relations("relation");
  for (const Entity& entity : graph.entities) {
    const Site site{.file = graph.files.front(), .field = printable(entity.id)};
    detail::report_control(entity.name, site, "name", report);
    detail::report_control(entity.description, site, "description", report);
    entities.add(entity.name, site);
    descriptions.add(entity.description, site);
  }
  for (const GraphRelation& relation : graph.relations) {
    relations.add(relation.name, {.file = graph.files.front(), .field = printable(relation.id)});
  }
  for (const auto* names : {&entities, &descriptions, &relations}) names->report(report);
  detail::report_similar_labels(graph, report);
  for (const auto& [part, file] :
       {std::pair(&graph.train, file_of({"train"})),
        std::pair(&graph.valid, file_of({"dev", "valid"})), std::pair(&graph.test, test)}) {
    std::map<Triple, std::uint32_t> lines;
    for (const Triple& triple : *part) {
      const auto [found, fresh] = lines.emplace(triple, triple.line);
      if (fresh) continue;
      report(user_error(
          {file, triple.line},
          words(triple) + " appears on line " + std::to_string(found->second) + " as well",
          "keep only one; otherwise it counts twice"));
    }
  }
  if (graph.test.empty()) {
    report(user_error({.file = test}, "the test part has no triples",
                      "add some, or use another part (`split`)"));
  }
  for (const auto& [part, name] :
       {std::pair(&graph.train, "training"), std::pair(&graph.valid, "validation")}) {
    for (const std::size_t place : detail::tested_and_in(*part, graph)) {
      const Triple& triple = graph.test[place];
      report(user_error({test, triple.line}, words(triple) + " is also in the " + name + " part",
                        "remove it from one of them; test triples must not be shown"));
    }
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
