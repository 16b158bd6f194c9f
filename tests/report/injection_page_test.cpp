// SPDX-License-Identifier: Apache-2.0
#include "plumb/report/injection_page.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/markup.hpp"
#include "support/small_calibration.hpp"

using namespace plumb;
using test::between;
using test::count_of;
using test::holds;
using test::says;

BOOST_AUTO_TEST_SUITE(injection_page)

namespace {

constexpr double none = -std::numeric_limits<double>::infinity();

/// Ten pairs; in the second panel positions 2, 3 and 7 are injected, in the third 4, 5 and 6; the
/// last two are like them. The highlight is position 8.
InjectionDesign small_design() {
  const std::vector<std::string> names{"correct", "unknown, spread", "unknown, block",
                                       "incorrect, spread", "incorrect, block"};
  InjectionDesign design{"birth", {}, {}, 8};
  for (std::size_t i = 0; i < 5; ++i) {
    InjectionPanel panel{names[i], {}};
    for (std::size_t p = 0; p < 10; ++p) {
      panel.pairs.push_back({"P<" + std::to_string(p) + ">", "18" + std::to_string(p)});
    }
    const auto mark = [&](std::size_t p, PairKind kind) { panel.pairs[p].kind = kind; };
    const bool spread = i % 2 == 1;
    for (const std::size_t p : spread ? std::vector{2, 3, 7} : std::vector{4, 5, 6}) {
      if (i > 0) mark(p, PairKind::injected);
    }
    for (const std::size_t p : spread ? std::vector{4, 8} : std::vector{7}) {
      if (i > 0) mark(p, PairKind::after_injected);
    }
    design.panels.push_back(panel);
  }
  return design;
}

/// Panel 0: 0.05, 0.15, … 0.95 by position. The others: correct 0.1 less but for positions 0 and 9,
/// after injected half, injected 0.01.
std::vector<std::vector<double>> small_scores(const InjectionDesign& design) {
  std::vector<std::vector<double>> logs(5);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t p = 0; p < 10; ++p) {
      const double first = 0.05 + 0.1 * static_cast<double>(p);
      const PairKind kind = design.panels[i].pairs[p].kind;
      logs[i].push_back(std::log(i == 0                             ? first
                                 : kind == PairKind::injected       ? 0.01
                                 : kind == PairKind::after_injected ? first / 2
                                 : p == 0 || p == 9                 ? first
                                                                    : first - 0.1));
    }
  }
  return logs;
}

InjectionResults small_results() {
  const InjectionDesign design = small_design();
  return injection_results(design, small_scores(design));
}

void close(const Estimate& estimate, double value, std::size_t count) {
  BOOST_TEST(estimate.count == count);
  BOOST_TEST(std::abs(estimate.value - value) < 1e-12, estimate.value << " is not " << value);
}

}  // namespace

BOOST_AUTO_TEST_CASE(means_are_of_probabilities_by_kind) {
  const InjectionResults results = small_results();
  BOOST_TEST(results.relation == "birth");
  BOOST_TEST(results.highlight == 8U);
  BOOST_REQUIRE(results.panels.size() == 5U);
  const InjectionPanelResult& correct = results.panels[0];
  close(correct.correct, 0.5, 10);
  BOOST_TEST(correct.injected.count == 0U);
  BOOST_TEST(correct.after_injected.count == 0U);
  // Correct: 0, 1, 5, 6, 9 with 0.05, 0.05, 0.45, 0.55, 0.95; after: 4 and 8 with 0.225 and 0.425.
  const InjectionPanelResult& spread = results.panels[1];
  close(spread.correct, 2.05 / 5, 5);
  close(spread.after_injected, 0.325, 2);
  close(spread.injected, 0.01, 3);
  BOOST_TEST(spread.correct.low < spread.correct.value);
  BOOST_TEST(spread.correct.high > spread.correct.value);
  BOOST_TEST(spread.correct.method == "bootstrap");
  BOOST_TEST(spread.after_injected.low >= 0.225 - 1e-12);
  BOOST_TEST(spread.after_injected.high <= 0.425 + 1e-12);
  // Correct: 0, 1, 2, 3, 8, 9 with 0.05, 0.05, 0.15, 0.25, 0.75, 0.95; after: 7 with 0.375.
  close(results.panels[4].correct, 2.2 / 6, 6);
  close(results.panels[4].after_injected, 0.375, 1);
}

