// SPDX-License-Identifier: Apache-2.0
#pragma once

// How accurate are answers to many prompts, how much does accuracy vary, and how much is known at
// best?
//
// Sections of the page: the headline numbers, the query forms side by side, the distribution of
// accuracy over samplings of prompts, and the proportion of facts known as a function of the number
// of prompts. Source: "What Matters in Learning Facts in Language Models?", Tables 3 to 7.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/calibrate/many_prompt_results.hpp"
#include "plumb/detail/report/cells.hpp"
#include "plumb/detail/report/histogram_chart.hpp"
#include "plumb/detail/report/many_prompt_columns.hpp"
#include "plumb/detail/report/many_prompt_names.hpp"
#include "plumb/detail/report/page.hpp"
#include "plumb/detail/report/xy_chart.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Empty if no questions were asked.
inline std::string many_prompt_cards(const ManyPromptResults& made) {
  const ManyPromptResult* best = best_way(made);
  if (best == nullptr) return "";
  const SampledAccuracy& sampled = headline_samplings(made, *best);
  std::string html = card("Acc@1, " + best->name, best->coverage.average);
  if (!sampled.right.empty()) {
    html += card("Range over samplings", with_decimals(sampled.range(), 3),
                 sampled.sd ? "SD " + with_decimals(*sampled.sd, 4) : "");
  }
  html += card("Consist", best->consistency.overall.all.share);
  if (best->overconfidence) html += card("Overconf", best->overconfidence->overconf);
  html += card("Oracle", best->coverage.oracle);
  html += card("Facts", std::to_string(best->facts), counted(best->prompts, "prompt"));
  return "<div class=\"cards\">\n" + html + "</div>\n";
}

/// Tables 3, 4 and 6.
inline std::string overview_section(const ManyPromptResults& made) {
  if (best_way(made) == nullptr) return "";
  return heading("Accuracy over all prompts, and what it depends on",
                 "One row for each way of asking, with 95% intervals over facts.") +
         html_table(many_prompt_columns(made), made.ways) +
         words_below(meanings(many_prompt_columns(made)));
}

/// Empty if no answers are in a model's own words.
inline std::string written_answers_section(const ManyPromptResults& made) {
  const auto ways = written_ways(made);
  if (ways.empty()) return "";
  return heading("What the answers look like",
                 "The length of generated answers and how they end.") +
         html_table(written_answer_columns(), ways) +
         words_below(meanings(written_answer_columns()));
}

/// LAMA's numbers; empty if no gaps were filled.
inline std::string token_ranks_section(const ManyPromptResults& made) {
  const std::vector<WayRanks> rows = way_ranks(made);
  if (rows.empty()) return "";
  return heading("Rank of the true token",
                 "The rank of the likeliest true token among the tokens that could fill the gap, "
                 "with 95% intervals over facts.") +
         html_table(token_rank_columns(), rows) + words_below(meanings(token_rank_columns()));
}

inline HistogramRow sampling_row(const ManyPromptResult& way, const SampledAccuracy& sampled) {
  HistogramRow row;
  row.label = cut_to(way.name, 28);
  row.remark = "by " + std::string(name_of(sampled.by));
  for (const AccuracyBar& bar : sampled.histogram(sampling_bars)) {
    row.bars.push_back({bar.from, bar.to, static_cast<double>(bar.samplings)});
  }
  row.mean = sampled.exact_mean;
  row.span = {(std::max)(0.0, sampled.exact_mean - 2 * sampled.exact_sd),
              (std::min)(1.0, sampled.exact_mean + 2 * sampled.exact_sd)};
  row.value = with_decimals(sampled.exact_mean, 3) + " ± " + with_decimals(sampled.exact_sd, 4);
  row.style = sampled.by == SampleBy::fact ? 0 : 1;
  return row;
}

/// One query form with one of its two sets of samplings.
struct DrawnWay {
  const ManyPromptResult* way;
  const SampledAccuracy* drawn;
};

