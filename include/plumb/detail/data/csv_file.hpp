// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a CSV file read?
//
// A CSV file is read as RFC 4180 specifies: commas separate fields, and a field that contains a
// comma, a quote (doubled) or a line break is in quotes. The first record names the fields. A table
// with tabs between fields is read by the same rules, with one exception: a quote that is not
// closed at the end of its field is plain text, because other programs write such tables without
// quoting. Non-goal: other separators.

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plumb/detail/data/json_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A record and the line on which it starts, from 1.
struct CsvRecord {
  std::vector<std::string> fields;
  std::size_t line = 1;
  /// Whether the record has text after the closing quote of a field.
  bool is_torn = false;
};

/// Whether the quote at `at`, in a tab-separated table, is closed at the end of its field.
inline bool is_closed_quote(const std::string& text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] != '"') continue;
    const char next = at + 1 < text.size() ? text[at + 1] : '\n';
    if (next != '"') return next == '\t' || next == '\n' || next == '\r';
    ++at;
  }
  return false;
}

/// Splits the entire text into records. Sets `unclosed` to the line of a quote that is never
/// closed, if there is one.
inline std::vector<CsvRecord> split_csv(const std::string& text,
                                        std::optional<std::size_t>& unclosed,
                                        char separator = ',') {
  std::vector<CsvRecord> records;
  std::size_t line = 1;
  for (std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0; at < text.size();) {
    CsvRecord record{{""}, line};
    bool blank = true;
    std::size_t closed = 0;  // the number of fields when a quote was last closed
    for (bool end = false; !end;) {
      if (at < text.size() && text[at] == '"' && record.fields.back().empty() &&
          (separator != '\t' || is_closed_quote(text, at))) {
        const std::size_t opened = line;
        for (++at;; ++at) {
          if (at >= text.size()) {
            unclosed = opened;
            return records;
          }
          if (text[at] == '\n') ++line;
          if (text[at] == '"' && (at + 1 >= text.size() || text[at + 1] != '"')) break;
          if (text[at] == '"') ++at;
          record.fields.back().push_back(text[at]);
        }
        ++at;
        blank = false;
        closed = record.fields.size();
      }
      const char c = at < text.size() ? text[at++] : '\n';
      if (c == '\n') {
        ++line;
        end = true;
      } else if (c == separator) {
        record.fields.emplace_back();
        blank = false;
      } else if (c != '\r' || (at < text.size() && text[at] != '\n')) {
        record.fields.back().push_back(c);
        blank = false;
        record.is_torn = record.is_torn || closed == record.fields.size();
      }
    }
    if (!blank) records.push_back(std::move(record));
  }
  return records;
}

/// The first record of a file; the rest is not read. A field that contains a line break is cut off
/// at the break.
[[nodiscard]] inline std::vector<std::string> csv_header(const DiskPath& file,
                                                         char separator = ',') {
  std::optional<std::size_t> unclosed;
  const std::vector<CsvRecord> records = detail::split_csv(first_line(file), unclosed, separator);
  return records.empty() ? std::vector<std::string>() : records.front().fields;
}

/// A CSV file whose fields are accessed by name. Any number of threads may read the same object.
class CsvFile {
 public:
  /// Throws a user error if the file cannot be read, is not UTF-8, has no header or ends inside
  /// quotes. Records whose number of fields differs from the header's are passed to `report` and
  /// skipped.
  CsvFile(DiskPath file, const ProblemSink& report, char separator = ',') : file_(std::move(file)) {
    const std::string text = read_text(file_);
    if (const auto at = first_invalid_utf8(text); at != std::string_view::npos) {
      throw user_error({file_, detail::line_of_byte(text, at)}, "not UTF-8", "convert the file");
    }
    std::optional<std::size_t> unclosed;
    records_ = detail::split_csv(text, unclosed, separator);
    if (unclosed) {
      throw user_error({file_, *unclosed}, "a quote is opened here and never closed",
                       "close it, and double any quotes inside a field");
    }
    if (records_.empty()) {
      throw user_error({.file = file_}, "is empty", "its first line must name the fields");
    }
    const auto torn = [&](const CsvRecord& record) {
      return user_error({file_, record.line}, "text follows a closing quote",
                        "put the whole field in quotes, and double the quotes inside");
    };
    if (records_[0].is_torn) throw torn(records_[0]);
    for (std::size_t i = 0; i < records_[0].fields.size(); ++i) {
      const std::string& name = records_[0].fields[i];
      if (!columns_.emplace(name, i).second && !name.empty()) {
        throw user_error({file_, records_[0].line, name}, "appears twice in the header",
                         "keep one of the columns, or rename the other");
      }
    }
    header_ = records_[0].fields;
    const std::size_t fields = header_.size();
    records_.erase(records_.begin());
    std::erase_if(records_, [&](const CsvRecord& record) {
      if (record.is_torn) {
        report(torn(record));
        return true;
      }
      if (record.fields == header_) {
        report(user_error({file_, record.line}, "repeats the header", "remove the line"));
        return true;
      }
      if (record.fields.size() == fields) return false;
      report(user_error(
          {file_, record.line},
          std::to_string(record.fields.size()) + " fields instead of " + std::to_string(fields),
          "write one field for each name in the header"));
      return true;
    });
  }

  [[nodiscard]] bool has(const std::string& column) const { return columns_.contains(column); }
  [[nodiscard]] const std::vector<std::string>& header() const noexcept { return header_; }
  [[nodiscard]] const std::vector<CsvRecord>& records() const noexcept { return records_; }
  /// Throws a user error if the header lacks the column.
  void(require)(const std::string& column) const {
    if (has(column)) return;
    throw user_error({file_, 1, column}, "is not among the header's fields", "add the column");
  }
  /// The record's field in this column; throws like `require`.
  [[nodiscard]] const std::string& at(const CsvRecord& record, const std::string& column) const {
    (require)(column);
    return record.fields[columns_.find(column)->second];
  }

 private:
  DiskPath file_;
  std::vector<std::string> header_;
  std::vector<CsvRecord> records_;
  std::map<std::string, std::size_t> columns_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
