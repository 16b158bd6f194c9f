// SPDX-License-Identifier: Apache-2.0
#include "plumb/report/page.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/markup.hpp"

using namespace plumb;

namespace {

const std::string page = page_begin("<T> & \"co\"") + card("Name", "1 < 2", "R&D") + page_end();

bool holds(const std::string& part) {
  return page.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(page_suite)

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

BOOST_AUTO_TEST_SUITE_END()
