// SPDX-License-Identifier: Apache-2.0
#pragma once

// The report on a run with lists of answers, for people and for other programs.
//
// From a finished run folder, it creates metrics.json and metrics.csv (every number), answers.csv
// (every answer with its numbers), report.html, and the table for the terminal. All of these depend
// only on the rows and the seed.

#include <vector>

#include "plumb/detail/core/compiled.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/measure/interval.hpp"
#include "plumb/detail/report/list_columns.hpp"
#include "plumb/detail/report/report.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

using ListReport = ReportOf<std::vector<ListGroup>>;

/// Computes the metrics of a run folder once, for all parts of its report. Throws a user error if
/// the folder has no finished run in KAMEL's form.
[[nodiscard]] ListReport list_report(const DiskPath& folder, Bootstrap bootstrap = {});

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#if PLUMB_BODIES

#include <memory>
#include <string>
#include <utility>

#include "plumb/detail/prompt/kamel_prompt.hpp"
#include "plumb/detail/records/generation_lists.hpp"
#include "plumb/detail/records/run_record.hpp"
#include "plumb/detail/report/bar_chart.hpp"
#include "plumb/detail/report/csv.hpp"
#include "plumb/detail/report/whole_page.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Measures a run folder once.
class ListReportBody {
 public:
  /// Throws a user error if the folder has no finished run in KAMEL's form.
  explicit ListReportBody(const DiskPath& folder, Bootstrap bootstrap = {})
      : bootstrap_(bootstrap),
        made_(read_list_run(folder)),
        groups_(list_groups(made_, bootstrap)),
        run_(read_run_record(folder)) {}

  [[nodiscard]] Json metrics() const {
    Json metrics = metrics_head(bootstrap_);
    metrics["setting"] = made_.setting;
    for (const ListGroup& group : groups_) {
      metrics["lists"].push_back(json_of(list_columns(), group));
    }
    return metrics;
  }
  [[nodiscard]] std::vector<ReportFile> files() const {
    return {{"metrics.csv", metrics_csv()}, {"answers.csv", answers_csv()}};
  }
  [[nodiscard]] std::string page() const {
    return whole_page({run_.title(),
                       "Each fact is queried once, in KAMEL&#39;s form, for all its objects. The "
                       "answer is a list that is split at &quot;;&quot; and ends at a %.",
                       notes(), run_.settings, run_.prompts},
                      sections());
  }

  [[nodiscard]] std::vector<NamedTable> tables() const {
    return {{"lists", table_of(list_columns(), groups_)}};
  }

  /// The notes that must accompany the numbers wherever they are shown, without duplicates.
  [[nodiscard]] std::vector<std::string> notes() const { return run_.with_warnings(made_.remarks); }

  [[nodiscard]] const std::vector<ListGroup>& results() const noexcept { return groups_; }

 private:
  [[nodiscard]] std::string metrics_csv() const {
    detail::EstimateCsv csv({"relation", "metric"});
    for (const ListGroup& group : groups_) add_numbers(csv, {group.name}, list_columns(), group);
    return csv.text();
  }

  [[nodiscard]] std::string answers_csv() const {
    std::string text = csv_line({"relation", "fact", "subject", "objects", "answer", "precision",
                                 "recall", "f1", "main_label_f1", "script_f1", "cut"});
    for (std::size_t r = 0; r < made_.relations.size(); ++r) {
      const MultiPromptRelation& relation = made_.asked.relations[r];
      for (const RecordedList& one : made_.relations[r]) {
        const ManyNamedFact& fact = relation.facts[one.fact];
        text +=
            csv_line({relation.code, std::to_string(one.fact), fact.subject.names.front(),
                      KamelPrompt::listed_objects(fact), one.text,
                      with_decimals(one.with_aliases.precision, 8),
                      with_decimals(one.with_aliases.recall, 8),
                      with_decimals(one.with_aliases.f1, 8), with_decimals(one.main_label.f1, 8),
                      with_decimals(one.script.f1, 8), one.cut ? "yes" : "no"});
      }
    }
    return text;
  }

  [[nodiscard]] std::string sections() const {
    if (groups_.empty()) return "";
    const ListGroup& all = groups_.back();
    std::string html = "<div class=\"cards\">\n" + card("F1", all.with_aliases.f1) +
                       card("precision", all.with_aliases.precision) +
                       card("recall", all.with_aliases.recall) +
                       card("F1 by main label", all.main_label.f1) +
                       card("F1 of KAMEL's script",
                            number_or_dash(without_interval(all.script.f1_of_means, all.facts)),
                            "from mean precision and recall") +
                       "</div>\n";
    std::vector<Bar> bars;
    for (const ListGroup& group : groups_) {
      if (groups_.size() == 1 || &group != &all)
        bars.push_back({group.name, group.with_aliases.f1});
    }
    html += heading("F1 by relation", "With aliases; whiskers are 95% intervals.") +
            bar_chart(bars, "F1 by relation");
    return html + heading("All relations", meanings(list_columns())) +
           html_table(list_columns(), groups_);
  }

  Bootstrap bootstrap_;
  ListRun made_;
  std::vector<ListGroup> groups_;
  RunRecord run_;
};

PLUMB_INLINE ListReport list_report(const DiskPath& folder, Bootstrap bootstrap) {
  return report_of<std::vector<ListGroup>>(
      std::make_shared<const ListReportBody>(folder, bootstrap));
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#endif
