// SPDX-License-Identifier: Apache-2.0
#include "plumb/report/many_prompt_cells.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/markup.hpp"
#include "support/small_calibration.hpp"

using namespace plumb;
using test::holds;

BOOST_AUTO_TEST_SUITE(many_prompt_cells)

namespace {

constexpr const char* none = "<td data-v=\"-1\">–</td>";

}  // namespace

BOOST_AUTO_TEST_CASE(numbers_have_their_decimals_and_what_they_are_sorted_by) {
  BOOST_TEST(detail::plain_number_cell(0.25) == "<td data-v=\"0.25000000\">0.250</td>");
  BOOST_TEST(detail::plain_number_cell(0.02564, 4) == "<td data-v=\"0.02564000\">0.0256</td>");
  BOOST_TEST(detail::plain_number_cell({}) == none);
}

BOOST_AUTO_TEST_CASE(remarks_stand_below_the_interval) {
  const Estimate half{0.5, 0.25, 0.75, 4, "wilson"};
  BOOST_TEST(detail::remarked_cell(half, "3 < 4") ==
             "<td data-v=\"0.500000\">0.500<small>0.250–0.750</small><small>3 &lt; 4</small></td>");
  BOOST_TEST(detail::remarked_cell(half, "") == detail::cell(half));
  // A dash that is not alone would not be sorted last.
  BOOST_TEST(detail::remarked_cell({}, "3 prompts") == none);
}

BOOST_AUTO_TEST_CASE(shares_say_how_many_facts_they_leave_out) {
  const Estimate half{0.5, 0.25, 0.75, 4, "wilson"};
  BOOST_TEST(holds(detail::share_cell({half, 2}), "<small>2 left out</small>"));
  BOOST_TEST(!holds(detail::share_cell({half, 0}), "left out"));
  BOOST_TEST(detail::share_cell({{}, 4}) == none);
}

BOOST_AUTO_TEST_CASE(texts_may_wrap_and_hold_anything) {
  const std::string sorted = detail::text_cell("<b>[X]</b> & [Y]", 0.5, "<i>");
  BOOST_TEST(sorted.starts_with("<td data-v=\"0.50000000\" style=\""));
  BOOST_TEST(holds(sorted, "<bdi>&lt;b&gt;[X]&lt;/b&gt; &amp; [Y]</bdi><small>&lt;i&gt;</small>"));
  for (const std::string& html :
       {sorted, detail::text_cell("<b> & \"x\""), detail::name_cell("<b> & \"x\""),
        detail::words_below("a"), detail::fold_away("<b> &", "<p>x</p>")}) {
    BOOST_TEST(test::markup_fault(html) == "");
    BOOST_TEST(!holds(html, "<b>"));
  }
  BOOST_TEST(detail::fold_away("a", "<p>x</p>") ==
             "<details><summary>a</summary>\n<p>x</p></details>\n");
}

BOOST_AUTO_TEST_CASE(percents_have_two_decimals) {
  BOOST_TEST(detail::percent_of(0.98784) == "98.78%");
  BOOST_TEST(detail::percent_of(1) == "100.00%");
}

BOOST_AUTO_TEST_SUITE_END()
