// SPDX-License-Identifier: Apache-2.0
#include "plumb/report/injection_page.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "support/markup.hpp"
#include "support/small_calibration.hpp"
#include "support/small_injection.hpp"

using namespace plumb;
using test::between;
using test::count_of;
using test::holds;
using test::small_injection_design;
using test::small_injection_scores;
using test::small_injections;

BOOST_AUTO_TEST_SUITE(injection_page)

// A chart is 442 by 262 between its axes, which begin at (62, 12): position 1 of 10 with 0.15
// stands at (106.2, 234.7).
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
  // One of the two stands out as the star.
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
  BOOST_TEST(first.starts_with("<td data-v=\"0.500000\">0.500<small>["));
  BOOST_TEST(holds(first,
                   "], 10 pairs</small></td><td>–</td><td>–</td><td>–</td><td>–</td>"
                   "<td data-v=\"0.850000\">0.850</td>"));
  const std::string spread = test::row_of(table, "unknown, spread");
  BOOST_TEST(test::in_order(
      spread,
      {">0.410<small>[", "], 5 pairs", ">-0.060<small>[", "], 5 pairs", ">0.325<small>[",
       "], 2 pairs", ">-0.325<small>[", "], 2 pairs",
       // The three agree, so they do not say how far others differ.
       ">0.010<small>3 pairs", ">0.425<"}));
  const std::string block = test::row_of(table, "incorrect, block");
  BOOST_TEST(holds(block, ">0.375<small>1 pair</small>"));  // no interval
  BOOST_TEST(holds(block, ">-0.375<small>1 pair</small>"));
}

BOOST_AUTO_TEST_CASE(a_terminal_has_the_means_of_the_page) {
  const std::string table = "\n" + injection_table(small_injections());
  BOOST_TEST(table.starts_with("\nprobability, birth "));
  BOOST_TEST(count_of(table, "\n") == 9U);  // the heads, a rule, five panels, what words mean
  const std::string first = between(table, "\ncorrect ", "\n");
  BOOST_TEST(test::in_order(first, {" 0.500 [", "] ", "–", "–", "–", "–", "0.850"}));
  const std::string spread = between(table, "\nunknown, spread ", "\n");
  BOOST_TEST(test::in_order(
      spread, {" 0.410 [", " -0.060 [", " 0.325 [", " -0.325 [", " 0.010 [", " 0.425"}));
  const std::string block = between(table, "\nincorrect, block ", "\n");
  BOOST_TEST(test::in_order(block, {" 0.375 ", " -0.375 "}));  // one pair: no interval
  BOOST_TEST(count_of(block, "[") == 3U);
  const std::string narrow = injection_table(small_injections(), {68, "see it"});
  BOOST_TEST(test::in_order(narrow, {"correct [95%]", "injected [95%]", "\n───",
                                     "Left out to fit 68 of ", "star", "see it.\n"}));
}

BOOST_AUTO_TEST_CASE(a_probability_of_zero_is_drawn) {
  const InjectionDesign design = small_injection_design();
  auto logs = small_injection_scores(design);
  for (double& log : logs[1]) log = -std::numeric_limits<double>::infinity();
  BOOST_TEST(test::markup_fault(injection_section(injection_results(design, logs))) == "");
}

BOOST_AUTO_TEST_CASE(the_csv_has_every_point) {
  const std::string csv = injection_csv(small_injections());
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
  const Json json = to_json(small_injections());
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