BOOST_AUTO_TEST_CASE(the_change_is_that_of_the_same_pairs) {
  const InjectionResults results = small_results();
  BOOST_TEST(results.panels[0].correct_change.count == 0U);
  BOOST_TEST(results.panels[0].after_injected_change.count == 0U);
  close(results.panels[1].correct_change, -0.3 / 5, 5);  // 1, 5 and 6 lost 0.1
  close(results.panels[1].after_injected_change, -0.325, 2);
  close(results.panels[2].correct_change, -0.4 / 6, 6);  // 1, 2, 3 and 8
  close(results.panels[2].after_injected_change, -0.375, 1);
}

BOOST_AUTO_TEST_CASE(no_probability_is_zero_and_rounding_is_forgiven) {
  const InjectionDesign design = small_design();
  auto logs = small_scores(design);
  for (double& log : logs[1]) log = none;
  logs[2][0] = 1e-6;
  const InjectionResults results = injection_results(design, logs);
  close(results.panels[1].correct, 0, 5);
  BOOST_TEST(test::markup_fault(injection_section(results)) == "");
  for (const double bad : {0.5, std::numeric_limits<double>::quiet_NaN()}) {
    logs[2][0] = bad;
    BOOST_CHECK_EXCEPTION((void)injection_results(design, logs), Error,
                          says(Fault::internal, "'unknown, block' is no log-probability"));
  }
}

BOOST_AUTO_TEST_CASE(scores_are_as_many_as_pairs) {
  const InjectionDesign design = small_design();
  auto logs = small_scores(design);
  logs[3].pop_back();
  BOOST_CHECK_EXCEPTION(
      (void)injection_results(design, logs), Error,
      says(Fault::internal, "panel 'incorrect, spread' has 9 scores for 10 pairs"));
  logs.pop_back();
  BOOST_CHECK_EXCEPTION((void)injection_results(design, logs), Error,
                        says(Fault::internal, "birth: an injection panel has no scores"));
}

BOOST_AUTO_TEST_CASE(the_bootstraps_seed_decides_the_intervals) {
  const InjectionDesign design = small_design();
  const auto logs = small_scores(design);
  const Estimate one = injection_results(design, logs, {1, 200}).panels[0].correct,
                 same = injection_results(design, logs, {1, 200}).panels[0].correct,
                 other = injection_results(design, logs, {2, 200}).panels[0].correct;
  BOOST_TEST(one.low == same.low);
  BOOST_TEST(one.low != other.low);
}

// A chart is 442 by 262 between its axes, which begin at (62, 12): position 1 of 10 with 0.15
// stands at (106.2, 234.7).
BOOST_AUTO_TEST_CASE(five_charts_show_every_pair_by_position) {
  const std::string html = injection_section(small_results());
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(count_of(html, "<figure") == 5U);
  const std::string first = between(html, "<h3><bdi>correct</bdi></h3>", "</figure>");
  BOOST_TEST(count_of(first, "<circle") == 9U);
  BOOST_TEST(holds(first,
                   "<title>1: P&lt;1&gt; – 181, 0.150</title>"
                   "<circle cx=\"106.2\" cy=\"234.7\" r=\"2.4\"/>"));
  BOOST_TEST(!holds(first, "legend"));
  const std::string spread = between(html, "<h3><bdi>unknown, spread</bdi></h3>", "</figure>");
  BOOST_TEST(count_of(between(spread, "<g class=\"series s0\">", "\n"), "<title>") == 5U);
  BOOST_TEST(count_of(between(spread, "<g class=\"series s5\">", "\n"), "<title>") == 3U);
  // One of the two stands out as the star.
  BOOST_TEST(count_of(between(spread, "<g class=\"series s6\">", "\n"), "<title>") == 1U);
  BOOST_TEST(holds(spread, "<bdi>directly after an injected one</bdi>"));
  BOOST_TEST(test::in_order(html, {">correct<", ">unknown, spread<", ">unknown, block<",
                                   ">incorrect, spread<", ">incorrect, block<", "<table"}));
}

BOOST_AUTO_TEST_CASE(the_mean_of_the_correct_ones_is_dashed_and_the_highlight_a_star) {
  const std::string html = injection_section(small_results());
  BOOST_TEST(count_of(html, "class=\"reference\"") == 5U);
  BOOST_TEST(holds(between(html, ">correct</bdi></h3>", "</figure>"), ">mean 0.500</text>"));
  BOOST_TEST(
      holds(between(html, ">unknown, spread</bdi></h3>", "</figure>"), ">mean 0.410</text>"));
  BOOST_TEST(count_of(html, "class=\"star\"") == 5U);
  BOOST_TEST(holds(html, ">P&lt;8&gt;, 0.850</text>"));
  BOOST_TEST(count_of(html, ">P&lt;8&gt;, 0.425</text>") == 2U);
  BOOST_TEST(count_of(html, ">P&lt;8&gt;, 0.750</text>") == 2U);
  BOOST_TEST(holds(html, "<bdi>P&lt;8&gt;</bdi> – <bdi>188</bdi>, at position 8."));
}

