// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/xy_chart.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "support/markup.hpp"
#include "support/small_calibration.hpp"

using namespace plumb::detail;
using test::count_of;
using test::holds;

BOOST_AUTO_TEST_SUITE(xy_chart_suite)

namespace {

/// A chart that is 200 wide and 100 high between the axes, which start at (62, 12).
XyChart small_chart() {
  XyChart chart{"title", "across", "up"};
  chart.width = 278;
  chart.height = 158;
  return chart;
}

/// The tick labels of one axis ("axis" or "axis y"), in order.
std::vector<std::string> ticks(const std::string& svg, const std::string& axis) {
  std::vector<std::string> texts;
  const std::string opening = "<text class=\"" + axis + "\" x=";
  for (std::size_t at = svg.find(opening); at != std::string::npos;
       at = svg.find(opening, at + 1)) {
    texts.push_back(test::between(svg.substr(at), ">", "<"));
  }
  std::erase(texts, "across");  // the axis title has the same class
  return texts;
}

using Texts = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_CASE(points_are_plotted_at_their_values_and_joined_by_a_line) {
  const std::string svg = xy_chart(small_chart(), {{"", {{0, 0}, {0.5, 0.25}, {1, 1}}}});
  BOOST_TEST(holds(svg, "<circle cx=\"62.0\" cy=\"112.0\""));
  BOOST_TEST(holds(svg, "<circle cx=\"162.0\" cy=\"87.0\""));
  BOOST_TEST(holds(svg, "<circle cx=\"262.0\" cy=\"12.0\""));
  BOOST_TEST(holds(svg, "<path class=\"line\" d=\"M62.0 112.0L162.0 87.0L262.0 12.0\"/>"));
  BOOST_TEST(!holds(svg, "class=\"whisker\""));
  BOOST_TEST(!holds(xy_chart(small_chart(), {{"", {{0, 0}, {1, 1}}, false}}), "class=\"line\""));
}

// The labels 0.0000, 0.0002 … have four decimals, two more than fit, so the axis moves 14 to the
// right.
BOOST_AUTO_TEST_CASE(long_numbers_do_not_stand_in_the_axis_title) {
  XyChart chart = small_chart();
  chart.y_range = {0, 0.001};
  const std::string svg = xy_chart(chart, {{"", {{0, 0}, {1, 0.001}}}});
  BOOST_TEST(holds(svg, "<circle cx=\"76.0\" cy=\"112.0\""));
  BOOST_TEST(holds(svg, "<circle cx=\"262.0\" cy=\"12.0\""));
  BOOST_TEST(holds(svg, "<text class=\"axis y\" x=\"70.0\" y=\"116.0\">0.0000</text>"));
}

BOOST_AUTO_TEST_CASE(whiskers_span_their_intervals) {
  const std::string svg =
      xy_chart(small_chart(), {{"", {{0.5, 0.3, std::pair{0.2, 0.4}}, {0.75, 0.5}}}});
  BOOST_TEST(count_of(svg, "class=\"whisker\"") == 1U);
  BOOST_TEST(holds(svg, "class=\"whisker\" x1=\"162.0\" x2=\"162.0\" y1=\"92.0\" y2=\"72.0\""));
}

// The axes range from 0 to 4 and from 0 to 0.5, so (1, 0.25) is a quarter of the way across and
// halfway up.
BOOST_AUTO_TEST_CASE(ranges_scale_the_axes_and_what_lies_outside_stands_at_the_edge) {
  XyChart chart = small_chart();
  chart.x_range = {0, 4};
  chart.y_range = {0, 0.5};
  const std::string svg = xy_chart(chart, {{"", {{1, 0.25}, {9, -1}}, false}});
  BOOST_TEST(holds(svg, "<circle cx=\"112.0\" cy=\"62.0\""));
  BOOST_TEST(holds(svg, "<circle cx=\"262.0\" cy=\"112.0\""));
}

BOOST_AUTO_TEST_CASE(axes_are_marked_in_round_numbers) {
  XyChart chart = small_chart();
  const std::string unit = xy_chart(chart, {});
  BOOST_TEST((ticks(unit, "axis") == Texts{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  BOOST_TEST((ticks(unit, "axis y") == ticks(unit, "axis")));
  BOOST_TEST(holds(unit, "x=\"102.0\" y=\"128.0\">0.2</text>"));  // a fifth of 200 along
  BOOST_TEST(holds(unit, "x=\"56.0\" y=\"96.0\">0.2</text>"));    // 12 + 80, and 4 for the letters
  BOOST_TEST(count_of(unit, "class=\"grid\"") == 12U);
  chart.x_range = {0, 60};
  chart.y_range = {0, 0.03};
  const std::string uneven = xy_chart(chart, {});
  BOOST_TEST((ticks(uneven, "axis") == Texts{"0", "10", "20", "30", "40", "50", "60"}));
  BOOST_TEST((ticks(uneven, "axis y") ==
              Texts{"0.000", "0.005", "0.010", "0.015", "0.020", "0.025", "0.030"}));
  chart.x_range = {-0.1, 0.1};
  chart.y_range = {0.13, 0.55};
  const std::string shifted = xy_chart(chart, {});
  BOOST_TEST((ticks(shifted, "axis") == Texts{"-0.10", "-0.05", "0.00", "0.05", "0.10"}));
  BOOST_TEST((ticks(shifted, "axis y") ==
              Texts{"0.15", "0.20", "0.25", "0.30", "0.35", "0.40", "0.45", "0.50", "0.55"}));
}

// log10 2 = 0.301 and log10 5 = 0.699 of a decade.
BOOST_AUTO_TEST_CASE(a_logarithmic_axis_shows_the_numbers_themselves) {
  XyChart chart = small_chart();
  chart.x_is_log10 = true;
  chart.x_range = {-1, 1.5};
  BOOST_TEST((ticks(xy_chart(chart, {}), "axis") ==
              Texts{"0.1", "0.2", "0.5", "1", "2", "5", "10", "20"}));
  chart.x_range = {0, 1};
  const std::string decade = xy_chart(chart, {});
  BOOST_TEST((ticks(decade, "axis") == Texts{"1", "2", "5", "10"}));
  BOOST_TEST(holds(decade, "x=\"122.2\" y=\"128.0\">2</text>"));  // 62 + 0.301 · 200
}

BOOST_AUTO_TEST_CASE(a_step_is_one_two_or_five_and_makes_four_to_nine_intervals) {
  for (double range = 0.001; range < 5000; range *= 1.37) {
    const double step = tick_step(range);
    const double mantissa = step / std::pow(10, std::floor(std::log10(step) + 1e-9));
    const bool round = std::abs(mantissa - 1) < 1e-9 || std::abs(mantissa - 2) < 1e-9 ||
                       std::abs(mantissa - 5) < 1e-9;
    BOOST_TEST(round, "a step of " << step << " for " << range);
    BOOST_TEST(std::floor(range / step + 1e-9) >= 4, "a step of " << step << " for " << range);
    BOOST_TEST(std::floor(range / step + 1e-9) <= 9, "a step of " << step << " for " << range);
  }
  BOOST_TEST(std::abs(tick_step(1) - 0.2) < 1e-15);
  BOOST_TEST(std::abs(tick_step(2) - 0.5) < 1e-15);
  BOOST_TEST(std::abs(tick_step(5) - 1) < 1e-15);
}

BOOST_AUTO_TEST_CASE(the_diagonal_goes_from_corner_to_corner_when_asked_for) {
  XyChart chart = small_chart();
  BOOST_TEST(!holds(xy_chart(chart, {}), "class=\"diagonal\""));
  chart.diagonal = true;
  BOOST_TEST(holds(xy_chart(chart, {}),
                   "class=\"diagonal\" x1=\"62.0\" y1=\"112.0\" x2=\"262.0\" y2=\"12.0\""));
}

// Two bars, each 100 wide minus a gap of 1; the tallest takes up a quarter of the height of 100.
BOOST_AUTO_TEST_CASE(the_tallest_bar_of_the_histogram_is_a_quarter_of_the_height) {
  XyChart chart = small_chart();
  BOOST_TEST(!holds(xy_chart(chart, {}), "<rect"));
  chart.histogram = {0, 0};
  BOOST_TEST(!holds(xy_chart(chart, {}), "<rect"));
  chart.histogram = {2, 4};
  const std::string svg = xy_chart(chart, {});
  BOOST_TEST(holds(svg, "x=\"62.5\" y=\"99.5\" width=\"99.0\" height=\"12.5\""));
  BOOST_TEST(holds(svg, "x=\"162.5\" y=\"87.0\" width=\"99.0\" height=\"25.0\""));
}

BOOST_AUTO_TEST_CASE(point_labels_are_next_to_their_points_and_inside_the_chart) {
  const std::string svg =
      xy_chart(small_chart(), {{"", {{0.75, 0.5, {}, "left"}, {0.8, 0.5, {}, "right"}, {0, 0}}}});
  BOOST_TEST(count_of(svg, "class=\"point\"") == 2U);
  BOOST_TEST(holds(svg, "<text class=\"point\" x=\"218.0\" y=\"57.0\">left</text>"));
  BOOST_TEST(
      holds(svg, "<text class=\"point\" x=\"216.0\" y=\"57.0\" text-anchor=\"end\">right</text>"));
}

BOOST_AUTO_TEST_CASE(series_differ_in_colour_and_shape_and_have_a_legend_if_several) {
  std::vector<ChartSeries> series;
  for (std::size_t s = 0; s < 9; ++s) {
    series.push_back({std::string("n").append(std::to_string(s)), {{0.5, 0.5}}, false});
  }
  BOOST_TEST(!holds(xy_chart(small_chart(), {series[0]}), "legend"));
  const std::string svg = xy_chart(small_chart(), series);
  // eight colours, then the first one again
  BOOST_TEST(count_of(svg, "<g class=\"series s0\">") == 2U);
  std::set<std::string> shapes, colours;
  for (const ChartSeries& one : series) {
    const std::string legend = test::between(svg, "<figcaption", "</figcaption>");
    const std::string entry = legend.substr(0, legend.find(label(one.name)));
    const std::string last = entry.substr(entry.rfind("<span>"));
    colours.insert(test::between(last, "class=\"series ", "\""));
    shapes.insert(test::between(last, "viewBox=\"0 0 12 12\">", "</svg>"));
  }
  BOOST_TEST(shapes.size() == 4U);
  BOOST_TEST(colours.size() == 8U);
}

// At the default size, points have the same shapes as in charts that do not set a size.
BOOST_AUTO_TEST_CASE(points_keep_their_shape_at_any_size) {
  BOOST_TEST(point_shape(0, 5, 6) == "<circle cx=\"5.0\" cy=\"6.0\" r=\"3.2\"/>");
  BOOST_TEST(point_shape(1, 5, 6) == "<path d=\"M5.0 6.0m-3 -3h6v6h-6z\"/>");
  BOOST_TEST(point_shape(2, 5, 6) == "<path d=\"M5.0 6.0m0 -4l4 7h-8z\"/>");
  BOOST_TEST(point_shape(3, 5, 6) == "<path d=\"M5.0 6.0m0 -4.4l4.4 4.4l-4.4 4.4l-4.4 -4.4z\"/>");
  BOOST_TEST(point_shape(0, 5, 6, 0.5) == "<circle cx=\"5.0\" cy=\"6.0\" r=\"1.6\"/>");
  BOOST_TEST(point_shape(1, 5, 6, 0.75) == "<path d=\"M5.0 6.0m-2.25 -2.25h4.5v4.5h-4.5z\"/>");
  BOOST_TEST(short_length(-20) == "-20");
  BOOST_TEST(short_length(0) == "0");
}

BOOST_AUTO_TEST_CASE(a_series_may_have_the_style_and_size_it_is_given) {
  const std::string svg =
      xy_chart(small_chart(), {{"a", {{0.5, 0.25}}, false, 5, 0.5}, {"b", {{0.5, 0.5}}, false}});
  BOOST_TEST(holds(svg, "<g class=\"series s5\"><path d=\"M162.0 87.0m-1.5 -1.5h3v3h-3z\"/></g>"));
  BOOST_TEST(holds(svg, "<g class=\"series s1\"><path d=\"M162.0 62.0m-3 -3h6v6h-6z\"/></g>"));
  // The points in the legend are of normal size.
  BOOST_TEST(holds(svg,
                   "<svg class=\"series s5\" viewBox=\"0 0 12 12\">"
                   "<path d=\"M6.0 6.0m-3 -3h6v6h-6z\"/></svg><bdi>a</bdi>"));
}

BOOST_AUTO_TEST_CASE(a_reference_is_a_line_across_with_its_label_at_the_left) {
  XyChart chart = small_chart();
  BOOST_TEST(!holds(xy_chart(chart, {}), "reference"));
  chart.references = {{0.25, "a < b"}, {0.95, "high"}, {0.5}};
  const std::string svg = xy_chart(chart, {{"", {{0.5, 0.5}}}});
  BOOST_TEST(count_of(svg, "class=\"reference\"") == 3U);
  BOOST_TEST(holds(svg,
                   "<line class=\"reference\" x1=\"62.0\" x2=\"262.0\" y1=\"87.0\" y2=\"87.0\"/>"
                   "<text class=\"reference-label\" x=\"66.0\" y=\"82.0\">a &lt; b</text>"));
  // The label is below the line if it does not fit above.
  BOOST_TEST(holds(svg, "x=\"66.0\" y=\"31.0\">high</text>"));
  BOOST_TEST(count_of(svg, "class=\"reference-label\"") == 2U);
  BOOST_TEST(test::in_order(svg, {"<circle", "class=\"reference\""}));
}

BOOST_AUTO_TEST_CASE(a_star_stands_above_everything_in_the_place_of_its_point) {
  ChartPoint star{0.5, 0.25, {}, "here"};
  star.star = true;
  XyChart chart = small_chart();
  chart.references = {{0.5}};
  const std::string svg =
      xy_chart(chart, {{"a", {{0, 0}, star}}, {"b", {{1, 1}, {0.2, 0.2}}, false}});
  BOOST_TEST(count_of(svg, "class=\"star\"") == 1U);
  BOOST_TEST(holds(svg, "<g class=\"series s0 starred\"><path class=\"star\" d=\"M162.0 79.0L"));
  BOOST_TEST(holds(svg, "x=\"173.0\" y=\"82.0\">here</text>"));
  BOOST_TEST(count_of(svg, "<circle") == 2U);              // the other point and the legend's
  BOOST_TEST(holds(svg, "d=\"M62.0 112.0L162.0 87.0\""));  // the line goes through it
  BOOST_TEST(test::in_order(svg, {"series s1", "class=\"reference\"", "class=\"star\""}));
  const std::string path = test::between(svg, "class=\"star\" d=\"", "z\"");
  BOOST_TEST(count_of(path, "L") == 9U);
}

BOOST_AUTO_TEST_CASE(what_a_point_is_shows_under_the_pointer) {
  ChartPoint point{0.5, 0.25};
  BOOST_TEST(count_of(xy_chart(small_chart(), {{"", {point}}}), "<title>") == 1U);  // the chart's
  point.hover = "R&D: 3";
  const std::string svg = xy_chart(small_chart(), {{"", {point}}});
  BOOST_TEST(holds(svg, "<g><title>R&amp;D: 3</title><circle cx=\"162.0\" cy=\"87.0\""));
  BOOST_TEST(test::markup_fault(svg) == "");
  point.star = true;
  BOOST_TEST(holds(xy_chart(small_chart(), {{"", {point}}}),
                   "<title>R&amp;D: 3</title><path class=\"star\""));
}

BOOST_AUTO_TEST_CASE(chart_has_a_description_for_screen_readers) {
  const std::string svg =
      xy_chart(small_chart(), {{"a & b", {{0.1, 0.5}, {0.2, 0.25}, {0.3, 0.75}}}, {"c", {}}});
  BOOST_TEST(test::between(svg, "<title>", "</title>") == "title");
  BOOST_TEST(test::between(svg, "<desc>", "</desc>") ==
             "up against across. a &amp; b: 3 points, from 0.250 to 0.750. c: 0 points.");
  BOOST_TEST(test::between(xy_chart(small_chart(), {{"", {{0.1, 0.5}}}}), "<desc>", "</desc>") ==
             "up against across. 1 point, from 0.500 to 0.500.");
}

BOOST_AUTO_TEST_CASE(the_picture_is_well_formed_whatever_the_labels_hold) {
  XyChart chart{"<1> \"title\"", "x & <x>", "\"y\" 'y'"};
  chart.histogram = {1, 3};
  chart.diagonal = true;
  const std::string svg = xy_chart(
      chart, {{"<a>", {{0.1, 0.2, std::pair{0.1, 0.3}, "R&D <i>"}}}, {"القاهرة", {}, true}});
  BOOST_TEST(test::markup_fault(svg) == "");
  BOOST_TEST(holds(svg, "aria-label=\"&lt;1&gt; &quot;title&quot;\""));
  BOOST_TEST(holds(svg, ">x &amp; &lt;x&gt;</text>"));
  BOOST_TEST(holds(svg, ">&quot;y&quot; &#39;y&#39;</text>"));
  BOOST_TEST(holds(svg, ">R&amp;D &lt;i&gt;</text>"));
  BOOST_TEST(holds(svg, "<bdi>&lt;a&gt;</bdi>"));
  BOOST_TEST(!holds(svg, "d=\"\""));  // a series without points has no line
}

BOOST_AUTO_TEST_SUITE_END()
