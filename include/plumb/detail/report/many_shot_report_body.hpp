// SPDX-License-Identifier: Apache-2.0
#pragma once

// How many_shot_report.hpp measures, writes and shows.

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/measure/many_shot_results.hpp"
#include "plumb/detail/records/many_shot_answers.hpp"
#include "plumb/detail/records/run_record.hpp"
#include "plumb/detail/records/whole_file.hpp"
#include "plumb/detail/report/many_shot_json.hpp"
#include "plumb/detail/report/many_shot_page.hpp"
#include "plumb/detail/report/text_table.hpp"
#include "plumb/detail/report/whole_page.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Measures a run folder once, then writes. One thread at a time may write into a folder.
class ManyShotReportBody {
 public:
  /// Throws a user error when the folder holds no finished run.
  explicit ManyShotReportBody(const DiskPath& folder, Bootstrap bootstrap = {})
      : bootstrap_(bootstrap),
        made_(many_shot_results(read_many_shot_run(folder), bootstrap)),
        run_(read_run_record(folder)) {}

  /// Writes metrics.json, accuracy.csv, accuracy_at_k.csv, injection.csv where there is such an
  /// experiment, and report.html into `target`.
  void write(const DiskPath& target) const {
    Json metrics = metrics_head(bootstrap_);
    metrics.update(to_json(made_));
    write_atomically(target / "metrics.json", metrics.dump(2) + "\n");
    write_atomically(target / "accuracy.csv", many_shot_accuracy_csv(made_));
    write_atomically(target / "accuracy_at_k.csv", accuracy_at_k_csv(made_));
    std::string injections;
    for (const InjectionResults& results : made_.injections) {
      const std::string csv = injection_csv(results);
      injections += injections.empty() ? csv : csv.substr(csv.find('\n') + 1);
    }
    if (!injections.empty()) write_atomically(target / "injection.csv", injections);
    write_atomically(
        target / "report.html",
        whole_page({run_.title(),
                    "Many-shot probe: other facts of the relation are shown as bare pairs, and a "
                    "fact is known when its object alone is the likeliest of its choices.",
                    notes(), run_.settings, run_.prompts},
                   many_shot_sections(made_)));
  }

  /// The tables for a terminal: settings, then how many shots are enough, then what unknown and
  /// incorrect pairs change. Accuracy where the first of a tie wins is shown where there is a tie, as
  /// on the page.
  [[nodiscard]] std::string table(const TableWidth& width = {}) const {
    std::vector<std::string> heads{"setting", "relations", "facts", "accuracy [95%]",
                                   "SD",      "variants",  "ties"};
    if (made_.ties.tied > 0) heads.push_back(detail::first_wins_heading);
    using enum ColumnWeight;
    TextTable table(heads, {major, minor, usual, major, usual, minor, minor});
    for (const GroupSpread& spread : made_.groups) {
      std::vector<std::string> row{setting_name(spread.group),
                                   std::to_string(spread.relations.size()),
                                   std::to_string(spread.overall.accuracy.count),
                                   with_interval(spread.overall.accuracy),
                                   spread.overall.sd ? with_decimals(*spread.overall.sd, 3) : "–",
                                   std::to_string(spread.overall.variants),
                                   detail::ties_text(spread)};
      if (made_.ties.tied > 0) row.push_back(with_interval(spread.overall.accuracy_first_wins));
      table.add(row);
    }
    std::string text = table.text(width) + "\n";
    for (const ShotsCurve& curve : made_.curves) {
      if (!curve.shots_for_95) continue;
      text += "fewest shots that reach 95% of the accuracy of " + setting_name(curve.like) + ": " +
              std::to_string(*curve.shots_for_95) + "\n";
    }
    for (const InjectionResults& results : made_.injections) {
      text += (text.ends_with("\n\n") ? "" : "\n") + injection_table(results, width);
    }
    return text;
  }

  /// What must be said wherever the numbers are shown, each once.
  [[nodiscard]] std::vector<std::string> notes() const { return run_.with_warnings(made_.remarks); }

  [[nodiscard]] const ManyShotResults& results() const noexcept { return made_; }

 private:
  Bootstrap bootstrap_;
  ManyShotResults made_;
  RunRecord run_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
