// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/interval_chart.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/markup.hpp"
#include "support/small_calibration.hpp"

using namespace plumb::detail;
using test::between;
using test::count_of;
using test::holds;
using test::in_order;
using test::markup_fault;

BOOST_AUTO_TEST_SUITE(interval_chart_suite)

namespace {

const Estimate half{0.5, 0.25, 0.75, 8, "by hand"};
const Estimate fifth{0.2, 0.1, 0.3, 8, "by hand"};

/// Two models in two relations; the second model has no value for the second relation.
IntervalChart two_by_two() {
  return {"Accuracy by relation",
          "accuracy",
          {{"ant"}, {"bee"}},
          {{"P36", {half, fifth}}, {"P17", {fifth, {}}}}};
}

/// The x coordinate of 0: labels take up 7.2 per character, with a minimum of four characters, plus
/// a gap of 14.
constexpr double left = 4 * 7.2 + 14, inner = 720 - left - 18;

std::string at(double value) {
  return short_length(left + inner * value);
}

}  // namespace

// Rows are 2 · 11 + 12 tall and start at 34; the first series is 5.5 above the row's middle.
BOOST_AUTO_TEST_CASE(a_row_has_a_dot_with_its_whisker_for_each_series) {
  const std::string svg = interval_chart(two_by_two());
  BOOST_TEST(holds(svg, "d=\"M" + at(0.25) + " 45.5H" + at(0.75) + "\""));
  BOOST_TEST(holds(svg, "d=\"M" + at(0.1) + " 56.5H" + at(0.3) + "\""));
  BOOST_TEST(count_of(svg, "class=\"whisker\"") == 3U);
  BOOST_TEST(count_of(svg, "data-row=\"34\"") == 2U);
  BOOST_TEST(holds(svg, "<title>P36: ant 0.500 [0.250, 0.750]</title>"));
  BOOST_TEST(holds(svg, "data-height=\"112\""));  // 34 + 2 · 34 + 10
}

BOOST_AUTO_TEST_CASE(an_estimate_without_an_interval_is_a_dot_alone) {
  IntervalChart chart = two_by_two();
  Estimate alone = half;
  alone.low = alone.high = Estimate{}.low;
  chart.rows = {{"P36", {alone, {}}}};
  const std::string svg = interval_chart(chart);
  BOOST_TEST(!alone.has_interval());
  BOOST_TEST(count_of(svg, "class=\"whisker\"") == 0U);
  BOOST_TEST(count_of(svg, "class=\"series") == 1U + 2U);  // and the legend's
}

BOOST_AUTO_TEST_CASE(series_and_legend_entries_identify_their_model) {
  const std::string svg = interval_chart(two_by_two());
  BOOST_TEST(count_of(svg, "data-model=\"ant\"") == 3U);
  BOOST_TEST(count_of(svg, "data-model=\"bee\"") == 2U);
  const std::string legend = between(svg, "<figcaption class=\"legend\">", "</figcaption>");
  BOOST_TEST(in_order(legend, {"data-model=\"ant\"", "series s0", "<bdi>ant</bdi>", "series s1"}));
  IntervalChart chart = two_by_two();
  for (IntervalSeries& series : chart.series) series.names_model = false;
  BOOST_TEST(!holds(interval_chart(chart), "data-model"));
}

BOOST_AUTO_TEST_CASE(rows_of_one_model_each_need_no_legend) {
  IntervalChart chart = two_by_two();
  chart.rows = {{"ant", {half}, 0}, {"bee", {fifth}, 1}};
  const std::string svg = interval_chart(chart);
  BOOST_TEST(!holds(svg, "legend"));
  BOOST_TEST(in_order(svg, {"<g data-row=\"24\" data-model=\"ant\">", "class=\"series s0\">",
                            "data-model=\"bee\">", "class=\"series s1\">"}));
  BOOST_TEST(holds(svg, "<title>ant: 0.500 [0.250, 0.750]</title>"));
}

BOOST_AUTO_TEST_CASE(the_scale_may_be_logarithmic) {
  IntervalChart chart = two_by_two();
  chart.is_logarithmic = true;
  chart.x_range = {1, 100};
  chart.rows = {{"P36", {{10, 1, 1000, 8, ""}, {}}}};
  const std::string svg = interval_chart(chart);
  BOOST_TEST(in_order(svg, {">1</text>", ">2</text>", ">5</text>", ">10</text>", ">100</text>"}));
  BOOST_TEST(holds(svg, "cx=\"" + with_decimals(left + inner / 2, 1)));
  BOOST_TEST(holds(svg, "H" + at(1) + "\""));  // the end that does not fit
}

BOOST_AUTO_TEST_CASE(a_long_name_has_several_lines) {
  IntervalChart chart = two_by_two();
  chart.rows = {{std::string(60, 'x'), {half, fifth}}};
  BOOST_TEST(count_of(interval_chart(chart), "class=\"name\"") == 3U);
}

BOOST_AUTO_TEST_CASE(the_picture_is_well_formed_whatever_the_names_hold) {
  IntervalChart chart{
      "\"t\" <1>", "x & y", {{"<b>"}, {"\"q\" القاهرة"}}, {{"<i> & co", {half, {}}}}};
  const std::string svg = interval_chart(chart);
  BOOST_TEST(markup_fault(svg) == "");
  BOOST_TEST(!holds(svg, "<b>"));
  BOOST_TEST(!holds(svg, "<i>"));
  BOOST_TEST(holds(svg, "data-model=\"&lt;b&gt;\""));
  BOOST_TEST(markup_fault(interval_chart({"", "", {}, {}})) == "");
}

// The description is for screen readers.
BOOST_AUTO_TEST_CASE(a_description_has_every_number) {
  BOOST_TEST(between(interval_chart(two_by_two()), "<desc>", "</desc>") ==
             "accuracy with 95% intervals. P36: ant 0.500 [0.250, 0.750], bee 0.200 [0.100, "
             "0.300]. P17: ant 0.200 [0.100, 0.300], bee –.");
}

BOOST_AUTO_TEST_SUITE_END()
