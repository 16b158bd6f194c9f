// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/figures.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "plumb/detail/report/bar_chart.hpp"
#include "plumb/detail/report/heat_map.hpp"
#include "plumb/detail/report/interval_chart.hpp"
#include "plumb/detail/report/xy_chart.hpp"
#include "support/markup.hpp"
#include "support/small_calibration.hpp"

using namespace plumb::detail;
using test::count_of;
using test::holds;
using test::in_order;

BOOST_AUTO_TEST_SUITE(figures)

namespace {

const Estimate half{0.5, 0.25, 0.75, 8, "by hand"};

/// The first fault found in a file, or an empty string if there is none. The file starts with an
/// XML declaration, which is not an element.
std::string fault_of(const Figure& figure) {
  const std::string declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  if (!figure.svg.starts_with(declaration)) return "no declaration";
  if (holds(figure.svg, "var(")) return "a variable";
  return test::markup_fault(figure.svg.substr(declaration.size()));
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_figure_of_a_page_gets_a_file_named_after_its_title) {
  const std::string page = "<p>" + bar_chart({{"P36", half}}, "Accuracy by Relation, 2") + "</p>" +
                           heat_map({"r", "", {"a"}, {"b"}, {{0.5}}}) +
                           bar_chart({{"P17", half}}, "Accuracy by Relation, 2") +
                           bar_chart({}, "准确率");
  const std::vector<Figure> figures = figures_of(page);
  BOOST_TEST(figures.size() == 4U);
  BOOST_TEST(figures[0].name == "accuracy-by-relation-2");
  BOOST_TEST(figures[0].title == "Accuracy by Relation, 2");
  BOOST_TEST(figures[1].name == "r");
  BOOST_TEST(figures[2].name == "accuracy-by-relation-2-2");
  BOOST_TEST(figures[3].name == "figure");
  for (const Figure& figure : figures) BOOST_TEST(fault_of(figure) == "");
  BOOST_TEST(holds(figures[0].svg, ">P36</text>"));
  BOOST_TEST(holds(figures[2].svg, ">P17</text>"));
  BOOST_TEST(figures_of("<p>no <b>picture</b></p>").empty());
}

BOOST_AUTO_TEST_CASE(a_file_stands_alone_on_white) {
  const Figure figure = figures_of(bar_chart({{"P36", half}}, "A")).at(0);
  BOOST_TEST(in_order(figure.svg, {"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"695\"",
                                   "viewBox=\"0 0 695 60\"", "<title>A</title>", "<style>",
                                   "fill=\"#ffffff\"", "<desc>Bars", "class=\"bar\"", "</svg>\n"}));
  BOOST_TEST(count_of(figure.svg, "<title>") == 1U);
}

BOOST_AUTO_TEST_CASE(names_of_series_stand_below_their_chart) {
  const XyChart chart{"C", "x", "y"};
  const std::string long_name(80, 'n');
  const std::string page =
      xy_chart(chart, {{"one & only", {{0.5, 0.5}}}, {long_name, {{0.2, 0.2}}}}) +
      interval_chart({"I", "x", {{"ant"}, {"<b>"}}, {{"P36", {half, half}}}});
  const std::vector<Figure> figures = figures_of(page);
  BOOST_TEST(figures.size() == 2U);
  for (const Figure& figure : figures) BOOST_TEST(fault_of(figure) == "");
  BOOST_TEST(in_order(figures[0].svg, {"<g class=\"series s0\" transform=\"translate(10 388)\">",
                                       ">one &amp; only</text>", "translate(10 406)", long_name}));
  BOOST_TEST(holds(figures[0].svg, "viewBox=\"0 0 520 428\""));  // 380 + 8 + 18 + 22
  BOOST_TEST(in_order(figures[1].svg, {">P36</text>", ">ant</text>", ">&lt;b&gt;</text>"}));
}

// For the value 1, the tint has 0.62 of the strength of the bars' colour: 255 − (255 − 0x5b) · 0.62
// = 153 = 0x99.
BOOST_AUTO_TEST_CASE(a_heat_map_is_drawn_with_its_tints_and_groups) {
  HeatMap map{"H & M", "rows", {"a", "<b>"}, {"x", "y", "z"}, {{1, -1, 0}, {{}, 0.5, 1}}};
  map.groups = {"F & G", "F & G", "alone"};
  const Figure figure = figures_of(heat_map(map)).at(0);
  BOOST_TEST(fault_of(figure) == "");
  BOOST_TEST(figure.title == "H & M");
  BOOST_TEST(
      in_order(figure.svg, {">F &amp; G</text>", ">alone</text>", ">x</text>", ">rows</text>",
                            ">a</text>", "fill=\"#99badc\"", ">1.00</text>", "fill=\"#d18d7d\"",
                            ">-1.00</text>", ">&lt;b&gt;</text>", ">–</text>", ">0.50</text>"}));
  BOOST_TEST(count_of(figure.svg, "<rect") == 1U + 5U);
  BOOST_TEST(fault_of(figures_of(heat_map({"", "", {}, {}, {}})).at(0)) == "");
}

BOOST_AUTO_TEST_CASE(what_xml_does_not_allow_is_replaced) {
  const Figure figure =
      figures_of(bar_chart({{"a\xEF\xBF\xBF", half}}, "\"<t>\" \xEF\xBF\xBE")).at(0);
  BOOST_TEST(!holds(figure.svg, "\xEF\xBF\xBF"));
  BOOST_TEST(!holds(figure.svg, "\xEF\xBF\xBE"));
  BOOST_TEST(holds(figure.svg, "<title>&quot;&lt;t&gt;&quot; "));
}

BOOST_AUTO_TEST_CASE(plain_text_reads_what_a_label_writes) {
  const std::string text = "a <b> & \"c\" 'd' &amp;";
  BOOST_TEST(plain_text(label(text)) == text);
  BOOST_TEST(plain_text("<p>x</p") == "x");
}

BOOST_AUTO_TEST_SUITE_END()
