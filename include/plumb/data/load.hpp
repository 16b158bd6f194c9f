// SPDX-License-Identifier: Apache-2.0
#pragma once

// A dataset of whatever format a path holds (dataset_formats.hpp).

#include <span>

#include "plumb/core/compiled.hpp"
#include "plumb/core/disk_path.hpp"
#include "plumb/core/error.hpp"
#include "plumb/data/dataset.hpp"

namespace plumb {

struct DatasetFormat;

/// The format of a path, the first of `formats` that matches; null where none does.
[[nodiscard]] const DatasetFormat* format_of(const DiskPath& path,
                                             std::span<const DatasetFormat> formats);

/// Reads a dataset of any of `formats`. Throws a user error when none matches or nothing usable was
/// found, and for a knowledge graph's folder, whatever the formats; other problems go to `report`.
[[nodiscard]] Dataset load_dataset(const DiskPath& path, std::span<const DatasetFormat> formats,
                                   const ProblemSink& report);

/// The same for a format of `dataset_formats`.
[[nodiscard]] Dataset load_dataset(const DiskPath& path, const ProblemSink& report = throw_problem);

}  // namespace plumb

#if PLUMB_BODIES

#include <string>

#include "plumb/core/over.hpp"
#include "plumb/core/text_list.hpp"
#include "plumb/data/dataset_formats.hpp"
#include "plumb/data/graph_folder.hpp"
#include "plumb/data/lpaqa.hpp"
#include "plumb/data/myriad_lama.hpp"

namespace plumb {

PLUMB_INLINE const DatasetFormat* format_of(const DiskPath& path,
                                            std::span<const DatasetFormat> formats) {
  const auto found =
      over::find_if(formats, [&](const DatasetFormat& format) { return format.matches(path); });
  return found == formats.end() ? nullptr : &*found;
}

PLUMB_INLINE Dataset load_dataset(const DiskPath& path, const ProblemSink& report) {
  return load_dataset(path, dataset_formats, report);
}

PLUMB_INLINE Dataset load_dataset(const DiskPath& path, std::span<const DatasetFormat> formats,
                                  const ProblemSink& report) {
  if (!path.exists()) {
    throw user_error({.file = path}, "does not exist", "name a dataset's folder or a .tsv file");
  }
  if (is_graph_folder(path)) {
    throw user_error({.file = path}, "is a knowledge graph, without closed sets",
                     "rank its entities with plumb rank");
  }
  const DatasetFormat* format = format_of(path, formats);
  if (format == nullptr && ((path / "facts.jsonl").exists() || is_myriad_lama(path))) {
    throw user_error({.file = path}, "is a dataset of many prompts, without closed sets",
                     "ask it with plumb generate");
  }
  if (format == nullptr && is_lpaqa(path)) {
    throw user_error({.file = path}, "has LPAQA's prompts, and no facts",
                     "ask a dataset's facts with them, by `template_file`");
  }
  if (format == nullptr) {
    const std::string known = text_list(formats, [](const DatasetFormat& one) {
      return std::string(one.needs) + " (" + one.name + ")";
    });
    throw user_error({.file = path}, "is not a dataset plumb knows", "it needs one of: " + known);
  }
  Dataset dataset = format->load(path, report);
  if (dataset.relations.empty()) {
    throw user_error({.file = path}, "the dataset is empty",
                     "it needs at least one relation with facts");
  }
  return dataset;
}

}  // namespace plumb

#endif