BOOST_AUTO_TEST_CASE(a_panel_without_a_correct_pair_has_no_dashed_line) {
  InjectionDesign design = small_design();
  for (InjectedPair& pair : design.panels[1].pairs) pair.kind = PairKind::injected;
  const std::string html = injection_section(injection_results(design, small_scores(design)));
  BOOST_TEST(count_of(html, "class=\"reference\"") == 4U);
}

BOOST_AUTO_TEST_CASE(the_table_has_means_with_counts_and_a_dash_where_there_is_none) {
  const std::string html = injection_section(small_results());
  const std::string table = between(html, "<tbody>", "</tbody>");
  BOOST_TEST(count_of(table, "<tr>") == 5U);
  const std::string first = test::row_of(table, "correct");
  BOOST_TEST(first.starts_with("<td data-v=\"0.500000\">0.500<small>["));
  BOOST_TEST(holds(first,
                   "], 10 pairs</small></td><td>–</td><td>–</td><td>–</td><td>–</td>"
                   "<td data-v=\"0.850000\">0.850</td>"));
  const std::string spread = test::row_of(table, "unknown, spread");
  BOOST_TEST(test::in_order(
      spread,
      {">0.410<small>[", "], 5 pairs", ">-0.060<small>[", "], 5 pairs", ">0.325<small>[",
       "], 2 pairs", ">-0.325<small>[", "], 2 pairs", ">0.010<small>[", "], 3 pairs", ">0.425<"}));
  const std::string block = test::row_of(table, "incorrect, block");
  BOOST_TEST(holds(block, ">0.375<small>1 pair</small>"));  // no interval
  BOOST_TEST(holds(block, ">-0.375<small>1 pair</small>"));
}

BOOST_AUTO_TEST_CASE(the_csv_has_every_point) {
  const std::string csv = injection_csv(small_results());
  BOOST_TEST(count_of(csv, "\n") == 51U);
  BOOST_TEST(
      csv.starts_with("relation,panel,position,subject,object,kind,log_probability,"
                      "probability,highlighted\n"
                      "birth,correct,0,P<0>,180,correct,-2.99573227,0.05000000,0\n"));
  BOOST_TEST(
      holds(csv, "\nbirth,\"unknown, spread\",2,P<2>,182,injected,-4.60517019,0.01000000,0\n"));
  BOOST_TEST(holds(csv,
                   "\nbirth,\"incorrect, spread\",8,P<8>,188,after injected,-0.85566611,"
                   "0.42500000,1\n"));
  BOOST_TEST(count_of(csv, ",1\n") == 5U);
}

BOOST_AUTO_TEST_CASE(the_json_has_every_number_of_the_table) {
  const Json json = to_json(small_results());
  BOOST_TEST(json["relation"] == "birth");
  BOOST_TEST(json["pairs"] == 10);
  BOOST_TEST(json["highlight"].dump() == R"({"position":8,"subject":"P<8>","object":"188"})");
  BOOST_TEST(json["panels"].size() == 5U);
  const Json& first = json["panels"]["correct"];
  BOOST_TEST(first["correct"]["count"] == 10);
  BOOST_TEST(first["injected"].is_null());
  BOOST_TEST(first["correct_change"].is_null());
  const Json& spread = json["panels"]["unknown, spread"];
  const auto value = [](const Json& number) { return number["value"].get<double>(); };
  BOOST_TEST(std::abs(value(spread["correct"]) - 0.41) < 1e-12);
  BOOST_TEST(std::abs(value(spread["correct_change"]) + 0.06) < 1e-12);
  BOOST_TEST(std::abs(value(spread["after_injected"]) - 0.325) < 1e-12);
  BOOST_TEST(std::abs(value(spread["after_injected_change"]) + 0.325) < 1e-12);
  BOOST_TEST(std::abs(value(spread["injected"]) - 0.01) < 1e-12);
  BOOST_TEST(std::abs(spread["highlight_probability"].get<double>() - 0.425) < 1e-12);
  BOOST_TEST(spread["correct"]["interval"] == "bootstrap");
  const Json& one = json["panels"]["unknown, block"]["after_injected"];
  BOOST_TEST(one["count"] == 1);
  BOOST_TEST(one["low"].is_null());
  BOOST_TEST(one["interval"].is_null());
}

BOOST_AUTO_TEST_SUITE_END()
