// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/many_prompt_reliability.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "support/markup.hpp"
#include "support/small_calibration.hpp"
#include "support/small_many_prompts.hpp"

using namespace plumb::detail;
using test::between;
using test::count_of;
using test::holds;
using test::in_order;
using test::near;
using test::row_of;

BOOST_AUTO_TEST_SUITE(many_prompt_reliability)

namespace {

const ManyPromptResults& made() {
  static const ManyPromptResults results = test::small_many_prompts();
  return results;
}

std::vector<double> spread(std::size_t prompts, double lowest, double highest) {
  ConfidenceBin bin;
  bin.prompts = prompts;
  bin.lowest = lowest;
  bin.highest = highest;
  return spread_confidences({bin}, 10);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_bins_prompts_are_spread_over_its_confidences) {
  // A quarter of the range from 0.15 to 0.35 is below 0.2, and half of it is between 0.2 and 0.3.
  const auto heights = spread(8, 0.15, 0.35);
  BOOST_TEST(near(heights[1], 2));
  BOOST_TEST(near(heights[2], 4));
  BOOST_TEST(near(heights[3], 2));
  BOOST_TEST(near(std::accumulate(heights.begin(), heights.end(), 0.0), 8));
}

BOOST_AUTO_TEST_CASE(equal_confidences_stand_in_the_bar_that_begins_there) {
  for (std::size_t tenth = 0; tenth < 10; ++tenth) {
    const double confidence = static_cast<double>(tenth) / 10;
    BOOST_TEST(spread(3, confidence, confidence)[tenth] == 3, confidence);
  }
  BOOST_TEST(spread(3, 1, 1)[9] == 3);
  BOOST_TEST(spread(3, 1 + 1e-10, 1 + 1e-10)[9] == 3);  // a probability may exceed 1 by this much
}

BOOST_AUTO_TEST_CASE(diagrams_are_of_those_whose_confidences_were_taken) {
  const std::string html = reliability_section(made());
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(count_of(html, "<svg class=\"chart xy\"") == 1U);
  BOOST_TEST(in_order(html, {"share of a prompt's sampled answers", "<h3><bdi>zero-shot</bdi></h3>",
                             "Overconf 0.317 [", "; 3 prompts, 20 samples each</p>",
                             "class=\"histogram\"", "class=\"diagonal\""}));
  BOOST_TEST(!holds(html, "among the options"));
  // The points are ordered from the least confident to the most confident.
  BOOST_TEST(in_order(html, {"1 prompt, confidence 0.250–0.250: accuracy 0.000",
                             "1 prompt, confidence 0.800–0.800: accuracy 0.000",
                             "1 prompt, confidence 0.900–0.900: accuracy 1.000"}));
}

BOOST_AUTO_TEST_CASE(closed_sets_have_probabilities_for_confidences) {
  const std::string html = reliability_section(test::one_closed_set());
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(holds(html, "Confidence: the probability of the answer among the options."));
  BOOST_TEST(!holds(html, "sample"));
  BOOST_TEST(holds(html, "Overconf 0.100 ["));
  const std::string both = reliability_section(many_prompt_results(
      {test::small_zero_shot(), test::small_closed_set()}, test::small_options()));
  BOOST_TEST(
      in_order(both, {"Confidence: the share of", "For closed sets, it is the probability"}));
  // The first chart contains both lines, and each of the two others contains one of them.
  BOOST_TEST(count_of(both, "<svg class=\"chart xy\"") == 3U);
  BOOST_TEST(in_order(both, {"all settings together", "accuracy, zero-shot"}));
}

BOOST_AUTO_TEST_CASE(answers_have_a_column_for_each_length) {
  const std::string html = answer_length_section(made());
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(in_order(
      html, {">1 token<", ">2 tokens<", ">5 tokens<", ">Longer<", ">None<", ">One to five<"}));
  BOOST_TEST(in_order(row_of(html, "zero-shot"),
                      {">0.000<small>", "<small>6 prompts</small>", ">0.083<", ">-0.875<",
                       "<small>4 prompts</small>", ">0.062<", "<td data-v=\"-1\">–</td>",
                       "data-v=\"0\"", "data-v=\"0\"", ">100.00%<"}));
  BOOST_TEST(
      in_order(html, {">tokens of the answer<", ">Overconf<", "confidence equals accuracy"}));
  BOOST_TEST(count_of(html, "class=\"series s") >= 3U);
}

BOOST_AUTO_TEST_CASE(what_is_left_out_is_counted) {
  ManyPromptStudy study = test::small_few_shot();
  study.answered.likelihoods.prompts[0].tokens = 6;
  study.answered.likelihoods.prompts[1].tokens = 7;
  study.answered.likelihoods.prompts[2].tokens = 0;
  const std::string row = row_of(
      answer_length_section(many_prompt_results({study}, test::small_options())), "4-template");
  BOOST_TEST(in_order(row, {"<td data-v=\"2\">2</td>", "<td data-v=\"1\">1</td>", ">84.21%<"}));
}

BOOST_AUTO_TEST_CASE(the_axis_holds_all_intervals) {
  // The numbers in the small charts range from −0.94 to 0.33; the axis is widened to a whole tenth
  // and is symmetric around 0.
  const std::string chart = length_chart(ways_by_length(made()));
  BOOST_TEST(in_order(chart, {">-1.0</text>", ">0.0</text>", ">1.0</text>"}));
}

BOOST_AUTO_TEST_CASE(sections_without_anything_to_show_are_empty) {
  BOOST_TEST(answer_length_section(test::one_closed_set()).empty());
  const ManyPromptResults few =
      many_prompt_results({test::small_few_shot()}, test::small_options());
  BOOST_TEST(reliability_section(few).empty());
  for (const ManyPromptResults& nothing : {test::nothing_asked(), ManyPromptResults{}}) {
    BOOST_TEST(reliability_section(nothing).empty());
    BOOST_TEST(answer_length_section(nothing).empty());
  }
}

BOOST_AUTO_TEST_SUITE_END()
