// SPDX-License-Identifier: Apache-2.0
#pragma once

// Does a model's confidence match its accuracy, across many prompts and by answer length?
//
// Sections of the page: reliability diagrams and Overconf by the number of tokens. Source: "What
// Matters in Learning Facts in Language Models?", sections 2.4 and 6.2, Figure 1.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/calibrate/many_prompt_results.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/report/cells.hpp"
#include "plumb/detail/report/many_prompt_names.hpp"
#include "plumb/detail/report/page.hpp"
#include "plumb/detail/report/xy_chart.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The number of prompts in each of `bars` equal subdivisions of the confidence range [0, 1]. A
/// bin's prompts are assumed to be spread evenly from its lowest to its highest confidence.
inline std::vector<double> spread_confidences(const std::vector<ConfidenceBin>& diagram,
                                              std::size_t bars) {
  std::vector<double> heights(bars);
  const double width = 1.0 / static_cast<double>(bars);
  for (const ConfidenceBin& bin : diagram) {
    const double prompts = static_cast<double>(bin.prompts);
    const double low = std::clamp(bin.lowest, 0.0, 1.0), high = std::clamp(bin.highest, 0.0, 1.0);
    if (high - low < 1e-12) {
      // A value on the boundary between two bars, such as 0.3, belongs to the upper one.
      const auto place = static_cast<std::size_t>(low / width + 1e-9);
      heights[(std::min)(place, bars - 1)] += prompts;
      continue;
    }
    for (std::size_t i = 0; i < bars; ++i) {
      const double from = (std::max)(low, width * static_cast<double>(i));
      const double to = (std::min)(high, width * static_cast<double>(i + 1));
      if (to > from) heights[i] += prompts * (to - from) / (high - low);
    }
  }
  return heights;
}

/// Accuracy against confidence, one point per bin, with the least confident bin first.
inline ChartSeries reliability_line(const ManyPromptResult& way) {
  ChartSeries line{"", {}};
  const auto& diagram = way.overconfidence->diagram;  // sorted, the most confident bin first
  for (auto place = diagram.rbegin(); place != diagram.rend(); ++place) {
    const ConfidenceBin& bin = *place;
    ChartPoint& point = line.points.emplace_back(
        ChartPoint{bin.mean_confidence, bin.accuracy.value, bin.accuracy.interval()});
    point.hover = counted(bin.prompts, "prompt") + ", confidence " + with_decimals(bin.lowest, 3) +
                  "–" + with_decimals(bin.highest, 3) + ": accuracy " +
                  with_decimals(bin.accuracy.value, 3);
  }
  return line;
}

/// All query forms in one chart, as in Figures 1, 5 and 6; empty if there is only one.
inline std::string reliability_overlay(const std::vector<const ManyPromptResult*>& ways) {
  if (ways.size() < 2) return "";
  std::vector<ChartSeries> series;
  for (const ManyPromptResult* way : ways) {
    ChartSeries& line = series.emplace_back(reliability_line(*way));
    line.name = way->name;
    // the intervals are shown in the separate chart for each query form
    for (ChartPoint& point : line.points) point.interval.reset();
  }
  XyChart chart{"Confidence against accuracy, all settings together", "confidence", "accuracy"};
  chart.width = 700;
  chart.height = 460;
  chart.diagonal = true;
  return xy_chart(chart, series);
}

inline std::string reliability_chart(const ManyPromptResult& way) {
  const ChartSeries line = reliability_line(way);
  XyChart chart{"Confidence against accuracy, " + way.name, "confidence", "accuracy"};
  chart.width = 440;
  chart.height = 320;
  chart.diagonal = true;
  chart.histogram = spread_confidences(way.overconfidence->diagram, 20);
  return xy_chart(chart, {line});
}

