// SPDX-License-Identifier: Apache-2.0
#pragma once

// How do the settings of a many-shot run compare?
//
// One function for each section of the page: accuracy against shots, methods side by side,
// separators, Accuracy@K, generated answers. A section with nothing to show is empty.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/many_shot_results.hpp"
#include "plumb/detail/measure/relation_answers.hpp"
#include "plumb/detail/report/bar_chart.hpp"
#include "plumb/detail/report/heat_map.hpp"
#include "plumb/detail/report/page.hpp"
#include "plumb/detail/report/xy_chart.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline std::string sd_text(const AccuracySpread& spread) {
  return spread.sd ? with_decimals(*spread.sd, 3) : "–";
}

/// A mean with its standard deviation below it.
inline std::string spread_cell(const AccuracySpread& spread) {
  if (!spread.accuracy.exists()) return no_number_cell;
  return "<td data-v=\"" + with_decimals(spread.accuracy.value, 6) + "\">" +
         with_decimals(spread.accuracy.value, 3) + "<small>± " + sd_text(spread) + "</small></td>";
}

/// The paper's name for a setting.
inline std::string setting_words(const Setting& group) {
  const std::string name = group.method == "ic"             ? "IC-LKE"
                           : group.method == "eic"          ? "EIC-LKE"
                           : group.method == "eic-isolated" ? "EIC-LKE, isolated"
                           : group.method == "hgp"          ? "HGP"
                           : group.method == "mmp"          ? "MMP"
                                                            : group.method;
  return group.method == "ic" ? name + ", " + counted(group.shots, "shot") : name;
}

inline const AccuracySpread* spread_of(const GroupSpread& group, const std::string& relation) {
  const auto found =
      ranges::find(group.relations, relation, [](const auto& entry) { return entry.first; });
  return found == group.relations.end() ? nullptr : &found->second;
}

inline std::string shots_section(const ManyShotResults& made) {
  const auto curve = ranges::find_if(
      made.curves, [&](const ShotsCurve& one) { return has_usual_separator(made, one.like); });
  if (curve == made.curves.end()) return "";
  ChartSeries line{"", {}};
  for (const GroupSpread& point : curve->points) {
    const Estimate& a = point.overall.accuracy;
    if (a.count == 0) continue;
    line.points.push_back({static_cast<double>(point.group.shots), a.value, a.interval()});
    if (curve->shots_for_95 == point.group.shots) {
      line.points.back().label = std::to_string(point.group.shots) + ": 95%";
    }
  }
  XyChart chart{"Accuracy against the number of shots", "shots", "accuracy"};
  chart.x_range = {0, static_cast<double>(curve->points.back().group.shots)};
  chart.width = 700;
  std::string html =
      heading("Accuracy against the number of shots",
              "IC-LKE, mean over relations and seeds, with 95% intervals over facts. Marked: the "
              "smallest number of shots that reaches 95% of the accuracy at the largest number.") +
      xy_chart(chart, {line});
  std::vector<std::string> heads{"Relation"};
  for (const GroupSpread& point : curve->points)
    heads.push_back(counted(point.group.shots, "shot"));
  html += table_begin(heads) + "<tr><td>mean of relations</td>";
  for (const GroupSpread& point : curve->points) html += spread_cell(point.overall);
  html += "</tr>\n";
  for (const auto& [code, unused] : curve->points.front().relations) {
    html += "<tr><td>" + label(code) + "</td>";
    for (const GroupSpread& point : curve->points) html += spread_cell(*spread_of(point, code));
    html += "</tr>\n";
  }
  return html + table_end + "<p class=\"dim\">Small: standard deviation over seeds.</p>\n";
}

inline std::string methods_section(const ManyShotResults& made) {
  HeatMap map{"Accuracy by method and relation", "Method", {}, {}, {}};
  for (const RelationAnswers& relation : made.answers.relations) {
    map.columns.push_back(relation.relation.code);
  }
  for (const GroupSpread& spread : made.groups) {
    if (spread.group.by != "choice" || !has_usual_separator(made, spread.group)) continue;
    map.rows.push_back(setting_words(spread.group));
    auto& row = map.values.emplace_back();
    for (const std::string& code : map.columns) {
      const AccuracySpread* own = spread_of(spread, code);
      row.push_back(own == nullptr ? std::nullopt : std::optional(own->accuracy.value));
    }
  }
  if (map.rows.size() < 2) return "";
  std::string html;
  if (made.side_by_side.empty()) {
    html = heading("Methods side by side", "No relation has all methods.");
  } else {
    std::vector<Bar> bars;
    std::string rows;
    for (const GroupSpread& spread : made.side_by_side) {
      const std::string words = setting_words(spread.group);
      bars.push_back({words, spread.overall.accuracy, chance_of(made, spread)});
      rows += "<tr><td>" + label(words) + "</td>" + cell(spread.overall.accuracy) + "<td>" +
              sd_text(spread.overall) + "</td><td>" +
              counted(spread.overall.variants,
                      spread.group.varies_by_template() ? "template" : "seed") +
              "</td></tr>\n";
    }
    html = heading("Methods side by side",
                   "Mean accuracy over the " +
                       counted(made.side_by_side.front().relations.size(), "relation") +
                       " that have all methods. Ochre ticks: chance. SD over seeds or templates.") +
           bar_chart(bars, "Accuracy by method") +
           table_begin({"Method", "Accuracy", "SD", "Over"}) + rows + table_end;
  }
  return html + "<h3>By relation</h3>\n" + heat_map(map);
}

