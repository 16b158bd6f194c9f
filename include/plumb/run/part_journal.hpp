// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which packs of a job of several parts are done, and what came of them?
//
// journal.jsonl grows by a line for each pack of each part of the job ("queries", "entities",
// "likelihood", "4-random P36" …):
//   {"part": "likelihood", "pack": 7, "rows": […]}
// The rows are the part's own; vectors stand in their own file and have none.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "plumb/core/error.hpp"
#include "plumb/data/json_file.hpp"
#include "plumb/run/journal_file.hpp"

namespace plumb {

/// Not thread-safe; one process writes one journal.
class PartJournal {
 public:
  /// Opens or creates. Throws a user error when a line before the last is damaged.
  explicit PartJournal(const std::filesystem::path& file)
      : file_(file, [&](const std::string& text, std::uintmax_t begin, std::size_t line) {
          try {
            const Json record = Json::parse(text);
            (void)record.at("rows");
            begins_[{record.at("part"), record.at("pack")}] = begin;
          } catch (const nlohmann::json::exception&) {
            throw user_error({file, line}, "is not a journal line",
                             "the file was changed by hand; start anew in another --out");
          }
        }) {}

  /// The rows of a pack that is done; nothing for others.
  [[nodiscard]] std::optional<Json> find(const std::string& part, std::size_t pack) {
    const auto found = begins_.find({part, pack});
    if (found == begins_.end()) return std::nullopt;
    return Json::parse(file_.read(found->second)).at("rows");
  }

  void append(const std::string& part, std::size_t pack, const Json& rows) {
    begins_[{part, pack}] =
        file_.append(Json{{"part", part}, {"pack", pack}, {"rows", rows}}.dump() + "\n");
  }

 private:
  std::map<std::pair<std::string, std::size_t>, std::uintmax_t> begins_;
  JournalFile file_;
};

}  // namespace plumb
