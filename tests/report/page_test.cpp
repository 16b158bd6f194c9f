// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/page.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/markup.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(page_suite)

namespace {

const std::string page = page_begin("<T> & \"co\"") + card("Name", "1 < 2", "R&D") + page_end();

bool holds(const std::string& part) {
  return page.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_empty_page_is_well_formed) {
  BOOST_TEST(test::markup_fault(page) == "");
  BOOST_TEST(page.starts_with("<!DOCTYPE html>\n"));
  BOOST_TEST(page.ends_with("</body>\n</html>\n"));
}

BOOST_AUTO_TEST_CASE(title_and_cards_are_escaped) {
  BOOST_TEST(test::between(page, "<title>", "</title>") == "&lt;T&gt; &amp; &quot;co&quot;");
  BOOST_TEST(holds("<b>1 &lt; 2</b><span>R&amp;D</span>"));
}

BOOST_AUTO_TEST_CASE(nothing_is_fetched_from_anywhere) {
  for (const char* fetch : {"http:", "https:", "src=", "href=", "@import", "url(", "fetch("}) {
    BOOST_TEST(!holds(fetch), fetch << " stands in the page");
  }
}

BOOST_AUTO_TEST_CASE(the_page_is_utf8_and_made_for_dark_mode_and_print) {
  BOOST_TEST(holds("<meta charset=\"utf-8\">"));
  BOOST_TEST(holds("@media (prefers-color-scheme:dark)"));
  BOOST_TEST(holds("@media print"));
}

BOOST_AUTO_TEST_CASE(settings_are_a_row_each_and_none_make_no_table) {
  const std::string table = settings_table(
      {{"b & a", "<x>"}, {"none", nullptr}, {"list", {1, "two"}}, {"count", 3}, {"yes", true}});
  BOOST_TEST(table.starts_with("<h2>Settings</h2>\n"));
  BOOST_TEST(test::markup_fault(table) == "");
  for (const char* row : {"<tr><td>b &amp; a</td><td><bdi>&lt;x&gt;</bdi></td></tr>",
                          "<tr><td>list</td><td><bdi>[1,&quot;two&quot;]</bdi></td></tr>",
                          "<tr><td>count</td><td><bdi>3</bdi></td></tr>",
                          "<tr><td>yes</td><td><bdi>true</bdi></td></tr>"}) {
    BOOST_TEST(table.find(row) != std::string::npos, row);
  }
  BOOST_TEST(table.find("none") == std::string::npos);
  BOOST_TEST(table.find("b &amp; a") < table.find("list"));  // in the order given
  BOOST_TEST(settings_table(Json::object()) == "");
}

BOOST_AUTO_TEST_CASE(a_card_of_an_estimate_has_its_interval_or_a_dash) {
  BOOST_TEST(card("ACE", Estimate{0.25, 0.1875, 0.3125, 9, ""}) ==
             card("ACE", "0.250", "95%: 0.188 – 0.312"));
  BOOST_TEST(card("Rank", Estimate{12.34, 10, 15.06, 9, ""}, 1) ==
             card("Rank", "12.3", "95%: 10.0 – 15.1"));
  BOOST_TEST(card("ACE", Estimate{}) == card("ACE", "–", ""));
}

BOOST_AUTO_TEST_CASE(a_note_is_a_paragraph_of_escaped_text) {
  BOOST_TEST(note_paragraph("Set `bins` to 4, or ` alone.") ==
             "<p class=\"note\">Set <code>bins</code> to 4, or ` alone.</p>\n");
  BOOST_TEST(note_paragraph("Mind <this> & that.") ==
             "<p class=\"note\">Mind &lt;this&gt; &amp; that.</p>\n");
}

BOOST_AUTO_TEST_CASE(a_heading_and_the_frame_of_a_table_take_html) {
  const std::string html = heading("Title", "what <b>it</b> is") + table_begin({"A", "B &amp; C"}) +
                           "<tr><td>1</td><td>2</td></tr>\n" + table_end;
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(
      html.starts_with("<h2>Title</h2>\n<p class=\"dim\">what <b>it</b> is</p>\n"
                       "<div class=\"wide\"><table class=\"sortable\"><thead><tr>"));
  BOOST_TEST(test::between(html, "<tr>", "</tr>") ==
             "<th scope=\"col\"><button type=\"button\">A</button></th>"
             "<th scope=\"col\"><button type=\"button\">B &amp; C</button></th>");
  BOOST_TEST(test::between(html, "<tbody>\n", "</tbody>") == "<tr><td>1</td><td>2</td></tr>\n");
}

BOOST_AUTO_TEST_SUITE_END()
