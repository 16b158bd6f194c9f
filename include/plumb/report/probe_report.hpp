// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does a person look at after a probe?
//
// From a results folder, plumb's or lm-pub-quiz's, this writes metrics.json, the numbers behind
// each chart as CSV, and report.html; it also makes the table for the terminal. All of it depends
// on the results and the run's settings alone, never on times, so it compares byte by byte.

#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "plumb/core/over.hpp"
#include "plumb/measure/recorded_ranks.hpp"
#include "plumb/records/listed_prompt.hpp"
#include "plumb/records/whole_file.hpp"
#include "plumb/report/bar_chart.hpp"
#include "plumb/report/csv.hpp"
#include "plumb/report/explorer.hpp"
#include "plumb/report/metrics_json.hpp"
#include "plumb/report/page.hpp"
#include "plumb/report/prompt_section.hpp"
#include "plumb/report/text_table.hpp"

namespace plumb {

/// Measures a results folder once, then writes. One thread at a time may write into a folder.
class ProbeReport {
 public:
  /// Throws a user error when the folder holds no finished results.
  explicit ProbeReport(std::filesystem::path folder, Bootstrap bootstrap = {})
      : folder_(std::move(folder)),
        bootstrap_(bootstrap),
        relations_(recorded_relations(folder_)),
        ranks_(recorded_ranks(folder_)),
        pooled_(probe_metrics(ranks_, bootstrap_, "all")) {
    const std::vector<std::size_t> templates = scored_templates(ranks_);
    for (const std::size_t index : templates) {
      templates_.emplace_back(index, templates.size() == 1
                                         ? pooled_
                                         : probe_metrics(only_template(ranks_, index), bootstrap_,
                                                         "template " + std::to_string(index)));
    }
    if (const auto run = folder_ / "run.json"; std::filesystem::exists(run)) {
      const Json recorded = read_json_object(run);
      if (!recorded.contains("settings") || !recorded["settings"].is_object()) {
        throw user_error({run, 0, "settings"}, "is not an object",
                         "the file was changed; probe again");
      }
      settings_ = recorded["settings"];
    }
  }

  /// Writes metrics.json, accuracy.csv and report.html into `target`.
  void write(const std::filesystem::path& target) const {
    Json metrics = {{"bootstrap", {{"seed", bootstrap_.seed}, {"resamples", bootstrap_.resamples}}},
                    {"interval", 0.95}};
    metrics["all_templates"] = to_json(pooled_);
    metrics["templates"] = Json::object();
    for (const auto& [index, group] : templates_) {
      metrics["templates"][std::to_string(index)] = to_json(group);
    }
    write_atomically(target / "metrics.json", metrics.dump(2) + "\n");
    write_atomically(target / "accuracy.csv", accuracy_csv());
    write_atomically(target / "report.html", page());
  }

  /// The table for a terminal: a row for each relation, then the groups. Accuracy where the first
  /// of a tie wins is in it where there is a tie, as on the page.
  [[nodiscard]] std::string table() const {
    const bool any = pooled_.overall.ties_for_best.tied > 0;
    std::vector<std::string> heads{"relation",       "facts",     "options",
                                   "accuracy [95%]", "Hit@3",     "Hit@10",
                                   "MRR [95%]",      "mean rank", "ties"};
    if (any) heads.push_back(detail::first_wins);
    TextTable table(heads);
    const auto add = [&](const std::string& name, const GroupMetrics& group,
                         const std::string& options) {
      std::vector<std::string> row{name,
                                   std::to_string(group.facts),
                                   options,
                                   with_interval(group.accuracy),
                                   number_or_dash(group.hits[1], 3),
                                   number_or_dash(group.hits[3], 3),
                                   with_interval(group.mean_reciprocal_rank),
                                   number_or_dash(group.mean_rank, 1),
                                   std::to_string(group.ties_for_best.tied)};
      if (any) row.push_back(with_interval(group.accuracy_first_wins));
      table.add(row);
    };
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      add(ranks_[i].code, pooled_.relations[i].second, std::to_string(ranks_[i].options));
    }
    table.add_rule();
    for (const auto& [domain, group] : pooled_.domains) add(domain, group.metrics, "");
    if (!pooled_.domains.empty()) table.add_rule();
    for (const auto& [kind, group] : pooled_.cardinality) add(kind, group, "");
    add("all facts", pooled_.overall, "");
    add("mean of relations", pooled_.overall_unweighted, "");
    return table.text();
  }

  [[nodiscard]] const ProbeMetrics& metrics() const noexcept { return pooled_; }

