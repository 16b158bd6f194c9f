// SPDX-License-Identifier: Apache-2.0
#pragma once

// How published_report.hpp measures, writes and shows.

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/over.hpp"
#include "plumb/detail/records/whole_file.hpp"
#include "plumb/detail/report/published_columns.hpp"
#include "plumb/detail/report/whole_page.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// One thread at a time may write into a folder.
class PublishedReportBody {
 public:
  /// `settings` is an object for the page's last table.
  PublishedReportBody(PublishedComparison made, Json settings)
      : made_(std::move(made)), settings_(std::move(settings)) {}

  /// Writes all files into `target`, which exists.
  void write(const DiskPath& target) const {
    write_atomically(target / "metrics.json", to_json(made_).dump(2) + "\n");
    write_atomically(target / "published.csv", published_csv(made_));
    write_atomically(target / "without_counterpart.csv", unmatched_csv(made_));
    write_atomically(target / "report.html", page());
  }

  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return made_.remarks; }

  /// Published numbers beside those of runs, and the names of those that no run has.
  [[nodiscard]] std::string table(const TableWidth& width = {}) const {
    std::string text;
    constexpr std::size_t shown = 12, shown_pairs = 60;
    if (!made_.pairs.empty()) {
      const auto first = std::span(made_.pairs).first((std::min)(shown_pairs, made_.pairs.size()));
      text = text_table(published_columns(), std::vector(first.begin(), first.end()), width);
      if (first.size() < made_.pairs.size()) {
        text += "… and " + std::to_string(made_.pairs.size() - first.size()) +
                " more, in published.csv\n";
      }
    }
    if (made_.unmatched.empty()) return text;
    const std::vector<std::string> lines = unmatched_names();
    text += (text.empty() ? "" : "\n") + without_counterpart() +
            (lines.size() < made_.unmatched.size() ? " (each name once, of all models)" : "") +
            ":\n";
    for (std::size_t i = 0; i < lines.size() && i < shown; ++i) text += "  " + lines[i] + "\n";
    if (lines.size() > shown) {
      text +=
          "  … and " + std::to_string(lines.size() - shown) + " more, in without_counterpart.csv\n";
    }
    return text;
  }

 private:
  [[nodiscard]] std::string without_counterpart() const {
    return counted(made_.unmatched.size(), "published number") +
           (made_.runs.size() == 1 ? " that the run does not have" : " that none of the runs has");
  }
  /// Each table and name once, in order.
  [[nodiscard]] std::vector<std::string> unmatched_names() const {
    std::vector<std::string> lines;
    for (const PublishedNumber& one : made_.unmatched) {
      std::string line = (one.table.empty() ? "" : "table " + one.table + ": ") + one.name;
      if (over::find(lines, line) == lines.end()) lines.push_back(std::move(line));
    }
    return lines;
  }

  [[nodiscard]] std::string page() const {
    std::string sections;
    if (!made_.pairs.empty()) {
      sections += heading("Numbers side by side", meanings(published_columns())) +
                  html_table(published_columns(), made_.pairs);
    }
    if (!made_.unmatched.empty()) {
      sections += heading("Published numbers without a counterpart",
                          "Numbers that no run has: another command, another setting, or a name "
                          "that is written otherwise.") +
                  html_table(unmatched_columns(), made_.unmatched);
    }
    return whole_page({"Published numbers beside " + counted(made_.runs.size(), "run"),
                       "Published numbers have no interval; the runs' are 95% intervals.",
                       made_.remarks, settings_},
                      sections);
  }

  PublishedComparison made_;
  Json settings_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
