// SPDX-License-Identifier: Apache-2.0
#pragma once

// The report on a many-shot run, for people and for other programs.
//
// From a finished run folder, it creates metrics.json, accuracy.csv, accuracy_at_k.csv,
// injection.csv if there is an injection experiment, report.html, and the table for the terminal.
// All of these depend only on the results and the settings.

#include "plumb/detail/core/compiled.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/measure/interval.hpp"
#include "plumb/detail/measure/many_shot_results.hpp"
#include "plumb/detail/report/report.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

using ManyShotReport = ReportOf<ManyShotResults>;

/// Computes the metrics of a run folder once, for all parts of its report. Throws a user error if
/// the folder has no finished run.
[[nodiscard]] ManyShotReport many_shot_report(const DiskPath& folder, Bootstrap bootstrap = {});

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#if PLUMB_BODIES

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/records/many_shot_answers.hpp"
#include "plumb/detail/records/run_record.hpp"
#include "plumb/detail/report/many_shot_json.hpp"
#include "plumb/detail/report/many_shot_page.hpp"
#include "plumb/detail/report/text_table.hpp"
#include "plumb/detail/report/whole_page.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Measures a run folder once.
class ManyShotReportBody {
 public:
  /// Throws a user error if the folder has no finished run.
  explicit ManyShotReportBody(const DiskPath& folder, Bootstrap bootstrap = {})
      : bootstrap_(bootstrap),
        made_(many_shot_results(read_many_shot_run(folder), bootstrap)),
        run_(read_run_record(folder)) {}

  [[nodiscard]] Json metrics() const {
    Json metrics = metrics_head(bootstrap_);
    metrics.update(to_json(made_));
    return metrics;
  }
  /// Includes injection.csv if there is an injection experiment.
  [[nodiscard]] std::vector<ReportFile> files() const {
    std::string injections;
    for (const InjectionResults& results : made_.injections) {
      const std::string csv = injection_csv(results);
      injections += injections.empty() ? csv : csv.substr(csv.find('\n') + 1);
    }
    std::vector<ReportFile> files{{"metrics.csv", many_shot_metrics_csv(made_)},
                                  {"accuracy.csv", many_shot_accuracy_csv(made_)},
                                  {"accuracy_at_k.csv", accuracy_at_k_csv(made_)}};
    if (!injections.empty()) files.push_back({"injection.csv", std::move(injections)});
    return files;
  }
  [[nodiscard]] std::string page() const {
    return whole_page({run_.title(),
                       "Many-shot probe: the prompt shows other facts of the relation as bare "
                       "pairs. A fact is known if its object is the single likeliest choice.",
                       notes(), run_.settings, run_.prompts},
                      many_shot_sections(made_));
  }

  [[nodiscard]] std::vector<NamedTable> tables() const {
    std::vector<NamedTable> tables{{"settings", setting_rows()}};
    for (const InjectionResults& results : made_.injections) {
      tables.push_back({"injection_" + results.relation, injection_rows(results)});
    }
    return tables;
  }

  /// The tables for a terminal: the settings, the number of shots that is sufficient, and the
  /// effect of unknown and incorrect pairs. The accuracy computed by letting the first of tied
  /// choices win is shown only if there is a tie, as on the page.
  [[nodiscard]] std::string table(const TableWidth& width = {}) const {
    std::string text = text_table(setting_rows(), width) + "\n";
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

  /// The notes that must accompany the numbers wherever they are shown, without duplicates.
  [[nodiscard]] std::vector<std::string> notes() const { return run_.with_warnings(made_.remarks); }

  [[nodiscard]] const ManyShotResults& results() const noexcept { return made_; }

 private:
  [[nodiscard]] NumberTable setting_rows() const {
    return table_of(named_setting_columns(made_), made_.groups);
  }

  Bootstrap bootstrap_;
  ManyShotResults made_;
  RunRecord run_;
};

PLUMB_INLINE ManyShotReport many_shot_report(const DiskPath& folder, Bootstrap bootstrap) {
  return report_of<ManyShotResults>(std::make_shared<const ManyShotReportBody>(folder, bootstrap));
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#endif
