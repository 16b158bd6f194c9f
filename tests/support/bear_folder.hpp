// SPDX-License-Identifier: Apache-2.0
#pragma once

// Writes datasets in the BEAR layout, and provides the chemical elements as such a dataset.

#include <cstddef>
#include <string>

#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "support/small_graph.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// Writes a dataset into the folder `name`, in the BEAR layout.
inline void write_bear(const TemporaryFolder& folder, const std::string& name,
                       const Dataset& dataset) {
  Json metadata = Json::object();
  Json info = Json::object();
  for (const Relation& relation : dataset.relations) {
    metadata[relation.code] = {{"templates", relation.templates},
                               {"answer_space_labels", relation.options},
                               {"answer_space_ids", relation.option_ids}};
    info[relation.code] = {{"domains", relation.domains}};
    std::string facts;
    for (const Fact& fact : relation.facts) {
      facts += Json{{"sub_id", fact.subject_id},
                    {"sub_label", fact.subject},
                    {"sub_aliases", fact.subject_aliases},
                    {"obj_label", relation.options[fact.answer]},
                    {"answer_idx", fact.answer}}
                   .dump() +
               "\n";
    }
    folder.write(name + "/" + relation.code + ".jsonl", facts);
  }
  folder.write(name + "/metadata_relations.json", metadata.dump());
  folder.write(name + "/relation_info.json", info.dump());
}

/// Three relations of elements(), with the same identifiers, so that readers of elements()
/// recognise them:
///   symbol  36 facts, 36 options
///   next    35 facts, 36 options: the subjects of the other relations; hydrogen follows nothing
///   in      36 facts, 4 options
[[nodiscard]] inline Dataset elements_as_facts() {
  const KnowledgeGraph graph = elements();
  constexpr std::size_t count = 36;
  Dataset dataset{"bear", {}, {}};
  const auto add = [&](const std::string& code, const std::vector<std::string>& templates,
                       std::size_t facts, std::size_t options, auto option, auto answer) {
    Relation relation;
    relation.code = code;
    relation.templates = templates;
    for (std::size_t o = 0; o < options; ++o) {
      const Entity& entity = graph.entities[option(o)];
      relation.options.push_back(entity.name);
      relation.option_ids.push_back(entity.id);
    }
    for (std::size_t i = 0; i < facts; ++i) {
      const Entity& subject = graph.entities[2 * i];
      relation.facts.push_back({subject.id, subject.name, {}, answer(i), i, i + 1});
    }
    dataset.relations.push_back(relation);
  };
  const auto period = [](std::size_t i) { return i < 2 ? 0U : i < 10 ? 1U : i < 18 ? 2U : 3U; };
  add(
      "symbol", {"The symbol of [X] is [Y].", "[X] is written as [Y]."}, count, count,
      [](std::size_t o) { return 2 * o + 1; }, [](std::size_t i) { return i; });
  add(
      "next", {"[X] is followed by [Y]."}, count - 1, count, [](std::size_t o) { return 2 * o; },
      [](std::size_t i) { return i + 1; });
  add(
      "in", {"[X] stands in [Y]."}, count, 4, [](std::size_t o) { return 2 * count + o; },
      [&](std::size_t i) { return period(i); });
  return dataset;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