/// The distribution of accuracy over samplings, for both sampling methods.
inline std::string samplings_section(const ManyPromptResults& made) {
  HistogramChart chart{"Accuracy over samplings of prompts", "accuracy", {}};
  std::vector<DrawnWay> rows;
  for (const ManyPromptResult& way : made.ways) {
    for (const SampledAccuracy* drawn : {&way.by_relation, &way.by_fact}) {
      if (drawn->right.empty()) continue;
      chart.rows.push_back(sampling_row(way, *drawn));
      rows.push_back({&way, drawn});
    }
  }
  if (rows.empty()) return "";
  const auto number = [](auto value, int decimals = 3) {
    return [value, decimals](const DrawnWay& row) {
      return PlainNumber{std::invoke(value, *row.drawn), decimals};
    };
  };
  using S = SampledAccuracy;
  return heading("Accuracy over samplings of prompts",
                 "How often each accuracy occurs in " +
                     counted(made.options.samplings, "sampling") +
                     ". By relation: " + draws_in_words(SampleBy::relation) +
                     "; by fact: " + draws_in_words(SampleBy::fact) +
                     ". Each histogram fills the height of its row. Tick: the mean. Line: the mean "
                     "± two standard deviations. Number: the mean ± one standard deviation. All "
                     "three are computed in closed form.") +
         histogram_chart(chart) +
         page_table<DrawnWay>(
             {{"Setting", [](const DrawnWay& row) { return row.way->name; }},
              {"Drawn by",
               [](const DrawnWay& row) { return OwnWord{std::string(name_of(row.drawn->by))}; }},
              {"Mean", number(&S::mean, 4)},
              {"Mean, closed form", number(&S::exact_mean, 4)},
              {"SD", number(&S::sd, 4)},
              {"SD, closed form", number(&S::exact_sd, 4)},
              {"Lowest", number(&S::low)},
              {"2.5%", number([](const S& s) { return s.quantile(0.025); })},
              {"97.5%", number([](const S& s) { return s.quantile(0.975); })},
              {"Highest", number(&S::high)},
              {"Range", number(&S::range)}},
             rows);
}

/// The x axis shows the number of prompts, or its logarithm if the number is large.
inline std::string coverage_chart(const ManyPromptResults& made) {
  std::size_t most = 0;
  for (const ManyPromptResult& way : made.ways) {
    if (!way.curve.empty()) most = (std::max)(most, way.curve.back().prompts);
  }
  if (most < 2) return "";
  const bool is_linear = most <= 20;
  const auto place = [&](std::size_t prompts) {
    return is_linear ? static_cast<double>(prompts) : std::log10(static_cast<double>(prompts));
  };
  std::vector<ChartSeries> series;
  for (const ManyPromptResult& way : made.ways) {
    ChartSeries& line = series.emplace_back(ChartSeries{way.name, {}});
    for (const CoveragePoint& point : way.curve) {
      ChartPoint& added = line.points.emplace_back(
          ChartPoint{place(point.prompts), point.share.value, point.share.interval()});
      added.hover = counted(point.prompts, "prompt") + ": " + with_decimals(point.share.value, 3);
    }
    line.point_size = 0.8;
  }
  XyChart chart{"Facts known, by number of prompts",
                is_linear ? "prompts" : "prompts, on a logarithmic scale", "facts known"};
  chart.x_is_log10 = !is_linear;
  chart.x_range = {0, is_linear ? (std::max)(5.0, place(most)) : place(most)};  // whole ticks
  chart.width = 700;
  return xy_chart(chart, series);
}

/// Section 7 and Table 7.
inline std::string coverage_section(const ManyPromptResults& made) {
  if (best_way(made) == nullptr) return "";
  const auto number = [](auto value) {
    return [value](const ManyPromptResult& way) { return std::invoke(value, way.coverage); };
  };
  return heading("Facts known, by number of prompts",
                 "The share of facts for which at least one of n prompts, drawn without "
                 "replacement, gets a right answer. With one prompt this is the average accuracy; "
                 "with all prompts it is the oracle.") +
         coverage_chart(made) +
         page_table<ManyPromptResult>(
             {{"Setting", &ManyPromptResult::name},
              {"Minimum", number(&PromptCoverage::minimum)},
              {"Average", number(&PromptCoverage::average)},
              {"Maximum", number(&PromptCoverage::maximum)},
              {"Oracle", number(&PromptCoverage::oracle)},
              {"Without a prompt", number(&PromptCoverage::without_prompt)}},
             made.ways) +
         words_below(
             "Average: over all prompts. Maximum and minimum: each relation's best and worst "
             "template, with each subject's best name under it; their intervals treat the "
             "templates as fixed. Oracle: at least one of the fact's prompts gets a right answer. "
             "Facts without a prompt are left out.");
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
