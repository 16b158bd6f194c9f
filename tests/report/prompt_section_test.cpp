// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/prompt_section.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/markup.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(prompt_section_suite)

BOOST_AUTO_TEST_CASE(nothing_is_shown_of_a_run_without_prompts) {
  BOOST_TEST(prompt_section({}) == "");
}

BOOST_AUTO_TEST_CASE(a_prompt_is_shown_as_it_is) {
  const std::string html = prompt_section({Json{{"part", "4-random answers"},
                                                {"relation", "P<1>"},
                                                {"sub_label", "France"},
                                                {"subject", "FR"},
                                                {"template", 3},
                                                {"shots", Json::array()},
                                                {"prompt", "Q: <b> & \"c\"\nA:"}}});
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(html.find("<summary><bdi>4-random answers</bdi>, <bdi>P&lt;1&gt;</bdi>, "
                       "<bdi>FR</bdi>, template 3</summary>") != html.npos);
  BOOST_TEST(html.find("<pre>Q: &lt;b&gt; &amp; &quot;c&quot;\nA:</pre>") != html.npos);
  BOOST_TEST(html.find("<ol") == html.npos);
}

BOOST_AUTO_TEST_CASE(candidates_are_listed_and_the_rest_counted) {
  Json row = {{"part", "ic"}, {"prompt", "x "}, {"candidate_count", 9}};
  row["candidates"] = {{{"text", "Paris"}}, {{"text", "Rome"}}};
  const std::string html = prompt_section({row});
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(html.find("<li><pre>Paris</pre></li>\n<li><pre>Rome</pre></li>") != html.npos);
  BOOST_TEST(html.find("and 7 more") != html.npos);
  row["candidate_count"] = 2;
  BOOST_TEST(prompt_section({row}).find("more</p>") == std::string::npos);
}

// If nothing comes before the first answer, the prompt is empty and no text is shown. Other
// incomplete rows show whichever fields they contain.
BOOST_AUTO_TEST_CASE(incomplete_prompt_rows_show_the_fields_they_have) {
  const std::string html = prompt_section({Json{{"prompt", ""}}, Json{{"candidates", 1}}});
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(html.find("<pre>") == html.npos);
  BOOST_TEST(html.find("<bdi>prompt</bdi>") != html.npos);
}

BOOST_AUTO_TEST_SUITE_END()
