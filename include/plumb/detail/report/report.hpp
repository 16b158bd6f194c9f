// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a report of any kind leaves in a folder and shows on a terminal.
//
// Made by a factory of its kind (probe_report.hpp, rank_report.hpp …). Every report is written the same
// way: metrics.json, with the notes that stand next to its numbers wherever these are shown, its
// tables, and its page.

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/records/whole_file.hpp"
#include "plumb/detail/report/text_table.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A table of numbers as a file.
struct ReportFile {
  std::string name;
  std::string text;
  /// Whether the report has none: then an earlier report's is removed.
  bool is_absent = false;
};

/// Copies share it. Any number of threads may use one, but only one at a time may write into a folder.
class Report {
 public:
  /// Functions make what only a written report needs.
  struct Parts {
    std::function<Json()> metrics;
    std::function<std::vector<ReportFile>()> files;
    std::function<std::string()> page;
    std::vector<std::string> notes;
    std::function<std::string(const TableWidth&)> table;
    /// Conditions that do not hold, a line each.
    std::vector<std::string> failed{};
  };

  explicit Report(Parts parts) : parts_(std::make_shared<const Parts>(std::move(parts))) {}

  /// What metrics.json holds; null for a report that is for the terminal alone.
  [[nodiscard]] Json metrics() const {
    if (!parts_->metrics) return {};
    Json json = parts_->metrics();
    json["notes"] = parts_->notes;
    return json;
  }

  /// Writes metrics.json, the tables and report.html into a folder that is there.
  void write(const DiskPath& folder) const {
    if (!parts_->metrics) return;
    write_atomically(folder / "metrics.json", metrics().dump(2) + "\n");
    for (const ReportFile& file : parts_->files()) {
      if (file.is_absent) {
        remove_file(folder / file.name);
      } else {
        write_atomically(folder / file.name, file.text);
      }
    }
    write_atomically(folder / "report.html", parts_->page());
  }

  /// What must be known of the numbers, a line each.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return parts_->notes; }

  /// Conditions that were asserted and do not hold, a line each.
  [[nodiscard]] const std::vector<std::string>& failed() const noexcept { return parts_->failed; }

  /// For a terminal, without the columns that do not fit.
  [[nodiscard]] std::string table(const TableWidth& width = {}) const {
    return parts_->table(width);
  }

 private:
  std::shared_ptr<const Parts> parts_;
};

/// A report with what it measured.
template <class Results>
class ReportOf : public Report {
 public:
  ReportOf(Parts parts, std::shared_ptr<const Results> results)
      : Report(std::move(parts)), results_(std::move(results)) {}

  [[nodiscard]] const Results& results() const noexcept { return *results_; }

 private:
  std::shared_ptr<const Results> results_;
};

/// A report whose parts are members of a body: `metrics()`, `files()`, `page()`, `notes()`,
/// `table(width)` and `results()`.
template <class Results, class Body>
[[nodiscard]] ReportOf<Results> report_of(std::shared_ptr<const Body> body,
                                          std::vector<std::string> failed = {}) {
  return {{.metrics = [body] { return body->metrics(); },
           .files = [body] { return body->files(); },
           .page = [body] { return body->page(); },
           .notes = body->notes(),
           .table = [body](const TableWidth& width) { return body->table(width); },
           .failed = std::move(failed)},
          std::shared_ptr<const Results>(body, &body->results())};
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
