// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are PARAREL's facts and paraphrases read?
//
//   trex_lms_vocab/P36.jsonl              {"sub_label", "obj_label", "uuid"}
//   pattern_data/graphs_json/P36.jsonl    {"pattern": "[Y] is the capital of [X].", …}
//
// This is the layout of PARAREL (Elazar et al. 2021). Every pattern is a template; the options are
// the relation's distinct objects, in order of appearance. Relations are read in the order of their
// numbers (P19 before P103).

#include <filesystem>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/relation_builder.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

[[nodiscard]] inline bool is_pararel(const DiskPath& folder) {
  return (folder / "trex_lms_vocab").is_folder() &&
         (folder / "pattern_data" / "graphs_json").is_folder();
}

[[nodiscard]] inline Dataset load_pararel(const DiskPath& folder,
                                          const ProblemSink& report = throw_problem) {
  Dataset dataset{folder.name(), {}, {}};
  std::vector<std::string> codes;
  for (const DiskPath& file : (folder / "trex_lms_vocab").files(".jsonl")) {
    codes.push_back(file.stem());
  }
  ranges::sort(codes, [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  for (const std::string& code : codes) {
    const auto facts_file = folder / "trex_lms_vocab" / (code + ".jsonl");
    const auto pattern_file = folder / "pattern_data" / "graphs_json" / (code + ".jsonl");
    if (!pattern_file.exists()) {
      report(user_error({.file = pattern_file}, "is missing, but trex_lms_vocab has " + code,
                        "add the relation's patterns"));
      continue;
    }
    RelationBuilder builder(code, report);
    for_each_json_line(pattern_file, report, [&](const Json& object, std::size_t line) {
      const auto pattern = first_string(object, "pattern");
      if (!pattern) {
        report(
            user_error({pattern_file, line, "pattern"}, "is missing", "add a pattern to the line"));
      } else {
        builder.add_template(*pattern, {pattern_file, line, "pattern"});
      }
    });
    dataset.files.push_back(pattern_file);
    read_facts(std::move(builder), facts_file, dataset, report);
  }
  return dataset;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