/// One diagram for each query form whose confidences were measured.
inline std::string reliability_section(const ManyPromptResults& made) {
  std::string plots;
  std::vector<const ManyPromptResult*> drawn;
  bool sampled = false, given = false, filled = false;
  for (const ManyPromptResult& way : made.ways) {
    if (!way.overconfidence || way.overconfidence->overconf.count == 0) continue;
    drawn.push_back(&way);
    (way.samples > 0 ? sampled : way.is(AnswerKind::fill) ? filled : given) = true;
    plots += "<div><h3>" + label(way.name) + "</h3>\n<p class=\"dim\">Overconf " +
             with_interval(way.overconfidence->overconf) + "; " +
             counted(way.overconfidence->prompts, "prompt") +
             (way.samples > 0 ? ", " + counted(way.samples, "sample") + " each" : "") + "</p>\n" +
             reliability_chart(way) + "</div>\n";
  }
  if (plots.empty()) return "";
  std::string text =
      "Prompts in up to ten bins of equal size, by confidence, with 95% intervals. Below the "
      "dashed line the model is overconfident.";
  if (sampled) {
    text += " Confidence: the share of a prompt's sampled answers that match its greedy answer.";
  }
  if (given) {
    text += sampled ? " For closed sets, it is the probability of the answer among the options."
                    : " Confidence: the probability of the answer among the options.";
  }
  if (filled) {
    text += sampled || given ? " For gaps, it is the probability of the tokens that fill them."
                             : " Confidence: the probability of the tokens that fill the gap.";
  }
  return heading("Does confidence match accuracy?",
                 text + " Bars along the bottom: approximate number of prompts by confidence.") +
         reliability_overlay(drawn) + "<div class=\"plots two\">\n" + plots + "</div>\n";
}

/// Query forms that have answers of one to five tokens.
inline std::vector<Way> ways_by_length(const ManyPromptResults& made) {
  return ways_where(made, [](const ManyPromptResult& way) {
    return way.by_length && ranges::any_of(way.by_length->lengths,
                                           [](const auto& one) { return one.overconf.count > 0; });
  });
}

inline std::string length_chart(const std::vector<Way>& ways) {
  std::vector<ChartSeries> series;
  double most = 0.1;
  for (std::size_t s = 0; s < ways.size(); ++s) {
    ChartSeries& line = series.emplace_back(ChartSeries{ways[s]->name, {}});
    // Points for different query forms are offset horizontally, so that their whiskers do not
    // overlap.
    const double aside = 0.07 * (static_cast<double>(s) - static_cast<double>(ways.size() - 1) / 2);
    const auto& lengths = ways[s]->by_length->lengths;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const Estimate& over = lengths[i].overconf;
      if (over.count == 0) continue;
      line.points.push_back({static_cast<double>(i + 1) + aside, over.value, over.interval()});
      line.points.back().hover = with_interval(over) + ", " + counted(lengths[i].prompts, "prompt");
      most = (std::max)(most, std::abs(over.value));
      if (over.has_interval()) most = (std::max)({most, std::abs(over.low), std::abs(over.high)});
    }
  }
  XyChart chart{"Overconf by number of answer tokens", "tokens of the answer", "Overconf"};
  most = (std::min)(1.0, std::ceil(most * 10 - 1e-9) / 10);
  chart.x_range = {0.5, 5.5};
  chart.y_range = {-most, most};
  chart.references = {{0, "confidence equals accuracy"}};
  chart.width = 700;
  return xy_chart(chart, series);
}

/// The paper's section 6.2: confidence is the probability of the whole answer.
inline std::string answer_length_section(const ManyPromptResults& made) {
  const std::vector<Way> ways = ways_by_length(made);
  if (ways.empty()) return "";
  std::vector<PageColumn<Way>> columns{{"Setting", [](Way way) { return way->name; }}};
  for (std::size_t i = 0; i < ways.front()->by_length->lengths.size(); ++i) {
    columns.emplace_back(counted(i + 1, "token"), [i](Way way) {
      const Overconfidence& length = way->by_length->lengths[i];
      return RemarkedEstimate{length.overconf,
                              length.prompts == 0 ? "" : counted(length.prompts, "prompt")};
    });
  }
  columns.emplace_back("Longer", [](Way way) { return way->by_length->longer; });
  columns.emplace_back("None", [](Way way) { return way->by_length->empty; });
  columns.emplace_back("One to five", [](Way way) -> CellValue {
    const std::optional<double> share = share_of_short(*way->by_length);
    if (!share) return PlainNumber{};
    return ShownNumber{*share, with_decimals(100 * *share, 2) + "%"};
  });
  return heading("Overconf by answer length",
                 "Here the confidence is the probability of all tokens of the greedy answer. "
                 "Answers without tokens or with more than five are left out.") +
         length_chart(ways) + page_table<Way>(columns, ways);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
