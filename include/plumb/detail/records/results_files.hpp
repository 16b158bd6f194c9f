// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which results files does a run write, and which fields do their rows have?
//
// The answer is the list in docs/results.md, which is generated from the declarations that write
// and read the rows.

#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/records/generation_rows.hpp"
#include "plumb/detail/records/many_shot_rows.hpp"
#include "plumb/detail/records/probe_rows.hpp"
#include "plumb/detail/records/ranking_rows.hpp"
#include "plumb/detail/records/record_fields.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct ResultsFile {
  /// The command that writes the file: "plumb probe".
  std::string command;
  /// Words in capitals are placeholders for names: "RELATION_results.jsonl".
  std::string name;
  std::string row;
  std::vector<ListedField> fields;
};

template <class Row>
[[nodiscard]] ResultsFile results_file(const char* command) {
  return {command, std::string(RecordFields<Row>::file), std::string(RecordFields<Row>::rows),
          field_list<Row>()};
}

/// lm-pub-quiz's rows, with plumb's additional fields.
[[nodiscard]] inline ResultsFile probe_results_file() {
  FieldLister lister;
  Fact fact;
  std::size_t template_index = 0;
  probe_head_fields(fact, template_index, lister);
  ResultsFile file{"plumb probe", "RELATION_results.jsonl", "one row per fact and template",
                   std::move(lister.fields)};
  file.fields.push_back(
      {"pll_scores",
       "score of each option, computed with the run's reduction over its span: nats for sum and "
       "pmi, nats per token for mean, nats per byte for bytes. The field's name comes from "
       "lm-pub-quiz and is also used for causal models"});
  for (const ScoreField& field : score_fields()) {
    file.fields.push_back({field.name, field.meaning(), field.is_optional()});
  }
  return file;
}

[[nodiscard]] inline std::vector<ResultsFile> results_files() {
  return {probe_results_file(),
          results_file<RecordedChoice>("plumb many-shot"),
          results_file<RecordedGeneration>("plumb many-shot"),
          results_file<RecordedAnswer>("plumb generate"),
          results_file<RecordedSamples>("plumb generate"),
          results_file<RecordedNames>("plumb generate"),
          results_file<RecordedContentFree>("plumb generate"),
          results_file<EntityRank>("plumb rank"),
          results_file<NearestEntities>("plumb rank")};
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
