// SPDX-License-Identifier: Apache-2.0
#pragma once

// Datasets in every format, graphs, template files and files of published numbers.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/sound.hpp"
#include "plumb/detail/data/baseline_template_file.hpp"
#include "plumb/detail/data/check_and_complete.hpp"
#include "plumb/detail/data/closed_set_graph.hpp"
#include "plumb/detail/data/corpus_file.hpp"
#include "plumb/detail/data/dataset_texts.hpp"
#include "plumb/detail/data/graph_folder.hpp"
#include "plumb/detail/data/kamel.hpp"
#include "plumb/detail/data/load.hpp"
#include "plumb/detail/data/many_choice.hpp"
#include "plumb/detail/data/multi_prompt_folder.hpp"
#include "plumb/detail/data/named_facts.hpp"
#include "plumb/detail/data/published_numbers.hpp"
#include "plumb/detail/data/template_file.hpp"
#include "support/memory_disk.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::fuzz {

/// Passes a loaded closed set to the functions that use it.
inline void use_dataset(const Dataset& dataset, const DiskPath& data, bool had_problems) {
  std::size_t bytes = 0;
  for_each_text(dataset, {}, [&](const Site&, const std::string& text) { bytes += text.size(); });
  (void)named_facts(dataset);
  is_read(data.string(), [&] { (void)graph_of(dataset, {}); });
  for (const Relation& relation : dataset.relations) {
    for (const Fact& fact : relation.facts) {
      require(fact.answer < relation.options.size(), "an answer that is no option");
      for (const auto option : fact.offered) {
        require(option < relation.options.size(), "a choice that is no option");
      }
    }
  }
  if (!had_problems) {
    is_read(data.string(), [&] { (void)check_and_complete(dataset); });
  }
  const ObjectAliases aliases = object_aliases(dataset);
  const ManyChoiceRule rule{.facts = 2, .objects = 2, .choices = 3, .training = 1, .test = 9};
  for (const Relation& relation : dataset.relations) {
    if (const auto made = many_choice_relation(relation, aliases, rule)) {
      (void)choice_table_jsonl(*made);
    }
  }
}

/// Checks that a dataset of many prompts is unchanged after being written and read back.
inline void write_and_read(const MultiPromptDataset& dataset) {
  test::MemoryDisk disk;
  const std::string facts = facts_jsonl(dataset), templates = templates_jsonl(dataset);
  disk.put("again/facts.jsonl", facts);
  disk.put("again/templates.jsonl", templates);
  must_read("written and refused", [&] {
    const MultiPromptDataset again = load_multi_prompt(disk / "again");
    require(facts_jsonl(again) == facts, "facts differ once they are written and read");
    require(templates_jsonl(again) == templates, "templates differ once they are written and read");
  });
}

inline void datasets(std::string_view input) {
  test::MemoryDisk disk;
  for (const auto& [name, text] : files_of(input)) disk.put("data/" + name, text);
  const DiskPath data = disk / "data";
  if (!data.is_folder()) return;
  const std::string place = data.string();
  std::size_t problems = 0;
  const ProblemSink count = [&](const Error& problem) {
    check_message(problem.what(), place);
    ++problems;
  };
  std::size_t relations = 0;
  is_read(place, [&] {
    const Dataset dataset = load_dataset(data, count);
    relations = dataset.relations.size();
    use_dataset(dataset, data, problems > 0);
  });
  const bool is_sound = problems == 0 && relations > 0;
  const bool again = is_read(place, [&] { (void)load_dataset(data); });
  require(again == is_sound, "a sink and an exception differ in what they say of a dataset");
  problems = 0;
  is_read(place, [&] {
    const MultiPromptDataset dataset = load_multi_prompt(data, count);
    for (const auto& relation : dataset.relations) {
      for_each_text(relation, [](const Site&, const std::string&) {});
    }
    (void)named_facts(dataset);
    write_and_read(dataset);
  });
  if (is_graph_folder(data)) {
    is_read(place, [&] { (void)named_facts(load_graph(data)); });
  }
  for (const DiskPath& file : data.list()) {
    if (file.name().starts_with("templates")) {
      is_read(place, [&] {
        Dataset dataset = load_dataset(data, count);
        use_template_file(dataset, file);
      });
    }
    if (file.name().starts_with("baselines")) {
      is_read(place, [&] { (void)read_baseline_templates(file); });
    }
    if (file.name().starts_with("published")) {
      is_read(place, [&] { (void)read_published_numbers(file); });
    }
    if (file.name().starts_with("corpus")) {
      is_read(place, [&] {
        for_each_document(
            file, text_field_of(file, ""), [](std::string_view, std::size_t, bool) {}, [] {}, 16);
      });
    }
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::fuzz
