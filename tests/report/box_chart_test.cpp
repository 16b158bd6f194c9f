// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/box_chart.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/markup.hpp"
#include "support/small_calibration.hpp"

using namespace plumb::detail;
using test::count_of;
using test::holds;
using test::in_order;
using test::markup_fault;

BOOST_AUTO_TEST_SUITE(box_chart_suite)

namespace {

/// The numbers 0, 1, … 100, unsorted: each percentile is the number itself.
std::vector<double> hundred() {
  std::vector<double> values;
  for (std::size_t i = 0; i <= 100; ++i) values.push_back(static_cast<double>(i * 37 % 101));
  return values;
}

BoxChart chart_of(std::vector<BoxGroup> groups) {
  return {"Spread", "groups", "numbers", std::move(groups)};
}

}  // namespace

// The scale is 230 high, starts at y = 242 and ends at the value 95, where the whisker ends. The
// middle of the group is at 66 + 31, and a box is 34 wide.
BOOST_AUTO_TEST_CASE(a_box_goes_over_the_quartiles_and_its_whiskers_over_nine_tenths) {
  const std::string svg = box_chart(chart_of({{"all", hundred()}}));
  BOOST_TEST(markup_fault(svg) == "");
  const auto y = [](double value) { return with_decimals(242 - 230 * value / 95, 1); };
  BOOST_TEST(holds(svg, "d=\"M97.0 " + y(5) + "V" + y(25) + "M97.0 " + y(75) + "V" + y(95) + "\""));
  BOOST_TEST(holds(svg, "<rect class=\"box\" x=\"80.0\" y=\"" + y(75) +
                            "\" width=\"34.0\" height=\"" + with_decimals(230 * 50 / 95.0, 1) +
                            "\"/>"));
  BOOST_TEST(holds(svg, "<path class=\"median\" d=\"M80.0 " + y(50) + "h34.0\"/>"));
  BOOST_TEST(holds(svg, "<title>all: median 50.0, n 101</title>"));
  BOOST_TEST(holds(svg, ">n 101</text>"));
}

BOOST_AUTO_TEST_CASE(groups_stand_side_by_side_on_one_scale) {
  const std::string svg = box_chart(chart_of({{"a", {1, 2, 3}}, {"b", {10}}, {"c", {4, 20}}}));
  BOOST_TEST(in_order(svg, {"M97.0 ", "M159.0 ", "M221.0 "}));
  BOOST_TEST(
      in_order(svg, {"<title>a: median 2.0, n 3</title>", "<title>b: median 10.0, n 1</title>",
                     "<title>c: median 12.0, n 2</title>"}));
  BOOST_TEST(holds(svg,
                   "<title>Spread</title><desc>numbers by groups. a: median 2.0, n 3. "
                   "b: median 10.0, n 1. c: median 12.0, n 2.</desc>"));
  // Group c's whisker and the scale both end at 4 + 0.95 × 16.
  BOOST_TEST(holds(svg, "V12.0\""));
  BOOST_TEST(holds(svg, ">18</text>"));
  BOOST_TEST(!holds(svg, ">20</text>"));
  BOOST_TEST(holds(svg, "viewBox=\"0 0 264.0 300.0\""));  // 66 + 3 × 62 + 12
  BOOST_TEST(holds(box_chart(chart_of({{"a", {1}}})), "viewBox=\"0 0 260.0 300.0\""));
}

BOOST_AUTO_TEST_CASE(the_scale_has_lines_at_round_numbers_from_zero) {
  const std::string svg = box_chart(chart_of({{"a", {80}}}));
  BOOST_TEST(count_of(svg, "class=\"grid\"") == 9U);
  BOOST_TEST(in_order(svg, {">0</text>", ">20</text>", ">40</text>", ">60</text>", ">80</text>"}));
  const std::string odd = box_chart(chart_of({{"a", {97}}}));
  BOOST_TEST(in_order(odd, {">0</text>", ">20</text>", ">40</text>", ">60</text>", ">80</text>"}));
  // Small numbers are labelled with one decimal; without it, two labels would be the same.
  const std::string small = box_chart(chart_of({{"a", {2}}}));
  BOOST_TEST(in_order(small, {">0.0</text>", ">0.5</text>", ">1.0</text>", ">1.5</text>"}));
}

// If all numbers are equal, the box is a visible line, and nothing is divided by zero.
BOOST_AUTO_TEST_CASE(a_group_without_spread_is_still_drawn) {
  const std::string svg = box_chart(chart_of({{"same", {7, 7, 7}}}));
  BOOST_TEST(holds(svg, "height=\"1.0\"/>"));
  BOOST_TEST(holds(svg, "median 7.0, n 3"));
  const std::string zeros = box_chart(chart_of({{"zeros", {0, 0}}}));
  BOOST_TEST(!holds(zeros, "nan"));
  BOOST_TEST(!holds(zeros, "inf"));
  BOOST_TEST(in_order(zeros, {">0.0</text>", ">1.0</text>"}));
  BOOST_TEST(!holds(box_chart(chart_of({})), "nan"));
}

BOOST_AUTO_TEST_CASE(the_picture_is_well_formed_whatever_the_labels_hold) {
  BoxChart chart{"\"title\" <1>", "x & y", "<y>", {{"<b>", {1, 2}}, {"8+ & القاهرة", {3}}}};
  const std::string svg = box_chart(chart);
  BOOST_TEST(markup_fault(svg) == "");
  BOOST_TEST(holds(svg, "aria-label=\"&quot;title&quot; &lt;1&gt;\""));
  BOOST_TEST(holds(svg, ">x &amp; y</text>"));
  BOOST_TEST(holds(svg, ">&lt;y&gt;</text>"));
  BOOST_TEST(count_of(svg, "&lt;b&gt;") == 3U);  // below its box, and in the texts shown on hover
  BOOST_TEST(!holds(svg, "<b>"));
}

// The scale goes from 1 at y = 242 to 1,000 at y = 12, so a factor of ten is a third of the height.
BOOST_AUTO_TEST_CASE(a_logarithmic_scale_has_powers_of_ten) {
  BoxChart chart = chart_of({{"a", {1, 1, 1}}, {"b", {1000, 1000}}, {"c", {10, 10}}});
  chart.logarithmic = true;
  const std::string svg = box_chart(chart);
  BOOST_TEST(markup_fault(svg) == "");
  BOOST_TEST(in_order(svg, {">1</text>", ">10</text>", ">100</text>", ">1000</text>"}));
  BOOST_TEST(holds(svg, "<path class=\"median\" d=\"M80.0 242.0h34.0\"/>"));
  BOOST_TEST(holds(svg, "<path class=\"median\" d=\"M142.0 12.0h34.0\"/>"));
  BOOST_TEST(holds(svg, "<path class=\"median\" d=\"M204.0 165.3h34.0\"/>"));
}

BOOST_AUTO_TEST_SUITE_END()
