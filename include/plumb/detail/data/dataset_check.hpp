// SPDX-License-Identifier: Apache-2.0
#pragma once

// Is a dataset that can be read what it seems?
//
// What no loader refuses, and makes numbers wrong without a word: a fact that stands twice and counts
// twice; a subject with two answers, one of which is counted as wrong; options that look alike, so that a
// right answer is a wrong one; a template that stands twice; control characters; names that are not what
// they seem (name_check.hpp); a key that stands twice in a JSON object, whose first value is lost. In a graph: a triple
// that stands twice, or is both trained on and tested; one entity, which is always ranked first.
// Everything is reported, a message each; nothing is left out.

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
#include "plumb/detail/core/printable.hpp"
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
                    what + " '" + text + "' holds the control character " +
                        control_escape(found.value).replace(0, 2, "U+"),
                    "remove it"));
}

/// Of texts in a list that should differ: what each of them is a repetition of.
inline void report_repeated(const std::vector<std::string>& texts, const Site& site,
                            const std::string& what, const ProblemSink& report) {
  std::unordered_map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto [found, fresh] = first.emplace(without_looks(texts[i]), i);
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

/// A text that nobody can see: nothing but white space.
inline void report_blank(const std::string& text, const Site& site, const std::string& what,
                         const ProblemSink& report) {
  if (leading_white_space(text) < text.size()) return;
  report(user_error(site, what + " '" + text + "' is blank", "give it a name, or remove it"));
}

/// Reports what is doubtful about a relation.
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
                          "the identifier " + fact.subject_id + " is of '" + fact.subject +
                              "' here and of '" + known.subject + "' on line " +
                              std::to_string(known.line),
                          "give each subject its own"));
      }
    }
    if (fact.offered.size() == 1 && fact.part != FactPart::training) {
      report(user_error(site, "'" + fact.subject + "' has no wrong choice",
                        "add one to its choices, or remove the fact"));
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
                          "one of them is always counted as wrong; keep one, or tell the subjects "
                          "apart"));
      } else if (other->subject_id == fact.subject_id) {
        report(user_error(site, "the fact about '" + fact.subject + "' stands" + line + " too",
                          "keep one; it counts twice"));
      } else {
        continue;
      }
      break;
    }
    others.push_back(&fact);
  }
  subjects.report(report);
}

/// Reports what is doubtful about a dataset that was read, its JSON files included.
inline void check_dataset(const Dataset& dataset, const ProblemSink& report) {
  for (const auto& file : dataset.files) check_json_keys(file, report);
  for (const Relation& relation : dataset.relations) check_relation(relation, report);
}

/// The same of many prompts, whose facts have several objects.
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
                        "the fact about '" + fact.subject.names.front() + "' stands on line " +
                            std::to_string(found->second) + " too",
                        "write its objects into one"));
    }
    subjects.report(report);
    objects.report(report);
  }
}

/// Entities whose names look alike and are not the same, but for case, which tells words from names
/// ("turkey", "Turkey").
inline void report_similar_labels(const KnowledgeGraph& graph, const ProblemSink& report) {
  std::unordered_map<std::string, const Entity*> first;
  for (const Entity& entity : graph.entities) {
    const Entity& other = *first.emplace(without_looks(entity.name), &entity).first->second;
    if (without_case_and_spaces(other.name) == without_case_and_spaces(entity.name)) continue;
    report(user_error({.file = graph.files.front(), .field = printable(entity.id)},
                      "entity '" + entity.name + "' differs from '" + other.name + "' in " +
                          difference_in_looks(other.name, entity.name) + " only",
                      "keep one of them, or tell them apart"));
  }
}

/// Places in the test part of triples that are in another part too.
inline std::vector<std::size_t> tested_and_in(std::vector<Triple> other,
                                              const KnowledgeGraph& graph) {
  ranges::sort(other);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < graph.test.size(); ++i) {
    if (std::binary_search(other.begin(), other.end(), graph.test[i])) places.push_back(i);
  }
  return places;
}

/// Places in the test part of triples that are in the training part too.
[[nodiscard]] inline std::vector<std::size_t> trained_on(const KnowledgeGraph& graph) {
  return detail::tested_and_in(graph.train, graph);
}

/// The same of a graph.
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
    report(user_error({.file = test}, "the graph has one entity",
                      "there is nothing to rank it among; add others"));
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
      report(user_error({file, triple.line},
                        words(triple) + " stands on line " + std::to_string(found->second) + " too",
                        "keep one; it counts twice"));
    }
  }
  if (graph.test.empty()) {
    report(user_error({.file = test}, "the test part has no triple",
                      "there is nothing to ask; add some, or ask another part (`split`)"));
  }
  for (const auto& [part, name] :
       {std::pair(&graph.train, "training"), std::pair(&graph.valid, "validation")}) {
    for (const std::size_t place : detail::tested_and_in(*part, graph)) {
      const Triple& triple = graph.test[place];
      report(user_error({test, triple.line}, words(triple) + " is in the " + name + " part too",
                        "what is tested must not be shown; remove it from one of them"));
    }
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
