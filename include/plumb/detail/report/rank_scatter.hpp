// SPDX-License-Identifier: Apache-2.0
#pragma once

// How do two methods rank each query's true entity?
//
// One point for each query that both methods ranked, coloured by the number of tokens in the true
// entity's name. Source: DEER, Figures 7, 8, 10 and 18.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "plumb/detail/rank/rank_results.hpp"
#include "plumb/detail/report/xy_chart.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The index of a name's length group: 1, 2, 3, 4 or more tokens.
inline std::size_t length_group(std::size_t tokens) {
  return std::min<std::size_t>(std::max<std::size_t>(tokens, 1), 4) - 1;
}

/// A chart of log ranks, or of ranks if there are at most 100 candidates. It shows at most 3000
/// queries.
[[nodiscard]] inline std::string rank_scatter(const std::vector<RankedMethod>& methods,
                                              const MethodAgreement& agreement) {
  constexpr std::size_t most_points = 3000;
  const RankedMethod& one = methods[agreement.one];
  const RankedMethod& other = methods[agreement.other];
  std::vector<ChartSeries> series;
  for (const char* name : {"1 token", "2 tokens", "3 tokens", "4 or more"}) {
    series.push_back({name, {}, false});
    series.back().point_size = 0.7;
  }
  const bool is_linear = (std::max)(one.candidates, other.candidates) <= 100;
  const auto place = [&](double rank) { return is_linear ? rank : std::log10(rank); };
  double most = is_linear ? 10 : 1;
  for (std::size_t i = 0; i < (std::min)(most_points, agreement.shared.size()); ++i) {
    const EntityRank& x = one.ranks[agreement.shared[i].first];
    const EntityRank& y = other.ranks[agreement.shared[i].second];
    series[length_group(x.tokens)].points.push_back(
        {place(x.raw.realistic()), place(y.raw.realistic())});
    most = (std::max)(most, place(static_cast<double>(x.candidates)));
  }
  std::erase_if(series, [](const ChartSeries& one_length) { return one_length.points.empty(); });
  XyChart chart{one.name + " against " + other.name, "rank, " + one.name, "rank, " + other.name};
  chart.x_is_log10 = chart.y_is_log10 = !is_linear;
  // Leaves space for half a point before the first rank and after the last.
  const double room = (is_linear ? most : (std::max)(most, 1.0)) * 0.015;
  chart.x_range = chart.y_range = {(is_linear ? 1.0 : 0.0) - room, most + room};
  chart.diagonal = true;
  if (most > place(10)) chart.references = {{place(10), "rank 10"}};
  return xy_chart(chart, series);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
