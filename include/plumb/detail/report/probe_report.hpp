// SPDX-License-Identifier: Apache-2.0
#pragma once

// The report on a closed-set probe, for people and for other programs.
//
// From a results folder of plumb or lm-pub-quiz, this writes metrics.json, metrics.csv,
// accuracy.csv and report.html, and builds the table for the terminal. All of these depend only on
// the results and the run's settings, never on times, so reports can be compared byte by byte.

#include <string>

#include "plumb/detail/core/compiled.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/measure/interval.hpp"
#include "plumb/detail/measure/probe_metrics.hpp"
#include "plumb/detail/report/report.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

using ProbeReport = ReportOf<ProbeMetrics>;

/// Computes the metrics of a results folder once, for all parts of its report. Also groups facts by
/// a column of their table, unless `group_by` is empty. Throws a user error if the folder has no
/// finished results, or if no fact has the column.
[[nodiscard]] ProbeReport probe_report(const DiskPath& folder, Bootstrap bootstrap = {},
                                       const std::string& group_by = {});

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#if PLUMB_BODIES

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/measure/chance.hpp"
#include "plumb/detail/measure/column_groups.hpp"
#include "plumb/detail/records/relation_results.hpp"
#include "plumb/detail/records/run_record.hpp"
#include "plumb/detail/report/answer_set_columns.hpp"
#include "plumb/detail/report/bar_chart.hpp"
#include "plumb/detail/report/csv.hpp"
#include "plumb/detail/report/explorer.hpp"
#include "plumb/detail/report/metrics_json.hpp"
#include "plumb/detail/report/probe_columns.hpp"
#include "plumb/detail/report/whole_page.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Measures a results folder once.
class ProbeReportBody {
 public:
  /// Throws like `probe_report`.
  ProbeReportBody(const DiskPath& folder, Bootstrap bootstrap, const std::string& group_by)
      : bootstrap_(bootstrap), relations_(recorded_relations(folder)) {
    std::vector<RelationAnswerSets> several_right;
    for (const RecordedRelation& recorded : relations_) {
      explorer_.begin(recorded.relation);
      RelationResults one =
          read_relation_results(recorded, [&](const RecordedRow& row) { explorer_.add(row); });
      answers_.push_back(std::move(one.answers));
      if (!one.several_right.facts.empty()) several_right.push_back(std::move(one.several_right));
    }
    pooled_ = probe_metrics(under_all_templates(answers_), bootstrap_, "all");
    if (!group_by.empty()) pooled_.by_column = metrics_by_column(answers_, group_by, bootstrap_);
    several_right_ = answer_set_groups(several_right, bootstrap_);
    run_ = read_run_record(folder);
    const std::vector<std::size_t> templates = scored_templates(answers_);
    for (const std::size_t index : templates) {
      templates_.emplace_back(
          index, templates.size() == 1 ? pooled_
                                       : probe_metrics(under_template(answers_, index), bootstrap_,
                                                       "template " + std::to_string(index)));
    }
    const std::vector<AnswersView> weighted = under_weighted_templates(answers_);
    if (!weighted.empty()) weighted_ = probe_metrics(weighted, bootstrap_, "weighted");
  }

  [[nodiscard]] Json metrics() const {
    Json metrics = metrics_head(bootstrap_);
    const std::size_t unreported = unreported_facts(relations_);
    if (unreported > 0) metrics["unreported_facts"] = unreported;
    metrics["all_templates"] = to_json(pooled_);
    metrics["templates"] = Json::object();
    for (const auto& [index, group] : templates_) {
      metrics["templates"][std::to_string(index)] = to_json(group);
    }
    if (weighted_) metrics["weighted_templates"] = to_json(*weighted_);
    if (const ColumnMetrics& by = pooled_.by_column; !by.column.empty()) {
      metrics["groups"] = to_json(by);
    }
    for (const AnswerSetGroup& group : several_right_) {
      metrics["several_right"].push_back(json_of(answer_set_columns(), group));
    }
    return metrics;
  }
  [[nodiscard]] std::vector<ReportFile> files() const {
    return {{"metrics.csv", metrics_csv()}, {"accuracy.csv", accuracy_csv()}};
  }