  /// What must be said wherever the numbers are shown, each once.
  [[nodiscard]] std::vector<std::string> notes() const {
    std::vector<std::string> all;
    for (const RecordedRelation& recorded : relations_) {
      const std::string& note = recorded.relation.note;
      if (!note.empty() && over::find(all, note) == all.end()) all.push_back(note);
    }
    if (auto warning = tie_warning(pooled_.overall.ties_for_best)) all.push_back(*warning);
    return all;
  }

 private:
  std::string accuracy_csv() const {
    std::string csv =
        csv_line({"group", "name", "template", "facts", "accuracy", "low", "high", "chance"});
    const auto add = [&](const char* kind, const std::string& name, const std::string& which,
                         const GroupMetrics& group, const std::string& chance) {
      const Estimate& a = group.accuracy;
      const auto cell = [&](double value) { return a.count == 0 ? "" : fixed(value, 6); };
      csv += csv_line({kind, name, which, std::to_string(group.facts), cell(a.value), cell(a.low),
                       cell(a.high), chance});
    };
    const auto add_all = [&](const ProbeMetrics& metrics, const std::string& which) {
      for (const auto& [code, group] : metrics.relations) {
        const auto relation = over::find(ranks_, code, &RelationRanks::code);
        add("relation", code, which, group, fixed(1.0 / static_cast<double>(relation->options), 6));
      }
      for (const auto& [domain, group] : metrics.domains)
        add("domain", domain, which, group.metrics, "");
      for (const auto& [kind, group] : metrics.cardinality)
        add("cardinality", kind, which, group, "");
      add("overall", "all facts", which, metrics.overall, "");
      add("overall", "mean of relations", which, metrics.overall_unweighted, "");
    };
    for (const auto& [index, metrics] : templates_) add_all(metrics, std::to_string(index));
    if (templates_.size() > 1) add_all(pooled_, "all");
    return csv;
  }

  std::string setting(const char* name) const {
    const auto found = settings_.find(name);
    if (found == settings_.end() || found->is_null()) return "";
    return found->is_string() ? found->get<std::string>() : found->dump();
  }

  std::string page() const {
    const auto named = folder_.has_filename() ? folder_ : folder_.parent_path();  // "run/" is run
    const std::string model =
        setting("model").empty() ? named.filename().string() : setting("model");
    const std::string dataset = setting("dataset").empty() ? "" : " on " + setting("dataset");
    std::ostringstream out;
    const std::string title = model + dataset;
    out << page_begin(title) << "<h1>" << label(title)
        << "</h1>\n<p class=\"dim\">Closed-set probe: the "
        << "share of facts whose right answer the model finds likelier than every other option."
        << "</p>\n";
    if (settings_.value("quantized", false)) {
      out << "<p class=\"note\">Quantised weights (" << escape_html(setting("weights"))
          << ") run natively round the activations too: scores differ from the same weights in F32 "
             "by "
             "tenths of a nat a statement on average and by several nats at worst.</p>\n";
    }
    for (const std::string& text : notes()) out << note(text);
    out << "<div class=\"cards\">\n" << cards() << "</div>\n";
    out << "<h2>Accuracy by relation</h2>\n<p class=\"dim\">Bars: accuracy with its 95% interval. "
           "Ochre "
           "ticks: what guessing would reach.</p>\n"
        << relation_chart();
    out << group_charts();
    out << "<h2>All relations</h2>\n<p class=\"dim\">Click a heading to sort. Hit@k is the share "
           "of facts "
           "whose answer is among the k likeliest; – where a relation has fewer than k options. "
           "Ties: "
           "rows whose best score is shared; one of n that holds the right option counts 1/n in "
           "accuracy, and Hit@k counts a tie by the share of its orders that hit."
        << (pooled_.overall.ties_for_best.tied > 0
                ? " First wins: the first of them is taken for the answer, as in lm-pub-quiz."
                : "")
        << "</p>\n"
        << relation_table();
    const bool whole = setting("reduction") != "mean" && setting("span") == "statement";
    out << "<h2>What the model believes</h2>\n<p class=\"dim\">Every option of a fact with its "
        << (whole ? "probability among the options."
                  : "share of the softmax over the options' scores (" + setting("reduction") +
                        " over the " + setting("span") + ").")
        << (pooled_.overall.ties_for_best.tied > 0
                ? " A fact marked = is a tie, so it is not known."
                : "")
        << "</p>\n";
    write_explorer(out, relations_);
    out << prompt_section(read_example_prompts(folder_)) << settings_table(settings_) << page_end();
    return out.str();
  }

