// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which loader reads this folder?
//
// The layout tells: metadata_relations.json is BEAR's, relations.jsonl LAMA's, trex_lms_vocab with
// pattern_data PARAREL's; a .csv with FACTOR's header is FACTOR's; a .tsv file is a plain table. A
// folder with just one .csv or .tsv stands for that file; .jsonl files whose facts have a subject and
// an object are a table with choices.

#include <filesystem>
#include <optional>
#include <string>

#include "plumb/data/bear.hpp"
#include "plumb/data/choice_table.hpp"
#include "plumb/data/factor.hpp"
#include "plumb/data/lama.hpp"
#include "plumb/data/pararel.hpp"
#include "plumb/data/tsv.hpp"

namespace plumb {

/// Reads a dataset of any known layout. Throws a user error when the layout is not known or nothing
/// usable was found; other problems go to `report`.
[[nodiscard]] inline Dataset load_dataset(std::filesystem::path path,
                                          const ProblemSink& report = throw_problem) {
  namespace fs = std::filesystem;
  if (!fs::exists(path)) {
    throw user_error({.file = path}, "does not exist", "name a dataset's folder or a .tsv file");
  }
  if (path.filename().empty()) path = path.parent_path();  // "data/bear/" is named bear too
  Dataset dataset;
  const std::optional<fs::path> factor = factor_file(path);
  if (factor && !fs::is_directory(path)) {
    dataset = load_factor(*factor, report);
  } else if (!fs::is_directory(path) && !choice_table_files(path).empty()) {
    dataset = load_choice_table(path, report);
  } else if (!fs::is_directory(path)) {
    if (path.extension() != ".tsv") {
      throw user_error({.file = path},
                       "is not a .tsv file, nor a .csv with FACTOR's header, nor a .jsonl whose "
                       "facts have subject and object",
                       "name a folder or such a file");
    }
    dataset = load_tsv(path, report);
  } else if (is_bear(path)) {
    dataset = load_bear(path, report);
  } else if (is_lama(path)) {
    dataset = load_lama(path, report);
  } else if (is_pararel(path)) {
    dataset = load_pararel(path, report);
  } else if (factor) {
    dataset = load_factor(*factor, report);
  } else if (!choice_table_files(path).empty()) {
    dataset = load_choice_table(path, report);
  } else {
    std::optional<fs::path> table;
    for (const auto& entry : fs::directory_iterator(path)) {
      if (entry.path().extension() != ".tsv") continue;
      if (table) {
        throw user_error({.file = path}, "holds several .tsv files", "name the one to read");
      }
      table = entry.path();
    }
    if (!table && fs::exists(path / "facts.jsonl")) {
      throw user_error({.file = path}, "is a dataset of many prompts, without closed sets",
                       "ask it with plumb generate");
    }
    if (!table) {
      throw user_error({.file = path}, "is not a dataset plumb knows",
                       "it needs metadata_relations.json (BEAR), relations.jsonl (LAMA), "
                       "trex_lms_vocab/ with pattern_data/graphs_json/ (PARAREL), FACTOR's .csv, "
                       "one .tsv file or .jsonl files with choices");
    }
    dataset = load_tsv(*table, report);
  }
  if (dataset.relations.empty()) {
    throw user_error({.file = path}, "the dataset is empty",
                     "it needs at least one relation with facts");
  }
  return dataset;
}

}  // namespace plumb
