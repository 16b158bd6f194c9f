// SPDX-License-Identifier: Apache-2.0
#pragma once

// How list_report.hpp measures, writes and shows.

#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/prompt/kamel_prompt.hpp"
#include "plumb/detail/records/generation_lists.hpp"
#include "plumb/detail/records/run_record.hpp"
#include "plumb/detail/records/whole_file.hpp"
#include "plumb/detail/report/bar_chart.hpp"
#include "plumb/detail/report/csv.hpp"
#include "plumb/detail/report/list_columns.hpp"
#include "plumb/detail/report/whole_page.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Measures a run folder once, then writes. One thread at a time may write into a folder.
class ListReportBody {
 public:
  /// Throws a user error when the folder holds no finished run in KAMEL's form.
  explicit ListReportBody(const DiskPath& folder, Bootstrap bootstrap = {})
      : bootstrap_(bootstrap),
        made_(read_list_run(folder)),
        groups_(list_groups(made_, bootstrap)),
        run_(read_run_record(folder)) {}

  /// Writes metrics.json, metrics.csv, answers.csv and report.html into `target`, which must be there.
  void write(const DiskPath& target) const {
    Json metrics = metrics_head(bootstrap_);
    metrics["setting"] = made_.setting;
    for (const ListGroup& group : groups_) {
      metrics["lists"].push_back(json_of(list_columns(), group));
    }
    write_atomically(target / "metrics.json", metrics.dump(2) + "\n");
    write_atomically(target / "metrics.csv", metrics_csv());
    write_atomically(target / "answers.csv", answers_csv());
    write_atomically(
        target / "report.html",
        whole_page(
            {run_.title(),
             "Each fact is asked once, in KAMEL&#39;s form, for all its objects; the answer is a "
             "list split at &quot;;&quot; that ends at a %.",
             notes(), run_.settings, run_.prompts},
            sections()));
  }

  [[nodiscard]] std::string table(const TableWidth& width = {}) const {
    return text_table(list_columns(), groups_, width);
  }

  /// What must be said wherever the numbers are shown, each once.
  [[nodiscard]] std::vector<std::string> notes() const { return run_.with_warnings(made_.remarks); }

  [[nodiscard]] const std::vector<ListGroup>& groups() const noexcept { return groups_; }

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
                            "of mean precision and recall") +
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

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