  /// The tables for a terminal: a row for each relation, then the groups.
  [[nodiscard]] std::vector<NamedTable> tables() const {
    std::vector<ProbedGroup> groups = probed_groups(pooled_, answers_);
    if (weighted_) {
      groups.push_back({"overall", "weighted templates", &weighted_->overall, nullptr, true});
      groups.push_back({"overall", "… mean of relations", &weighted_->overall_unweighted});
    }
    std::vector<NamedTable> tables{{"accuracy", table_of(probe_columns(has_ties()), groups)}};
    if (!several_right_.empty()) {
      tables.push_back({"several_right", table_of(answer_set_columns(), several_right_)});
    }
    return tables;
  }

  [[nodiscard]] const ProbeMetrics& results() const noexcept { return pooled_; }

  /// The notes that must accompany the numbers wherever they are shown, without duplicates.
  [[nodiscard]] std::vector<std::string> notes() const {
    std::vector<std::string> all;
    for (const RecordedRelation& recorded : relations_) {
      const std::string& note = recorded.relation.note;
      if (!note.empty() && ranges::find(all, note) == all.end()) all.push_back(note);
    }
    std::size_t facts = 0, statements = 0;
    if (const std::size_t unreported = unreported_facts(relations_); unreported > 0) {
      std::string where;
      for (const RecordedRelation& recorded : relations_) {
        if (recorded.unreported_facts == 0) continue;
        add_to_list(
            where, recorded.relation.code + ": " + std::to_string(recorded.unreported_facts), ", ");
      }
      all.push_back(unreported_warning(unreported, where));
    }
    for (const RecordedRelation& recorded : relations_) {
      facts += recorded.unknown_facts;
      statements += recorded.unknown_statements;
    }
    if (statements > 0) {
      all.push_back("Warning: the model's vocabulary cannot spell the candidate of " +
                    counted(statements, "statement") + ", nor the right answer of " +
                    counted(facts, "fact") +
                    "; the unknown token cannot distinguish the candidates that contain it.");
    }
    if (auto warning = tie_warning(pooled_.overall.ties_for_best)) all.push_back(*warning);
    if (auto warning = chance_warning(chance_test(answers_))) all.push_back(*warning);
    const auto named = [&](const FavouredOption& one) {
      return relations_[one.relation].relation.options[one.option];
    };
    if (auto warning = favour_warning(answers_, named)) all.push_back(*warning);
    return run_.with_warnings(std::move(all));
  }

  [[nodiscard]] std::string page() const {
    std::ostringstream out;
    out << "<div class=\"cards\">\n"
        << cards() << "</div>\n"
        << heading("Accuracy by relation",
                   "Bars: accuracy with its 95% interval. Ochre ticks: accuracy of guessing.")
        << relation_chart() << group_charts();
    std::vector<ProbedGroup> relations = probed_groups(pooled_, answers_);
    std::erase_if(relations, [](const ProbedGroup& group) { return group.relation == nullptr; });
    const auto columns = probe_columns(has_ties());
    out << heading("All relations", meanings(columns)) << html_table(columns, relations);
    if (!several_right_.empty()) {
      out << heading("Facts with several right options", meanings(answer_set_columns()))
          << html_table(answer_set_columns(), several_right_);
    }
    const auto setting = [&](const char* name) {
      return first_string(run_.settings, name).value_or("");
    };
    const bool whole = setting("reduction") == name_of(Reduction::sum) &&
                       setting("span") == name_of(Span::statement);
    out << heading(
        "What the model believes",
        "Each option of a fact with its " +
            (whole ? std::string("probability among the options.")
                   : "share of the softmax over the options' scores (" + setting("reduction") +
                         " over the " + setting("span") + ").") +
            (has_ties() ? " A fact marked = is tied, so it does not count as known." : ""));
    explorer_.write(out);
    return whole_page({run_.title(),
                       "Closed-set probe: the share of facts for which the model finds the right "
                       "answer likelier than every other option.",
                       notes(), run_.settings, run_.prompts},
                      out.str());
  }

 private:
  [[nodiscard]] bool has_ties() const { return pooled_.overall.ties_for_best.tied > 0; }

  /// Calls `visit(group, template)` for each group under each template, then under all templates
  /// together, then under the weighted templates.
  template <class Visit>
  void for_each_group(Visit visit) const {
    const auto visit_all = [&](const ProbeMetrics& metrics, const std::string& which) {
      for (const ProbedGroup& group : probed_groups(metrics, answers_)) visit(group, which);
    };
    for (const auto& [index, metrics] : templates_) visit_all(metrics, std::to_string(index));
    if (templates_.size() > 1) visit_all(pooled_, "all");
    if (weighted_) visit_all(*weighted_, "weighted");
  }