/// Figure 4: a comparison of separators between subject and object, at the largest number of shots.
inline std::string separators_section(const ManyShotResults& made) {
  std::string html;
  for (const RelationAnswers& relation : made.answers.relations) {
    std::vector<Bar> bars;
    for (const auto& entry : made.at_k) {
      const Setting& group = entry.first;
      if (group.method != "ic") continue;
      const auto spread = ranges::find_if(
          made.groups, [&](const GroupSpread& one) { return one.group.group() == group.group(); });
      const AccuracySpread* own = spread_of(*spread, relation.relation.code);
      if (own != nullptr) bars.push_back({"‘" + group.separator + "’", own->accuracy});
    }
    if (bars.size() < 2) continue;
    html += "<h3>" + label(relation.relation.code) + "</h3>\n" +
            bar_chart(bars, "Accuracy by separator, " + relation.relation.code);
  }
  if (html.empty()) return "";
  return heading("Texts between subject and object",
                 "IC-LKE with the most shots, with each text as the separator.") +
         html;
}

inline std::string confidence_section(const ManyShotResults& made) {
  std::vector<ChartSeries> accuracy, remaining;
  std::string rows;
  std::vector<std::string> heads{"Method"};
  constexpr std::size_t every = 2;  // K = 0, 0.1, … 0.9
  for (const auto& [group, levels] : made.at_k) {
    if (!has_usual_separator(made, group)) continue;
    ChartSeries right{setting_words(group), {}}, left{setting_words(group), {}};
    for (const AccuracyAtK& level : levels) {
      const Estimate& a = level.accuracy;
      if (a.count == 0) continue;
      right.points.push_back({level.threshold, a.value, a.interval()});
      left.points.push_back({level.threshold, static_cast<double>(level.answers) /
                                                  static_cast<double>(levels.front().answers)});
    }
    accuracy.push_back(std::move(right));
    remaining.push_back(std::move(left));
    rows += "<tr><td>" + label(setting_words(group)) + "</td>";
    for (std::size_t k = 0; k < levels.size(); k += every) {
      if (accuracy.size() == 1) heads.push_back("K = " + with_decimals(levels[k].threshold, 1));
      const Estimate& a = levels[k].accuracy;
      rows += a.count == 0 ? "<td data-v=\"-1\">–<small>0</small></td>"
                           : "<td data-v=\"" + with_decimals(a.value, 6) + "\">" +
                                 with_decimals(a.value, 3) + "<small>" +
                                 std::to_string(levels[k].answers) + "</small></td>";
    }
    rows += "</tr>\n";
  }
  if (accuracy.empty()) return "";
  XyChart chart{"Accuracy@K", "K", "accuracy"};
  std::string html =
      heading("Accuracy@K",
              "Accuracy of the answers whose probability among the choices is above K (not "
              "top-k), and the share of answers that remain.") +
      "<div class=\"plots two\">" + xy_chart(chart, accuracy);
  chart.title = "Answers that remain";
  chart.y_label = "share of answers above K";
  return html + xy_chart(chart, remaining) + "</div>\n" + table_begin(heads) + rows + table_end +
         "<p class=\"dim\">Small: answers (facts × seeds or templates) that remain. All levels are "
         "in accuracy_at_k.csv.</p>\n";
}

inline std::string generation_section(const ManyShotResults& made) {
  std::string rows;
  for (const GroupSpread& spread : made.groups) {
    if (spread.group.by != "generation" || !has_usual_separator(made, spread.group)) continue;
    rows += "<tr><td>" + label(setting_words(spread.group)) + "</td>";
    for (const char* by : {"generation", "generation-aliases", "choice"}) {
      Setting wanted = spread.group;
      wanted.by = by;
      const auto found = ranges::find_if(made.groups, [&](const GroupSpread& other) {
        return other.group.group() == wanted.group();
      });
      rows += found == made.groups.end() ? "<td>–</td>" : spread_cell(found->overall);
    }
    rows += "</tr>\n";
  }
  if (rows.empty()) return "";
  return heading(
             "Does the generated text contain the answer?",
             "The share of facts whose greedy continuation contains the object's label, or the "
             "label or an alias, next to the accuracy by choice. The label must match letter for "
             "letter. With the setting <code>answer-match</code> = program, it matches as in the "
             "authors' program: both in lower case, and the label without colons, commas and full "
             "stops.") +
         table_begin({"Method", "Label generated", "Label or alias", "By choice"}) + rows +
         table_end + "<p class=\"dim\">Small: standard deviation over seeds or templates.</p>\n";
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
