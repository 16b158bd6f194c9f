// SPDX-License-Identifier: Apache-2.0
#pragma once

// The journal of a job: which packs of which parts are done, and what came of them.
//
// journal.jsonl grows by one line for each pack as soon as it is evaluated, so that a job killed at
// any moment loses at most the pack it was on. Only where each pack's line begins is kept in memory.
//   {"version": 2, "part": "P36", "pack": 7, "rows": …, "checksum": "af63dc4c8601ec8c"}
//   {"version": 2, "part": "P36", "done": …, "checksum": …}     the part's own files stand
// The rows are the part's own JSON. The checksum is the FNV-1a hash of all that stands before it.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "plumb/core/disk_path.hpp"
#include "plumb/core/error.hpp"
#include "plumb/core/hash.hpp"
#include "plumb/data/json_file.hpp"
#include "plumb/records/journal_file.hpp"

namespace plumb {

/// Not thread-safe; one process writes one journal.
class Journal {
 public:
  /// Opens or creates. Throws a user error when a line before the last is damaged or is of another
  /// version of plumb.
  explicit Journal(const DiskPath& file)
      : file_(file, [&](const std::string& text, std::uintmax_t begin, std::size_t line) {
          index(text, begin, {file, line});
        }) {}

  /// The rows of a pack that is done; nothing for others.
  [[nodiscard]] std::optional<Json> find(const std::string& part, std::size_t pack) {
    const auto found = begins_.find({part, pack});
    if (found == begins_.end()) return std::nullopt;
    return Json::parse(file_.read(found->second)).at("rows");
  }
  /// Writes a pack's rows down, which are JSON without line breaks.
  void append(const std::string& part, std::size_t pack, std::string_view rows) {
    begins_[{part, pack}] =
        write(part, "\"pack\":" + std::to_string(pack) + ",\"rows\":" + std::string(rows));
  }

  /// What was said of a part once all of it was done; it survives a power loss.
  [[nodiscard]] std::optional<Json> done(const std::string& part) const {
    const auto found = done_.find(part);
    return found == done_.end() ? std::nullopt : std::optional(found->second);
  }
  void mark_done(const std::string& part, const Json& said) {
    write(part, "\"done\":" + said.dump());
    file_.sync();
    done_[part] = said;
  }

 private:
  static constexpr std::string_view head = "{\"version\":2,";
  static constexpr std::string_view sum_head = ",\"checksum\":\"";
  static constexpr std::size_t tail_size = sum_head.size() + 16 + 2;  // with "} behind the digits

  std::uintmax_t write(const std::string& part, const std::string& fields) {
    std::string line = std::string(head) + "\"part\":" + Json(part).dump() + "," + fields;
    const std::string sum = fnv1a_hex(line);
    line.append(sum_head).append(sum).append("\"}\n");
    return file_.append(line);
  }

  void index(const std::string& text, std::uintmax_t begin, const Site& site) {
    if (!text.starts_with(head)) {
      const bool is_other = text.starts_with("{\"part\":") || text.starts_with("{\"relation\":") ||
                            text.starts_with("{\"version\":");
      throw user_error(site,
                       is_other ? "is of another version of plumb, which this one cannot resume"
                                : "is not a journal line",
                       is_other ? "start anew in another folder, or resume with that version"
                                : "the file was changed; delete the line to do its pack again");
    }
    const std::size_t size = text.size() < tail_size ? 0 : text.size() - tail_size;
    const std::string_view body = std::string_view(text).substr(0, size);
    if (text.substr(size) != std::string(sum_head) + fnv1a_hex(body) + "\"}") {
      throw user_error(site, "is damaged: its checksum is another",
                       "delete the line to do its pack again");
    }
    Json record;
    (void)detail::parse_json(text, record);  // null where it is none
    const Json part = record.is_object() ? record.value("part", Json()) : Json();
    const auto pack = record.find("pack"), said = record.find("done");
    if (part.is_string() && said != record.end()) {
      done_[part.get<std::string>()] = *said;
    } else if (part.is_string() && pack != record.end() && pack->is_number_unsigned() &&
               record.contains("rows")) {
      begins_[{part.get<std::string>(), pack->get<std::size_t>()}] = begin;
    } else {
      throw user_error(site, "is not a journal line",
                       "the file was changed; delete the line to do its pack again");
    }
  }

  // The file indexes itself into these while it is opened.
  std::map<std::pair<std::string, std::size_t>, std::uintmax_t> begins_;
  std::map<std::string, Json> done_;
  JournalFile file_;
};

}  // namespace plumb
