// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/bar_chart.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/markup.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(bar_chart_suite)

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

// The scale is 500 wide and starts at 175, after a three-letter name and a number.
const Bar half{"P36", {0.5, 0.25, 0.75, 100, "wilson"}, 0.2};

}  // namespace

BOOST_AUTO_TEST_CASE(a_bar_is_as_wide_as_its_number) {
  const std::string svg = bar_chart({half}, "Accuracy");
  BOOST_TEST(count(svg, "<rect class=\"bar\" x=\"175.0\" y=\"12.0\" width=\"250.0\"") == 1U);
  const std::string ends =
      bar_chart({{"none", {0, 0, 0.1, 5, ""}}, {"all", {1, 0.9, 1, 5, ""}}}, "");
  BOOST_TEST(count(ends, "width=\"0.0\"") == 1U);
  BOOST_TEST(count(ends, "width=\"500.0\"") == 1U);
}

BOOST_AUTO_TEST_CASE(the_whisker_spans_the_interval_and_the_tick_marks_chance) {
  const std::string svg = bar_chart({half}, "Accuracy");
  BOOST_TEST(count(svg, "d=\"M300.0 19.0H550.0M300.0 ") == 1U);  // 175 + 125, 175 + 375
  BOOST_TEST(count(svg, "<line class=\"chance\" x1=\"275.0\" x2=\"275.0\"") == 1U);
  BOOST_TEST(count(svg, ">0.500 [0.250, 0.750]</text>") == 1U);
}

BOOST_AUTO_TEST_CASE(a_bar_without_chance_has_no_tick) {
  BOOST_TEST(count(bar_chart({{"P36", half.estimate}}, ""), "class=\"chance\"") == 0U);
}

BOOST_AUTO_TEST_CASE(a_bar_without_a_number_is_a_dash) {
  const std::string svg = bar_chart({{"P36", {}, 0.5}}, "");
  BOOST_TEST(count(svg, "class=\"bar\"") == 0U);
  BOOST_TEST(count(svg, "class=\"whisker\"") == 0U);
  BOOST_TEST(count(svg, ">–</text>") == 1U);
}

BOOST_AUTO_TEST_CASE(rows_stand_below_one_another_within_the_picture) {
  const std::string svg = bar_chart({half, half, half}, "");
  BOOST_TEST(count(svg, "viewBox=\"0 0 695 104\"") == 1U);  // 8 + 3 · 22 + 30
  for (const char* y : {"y=\"12.0\"", "y=\"34.0\"", "y=\"56.0\""}) {
    BOOST_TEST(count(svg, std::string("<rect class=\"bar\" x=\"175.0\" ") + y) == 1U);
  }
}

BOOST_AUTO_TEST_CASE(the_axis_goes_from_zero_to_one) {
  const std::string svg = bar_chart({}, "");
  BOOST_TEST(count(svg, "class=\"grid\"") == 6U);
  BOOST_TEST(count(svg, "x=\"175.0\" y=\"24\">0.0</text>") == 1U);
  BOOST_TEST(count(svg, "x=\"675.0\" y=\"24\">1.0</text>") == 1U);
}

// The bars start after the longest line of a name, but a line is at most as wide as a phone's
// screen allows: 28 letters, each 7 wide. The rest of the margin is 154.
BOOST_AUTO_TEST_CASE(long_names_push_the_scale_to_the_right) {
  const auto scale = [](std::size_t letters) {
    const std::string svg = bar_chart({{std::string(letters, 'n'), half.estimate}}, "");
    return test::between(svg, "<rect class=\"bar\" x=\"", "\"");
  };
  BOOST_TEST(scale(1) == "175.0");
  BOOST_TEST(scale(10) == "224.0");
  BOOST_TEST(scale(29) == "350.0");
  BOOST_TEST(scale(80) == "350.0");
}

BOOST_AUTO_TEST_CASE(a_long_name_is_not_cut) {
  const std::string svg = bar_chart({{std::string(60, 'n'), half.estimate}, half}, "");
  BOOST_TEST(count(svg, ">" + std::string(28, 'n') + "</text>") == 2U);
  BOOST_TEST(count(svg, ">nnnn</text>") == 1U);
  BOOST_TEST(count(svg, "viewBox=\"0 0 870 110\"") == 1U);  // 8 + 22 + 2 · 14 + 22 + 30
  BOOST_TEST(count(svg, "y=\"26.0\" width") == 1U);         // the bar is in the middle of the lines
}

BOOST_AUTO_TEST_CASE(chart_has_a_description_for_screen_readers) {
  const std::string svg = bar_chart({half, {"<none>", {}}}, "Accuracy");
  BOOST_TEST(test::between(svg, "<title>", "</title>") == "Accuracy");
  BOOST_TEST(test::between(svg, "<desc>", "</desc>") ==
             "Bars from 0 to 1: P36 0.500 [0.250, 0.750]; &lt;none&gt; –.");
}

BOOST_AUTO_TEST_CASE(the_picture_is_well_formed_whatever_the_labels_hold) {
  const std::string svg =
      bar_chart({{"<P36> & \"co\"", half.estimate, 0.1}, {"🇪🇬 القاهرة", {}}}, "\"title\" <1>");
  BOOST_TEST(test::markup_fault(svg) == "");
  BOOST_TEST(count(svg, "&lt;P36&gt; &amp; &quot;co&quot;</text>") == 1U);
  BOOST_TEST(count(svg, "aria-label=\"&quot;title&quot; &lt;1&gt;\"") == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
