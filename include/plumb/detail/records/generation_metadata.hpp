// SPDX-License-Identifier: Apache-2.0
#pragma once

// The metadata of a complete many-prompt run folder.
//
//   metadata_generate.json  {"model": …, "dataset": …, "settings": [name, …] in order, "answers":
//                           "fills" of gaps or "lists" (texts if it is absent), "max_new_tokens":
//                           the limit on the tokens of a text or list, "candidates": {relation:
//                           [label of an object, …]} in order (not for lists), "rows": {file:
//                           lines}, "remarks": [remarks that must appear with the numbers, …]}
// The rows are described in generation_rows.hpp and generation_lists.hpp.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_file.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/records/atomic_file.hpp"
#include "plumb/detail/records/results_kind.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The kind of answers that a generation contains.
enum class GeneratedAnswers { texts, fills, lists };

struct GenerationMetadata {
  std::string model{}, dataset{};
  std::vector<std::string> settings{};
  GeneratedAnswers answers = GeneratedAnswers::texts;
  /// Not used for fills. Earlier versions of plumb did not write this field.
  std::optional<std::size_t> max_new_tokens{};
  /// For each relation code, the labels of the relation's objects; empty for lists.
  std::vector<std::pair<std::string, std::vector<std::string>>> candidates{};
  std::vector<std::string> remarks{};
};

/// The number of rows in each file of answers, samples, names and content-free prompts in a folder.
[[nodiscard]] inline Json recorded_rows(const DiskPath& folder) {
  std::map<std::string, std::size_t> rows;  // sorted by file name
  for (const DiskPath& file : folder.list()) {
    const std::string name = file.name();
    const auto is = [&](const char* end) { return name.ends_with(end); };
    if (!is("_answers.jsonl") && !is("_samples.jsonl") && !is("_names.jsonl") &&
        !is("_content_free.jsonl")) {
      continue;
    }
    std::size_t& count = rows[name];
    for_each_block(file, [&](std::string_view block) {
      count += static_cast<std::size_t>(ranges::count(block, '\n'));
    });
  }
  return rows;
}

/// Throws a user error if a file is missing or has a different number of rows. `rows` must have
/// been returned by recorded_rows.
inline void refuse_lost_rows(const DiskPath& folder, const Json& rows) {
  const Json found = recorded_rows(folder);
  for (const auto& [name, count] : rows.items()) {
    const Json there = found.value(name, Json(0));
    if (there == count) continue;
    throw user_error(
        {.file = folder / name}, "has " + there.dump() + " of its " + count.dump() + " rows",
        "the file was changed; run plumb generate for this folder again with `resume`");
  }
}

/// Writes the metadata into a folder whose rows are complete, and counts the rows. Throws an
/// internal error if it cannot be written.
inline void write_generation_metadata(const DiskPath& folder, const GenerationMetadata& metadata) {
  Json written = {
      {"model", metadata.model}, {"dataset", metadata.dataset}, {"settings", metadata.settings}};
  if (metadata.answers != GeneratedAnswers::texts) {
    written["answers"] = metadata.answers == GeneratedAnswers::fills ? "fills" : "lists";
  }
  if (metadata.max_new_tokens) written["max_new_tokens"] = *metadata.max_new_tokens;
  if (metadata.answers != GeneratedAnswers::lists) {
    Json& candidates = written["candidates"] = Json::object();
    for (const auto& [code, labels] : metadata.candidates) candidates[code] = labels;
  }
  written["rows"] = recorded_rows(folder);
  written["remarks"] = metadata.remarks;
  write_atomically(folder / metadata_name(ResultsKind::generation), written.dump(2) + "\n");
}

/// Reads the metadata of a finished generation, except its model and dataset, and checks that its
/// rows are complete. Throws a user error for any other folder.
[[nodiscard]] inline GenerationMetadata read_generation_metadata(const DiskPath& folder) {
  const Json metadata = read_metadata(folder, ResultsKind::generation);
  GenerationMetadata read;
  read.settings = listed_names(folder, ResultsKind::generation, metadata, "settings");
  refuse_lost_rows(folder, metadata.value("rows", Json::object()));
  const auto answers = first_string(metadata, "answers");
  if (answers == "fills") read.answers = GeneratedAnswers::fills;
  if (answers == "lists") read.answers = GeneratedAnswers::lists;
  if (const Json most = metadata.value("max_new_tokens", Json()); most.is_number_unsigned()) {
    read.max_new_tokens = most.get<std::size_t>();
  }
  if (const auto lists = metadata.find("candidates");
      lists != metadata.end() && lists->is_object()) {
    for (const auto& [code, unused] : lists->items()) {
      read.candidates.emplace_back(code,
                                   string_list(*lists, code).value_or(std::vector<std::string>()));
    }
  }
  read.remarks = string_list(metadata, "remarks").value_or(std::vector<std::string>());
  return read;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
