// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are LAMA's T-REx facts read?
//
//   relations.jsonl                   {"relation": "P36", "template": "The capital of [X] is [Y]
//   ."} P36.jsonl or TREx/P36.jsonl       {"sub_label", "obj_label", "sub_uri", "obj_uri", …}
//
// The layout of the LAMA probe (Petroni et al. 2019). A relation listed several times has several
// templates; a relation without a fact file is passed over, as LAMA's own list names more relations
// than T-REx has. The options are the relation's distinct objects, in order of appearance.

#include <filesystem>
#include <map>

#include "plumb/core/disk_path.hpp"
#include "plumb/core/over.hpp"
#include "plumb/data/relation_builder.hpp"

namespace plumb {

[[nodiscard]] inline bool is_lama(const DiskPath& folder) {
  return (folder / "relations.jsonl").exists();
}

[[nodiscard]] inline Dataset load_lama(const DiskPath& folder,
                                       const ProblemSink& report = throw_problem) {
  Dataset dataset{folder.name(), {}, {}};
  const auto list_file = folder / "relations.jsonl";
  std::vector<std::string> order;
  std::map<std::string, std::vector<std::pair<std::string, Site>>> templates;
  for_each_json_line(list_file, report, [&](const Json& object, std::size_t line) {
    const auto code = first_string(object, "relation");
    const auto text = first_string(object, "template");
    if (!code || !text) {
      report(user_error({list_file, line, code ? "template" : "relation"}, "is missing",
                        "each line needs relation and template"));
      return;
    }
    if (over::find(order, *code) == order.end()) order.push_back(*code);
    templates[*code].push_back({*text, {list_file, line, "template"}});
  });
  dataset.files.push_back(list_file);
  for (const std::string& code : order) {
    auto facts_file = folder / "TREx" / (code + ".jsonl");
    if (!facts_file.exists()) facts_file = folder / (code + ".jsonl");
    if (!facts_file.exists()) continue;
    RelationBuilder builder(code, report);
    for (const auto& [text, site] : templates[code]) builder.add_template(text, site);
    read_facts(std::move(builder), facts_file, dataset, report);
  }
  return dataset;
}

}  // namespace plumb
