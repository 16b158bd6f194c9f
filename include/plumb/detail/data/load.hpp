// SPDX-License-Identifier: Apache-2.0
#pragma once

// Loads a dataset of any format (dataset_formats.hpp).

#include <span>

#include "plumb/detail/core/compiled.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/data/dataset.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct DatasetFormat;

/// The format of a path: the first in `formats` that matches, or null if none does.
[[nodiscard]] const DatasetFormat* format_of(const DiskPath& path,
                                             std::span<const DatasetFormat> formats);

/// Reads a dataset in any of `formats`. Throws a user error if no format matches, if there is no
/// usable data, or if the path is a knowledge graph's folder. Other problems, such as an unread
/// table in the folder, are passed to `report`.
[[nodiscard]] Dataset load_dataset(const DiskPath& path, std::span<const DatasetFormat> formats,
                                   const ProblemSink& report);

/// The same, using the formats in `dataset_formats`.
[[nodiscard]] Dataset load_dataset(const DiskPath& path, const ProblemSink& report = throw_problem);

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#if PLUMB_BODIES

#include <string>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_file.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/core/white_space.hpp"
#include "plumb/detail/data/csv_file.hpp"
#include "plumb/detail/data/dataset_formats.hpp"
#include "plumb/detail/data/fact_columns.hpp"
#include "plumb/detail/data/graph_folder.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/data/lpaqa.hpp"
#include "plumb/detail/data/myriad_lama.hpp"
#include "plumb/detail/data/table_encoding.hpp"
#include "plumb/detail/data/tsv.hpp"
#include "plumb/detail/data/unread_tables.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Throws a user error for tables that must be converted before plumb can read them: Parquet files,
/// and .csv files with an unknown header.
inline void refuse_other_tables(const DiskPath& path) {
  const bool in_data = path.is_folder() && !(path / "data").files(".parquet").empty();
  const std::vector<DiskPath> parquet = (in_data ? path / "data" : path).files(".parquet");
  if (!parquet.empty()) {
    throw user_error({.file = parquet.front()}, "is Parquet, which plumb does not read",
                     "convert it to JSON lines: python3 -c \"import pandas, sys; "
                     "pandas.read_parquet(sys.argv[1]).to_json(sys.argv[2], orient='records', "
                     "lines=True)\" FILE.parquet FILE.jsonl");
  }
  const std::vector<DiskPath> tables = path.files(".csv");
  if (tables.empty()) return;
  if (tables.size() > 1) {
    throw user_error({.file = path},
                     "contains several .csv files that are not relations with choices",
                     "pass the one to read");
  }
  const std::vector<std::string> header = csv_header(tables.front());
  std::string names;
  for (const std::string& name : header) add_to_list(names, "'" + name + "'");
  const bool is_split_otherwise =
      names.find_first_of(";\t|") != std::string::npos && names.find(',') == std::string::npos;
  throw user_error({tables.front(), 1}, names.empty() ? "has no header" : lacking_columns(header),
                   is_split_otherwise
                       ? "separate the fields by commas, and name them subject, relation and object"
                       : "name the columns subject, relation and object, or, with a file for each "
                         "relation, subject, object and choices; other columns may follow");
}

/// Whether a facts.jsonl has the columns of a table of facts, and not of a dataset of many prompts.
inline bool is_table_among_others(const DiskPath& facts) {
  if (!facts.is_file()) return false;
  const std::vector<std::string> header = table_header(facts);
  return fact_columns(header) && ranges::find(header, "sub_label") == header.end();
}

/// Throws a user error if the first line of a .jsonl file, which shows its format, is not JSON.
inline void refuse_broken_first_line(const DiskPath& file) {
  bool is_first = true;
  for_each_table_line(file, [&](const std::string& text, std::size_t line) {
    if (!is_first || is_blank(text)) return;
    is_first = false;
    refuse_lfs_pointer(file, text);
    Json row;
    if (const auto wrong = detail::parse_json(text, row)) {
      throw user_error({file, line}, *wrong, "write one JSON object on each line");
    }
  });
}

PLUMB_INLINE const DatasetFormat* format_of(const DiskPath& path,
                                            std::span<const DatasetFormat> formats) {
  const auto found =
      ranges::find_if(formats, [&](const DatasetFormat& format) { return format.matches(path); });
  return found == formats.end() ? nullptr : &*found;
}

PLUMB_INLINE Dataset load_dataset(const DiskPath& path, const ProblemSink& report) {
  return load_dataset(path, dataset_formats, report);
}

PLUMB_INLINE Dataset load_dataset(const DiskPath& path, std::span<const DatasetFormat> formats,
                                  const ProblemSink& report) {
  if (!path.exists()) {
    throw user_error({.file = path}, "does not exist",
                     "pass a dataset's folder, or a .tsv or .csv file");
  }
  if (is_graph_folder(path)) {
    throw user_error({.file = path}, "is a knowledge graph, which has no closed sets",
                     "use plumb rank, which ranks its entities");
  }
  detail::refuse_other_encodings(path);
  const DatasetFormat* format = format_of(path, formats);
  if (const auto facts = path / "facts.jsonl"; format == nullptr && facts.exists()) {
    detail::refuse_broken_first_line(facts);
  }
  if (format == nullptr && is_table_among_others(path / "facts.jsonl")) {
    throw user_error({.file = path},
                     "has a table of facts, facts.jsonl, and other .jsonl files, so it is neither "
                     "a table nor a dataset of many prompts",
                     "pass facts.jsonl itself, with its templates in facts.json or "
                     "`template_file`; facts of many prompts have sub_label and objects");
  }
  if (format == nullptr && ((path / "facts.jsonl").exists() || is_myriad_lama(path))) {
    throw user_error({.file = path}, "is a dataset of many prompts, which has no closed sets",
                     "use plumb generate");
  }
  if (format == nullptr && is_lpaqa(path)) {
    throw user_error({.file = path}, "contains LPAQA's prompts, but no facts",
                     "choose a dataset of facts, and pass the prompts as `template_file`");
  }
  if (format == nullptr && formats.data() == dataset_formats.data()) {
    detail::refuse_other_tables(path);
  }
  if (const auto languages =
          format == nullptr ? detail::mlama_languages(path) : std::vector<std::string>{};
      !languages.empty()) {
    throw user_error({.file = path},
                     "contains a folder for each language of mLAMA: " + text_list(languages),
                     "pass one of them, such as " + (path / languages.front()).string());
  }
  if (format == nullptr) {
    for (const DiskPath& file : path.files(".jsonl")) detail::refuse_broken_first_line(file);
    const std::string known = text_list(formats, [](const DatasetFormat& one) {
      return std::string(one.needs) + " (" + one.name + ")";
    });
    throw user_error({.file = path}, "is not a dataset that plumb recognises",
                     "it needs one of: " + known);
  }
  Dataset dataset = format->load(path, report);
  if (format->is_flat) detail::report_unread_tables(path, dataset, report);
  if (dataset.relations.empty()) {
    throw user_error({.file = path}, "the dataset is empty",
                     "it needs at least one relation with facts");
  }
  return dataset;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#endif
