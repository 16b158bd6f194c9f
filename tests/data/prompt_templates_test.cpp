// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/prompt_templates.hpp"

#include <boost/test/unit_test.hpp>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(prompt_templates)

BOOST_AUTO_TEST_CASE(questions_end_with_their_answer) {
  BOOST_TEST(is_question("Where is [X]? [Y]."));
  BOOST_TEST(is_question("Where is [X]? [Y]"));
  BOOST_TEST(!is_question("[X] is in [Y]."));
  const Site site{"templates.jsonl", 3};
  BOOST_TEST(!problem_with_prompt_template({.text = "[X] is in [Y]."}, site));
  BOOST_TEST(problem_with_prompt_template({.text = "[X], [Y], [Y]"}, site).has_value());
  BOOST_TEST(problem_with_prompt_template(
                 {.text = "[X] is in [Y].", .style = TemplateStyle::question}, site)
                 .has_value());
  BOOST_TEST(style_word(TemplateStyle::question) == "question");
  BOOST_TEST(origin_word(TemplateOrigin::generated) == "generated");
}

BOOST_AUTO_TEST_SUITE_END()
