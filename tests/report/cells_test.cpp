// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/cells.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/markup.hpp"
#include "support/small_calibration.hpp"

using namespace plumb::detail;
using plumb::detail::html_cell;
using test::holds;

BOOST_AUTO_TEST_SUITE(cells_suite)

namespace {

constexpr const char* none = "<td data-v=\"-1\">–</td>";

}  // namespace

BOOST_AUTO_TEST_CASE(numbers_have_their_decimals_and_what_they_are_sorted_by) {
  BOOST_TEST(html_cell(PlainNumber{0.25}) == "<td data-v=\"0.25000000\">0.250</td>");
  BOOST_TEST(html_cell(PlainNumber{0.02564, 4}) == "<td data-v=\"0.02564000\">0.0256</td>");
  BOOST_TEST(html_cell(PlainNumber{}) == none);
  BOOST_TEST(html_cell(PlainNumber{no_number, 2}) == none);
  BOOST_TEST(html_cell(ShownNumber{0.5, "50 < 60"}) == "<td data-v=\"0.50000000\">50 &lt; 60</td>");
}

BOOST_AUTO_TEST_CASE(remarks_stand_below_the_interval) {
  const Estimate half{0.5, 0.25, 0.75, 4, "wilson"};
  BOOST_TEST(html_cell(RemarkedEstimate{half, "3 < 4"}) ==
             "<td data-v=\"0.500000\">0.500<small>0.250–0.750</small><small>3 &lt; 4</small></td>");
  BOOST_TEST(html_cell(RemarkedEstimate{half, ""}) == cell(half));
  // A dash with other text would not be sorted last.
  BOOST_TEST(html_cell(RemarkedEstimate{{}, "3 prompts"}) == none);
}

BOOST_AUTO_TEST_CASE(texts_may_wrap_and_hold_anything) {
  const std::string sorted = html_cell(LongText{"<b>[X]</b> & [Y]", 0.5, "<i>"});
  BOOST_TEST(sorted.starts_with("<td data-v=\"0.50000000\" style=\""));
  BOOST_TEST(holds(sorted, "<bdi>&lt;b&gt;[X]&lt;/b&gt; &amp; [Y]</bdi><small>&lt;i&gt;</small>"));
  for (const std::string& html :
       {sorted, html_cell(LongText{"<b> & \"x\""}), html_cell(std::string("<b> & \"x\"")),
        words_below("a"), fold_away("<b> &", "<p>x</p>")}) {
    BOOST_TEST(test::markup_fault(html) == "");
    BOOST_TEST(!holds(html, "<b>"));
  }
  BOOST_TEST(html_cell(OwnWord{"by < relation"}) == "<td>by &lt; relation</td>");
  BOOST_TEST(fold_away("a", "<p>x</p>") == "<details><summary>a</summary>\n<p>x</p></details>\n");
}

BOOST_AUTO_TEST_CASE(a_p_is_written_by_its_power_where_it_is_small) {
  const auto text = [](double p) { return std::get<ShownNumber>(p_value_cell(p)).text; };
  BOOST_TEST(text(1) == "1.000");
  BOOST_TEST(text(0.001) == "0.001");
  BOOST_TEST(text(0.00012) == "1.2e-4");
  BOOST_TEST(text(2.3e-200) == "2.3e-200");
  BOOST_TEST(text(0) == "< 1e-300");
  BOOST_TEST(std::get<ShownNumber>(p_value_cell(2.3e-200)).sorted_by == 2.3e-200);
  BOOST_TEST(!std::get<PlainNumber>(p_value_cell(no_number)).exists());
}

BOOST_AUTO_TEST_CASE(a_correlations_p_has_a_smallest_shown_value) {
  const ShownNumber tiny = std::get<ShownNumber>(correlation_p_cell(2.41e-38));
  BOOST_TEST(tiny.text == "< 1e-15");
  BOOST_TEST(tiny.sorted_by == 2.41e-38);
  BOOST_TEST(p_text(0.00012) == "1.2e-4");
  BOOST_TEST(p_text({}) == "–");
  BOOST_TEST(!std::get<PlainNumber>(correlation_p_cell({})).exists());
}

BOOST_AUTO_TEST_CASE(a_table_has_each_heading_with_what_stands_below_it) {
  struct Plum {
    std::string name;
    std::size_t stones = 0;
    Estimate weight{};
  };
  const std::vector<PageColumn<Plum>> columns{
      {"Name & co", &Plum::name},
      {"Stones", &Plum::stones},
      {"Weight", &Plum::weight},
      {"Half", [](const Plum& p) {
         return PlainNumber{static_cast<double>(p.stones) / 2, 1};
       }}};
  const std::string html = page_table<Plum>(columns, {{"Sloe", 1, {}}, {"Mirabelle", 2, {}}});
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(test::in_order(html, {"Name &amp; co", "Stones", "Weight", "Half"}));
  BOOST_TEST(holds(html, "<tr><td><bdi>Sloe</bdi></td><td data-v=\"1\">1</td>" + std::string(none) +
                             "<td data-v=\"0.50000000\">0.5</td></tr>\n"));
  BOOST_TEST(page_table<Plum>(columns, {}) == "");
}

BOOST_AUTO_TEST_SUITE_END()
