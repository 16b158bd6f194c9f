// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a comparison with published numbers writes to a folder and shows on a terminal.
//
// Writes metrics.json, published.csv, without_counterpart.csv if it has any rows, and report.html.

#include "plumb/detail/core/compiled.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/measure/published_comparison.hpp"
#include "plumb/detail/report/report.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

using PublishedReport = ReportOf<PublishedComparison>;

/// `settings` is the object shown in the page's last table.
[[nodiscard]] PublishedReport published_report(PublishedComparison made, Json settings);

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#if PLUMB_BODIES

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/report/published_columns.hpp"
#include "plumb/detail/report/whole_page.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

class PublishedReportBody {
 public:
  /// `settings` is an object for the page's last table.
  PublishedReportBody(PublishedComparison made, Json settings)
      : made_(std::move(made)), settings_(std::move(settings)) {}

  [[nodiscard]] const PublishedComparison& results() const noexcept { return made_; }
  [[nodiscard]] Json metrics() const { return to_json(made_); }
  [[nodiscard]] std::vector<ReportFile> files() const {
    return {{"published.csv", published_csv(made_)},
            {"without_counterpart.csv", unmatched_csv(made_)}};
  }

  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return made_.remarks; }

  /// All published numbers next to the runs' numbers.
  [[nodiscard]] std::vector<NamedTable> tables() const {
    if (made_.pairs.empty()) return {};
    return {{"published", table_of(published_columns(), made_.pairs)}};
  }

  /// The first rows of that table, and the names of the numbers that no run reports.
  [[nodiscard]] std::string table(const TableWidth& width = {}) const {
    std::string text;
    constexpr std::size_t shown = 12, shown_pairs = 60;
    for (NamedTable& one : tables()) {
      const std::size_t rows = one.table.rows.size();
      one.table.rows.resize((std::min)(shown_pairs, rows));
      text = text_table(one.table, width);
      if (rows > shown_pairs) {
        text += "… and " + std::to_string(rows - shown_pairs) + " more, in published.csv\n";
      }
    }
    if (made_.unmatched.empty()) return text;
    const std::vector<std::string> lines = unmatched_names();
    text += (text.empty() ? "" : "\n") + without_counterpart() +
            (lines.size() < made_.unmatched.size() ? " (each name once, over all models)" : "") +
            ":\n";
    for (std::size_t i = 0; i < lines.size() && i < shown; ++i) text += "  " + lines[i] + "\n";
    if (lines.size() > shown) {
      text +=
          "  … and " + std::to_string(lines.size() - shown) + " more, in without_counterpart.csv\n";
    }
    return text;
  }

  [[nodiscard]] std::string page() const {
    std::string sections;
    if (!made_.pairs.empty()) {
      sections += heading("Numbers side by side", meanings(published_columns())) +
                  html_table(published_columns(), made_.pairs);
    }
    if (!made_.unmatched.empty()) {
      sections += heading("Published numbers without a counterpart",
                          "Numbers that no run has: they come from another command or setting, or "
                          "their names are spelled differently.") +
                  html_table(unmatched_columns(), made_.unmatched);
    }
    return whole_page({"Published numbers next to " + counted(made_.runs.size(), "run"),
                       "Published numbers have no intervals; the runs' numbers have 95% intervals.",
                       made_.remarks, settings_},
                      sections);
  }

 private:
  [[nodiscard]] std::string without_counterpart() const {
    return counted(made_.unmatched.size(), "published number") +
           (made_.runs.size() == 1 ? " that the run does not have" : " that none of the runs has");
  }
  /// Each combination of table and name once, in order.
  [[nodiscard]] std::vector<std::string> unmatched_names() const {
    std::vector<std::string> lines;
    for (const PublishedNumber& one : made_.unmatched) {
      std::string line = (one.table.empty() ? "" : "table " + one.table + ": ") + one.name;
      if (ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
    }
    return lines;
  }

  PublishedComparison made_;
  Json settings_;
};

PLUMB_INLINE PublishedReport published_report(PublishedComparison made, Json settings) {
  return report_of<PublishedComparison>(
      std::make_shared<const PublishedReportBody>(std::move(made), std::move(settings)));
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#endif
