// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are T-REx's triples read?
//
//   {"head": "Brian May", "tail": "19 July 1947", "relation": "date of birth", "title": …, "text": …}
// JSON lines with one triple each, in one file or in all .jsonl files of a folder. This is the
// processed T-REx from which IC-LKE's T-REx-MC was created ("Towards Reliable Latent Knowledge
// Estimation in LLMs", appendix A.2). A triple that appears in several texts is one fact, and only
// distinct facts are numbered as instances. A "/" in a relation's name becomes "-", because results
// files are named after it. There are no templates, so only probes that do not need any can use
// this dataset. data/many_choice.hpp draws from it using T-REx-MC's rule.

#include <cstddef>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/data/choice_fields.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/data/relation_builder.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The .jsonl files at a path, in sorted order; empty unless each of them begins with a triple.
[[nodiscard]] inline std::vector<DiskPath> triple_row_files(const DiskPath& path) {
  return files_of_rows(path, [](const Json& row) {
    return row.contains("head") && row.contains("tail") && row.contains("relation");
  });
}

/// Returns the relations in order of appearance, without those that have a single object. Reports
/// broken lines. Throws a user error if a file cannot be read.
[[nodiscard]] inline Dataset load_triple_rows(const DiskPath& path,
                                              const ProblemSink& report = throw_problem) {
  Dataset dataset{path.is_folder() ? path.name() : path.stem(), {}, {}};
  std::vector<std::string> order;
  detail::ResultNames result_names;
  std::unordered_map<std::string, RelationBuilder> builders;
  std::unordered_set<std::string> seen, with_choice;
  std::unordered_map<std::string, std::string> first_object;  // by relation
  for (const DiskPath& file : triple_row_files(path)) {
    detail::UnreadChoices unread(report);
    for_each_json_line(file, report, [&](const Json& row, std::size_t number) {
      for (const auto& [name, value] : row.items()) unread.look_at(name, value, {file, number});
      auto code = first_string(row, "relation");
      const auto head = first_string(row, "head"), tail = first_string(row, "tail");
      if (!code || !head || !tail) {
        return report(user_error({file, number,
                                  !code   ? "relation"
                                  : !head ? "head"
                                          : "tail"},
                                 "is not a string", "write head, tail and relation on each line"));
      }
      code = result_names.of(*code, {file, number, "relation"}, report);
      if (!code) return;
      if (!seen.insert(Json{*code, *head, *tail}.dump()).second) return;
      const auto [builder, is_new] = builders.try_emplace(*code, *code, report);
      if (is_new) {
        order.push_back(*code);
        builder->second.needs_no_template();
      }
      builder->second.add_fact(*head, *tail, {file, number});
      if (first_object.try_emplace(*code, *tail).first->second != *tail) with_choice.insert(*code);
    });
    dataset.files.push_back(file);
  }
  if (const std::size_t single = order.size() - with_choice.size(); single > 0) {
    dataset.left_out.push_back("relations with a single object: " + std::to_string(single));
  }
  for (const std::string& code : order) {
    if (!with_choice.contains(code)) continue;
    if (auto relation = std::move(builders.at(code)).finish({.file = path, .field = code})) {
      dataset.relations.push_back(std::move(*relation));
    }
  }
  return dataset;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
