// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/prompt_template.hpp"

#include <boost/test/unit_test.hpp>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(prompt_template)

BOOST_AUTO_TEST_CASE(a_template_of_which_nothing_else_is_known_is_a_persons_sentence) {
  const PromptTemplate one{"[X] is in [Y]."};
  BOOST_TEST(one.text == "[X] is in [Y].");
  BOOST_TEST(one.group.empty());
  BOOST_TEST((one.style == TemplateStyle::cloze));
  BOOST_TEST((one.origin == TemplateOrigin::manual));
}

BOOST_AUTO_TEST_SUITE_END()
