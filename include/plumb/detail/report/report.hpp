// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a report of any kind writes to a folder and shows on a terminal.
//
// Each kind has a factory (probe_report.hpp, rank_report.hpp …). Every report consists of the same
// parts: metrics.json, with the notes that appear wherever its numbers are shown; its tables; its
// page; and each of the page's figures as a file.

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/records/atomic_file.hpp"
#include "plumb/detail/report/figures.hpp"
#include "plumb/detail/report/number_table.hpp"
#include "plumb/detail/report/text_table.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A table of numbers as a file.
struct ReportFile {
  std::string name;
  std::string text;
  /// Whether this report omits the file; if so, any copy from an earlier report is removed.
  bool is_absent = false;
};

/// One of the terminal's tables, for export to other formats.
struct NamedTable {
  /// The table's name for programs: lower case with underscores.
  std::string name;
  NumberTable table;
  /// Lines below the table on a terminal; either empty or ending in a newline.
  std::string below{};
};

/// The formats in which tables of numbers are written.
enum class TableFormat { terminal, csv, json, latex, markdown };

/// Tables for a terminal, with a blank line between them.
[[nodiscard]] inline std::string text_tables(const std::vector<NamedTable>& tables,
                                             const TableWidth& width = {}) {
  std::string text;
  for (const NamedTable& one : tables) {
    if (!text.empty()) text += "\n";
    text += text_table(one.table, width) + one.below;
  }
  return text;
}

/// Tables in a format for other programs. JSON output is a single object with the tables keyed by
/// name. In other formats, a blank line separates tables; in LaTeX and Markdown, a comment above
/// each table contains its name.
[[nodiscard]] inline std::string exported_tables(const std::vector<NamedTable>& tables,
                                                 TableFormat format) {
  if (format == TableFormat::terminal) return text_tables(tables);
  if (format == TableFormat::json) {
    Json json = Json::object();
    for (const NamedTable& one : tables) json[one.name] = json_table(one.table);
    return json.dump(2) + "\n";
  }
  std::string text;
  for (const NamedTable& one : tables) {
    if (!text.empty()) text += "\n";
    if (format == TableFormat::csv) text += csv_table(one.table);
    if (format == TableFormat::latex) text += "% " + one.name + "\n" + latex_table(one.table);
    if (format == TableFormat::markdown) {
      text += "<!-- " + one.name + " -->\n\n" + markdown_table(one.table);
    }
  }
  return text;
}

/// Writes each figure as NAME.svg, and removes the figures of an earlier report.
inline void write_figures(const DiskPath& folder, const std::vector<Figure>& figures) {
  if (folder.is_folder()) {
    for (const DiskPath& old : folder.files(".svg")) {
      if (ranges::find(figures, old.stem(), &Figure::name) == figures.end()) remove_file(old);
    }
  }
  if (figures.empty()) return;
  make_folders(folder);
  for (const auto& [name, title, svg] : figures) write_atomically(folder / (name + ".svg"), svg);
}

/// Copies share their contents. Any number of threads may use a report concurrently, but only one
/// thread at a time may write to a given folder.
class Report {
 public:
  /// Parts needed only when the report is written are functions, so that they are computed on
  /// demand.
  struct Parts {
    std::function<Json()> metrics;
    std::function<std::vector<ReportFile>()> files;
    std::function<std::string()> page;
    std::vector<std::string> notes;
    std::function<std::string(const TableWidth&)> table;
    /// The terminal's tables of numbers; optional.
    std::function<std::vector<NamedTable>()> tables{};
    /// Conditions that are false, one line each.
    std::vector<std::string> failed{};
  };

  explicit Report(Parts parts) : parts_(std::make_shared<const Parts>(std::move(parts))) {}

  /// The contents of metrics.json; null for a terminal-only report.
  [[nodiscard]] Json metrics() const {
    if (!parts_->metrics) return {};
    Json json = parts_->metrics();
    json["notes"] = parts_->notes;
    return json;
  }

  /// Writes metrics.json, the tables, report.html and its figures (figures.hpp) to an existing
  /// folder.
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
    const std::string page = parts_->page();
    write_figures(folder / "figures", figures_of(page));
    write_atomically(folder / "report.html", page);
  }

  /// Notes about the numbers, one line each.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return parts_->notes; }

  /// Asserted conditions that are false, one line each.
  [[nodiscard]] const std::vector<std::string>& failed() const noexcept { return parts_->failed; }

  /// The table for a terminal, without the columns that do not fit.
  [[nodiscard]] std::string table(const TableWidth& width = {}) const {
    return parts_->table(width);
  }

  /// The terminal's tables of numbers; empty for a text-only report.
  [[nodiscard]] std::vector<NamedTable> tables() const {
    return parts_->tables ? parts_->tables() : std::vector<NamedTable>{};
  }

  /// The terminal's table in any format. Throws a user error if the report is text-only and the
  /// format is intended for other programs.
  [[nodiscard]] std::string table_as(TableFormat format, const TableWidth& width = {}) const {
    if (format == TableFormat::terminal) return table(width);
    if (!parts_->tables) {
      throw Error(Fault::user, {}, "this report contains no table of numbers to export",
                  "use the terminal format");
    }
    return exported_tables(tables(), format);
  }

 private:
  std::shared_ptr<const Parts> parts_;
};

/// A report with its results.
template <class Results>
class ReportOf : public Report {
 public:
  ReportOf(Parts parts, std::shared_ptr<const Results> results)
      : Report(std::move(parts)), results_(std::move(results)) {}

  [[nodiscard]] const Results& results() const noexcept { return *results_; }

 private:
  std::shared_ptr<const Results> results_;
};

/// A report whose parts come from a body's member functions: `metrics()`, `files()`, `page()`,
/// `notes()`, `results()`, and the terminal's `tables()`, or `table(width)` if there is text
/// between the tables.
template <class Results, class Body>
[[nodiscard]] ReportOf<Results> report_of(std::shared_ptr<const Body> body,
                                          std::vector<std::string> failed = {}) {
  Report::Parts parts{.metrics = [body] { return body->metrics(); },
                      .files = [body] { return body->files(); },
                      .page = [body] { return body->page(); },
                      .notes = body->notes(),
                      .table = {},
                      .failed = std::move(failed)};
  if constexpr (requires { body->tables(); }) parts.tables = [body] { return body->tables(); };
  if constexpr (requires(const TableWidth& width) { body->table(width); }) {
    parts.table = [body](const TableWidth& width) { return body->table(width); };
  } else {
    parts.table = [body](const TableWidth& width) { return text_tables(body->tables(), width); };
  }
  return {std::move(parts), std::shared_ptr<const Results>(body, &body->results())};
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
