// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/histogram_chart.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "plumb/detail/report/page.hpp"
#include "support/markup.hpp"
#include "support/small_calibration.hpp"

using namespace plumb::detail;
using test::between;
using test::count_of;
using test::holds;
using test::in_order;

BOOST_AUTO_TEST_SUITE(histogram_chart_suite)

namespace {

/// One row has bars from 0.2 to 0.4, with its mean and span in that range; the other has a bar from
/// 0.5 to 0.6.
HistogramChart two_rows() {
  return {
      "Samplings",
      "accuracy",
      {{"a", "by fact", {{0.2, 0.3, 10}, {0.3, 0.4, 40}}, 0.31, {0.25, 0.35}, "0.310 ± 0.0250", 0},
       {"b", "by relation", {{0.5, 0.6, 7}}, 0.55, {0.5, 0.6}, "0.550 ± 0.0250", 1}}};
}

std::string row(const std::string& html, std::size_t style) {
  return between(html, "class=\"series s" + std::to_string(style) + "\">", "</g>");
}

/// The numbers in a path, without its letters.
std::vector<double> numbers(const std::string& path) {
  std::vector<double> found;
  for (std::size_t at = 0; (at = path.find_first_of("-0123456789", at)) != std::string::npos;) {
    std::size_t used = 0;
    found.push_back(std::stod(path.substr(at), &used));
    at += used;
  }
  return found;
}

std::string path(const std::string& row, const std::string& which) {
  return between(row, "class=\"" + which + "\" d=\"", "\"");
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_row_has_its_words_its_outline_its_tick_and_its_line) {
  const std::string html = histogram_chart(two_rows());
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(in_order(html, {"aria-label=\"Samplings\"", ">a</text>", ">by fact</text>",
                             "<title>a, by fact: 0.310 ± 0.0250</title>", "class=\"box\"",
                             "class=\"median\"", "class=\"whisker\"", ">0.310 ± 0.0250</text>",
                             ">b</text>", "class=\"series s1\"", ">accuracy</text>"}));
  BOOST_TEST(count_of(html, "class=\"box\"") == 2U);
  BOOST_TEST(between(html, "<desc>", "</desc>") ==
             "Distributions of accuracy. a, by fact: 0.310 ± 0.0250. "
             "b, by relation: 0.550 ± 0.0250.");
}

// The axis goes from 0.2 to 0.6 over 500 units, starting at 210.
BOOST_AUTO_TEST_CASE(places_are_those_of_one_axis) {
  const std::string html = histogram_chart(two_rows());
  const auto x = [](double value) { return 210 + 500 * (value - 0.2) / 0.4; };
  const auto near = [](double one, double other) { return std::abs(one - other) < 0.06; };
  BOOST_TEST(in_order(html, {">0.20</text>", ">0.25</text>", ">0.60</text>"}));
  // The path has the form: M x0 foot V y H x1 V y H x2 V foot.
  const auto box = numbers(path(row(html, 0), "box"));
  BOOST_REQUIRE(box.size() == 7U);
  BOOST_TEST(near(box[0], x(0.2)));
  BOOST_TEST(near(box[3], x(0.3)));
  BOOST_TEST(near(box[5], x(0.4)));
  BOOST_TEST(box[6] == box[1]);
  // The tallest bar fills the height of the row; the other bar is a quarter as tall.
  BOOST_TEST(std::abs((box[1] - box[2]) * 4 - (box[1] - box[4])) < 0.5);
  const auto other = numbers(path(row(html, 1), "box"));
  BOOST_TEST(near(other[1] - other[2], box[1] - box[4]));
  BOOST_TEST(near(numbers(path(row(html, 0), "median"))[0], x(0.31)));
  const auto line = numbers(path(row(html, 0), "whisker"));
  BOOST_TEST(near(line[0], x(0.25)));
  BOOST_TEST(near(line[2], x(0.35)));
}

BOOST_AUTO_TEST_CASE(the_axis_holds_lines_that_are_longer_than_their_bars) {
  HistogramChart chart = two_rows();
  chart.rows[1].span = {0.1, 0.97};
  const auto range = histogram_range(chart.rows);
  BOOST_TEST(range[0] <= 0.1);
  BOOST_TEST(range[1] >= 0.97);
  BOOST_TEST(range[0] > 0.0 - 1e-9);
  BOOST_TEST(range[1] < 1.0 + 1e-9);
}

BOOST_AUTO_TEST_CASE(a_row_of_one_value_has_an_axis_around_it) {
  HistogramChart chart{"t", "x", {{"a", "", {}, 0.5, {0.5, 0.5}, "v", 0}}};
  const auto range = histogram_range(chart.rows);
  BOOST_TEST(range[0] < 0.5);
  BOOST_TEST(range[1] > 0.5);
  const std::string html = histogram_chart(chart);
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(!holds(html, "class=\"box\""));
  BOOST_TEST(holds(html, "class=\"median\""));
  BOOST_TEST(holds(html, "<title>a: v</title>"));
  BOOST_TEST(!holds(html, "nan"));
}

BOOST_AUTO_TEST_CASE(without_a_row_there_is_an_axis_alone) {
  const std::string html = histogram_chart({"t", "x", {}});
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(in_order(html, {">0.0</text>", ">1.0</text>"}));
}

BOOST_AUTO_TEST_CASE(names_may_hold_anything) {
  HistogramChart chart = two_rows();
  chart.title = chart.x_label = "\"<b>\"";
  chart.rows[0].label = chart.rows[0].remark = chart.rows[0].value = "<i> & 'x'";
  const std::string html = histogram_chart(chart);
  BOOST_TEST(test::markup_fault(html) == "");
  for (const char* tag : {"<i>", "<b>"}) BOOST_TEST(!holds(html, tag));
}

BOOST_AUTO_TEST_CASE(the_pages_style_knows_the_classes) {
  const std::string page = page_begin("x");
  for (const char* rule : {".series .box", ".series .median", ".series .whisker", ".chart .name"}) {
    BOOST_TEST(holds(page, rule), rule << " is not in the style");
  }
}

BOOST_AUTO_TEST_SUITE_END()