  std::string cards() const {
    const GroupMetrics& all = pooled_.overall;
    std::string html = card("Accuracy", all.accuracy);
    html += card("Mean over relations", pooled_.overall_unweighted.accuracy);
    html += card("MRR", all.mean_reciprocal_rank);
    html += card("Mean rank", all.mean_rank, 1);
    html +=
        card("Facts", std::to_string(all.facts),
             std::to_string(all.relations) + " relations, " + std::to_string(templates_.size()) +
                 (templates_.size() == 1 ? " template" : " templates"));
    html += card("Ties", std::to_string(all.ties_for_best.tied),
                 std::to_string(all.ties_with_answer) + " with the right answer");
    if (all.ties_for_best.tied > 0) {
      html += card(detail::first_wins_title, all.accuracy_first_wins);
    }
    return html;
  }

  std::string relation_chart() const {
    std::vector<Bar> bars;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      bars.push_back({ranks_[i].code, pooled_.relations[i].second.accuracy,
                      1.0 / static_cast<double>(ranks_[i].options)});
    }
    over::stable_sort(
        bars, [](const Bar& a, const Bar& b) { return a.estimate.value > b.estimate.value; });
    return bar_chart(bars, "Accuracy by relation");
  }

  std::string group_charts() const {
    std::vector<Bar> bars;
    for (const auto& [domain, group] : pooled_.domains)
      bars.push_back({domain, group.metrics.accuracy});
    for (const auto& [kind, group] : pooled_.cardinality) bars.push_back({kind, group.accuracy});
    std::string html =
        "<h2>Accuracy by domain and cardinality</h2>\n<p class=\"dim\">1:1: no two facts of "
        "the relation share an answer.</p>\n" +
        bar_chart(bars, "Accuracy by domain and cardinality");
    if (templates_.size() > 1) {
      bars.clear();
      for (const auto& [index, metrics] : templates_) {
        bars.push_back({"template " + std::to_string(index), metrics.overall.accuracy});
      }
      bars.push_back({"all templates", pooled_.overall.accuracy});
      html += "<h2>Accuracy by template</h2>\n" + bar_chart(bars, "Accuracy by template");
    }
    return html;
  }

  std::string relation_table() const {
    const bool any = pooled_.overall.ties_for_best.tied > 0;
    std::vector<std::string> heads{"Relation", "Facts",     "Options", "Kind",  "Accuracy",
                                   "95%",      "Hit@1",     "Hit@3",   "Hit@5", "Hit@10",
                                   "MRR",      "Mean rank", "Ties"};
    if (any) heads.push_back(detail::first_wins_title);
    std::string html = table_begin(heads);
    const auto cell = [](double value, const std::string& text) {
      return "<td data-v=\"" + fixed(value, 6) + "\">" + text + "</td>";
    };
    const auto estimate = [&](const Estimate& e, int decimals) {
      return e.count == 0 ? cell(-1, "–") : cell(e.value, fixed(e.value, decimals));
    };
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const GroupMetrics& group = pooled_.relations[i].second;
      html += "<tr><td>" + label(ranks_[i].code) + "</td>" +
              cell(static_cast<double>(group.facts), std::to_string(group.facts)) +
              cell(static_cast<double>(ranks_[i].options), std::to_string(ranks_[i].options)) +
              "<td>" + (ranks_[i].one_to_one ? "1:1" : "N:1") + "</td>" +
              estimate(group.accuracy, 3) +
              (group.accuracy.count == 0
                   ? cell(-1, "–")
                   : cell(group.accuracy.high - group.accuracy.low,
                          fixed(group.accuracy.low, 2) + "–" + fixed(group.accuracy.high, 2)));
      for (const Estimate& hit : group.hits) html += estimate(hit, 3);
      html += estimate(group.mean_reciprocal_rank, 3) + estimate(group.mean_rank, 1) +
              cell(static_cast<double>(group.ties_for_best.tied),
                   std::to_string(group.ties_for_best.tied)) +
              (any ? estimate(group.accuracy_first_wins, 3) : "") + "</tr>\n";
    }
    return html + table_end;
  }

  std::filesystem::path folder_;
  Bootstrap bootstrap_;
  std::vector<RecordedRelation> relations_;
  std::vector<RelationRanks> ranks_;
  ProbeMetrics pooled_;
  std::vector<std::pair<std::size_t, ProbeMetrics>> templates_;
  Json settings_ = Json::object();
};

}  // namespace plumb
