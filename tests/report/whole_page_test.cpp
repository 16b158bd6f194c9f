// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/whole_page.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/markup.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(whole_page_suite)

BOOST_AUTO_TEST_CASE(what_all_pages_have_stands_around_the_sections) {
  const std::string html = whole_page({"a < b",
                                       "Which is <b>less</b>?",
                                       {"Known & said."},
                                       {{"shots", 8}},
                                       {Json{{"part", "first"}, {"prompt", "Is it?"}}}},
                                      "<p>sections</p>\n");
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(
      test::in_order(html, {"<title>a &lt; b</title>", "<h1><bdi>a &lt; b</bdi></h1>",
                            "Which is <b>less</b>?", "<p class=\"note\">Known &amp; said.</p>",
                            "<p>sections</p>", "Is it?", "<td>shots</td>", "</html>"}));
  const std::string bare = whole_page({"t", "", {}}, "");
  BOOST_TEST((bare.find("class=\"note\"") == std::string::npos));
  BOOST_TEST((bare.find("<h2>") == std::string::npos));
}

BOOST_AUTO_TEST_CASE(sections_have_ids_and_links_to_them) {
  const std::string html = linked_sections(
      "<p>first</p>\n<h2>Hit@k, side by side</h2>\n<p>1</p>\n<h2><bdi>准确率</bdi></h2>\n"
      "<h2>Hit@k &amp; side by <b>side</b></h2>\n<p>3</p>\n");
  BOOST_TEST(html ==
             "<nav class=\"contents screen\" aria-label=\"Sections\"><ul>\n"
             "<li><a href=\"#hit-k-side-by-side\">Hit@k, side by side</a></li>\n"
             "<li><a href=\"#section\"><bdi>准确率</bdi></a></li>\n"
             "<li><a href=\"#hit-k-side-by-side-2\">Hit@k &amp; side by <b>side</b></a></li>\n"
             "</ul></nav>\n<p>first</p>\n"
             "<section id=\"hit-k-side-by-side\">\n<h2>Hit@k, side by side</h2>\n<p>1</p>\n"
             "</section>\n<section id=\"section\">\n<h2><bdi>准确率</bdi></h2>\n</section>\n"
             "<section id=\"hit-k-side-by-side-2\">\n<h2>Hit@k &amp; side by <b>side</b></h2>\n"
             "<p>3</p>\n</section>\n");
  BOOST_TEST(linked_sections("<h2>One</h2>\n") ==
             "<section id=\"one\">\n<h2>One</h2>\n</section>\n");
  BOOST_TEST(linked_sections("none") == "none");
}

BOOST_AUTO_TEST_CASE(sections_that_are_folded_away_end_with_their_part) {
  const std::string html = linked_sections(
      "<h2>A</h2>\n<details><summary>m</summary>\n<h2>B</h2>\n<h2>A</h2>\n</details>\n"
      "<details class=\"asked\">x</details>\n<h2>C</h2>\n");
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(test::between(html, "<ul>\n", "</ul>") ==
             "<li><a href=\"#a\">A</a></li>\n<li><a href=\"#c\">C</a></li>\n");
  BOOST_TEST(
      html.ends_with("<section id=\"a\">\n<h2>A</h2>\n<details><summary>m</summary>\n"
                     "<section id=\"b\">\n<h2>B</h2>\n</section>\n"
                     "<section id=\"a-2\">\n<h2>A</h2>\n</section>\n</details>\n"
                     "<details class=\"asked\">x</details>\n</section>\n"
                     "<section id=\"c\">\n<h2>C</h2>\n</section>\n"));
}

BOOST_AUTO_TEST_SUITE_END()
