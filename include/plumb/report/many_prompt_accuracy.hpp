// SPDX-License-Identifier: Apache-2.0
#pragma once

// How accurate are answers to many prompts, how far does that move, and how much is known at best?
//
// Sections of the page: the headline numbers, the ways of asking side by side, how accuracy is
// distributed over samplings of prompts, and what more prompts still find. Source: "What Matters in
// Learning Facts in Language Models?", Tables 3 to 7.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "plumb/calibrate/many_prompt_results.hpp"
#include "plumb/report/histogram_chart.hpp"
#include "plumb/report/many_prompt_cells.hpp"
#include "plumb/report/many_prompt_names.hpp"
#include "plumb/report/page.hpp"
#include "plumb/report/xy_chart.hpp"

namespace plumb::detail {

/// What a sampling draws, in words.
inline const char* draws_in_words(SampleBy by) {
  return by == SampleBy::fact ? "every fact draws one of its prompts"
                              : "every relation draws one of its templates for all its facts";
}

/// Nothing where nothing was asked.
inline std::string many_prompt_cards(const ManyPromptResults& made) {
  const ManyPromptResult* best = best_way(made);
  if (best == nullptr) return "";
  const SampledAccuracy& sampled = headline_samplings(made, *best);
  std::string html = card("Acc@1, " + best->name, best->coverage.average);
  if (!sampled.right.empty()) {
    html += card("Range over samplings", fixed(sampled.range(), 3),
                 sampled.sd ? "SD " + fixed(*sampled.sd, 4) : "");
  }
  html += card("Consist", best->consistency.overall.all.share);
  if (best->overconfidence) html += card("Overconf", best->overconfidence->overconf);
  html += card("Oracle", best->coverage.oracle);
  html += card("Facts", std::to_string(best->facts), counted(best->prompts, "prompt"));
  return "<div class=\"cards\">\n" + html + "</div>\n";
}

/// Tables 3, 4 and 6; columns that no way of asking has are not there.
inline std::string overview_section(const ManyPromptResults& made) {
  if (best_way(made) == nullptr) return "";
  bool sure = false, words = false;
  for (const ManyPromptResult& way : made.ways) {
    sure = sure || way.overconfidence.has_value();
    words = words || way.one_word.count > 0;
  }
  std::vector<std::string> heads{"Setting", "Facts", "Prompts",         "Acc@1",
                                 "Range",   "SD",    "SD, closed form", "Consist"};
  if (sure) heads.push_back("Overconf");
  if (words) heads.insert(heads.end(), {"One word, facts", "One word, prompts", "Without a word"});
  if (has_closed_sets(made)) heads.push_back("Ties");
  if (has_ties(made)) heads.push_back(first_wins_title);
  std::string rows;
  for (const ManyPromptResult& way : made.ways) {
    const SampledAccuracy& sampled = headline_samplings(made, way);
    const bool drawn = !sampled.right.empty();
    const auto if_any = [](bool is_there, double value) {
      return is_there ? std::optional(value) : std::nullopt;
    };
    rows += "<tr>" + name_cell(way.name) + number_cell(way.facts) + number_cell(way.prompts) +
            cell(way.coverage.average) +
            plain_number_cell(if_any(drawn, drawn ? sampled.range() : 0)) +
            plain_number_cell(sampled.sd, 4) +
            plain_number_cell(if_any(sampled.facts > 0, sampled.exact_sd), 4) +
            share_cell(way.consistency.overall.all);
    if (sure) rows += cell(way.overconfidence ? way.overconfidence->overconf : Estimate{});
    if (words) {
      rows += cell(way.one_word) + plain_number_cell(one_word_share(way)) + number_cell(way.empty);
    }
    if (has_closed_sets(made)) {
      rows += way.generated ? plain_number_cell(std::nullopt) : number_cell(way.coverage.ties.tied);
    }
    if (has_ties(made)) rows += cell(way.coverage.average_first_wins);
    rows += "</tr>\n";
  }
  std::string text =
      "Acc@1: mean over facts of the share of their prompts that are answered right. Range and "
      "SD: the highest minus the lowest accuracy, and the standard deviation, over " +
      counted(made.options.samplings, "sampling") + ", in each of which " +
      draws_in_words(made.options.by) +
      "; closed form: what endless samplings come to. Consist: mean over facts of the share of "
      "pairs of their prompts whose answers match.";
  if (sure) {
    text +=
        " Overconf: mean confidence minus accuracy, above 0 where the model is too sure of itself.";
  }
  if (words)
    text +=
        " One word: answers that are one word, as the mean over facts of the share of their "
        "prompts, and as the share of all prompts, in which facts with more prompts weigh more. "
        "Answers without a word match each other, so they make Consist look better.";
  if (has_closed_sets(made)) {
    text +=
        " Ties: answers to closed sets whose best score is shared. One of n with the right option "
        "counts 1/n in Acc@1 and its samplings, matches no other answer, and is not right wherever "
        "it is asked what is known.";
  }
  return heading("Accuracy over all prompts, and what it depends on",
                 "One row for each way of asking, with 95% intervals over facts.") +
         table_begin(heads) + rows + table_end + words_below(text);
}

inline HistogramRow sampling_row(const ManyPromptResult& way, const SampledAccuracy& sampled) {
  HistogramRow row;
  row.label = cut_to(way.name, 28);
  row.remark = "by " + std::string(name_of(sampled.by));
  for (const AccuracyBar& bar : sampled.histogram(sampling_bars)) {
    row.bars.push_back({bar.from, bar.to, static_cast<double>(bar.samplings)});
  }
  row.mean = sampled.exact_mean;
  row.span = {std::max(0.0, sampled.exact_mean - 2 * sampled.exact_sd),
              std::min(1.0, sampled.exact_mean + 2 * sampled.exact_sd)};
  row.value = fixed(sampled.exact_mean, 3) + " ± " + fixed(sampled.exact_sd, 4);
  row.style = sampled.by == SampleBy::fact ? 0 : 1;
  return row;
}

/// How accuracy is distributed over samplings, drawn both ways.
inline std::string samplings_section(const ManyPromptResults& made) {
  HistogramChart chart{"Accuracy over samplings of prompts", "accuracy", {}};
  std::string rows;
  for (const ManyPromptResult& way : made.ways) {
    for (const SampledAccuracy* sampled : {&way.by_relation, &way.by_fact}) {
      if (sampled->right.empty()) continue;
      chart.rows.push_back(sampling_row(way, *sampled));
      rows += "<tr>" + name_cell(way.name) + "<td>" + std::string(name_of(sampled->by)) + "</td>" +
              plain_number_cell(sampled->mean, 4) + plain_number_cell(sampled->exact_mean, 4) +
              plain_number_cell(sampled->sd, 4) + plain_number_cell(sampled->exact_sd, 4) +
              plain_number_cell(sampled->low()) + plain_number_cell(sampled->quantile(0.025)) +
              plain_number_cell(sampled->quantile(0.975)) + plain_number_cell(sampled->high()) +
              plain_number_cell(sampled->range()) + "</tr>\n";
    }
  }
  if (rows.empty()) return "";
  return heading("Accuracy over samplings of prompts",
                 "How often each accuracy comes up in " +
                     counted(made.options.samplings, "sampling") +
                     ". By relation: " + draws_in_words(SampleBy::relation) +
                     "; by fact: " + draws_in_words(SampleBy::fact) +
                     ". Each is as tall as its row. Tick, line and number: mean and two standard "
                     "deviations to either side, mean ± one, by the closed form.") +
         histogram_chart(chart) +
         table_begin({"Setting", "Drawn by", "Mean", "Mean, closed form", "SD", "SD, closed form",
                      "Lowest", "2.5%", "97.5%", "Highest", "Range"}) +
         rows + table_end;
}

/// Over the logarithm of the number of prompts where that is large.
inline std::string coverage_chart(const ManyPromptResults& made) {
  std::size_t most = 0;
  for (const ManyPromptResult& way : made.ways) {
    if (!way.curve.empty()) most = std::max(most, way.curve.back().prompts);
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
      ChartPoint& added = line.points.emplace_back(ChartPoint{
          place(point.prompts), point.share.value, std::pair{point.share.low, point.share.high}});
      added.hover = counted(point.prompts, "prompt") + ": " + fixed(point.share.value, 3);
    }
    line.point_size = 0.8;
  }
  XyChart chart{"Facts known by the number of prompts",
                is_linear ? "prompts" : "prompts, on a logarithmic scale", "facts known"};
  chart.x_is_log10 = !is_linear;
  chart.x_range = {0, is_linear ? std::max(5.0, place(most)) : place(most)};  // whole ticks
  chart.width = 700;
  return xy_chart(chart, series);
}

/// Section 7 and Table 7.
inline std::string coverage_section(const ManyPromptResults& made) {
  if (best_way(made) == nullptr) return "";
  std::string rows;
  for (const ManyPromptResult& way : made.ways) {
    rows += "<tr>" + name_cell(way.name) + cell(way.coverage.minimum) + cell(way.coverage.average) +
            cell(way.coverage.maximum) + cell(way.coverage.oracle) +
            number_cell(way.coverage.without_prompt) + "</tr>\n";
  }
  return heading("How much is known, by the prompts one allows",
                 "The share of facts answered right at least once by so many of their prompts, "
                 "drawn without replacement: the average accuracy at one, the oracle at all.") +
         coverage_chart(made) +
         table_begin({"Setting", "Minimum", "Average", "Maximum", "Oracle", "Without a prompt"}) +
         rows + table_end +
         words_below(
             "Average: all prompts. Maximum and Minimum: each relation's best and worst template, "
             "with each subject's best name under it; their intervals hold the templates fixed. "
             "Oracle: any prompt of the fact is right. Facts without a prompt are left out.");
}

}  // namespace plumb::detail
