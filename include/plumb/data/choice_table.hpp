// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a table read whose facts bring their own choices?
//
//   <relation>.jsonl   {"subject": "Brian May", "object": "19 July 1947",
//                       "choices": ["24 December 1931", …], "split": "test"}, one fact a line
// A folder of such files is a dataset, a file alone one relation. The fields may also be called as
// in T-REx-MC: Subject, Object, Multiple choices. `choices` may have the object or leave it out;
// `split` (train or test) may be missing everywhere. There are no templates, so only probes that
// need none can ask such a table. Source: "Towards Reliable Latent Knowledge Estimation in LLMs",
// Appendix A.2.

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/core/disk_path.hpp"
#include "plumb/core/over.hpp"
#include "plumb/data/relation_builder.hpp"

namespace plumb {
namespace detail {

/// The line with the field names of other layouts; fields it does not know are left out.
inline Json choice_table_fact(const Json& line) {
  Json fact = Json::object();
  const auto take = [&](const char* name, std::initializer_list<const char*> names) {
    for (const char* theirs : names) {
      if (const auto found = line.find(theirs); found != line.end() && !fact.contains(name)) {
        fact[name] = *found;
      }
    }
  };
  take("sub_label", {"subject", "Subject"});
  take("sub_id", {"subject_id"});
  take("sub_aliases", {"subject_aliases"});
  take("obj_label", {"object", "Object"});
  take("obj_id", {"object_id"});
  take("choices", {"choices", "Multiple choices", "multiple_choices"});
  take("split", {"split"});
  return fact;
}

}  // namespace detail

/// The files of a table, sorted; empty for a path that is none: each must be .jsonl and begin with a
/// fact that has a subject and an object.
[[nodiscard]] inline std::vector<DiskPath> choice_table_files(const DiskPath& path) {
  return files_of_rows(path, [](const Json& line) {
    const Json fact = detail::choice_table_fact(line);
    return fact.contains("sub_label") && fact.contains("obj_label");
  });
}

/// Problems go to `report`. Throws a user error when a file cannot be read.
[[nodiscard]] inline Dataset load_choice_table(const DiskPath& path,
                                               const ProblemSink& report = throw_problem) {
  Dataset dataset{path.stem(), {}, {}};
  for (const DiskPath& file : choice_table_files(path)) {
    RelationBuilder builder(file.stem(), report);
    builder.needs_no_template();
    for_each_json_line(file, report, [&](const Json& line, std::size_t number) {
      builder.add_fact(detail::choice_table_fact(line), {file, number});
    });
    dataset.files.push_back(file);
    if (auto relation = std::move(builder).finish({.file = file})) {
      dataset.relations.push_back(std::move(*relation));
    }
  }
  return dataset;
}

}  // namespace plumb