  /// Every number of every group.
  [[nodiscard]] std::string metrics_csv() const {
    detail::EstimateCsv csv({"group", "name", "template", "metric"});
    for_each_group([&](const ProbedGroup& group, const std::string& which) {
      add_numbers(csv, {group.kind, group.name, which}, group_columns(), *group.metrics);
    });
    return csv.text();
  }

  /// The numbers shown in the bar charts.
  [[nodiscard]] std::string accuracy_csv() const {
    std::string csv =
        csv_line({"group", "name", "template", "facts", "accuracy", "low", "high", "chance"});
    for_each_group([&](const ProbedGroup& group, const std::string& which) {
      const Estimate& a = group.metrics->accuracy;
      csv += csv_line({group.kind, group.name, which, std::to_string(group.metrics->facts),
                       csv_number(a.value, 6), csv_number(a.low, 6), csv_number(a.high, 6),
                       group.relation == nullptr ? "" : with_decimals(group.chance(), 6)});
    });
    return csv;
  }

  [[nodiscard]] std::string cards() const {
    const GroupMetrics& all = pooled_.overall;
    std::string html = card("Accuracy", all.accuracy);
    html += card("Mean over relations", pooled_.overall_unweighted.accuracy);
    html += card("MRR", all.mean_reciprocal_rank);
    html += card("Mean rank", all.mean_rank, 1);
    html +=
        card("Facts", std::to_string(all.facts),
             counted(all.relations, "relation") + ", " + counted(templates_.size(), "template"));
    html += card("Ties", std::to_string(all.ties_for_best.tied),
                 std::to_string(all.ties_with_answer) + " with the right answer");
    if (has_ties()) html += card(detail::first_wins_title, all.accuracy_first_wins);
    return html;
  }

  [[nodiscard]] std::string relation_chart() const {
    std::vector<Bar> bars;
    for (const ProbedGroup& group : probed_groups(pooled_, answers_)) {
      if (group.relation == nullptr) continue;
      bars.push_back({group.name, group.metrics->accuracy, group.chance()});
    }
    ranges::stable_sort(bars, std::greater{},
                        [](const Bar& bar) { return or_lowest(bar.estimate.value); });
    return bar_chart(bars, "Accuracy by relation");
  }

  [[nodiscard]] std::string group_charts() const {
    std::vector<Bar> bars;
    for (const auto& [domain, group] : pooled_.domains)
      bars.push_back({domain, group.metrics.accuracy});
    for (const auto& [kind, group] : pooled_.cardinality) bars.push_back({kind, group.accuracy});
    std::string html = heading("Accuracy by domain and cardinality",
                               "1:1: no two facts of the relation share an answer.") +
                       bar_chart(bars, "Accuracy by domain and cardinality");
    if (const ColumnMetrics& by = pooled_.by_column; !by.column.empty()) {
      bars.clear();
      for (const auto& [value, group] : by.values) bars.push_back({value, group.accuracy});
      html +=
          heading("Accuracy by " + label(by.column),
                  "Under all templates. " + (by.without == 0 ? std::string()
                                                             : counted(by.without, "fact") +
                                                                   " without a value left out.")) +
          bar_chart(bars, "Accuracy by group of facts") +
          html_table(value_columns(by, has_ties()), by.values);
    }
    if (templates_.size() > 1) {
      bars.clear();
      for (const auto& [index, metrics] : templates_) {
        bars.push_back({"template " + std::to_string(index), metrics.overall.accuracy});
      }
      bars.push_back({"all templates", pooled_.overall.accuracy});
      if (weighted_) bars.push_back({"weighted templates", weighted_->overall.accuracy});
      html += "<h2>Accuracy by template</h2>\n" + bar_chart(bars, "Accuracy by template");
    }
    return html;
  }

  Bootstrap bootstrap_;
  std::vector<RecordedRelation> relations_;
  Explorer explorer_;
  std::vector<RelationAnswers> answers_;
  ProbeMetrics pooled_;
  std::optional<ProbeMetrics> weighted_;
  std::vector<AnswerSetGroup> several_right_;
  std::vector<std::pair<std::size_t, ProbeMetrics>> templates_;
  RunRecord run_;
};

PLUMB_INLINE ProbeReport probe_report(const DiskPath& folder, Bootstrap bootstrap,
                                      const std::string& group_by) {
  return report_of<ProbeMetrics>(
      std::make_shared<const ProbeReportBody>(folder, bootstrap, group_by));
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#endif
