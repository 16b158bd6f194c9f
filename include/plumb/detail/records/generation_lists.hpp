// SPDX-License-Identifier: Apache-2.0
#pragma once

// How good are the lists of answers in a run folder?
//
// A generation in KAMEL's form writes the same files as any other generation (generation_rows.hpp):
// one row for each fact, under a single setting. Its metadata_generate.json has "answers": "lists"
// and max_new_tokens. A row's answer ends before its first "%". An answer with max_new_tokens
// tokens counts as cut off.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/answer_lists.hpp"
#include "plumb/detail/records/generation_folder.hpp"
#include "plumb/detail/records/generation_metadata.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The answer to a fact and its scores.
struct RecordedList {
  /// The fact's index in the relation.
  std::size_t fact = 0;
  std::string text;
  ListScore with_aliases, main_label, script;
  /// Whether the answer was cut off at the token limit, and whether it lists no answers.
  bool cut = false, empty = false;
};

/// Relations in the order of `asked`, each with its answers in the order of the rows.
struct ListRun {
  std::string setting;
  MultiPromptDataset asked;
  std::vector<std::vector<RecordedList>> relations;
  std::vector<std::string> remarks;
};

/// The names of each of a fact's objects, with the main label first.
[[nodiscard]] inline ObjectNames object_names(const ManyNamedFact& fact) {
  ObjectNames names;
  for (const NamedEntity& object : fact.objects) names.push_back(object.names);
  return names;
}

/// Scores an answer to a fact; `cut` indicates whether the answer ended at the token limit.
[[nodiscard]] inline RecordedList recorded_list(std::size_t fact, std::string text,
                                                const ObjectNames& objects, bool cut) {
  RecordedList made{fact, std::move(text), {}, {}, {}, cut, false};
  made.with_aliases = list_score(made.text, objects, AcceptedNames::all);
  made.main_label = list_score(made.text, objects, AcceptedNames::main_label);
  made.script = kamel_script_score(cut ? made.text : made.text + "%", objects);
  made.empty = listed_answers(made.text).empty();
  return made;
}

/// Throws a user error if the folder contains no finished run of this kind or is damaged.
[[nodiscard]] inline ListRun read_list_run(const DiskPath& folder) {
  GenerationMetadata metadata = read_generation_metadata(folder);
  if (metadata.answers != GeneratedAnswers::lists || !metadata.max_new_tokens) {
    throw user_error({.file = folder}, "contains no lists of answers",
                     "generate with `form` kamel");
  }
  ListRun run{
      std::move(metadata.settings.front()), read_asked(folder), {}, std::move(metadata.remarks)};
  run.relations.resize(run.asked.relations.size());
  const DiskPath file = folder / (run.setting + "_answers.jsonl");
  for_each_row<RecordedAnswer>(file, [&](const RecordedAnswer& row) {
    const auto relation =
        ranges::find(run.asked.relations, row.relation, &MultiPromptRelation::code);
    if (relation == run.asked.relations.end() || row.prompt.fact >= relation->facts.size()) {
      throw user_error({file, row.line, "fact"}, "is not among the facts that were asked about",
                       "the file was changed; run the job again");
    }
    const ManyNamedFact& fact = relation->facts[row.prompt.fact];
    const auto place = static_cast<std::size_t>(relation - run.asked.relations.begin());
    run.relations[place].push_back(recorded_list(row.prompt.fact, row.text, object_names(fact),
                                                 row.tokens == *metadata.max_new_tokens));
  });
  return run;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
