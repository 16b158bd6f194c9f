// SPDX-License-Identifier: Apache-2.0
#pragma once

// The dataset formats, and how a path's format is determined.
//
// To add a format, write a header with two functions and add one line here.

#include <array>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/data/bear.hpp"
#include "plumb/detail/data/choice_table.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/data/factor.hpp"
#include "plumb/detail/data/kamel.hpp"
#include "plumb/detail/data/lama.hpp"
#include "plumb/detail/data/laureate_table.hpp"
#include "plumb/detail/data/myriad_lama.hpp"
#include "plumb/detail/data/pararel.hpp"
#include "plumb/detail/data/triple_rows.hpp"
#include "plumb/detail/data/tsv.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct DatasetFormat {
  const char* name;
  /// What a path of this format contains, for messages.
  const char* needs;
  bool (*matches)(const DiskPath&);
  Dataset (*load)(const DiskPath&, const ProblemSink&);
  /// Whether a many-prompt folder that also contains data in this format is still read as
  /// many-prompt data.
  bool gives_way = false;
  /// Whether a folder of this format consists only of its tables, so that an unread table means
  /// missing facts.
  bool is_flat = false;
};

/// The first format that matches is used.
inline constexpr std::array<DatasetFormat, 9> dataset_formats{{
    {"BEAR", "metadata_relations.json", is_bear, load_bear},
    {"LAMA",
     "relations.jsonl, mLAMA's templates.jsonl, Google_RE/, or test.jsonl in ConceptNet/ or Squad/",
     is_lama, load_lama},
    {"KAMEL", "question-templates.csv and folders with train.jsonl and test.jsonl", is_kamel,
     load_kamel},
    {"PARAREL", "trex_lms_vocab/ with pattern_data/graphs_json/", is_pararel, load_pararel},
    {"FACTOR", "a .csv with its header",
     [](const DiskPath& path) { return factor_file(path).has_value(); },
     [](const DiskPath& path, const ProblemSink& report) {
       return load_factor(*factor_file(path), report);
     },
     true, true},
    {"choices", ".jsonl or .csv files whose facts have subject and object",
     [](const DiskPath& path) {
       return !choice_table_files(path).empty() && !is_table_with_templates(path);
     },
     load_choice_table, false, true},
    {"T-REx", ".jsonl files whose lines have head, tail and relation",
     [](const DiskPath& path) {
       return !triple_row_files(path).empty() && !is_table_with_templates(path);
     },
     load_triple_rows, false, true},
    {"laureates", "a .csv with Name and Birth Year",
     [](const DiskPath& path) { return laureate_file(path).has_value(); },
     [](const DiskPath& path, const ProblemSink& report) {
       return load_laureates(*laureate_file(path), report);
     },
     true, true},
    {"table", "one .tsv, or a .csv or .jsonl whose columns are named subject, relation and object",
     is_fact_table,
     [](const DiskPath& path, const ProblemSink& report) {
       return load_tsv(tsv_file(path), report);
     },
     true, true},
}};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
