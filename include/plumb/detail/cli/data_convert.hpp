// SPDX-License-Identifier: Apache-2.0
#pragma once

// plumb data convert: how is a dataset converted to a many-prompt dataset, or to tables of many
// choices?
//
// By default, any dataset that plumb reads is written as facts.jsonl and templates.jsonl
// (multi_prompt_folder.hpp). Its sizes are printed in the format that the paper uses for
// MyriadLAMA: "What Matters in Learning Facts in Language Models?", Table 1. Relations without
// templates are rejected unless a templates file is passed. With --to choices, each relation with
// enough facts becomes a table of many choices (many_choice.hpp), which needs no templates.

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "plumb/detail/cli/arguments.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/data/many_choice.hpp"
#include "plumb/detail/data/multi_prompt_folder.hpp"
#include "plumb/detail/records/atomic_folder.hpp"
#include "plumb/detail/records/run_record.hpp"
#include "plumb/detail/report/text_table.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The sizes of one relation, or of several relations together. Names and objects are counted for
/// each fact, so an object that occurs in two facts is counted twice.
struct MultiPromptSizes {
  std::size_t facts = 0;
  std::size_t subject_names = 0;
  /// True (subject, relation, object) triples.
  std::size_t objects = 0;
  /// Names of objects other than their labels.
  std::size_t object_aliases = 0;
  std::size_t templates = 0;
  /// A template without a group counts as a separate group.
  std::size_t groups = 0;
  std::size_t questions = 0;
  std::size_t prompts = 0;

  MultiPromptSizes& operator+=(const MultiPromptSizes& other) {
    facts += other.facts;
    subject_names += other.subject_names;
    objects += other.objects;
    object_aliases += other.object_aliases;
    templates += other.templates;
    groups += other.groups;
    questions += other.questions;
    prompts += other.prompts;
    return *this;
  }
};

[[nodiscard]] inline MultiPromptSizes sizes_of(const MultiPromptRelation& relation) {
  MultiPromptSizes sizes;
  sizes.facts = relation.facts.size();
  for (const ManyNamedFact& fact : relation.facts) {
    sizes.subject_names += fact.subject.names.size();
    sizes.objects += fact.objects.size();
    for (const NamedEntity& object : fact.objects) sizes.object_aliases += object.names.size() - 1;
  }
  sizes.templates = relation.templates.size();
  std::unordered_set<std::string> groups;
  for (const PromptTemplate& one : relation.templates) {
    if (one.group.empty() || groups.insert(one.group).second) ++sizes.groups;
    if (one.style == TemplateStyle::question) ++sizes.questions;
  }
  sizes.prompts = relation.prompts();
  return sizes;
}

/// The dataset's name, a table of its sizes by relation and in total, and a note that explains what
/// the columns count.
inline std::string describe_multi_prompt(const MultiPromptDataset& dataset,
                                         const TableWidth& width) {
  TextTable table({"relation", "facts", "subject names", "objects", "object aliases", "templates",
                   "groups", "questions", "prompts"});
  const auto add = [&](const std::string& name, const MultiPromptSizes& sizes) {
    std::vector<std::string> cells{name};
    for (const std::size_t count :
         {sizes.facts, sizes.subject_names, sizes.objects, sizes.object_aliases, sizes.templates,
          sizes.groups, sizes.questions, sizes.prompts}) {
      cells.push_back(std::to_string(count));
    }
    table.add(std::move(cells));
  };
  MultiPromptSizes all;
  for (const MultiPromptRelation& relation : dataset.relations) {
    const MultiPromptSizes sizes = sizes_of(relation);
    add(relation.code, sizes);
    all += sizes;
  }
  table.add_rule();
  add("all", all);
  return dataset.name + ": " + counted(dataset.relations.size(), "relation") + "\n" +
         table.text(width) +
         "A fact is a subject with all its objects. Names and objects are counted over facts; "
         "prompts are subject names times templates.\n";
}

/// Prints "Left out: what." for each entry.
inline void print_left_out(Console& console, const std::vector<std::string>& left_out) {
  for (const std::string& note : left_out_notes(left_out)) console.out << note << "\n";
}

/// Writes nothing if the dataset has a problem. `templates` may be empty.
inline int convert_data(Console& console, const DiskPath& data, const DiskPath& templates,
                        KeptOrigins origins, const DiskPath& out) {
  AtomicFolder::refuse_used(out);
  MultiPromptDataset dataset = load_multi_prompt(data, throw_problem, templates);
  keep_origins(dataset, origins);
  AtomicFolder made(out, ".jsonl");
  write_atomically(made.path() / "templates.jsonl", templates_jsonl(dataset));
  write_atomically(made.path() / "facts.jsonl", facts_jsonl(dataset));
  made.finish();
  print_left_out(console, dataset.left_out);
  console.out << describe_multi_prompt(dataset, width_on(console)) << "dataset: " << out.string()
              << "\n";
  return 0;
}

/// Writes a table of many choices for each relation with enough facts and objects, and prints the
/// number of skipped relations.
inline int convert_to_choices(Console& console, const DiskPath& data, const ManyChoiceRule& rule,
                              const DiskPath& out) {
  AtomicFolder::refuse_used(out);
  const Dataset dataset = load_dataset(data);
  const ObjectAliases aliases = object_aliases(dataset);
  TextTable table({"relation", "training facts", "test facts", "choices"});
  std::vector<Relation> made;
  std::size_t left_out = 0;
  for (const Relation& relation : dataset.relations) {
    auto one = many_choice_relation(relation, aliases, rule);
    if (!one) {
      ++left_out;
      continue;
    }
    const auto training = static_cast<std::size_t>(
        ranges::count(one->facts, FactPart::training, [](const Fact& fact) { return fact.part; }));
    std::size_t fewest = rule.choices;
    for (const Fact& fact : one->facts) fewest = (std::min)(fewest, fact.offered.size());
    table.add({one->code, std::to_string(training), std::to_string(one->facts.size() - training),
               std::to_string(fewest)});
    made.push_back(std::move(*one));
  }
  const std::string enough =
      counted(rule.facts, "fact") + " and " + counted(rule.objects, "object");
  if (made.empty()) {
    throw user_error({.file = data}, "has no relation with at least " + enough,
                     "lower --min-facts or --min-objects");
  }
  AtomicFolder folder(out, ".jsonl");
  for (const Relation& relation : made) {
    write_atomically(folder.path() / (relation.code + ".jsonl"), choice_table_jsonl(relation));
  }
  folder.finish();
  console.out << table.text(width_on(console));
  print_left_out(console, dataset.left_out);
  if (left_out > 0) {
    console.out << "Left out: " << counted(left_out, "relation") << " with fewer than " << enough
                << ".\n";
  }
  console.out << "choices: the smallest number for any fact. dataset: " << out.string() << "\n";
  return 0;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
