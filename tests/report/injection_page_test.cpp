// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/injection_page.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "support/markup.hpp"
#include "support/small_calibration.hpp"
#include "support/small_injection.hpp"

using namespace plumb::detail;
using test::between;
using test::count_of;
using test::holds;
using test::small_injection_design;
using test::small_injection_scores;
using test::small_injections;

BOOST_AUTO_TEST_SUITE(injection_page)

// A chart is 442 by 262 between its axes, which start at (62, 12): the value 0.15 at position 1 of
// 10 is drawn at (106.2, 234.7).
BOOST_AUTO_TEST_CASE(five_charts_show_every_pair_by_position) {
  const std::string html = injection_section(small_injections());
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
  // One of the series' two points is drawn as the star.
  BOOST_TEST(count_of(between(spread, "<g class=\"series s6\">", "\n"), "<title>") == 1U);
  BOOST_TEST(holds(spread, "<bdi>directly after an injected one</bdi>"));
  BOOST_TEST(test::in_order(html, {">correct<", ">unknown, spread<", ">unknown, block<",
                                   ">incorrect, spread<", ">incorrect, block<", "<table"}));
}

BOOST_AUTO_TEST_CASE(the_mean_of_the_correct_ones_is_dashed_and_the_highlight_a_star) {
  const std::string html = injection_section(small_injections());
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
  InjectionDesign design = small_injection_design();
  for (InjectedPair& pair : design.panels[1].pairs) pair.kind = PairKind::injected;
  const std::string html =
      injection_section(injection_results(design, small_injection_scores(design)));
  BOOST_TEST(count_of(html, "class=\"reference\"") == 4U);
}

BOOST_AUTO_TEST_CASE(the_table_has_means_with_counts_and_a_dash_where_there_is_none) {
  const std::string html = injection_section(small_injections());
  const std::string table = between(html, "<tbody>", "</tbody>");
  BOOST_TEST(count_of(table, "<tr>") == 5U);
  const std::string first = test::row_of(table, "correct");
  BOOST_TEST(first.starts_with("<td data-v=\"0.500000\">0.500<small>"));
  BOOST_TEST(test::in_order(first, {"<small>10 pairs</small></td>", ">–</td>", ">–</td>", ">–</td>",
                                    ">–</td>", "<td data-v=\"0.85000000\">0.850</td>"}));
  const std::string spread = test::row_of(table, "unknown, spread");
  BOOST_TEST(test::in_order(
      spread, {">0.410<small>0.", "<small>5 pairs", ">-0.060<small>-", "<small>5 pairs",
               ">0.325<small>0.", "<small>2 pairs", ">-0.325<small>-", "<small>2 pairs",
               // The three values are equal, so there is no estimate of their spread.
               ">0.010<small>–</small><small>3 pairs", ">0.425<"}));
  const std::string block = test::row_of(table, "incorrect, block");
  BOOST_TEST(holds(block, ">0.375<small>–</small><small>1 pair</small>"));  // no interval
  BOOST_TEST(holds(block, ">-0.375<small>–</small><small>1 pair</small>"));
}

BOOST_AUTO_TEST_CASE(a_probability_of_zero_is_drawn) {
  const InjectionDesign design = small_injection_design();
  auto logs = small_injection_scores(design);
  for (double& log : logs[1]) log = -std::numeric_limits<double>::infinity();
  BOOST_TEST(test::markup_fault(injection_section(injection_results(design, logs))) == "");
}

BOOST_AUTO_TEST_SUITE_END()
