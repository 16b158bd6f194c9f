// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which texts does a dataset contribute to prompts, and where was each of them read from?
//
// `visit(Site, text)` receives each template, subject, option and name as it was read. The site
// contains the file, the line if the dataset stores it, and a field that names the relation and the
// kind of text. Non-goal: the texts that a probe builds from them (prompt/).

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/data/baseline_templates.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/data/knowledge_graph.hpp"
#include "plumb/detail/data/multi_prompt.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

using TextVisitor = std::function<void(const Site&, const std::string&)>;

/// The first line of a file, from 1, that contains a text, either as plain text or with JSON
/// escapes. If `behind` is set, the search starts at the first line that contains `behind` as a
/// JSON string or, failing that, as plain text; if there is no such line, it starts at the first
/// line of the file. Returns 0 if no line contains the text or the file cannot be read. Slow: use
/// it only for messages.
[[nodiscard]] inline std::size_t line_with(const DiskPath& file, const std::string& text,
                                           const std::string& behind = "") {
  const auto find = [&](const std::vector<std::string>& words, std::size_t from) -> std::size_t {
    const auto stream = file.read();
    std::string line;
    for (std::size_t number = 1; stream && std::getline(*stream, line); ++number) {
      if (number < from) continue;
      for (const std::string& word : words) {
        if (line.find(word) != std::string::npos) return number;
      }
    }
    return 0;
  };
  std::size_t from = 1;
  if (!behind.empty()) from = find({Json(behind).dump()}, 1);
  if (from == 0) from = find({behind}, 1);
  from = std::max<std::size_t>(from, 1);
  const std::string quoted = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  return find({text, quoted.substr(1, quoted.size() - 2)}, from);
}

inline std::string nth_template(const std::string& code, std::size_t t) {
  return code + ", template " + std::to_string(t);
}

/// Visits the subjects and the options; an option's line is the line of the first fact that has
/// this option as its answer. If facts have their own texts for the options, those texts are
/// visited too. The options' labels are skipped if every fact has its own texts.
inline void for_each_name(const Relation& relation, const TextVisitor& visit) {
  std::vector<std::size_t> lines(relation.options.size(), 0);
  bool own_texts = !relation.facts.empty();
  for (const Fact& fact : relation.facts) {
    if (fact.answer < lines.size() && lines[fact.answer] == 0) lines[fact.answer] = fact.line;
    own_texts = own_texts && !fact.choices.empty();
    visit({relation.file, fact.line, relation.code + ", subject"}, fact.subject);
    for (const std::string& choice : fact.choices) {
      visit({relation.file, fact.line, relation.code + ", option"}, choice);
    }
  }
  for (std::size_t o = 0; o < relation.options.size() && !own_texts; ++o) {
    visit({relation.file, lines[o], relation.code + ", option"}, relation.options[o]);
  }
}

/// Visits the templates with the given indices, or all templates if no indices are given.
inline void for_each_template_text(const Relation& relation,
                                   const std::vector<std::size_t>& templates,
                                   const TextVisitor& visit) {
  const auto& file = relation.template_file.empty() ? relation.file : relation.template_file;
  const auto show = [&](std::size_t t) {
    visit({file, 0, detail::nth_template(relation.code, t)}, relation.templates[t]);
  };
  for (const std::size_t t : templates) {
    if (t < relation.templates.size()) show(t);
  }
  for (std::size_t t = 0; t < relation.templates.size() && templates.empty(); ++t) show(t);
}

/// Visits the templates, subjects and options of all relations.
inline void for_each_text(const Dataset& dataset, const std::vector<std::size_t>& templates,
                          const TextVisitor& visit) {
  for (const Relation& relation : dataset.relations) {
    for_each_template_text(relation, templates, visit);
    for_each_name(relation, visit);
  }
}

/// Visits the templates and all names of subjects and objects.
inline void for_each_text(const MultiPromptRelation& relation, const TextVisitor& visit) {
  const auto& file = relation.template_file.empty() ? relation.file : relation.template_file;
  for (std::size_t t = 0; t < relation.templates.size(); ++t) {
    visit({file, 0, detail::nth_template(relation.code, t)}, relation.templates[t].text);
  }
  for (const ManyNamedFact& fact : relation.facts) {
    const auto show = [&](const char* what, const NamedEntity& entity) {
      for (const std::string& name : entity.names) {
        visit({relation.file, fact.line, relation.code + what}, name);
      }
    };
    show(", subject", fact.subject);
    for (const NamedEntity& object : fact.objects) show(", object", object);
  }
}

/// Visits an entity's name and, if `with_description` is set, its description. The site's file is
/// the graph's first file.
inline void for_each_text(const KnowledgeGraph& graph, const Entity& entity, bool with_description,
                          const TextVisitor& visit) {
  const Site site{graph.files.empty() ? "" : graph.files.front(), 0, "entity " + entity.id};
  visit(site, entity.name);
  if (with_description) visit(site, entity.description);
}

/// Visits the names of all relations.
inline void for_each_relation_name(const KnowledgeGraph& graph, const TextVisitor& visit) {
  for (const GraphRelation& relation : graph.relations) {
    visit({graph.files.empty() ? "" : graph.files.front(), 0, "relation " + relation.id},
          relation.name);
  }
}

/// Visits the HGP and MMP templates of all relations, which were read from `file`.
inline void for_each_text(const std::map<std::string, BaselineTemplates>& baselines,
                          const DiskPath& file, const TextVisitor& visit) {
  for (const auto& [code, templates] : baselines) {
    const auto show = [&, &relation = code](const std::string& kind,
                                            const std::vector<std::string>& texts) {
      for (std::size_t t = 0; t < texts.size(); ++t) {
        visit({file, 0, relation + "." + kind + "[" + std::to_string(t) + "]"}, texts[t]);
      }
    };
    show("hgp", templates.hgp);
    show("mmp", templates.mmp);
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
