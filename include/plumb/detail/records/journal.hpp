// SPDX-License-Identifier: Apache-2.0
#pragma once

// The journal of a job: a record of the finished packs of each part, and their results.
//
// A line is appended to journal.jsonl as soon as a pack is evaluated. A job that is killed at any
// moment therefore loses at most its current pack. Only the position at which each pack's line
// begins is held in memory.
//   {"version": 2, "part": "P36", "pack": 7, "rows": …, "checksum": "af63dc4c8601ec8c"}
//   {"version": 2, "part": "P36", "done": …, "checksum": …}     the part's own files are written
//   {"version": 2, "part": "P36", "anew": true, "checksum": …}  earlier lines of the part are void
// The rows are JSON in the part's own format. The checksum is the FNV-1a hash of everything before
// it.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/hash.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/records/journal_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// An index of a journal's lines: the positions of finished packs, and the values recorded for
/// completed parts. Not thread-safe.
class JournalIndex {
 public:
  /// The position at which a finished pack's line begins; nullopt for other packs.
  [[nodiscard]] std::optional<std::uintmax_t> begin_of(const std::string& part,
                                                       std::size_t pack) const {
    const auto found = begins_.find({part, pack});
    return found == begins_.end() ? std::nullopt : std::optional(found->second);
  }
  /// The rows of a pack's line.
  [[nodiscard]] static Json rows_of(const std::string& line) {
    return Json::parse(line).at("rows");
  }

  /// The value recorded when a part was completed; it survives a power loss.
  [[nodiscard]] std::optional<Json> done(const std::string& part) const {
    const auto found = done_.find(part);
    return found == done_.end() ? std::nullopt : std::optional(found->second);
  }

  void add_pack(const std::string& part, std::size_t pack, std::uintmax_t begin) {
    begins_[{part, pack}] = begin;
  }
  void add_done(const std::string& part, const Json& recorded) { done_[part] = recorded; }

  /// Forgets a part's packs and its recorded value. Returns whether there was anything to forget.
  bool forget(const std::string& part) {
    const auto packs =
        std::erase_if(begins_, [&](const auto& pack) { return pack.first.first == part; });
    return done_.erase(part) + packs > 0;
  }

  /// Adds a complete line to the index. Throws a user error if the line is damaged or was written
  /// by another version of plumb.
  void add_line(const std::string& text, std::uintmax_t begin, const Site& site) {
    if (!text.starts_with(head)) {
      const bool is_other = text.starts_with("{\"part\":") || text.starts_with("{\"relation\":") ||
                            text.starts_with("{\"version\":");
      throw user_error(
          site,
          is_other ? "was written by another version of plumb and cannot be resumed by this one"
                   : "is not a journal line",
          is_other ? "start again in another folder, or resume with that version"
                   : "the file was changed; delete the line to evaluate its pack "
                     "again");
    }
    const std::size_t size = text.size() < tail_size ? 0 : text.size() - tail_size;
    const std::string_view body = std::string_view(text).substr(0, size);
    if (text.substr(size) != tail(body)) {
      throw user_error(site, "is damaged: its checksum does not match",
                       "delete the line to evaluate its pack again");
    }
    Json record;
    (void)detail::parse_json(text, record);  // stays null if it is not JSON
    const Json part = record.is_object() ? record.value("part", Json()) : Json();
    const auto pack = record.find("pack"), recorded = record.find("done");
    if (part.is_string() && record.contains("anew")) {
      forget(part.get<std::string>());
    } else if (part.is_string() && recorded != record.end()) {
      add_done(part.get<std::string>(), *recorded);
    } else if (part.is_string() && pack != record.end() && pack->is_number_unsigned() &&
               record.contains("rows")) {
      add_pack(part.get<std::string>(), pack->get<std::size_t>(), begin);
    } else {
      throw user_error(site, "is not a journal line",
                       "the file was changed; delete the line to evaluate its pack again");
    }
  }

  /// Returns a line, including its newline; `fields` are placed after the part.
  [[nodiscard]] static std::string line(const std::string& part, const std::string& fields) {
    const std::string body = std::string(head) + "\"part\":" + Json(part).dump() + "," + fields;
    return body + tail(body) + "\n";
  }

 private:
  static constexpr std::string_view head = "{\"version\":2,";
  static constexpr std::string_view sum_head = ",\"checksum\":\"";
  // includes the "} after the digits
  static constexpr std::size_t tail_size = sum_head.size() + 16 + 2;

  static std::string tail(std::string_view body) {
    return std::string(sum_head) + fnv1a_hex(body) + "\"}";
  }

  std::map<std::pair<std::string, std::size_t>, std::uintmax_t> begins_;
  std::map<std::string, Json> done_;
};

/// A journal that another process has finished writing; read-only. Not thread-safe.
class FinishedJournal {
 public:
  /// Throws a user error if the file does not exist or if JournalIndex rejects a line.
  explicit FinishedJournal(const DiskPath& file) : file_(file) {
    std::uintmax_t begin = 0;
    for_each_whole_line(file_, [&](const std::string& text, std::size_t line) {
      index_.add_line(text, begin, {file_, line});
      begin += text.size() + 1;
    });
  }

  /// The rows of a finished pack; nullopt for other packs.
  [[nodiscard]] std::optional<Json> find(const std::string& part, std::size_t pack) {
    const auto begin = index_.begin_of(part, pack);
    if (!begin) return std::nullopt;
    return std::optional<Json>(JournalIndex::rows_of(lines_.read(file_, *begin)));
  }

 private:
  DiskPath file_;
  JournalIndex index_;
  LineReader lines_;
};

/// Not thread-safe. Only one process may write a journal.
class Journal {
 public:
  /// Opens or creates the file. Throws a user error if any line except the last is damaged or was
  /// written by another version of plumb.
  explicit Journal(const DiskPath& file)
      : file_(file, [&](const std::string& text, std::uintmax_t begin, std::size_t line) {
          index_.add_line(text, begin, {file, line});
        }) {}

  /// The rows of a finished pack; nullopt for other packs.
  [[nodiscard]] std::optional<Json> find(const std::string& part, std::size_t pack) {
    const auto begin = index_.begin_of(part, pack);
    if (!begin) return std::nullopt;
    return std::optional<Json>(JournalIndex::rows_of(file_.read(*begin)));
  }
  /// Records a pack's rows, which must be JSON without line breaks.
  void append(const std::string& part, std::size_t pack, std::string_view rows) {
    index_.add_pack(
        part, pack,
        write(part, "\"pack\":" + std::to_string(pack) + ",\"rows\":" + std::string(rows)));
  }

  /// The value recorded when a part was complete; it survives a power loss.
  [[nodiscard]] std::optional<Json> done(const std::string& part) const {
    return index_.done(part);
  }
  void mark_done(const std::string& part, const Json& recorded) {
    write(part, "\"done\":" + recorded.dump());
    file_.sync();
    index_.add_done(part, recorded);
  }
  /// Forgets a part's packs and its recorded value, even if the journal is reopened later. The
  /// change survives a power loss.
  void restart_part(const std::string& part) {
    if (!index_.forget(part)) return;
    write(part, "\"anew\":true");
    file_.sync();
  }

 private:
  std::uintmax_t write(const std::string& part, const std::string& fields) {
    return file_.append(JournalIndex::line(part, fields));
  }

  JournalIndex index_;  // filled while the file is opened
  JournalFile file_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
