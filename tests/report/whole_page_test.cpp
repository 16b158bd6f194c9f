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

BOOST_AUTO_TEST_SUITE_END()
