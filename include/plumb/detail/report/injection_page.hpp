// SPDX-License-Identifier: Apache-2.0
#pragma once

// How likely is each object if some of the shots are unknown or incorrect?
//
// The page has five panels of exp(log P(object | the pairs before it)) by position, absolute and
// unnormalised, and a table of the means by kind of pair. A correct pair is compared with itself in
// the panel without injected pairs, because later positions are more likely than earlier ones
// regardless of the pairs in between. Source: "Towards Reliable Latent Knowledge Estimation in
// LLMs", Figure 2 and Appendix E; the change relative to the correct panel is plumb's addition.
// Non-goal: choosing the pairs of the panels (prompt/injection.hpp).

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/measure/injection_results.hpp"
#include "plumb/detail/report/columns.hpp"
#include "plumb/detail/report/injection_columns.hpp"
#include "plumb/detail/report/page.hpp"
#include "plumb/detail/report/xy_chart.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The upper end of the panels' common axis: the smallest of 1, 0.5, 0.2, 0.1, … that no point
/// exceeds.
inline double injection_top(const InjectionResults& results) {
  double most = 0;
  for (const InjectionPanelResult& made : results.panels) {
    for (const double log : made.log_probabilities) most = (std::max)(most, std::exp(log));
  }
  double top = 1;
  for (const double next : {0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001}) {
    if (most <= next) top = next;
  }
  return top;
}

inline std::string injection_chart(const InjectionPanelResult& made, std::size_t highlight,
                                   double top) {
  // Blue, red and cyan, as in the paper, each with its own shape.
  std::vector<ChartSeries> series{{"correct", {}, false, 0, 0.75},
                                  {"injected", {}, false, 5, 0.75},
                                  {"directly after an injected one", {}, false, 6, 0.75}};
  const std::vector<InjectedPair>& pairs = made.panel.pairs;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const double probability = std::exp(made.log_probabilities[p]);
    ChartPoint point{static_cast<double>(p), probability};
    point.hover = std::to_string(p) + ": " + pairs[p].subject + " – " + pairs[p].object + ", " +
                  with_decimals(probability, 3);
    point.star = p == highlight;
    if (point.star) point.label = pairs[p].subject + ", " + with_decimals(probability, 3);
    series[pairs[p].kind == PairKind::correct    ? 0
           : pairs[p].kind == PairKind::injected ? 1
                                                 : 2]
        .points.push_back(std::move(point));
  }
  std::erase_if(series, [](const ChartSeries& one) { return one.points.empty(); });
  XyChart chart{"Object probability by position: " + made.panel.name, "position in the sequence",
                "probability of the object"};
  chart.x_range = {0, static_cast<double>(pairs.size())};
  chart.y_range = {0, top};
  chart.height = 320;
  if (made.correct.count > 0) {
    chart.references = {{made.correct.value, "mean " + with_decimals(made.correct.value, 3)}};
  }
  return "<div><h3>" + label(made.panel.name) + "</h3>" + xy_chart(chart, series) + "</div>\n";
}

/// A section with five charts and a table. Needs all five panels.
[[nodiscard]] inline std::string injection_section(const InjectionResults& results) {
  const std::vector<InjectedPair>& pairs = results.panels.front().panel.pairs;
  const InjectedPair& star = pairs[results.highlight];
  std::string html = heading(
      "Unknown and incorrect pairs among the shots",
      "One fixed order of " + counted(pairs.size(), "pair") + " of " + label(results.relation) +
          ", and the same order with " + std::to_string(results.panels.back().injected.count) +
          " of them replaced, spread out or in one block, by unknown pairs (invented subject and "
          "object) or by incorrect pairs (real subject, wrong object).");
  const std::string reading =
      "<div class=\"dim\"><h3>How to read the panels</h3>\n<p>Each point is the model's "
      "probability of the object given all text before it: absolute, not normalised over "
      "choices.</p>\n"
      "<p>Dashed: the mean over the correct pairs (circles), without injected pairs and pairs "
      "directly after one.</p>\n<p>Star: the same correct pair in every panel, " +
      label(star.subject) + " – " + label(star.object) + ", at position " +
      std::to_string(results.highlight) +
      ". Positions count from 0: a pair's position is the number of pairs before it.</p></div>\n";
  const double top = detail::injection_top(results);
  for (std::size_t i = 0; i < results.panels.size(); ++i) {
    // The first panel is next to the explanation; after that, each spread panel is next to the
    // matching block panel.
    if (i == 0 || i % 2 == 1) html += "<div class=\"plots two\">\n";
    html += detail::injection_chart(results.panels[i], results.highlight, top);
    if (i == 0) html += reading;
    if (i % 2 == 0) html += "</div>\n";
  }
  const auto columns = named_injection_columns("panel", results.highlight);
  return html + html_table(columns, results.panels) + "<p class=\"dim\">" + meanings(columns) +
         " 95% intervals: percentile bootstrap over positions, treated as independent. They cover "
         "this one order, not other orders or seeds. A single pair has no interval.</p>\n";
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
