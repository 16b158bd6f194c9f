// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/score/token_joins.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/score/prompt_tokens.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(token_joins_suite)

BOOST_AUTO_TEST_CASE(characters_that_stand_together_in_a_token_may_be_spanned) {
  const TokenJoins joins(NgramModel("", 1, {" (", "), ", "the"}));
  BOOST_TEST(joins.may_span(' ', '('));
  BOOST_TEST(joins.may_span(')', ','));
  BOOST_TEST(joins.may_span(',', ' '));
  BOOST_TEST(!joins.may_span('(', ' '));
  BOOST_TEST(!joins.may_span(')', ' '));  // the two are not adjacent
  BOOST_TEST(!joins.may_span('\n', '('));
}

// A tokenizer may normalise letters, digits and bytes of other scripts within a token.
BOOST_AUTO_TEST_CASE(only_signs_and_spaces_are_certain) {
  const TokenJoins joins(NgramModel(""));
  BOOST_TEST(joins.may_span('a', ' '));
  BOOST_TEST(joins.may_span(' ', '7'));
  BOOST_TEST(joins.may_span('\xc3', ','));
  BOOST_TEST(!joins.may_span(',', ' '));
}

BOOST_AUTO_TEST_CASE(a_lead_begins_before_the_last_place_that_no_token_spans) {
  const TokenJoins none(NgramModel(""));
  BOOST_TEST(none.lead("(a, b,", ' ') == ",");
  BOOST_TEST(none.lead("(a, b,", 'x') == ", b,");
  BOOST_TEST(none.lead("ab", 'x') == "ab");
  BOOST_TEST(none.lead("", ' ') == "");
  const TokenJoins comma(NgramModel("", 1, {", "}));
  BOOST_TEST(comma.lead("1)\n(a, b,", ' ') == "\n(a, b,");
  BOOST_TEST(comma.lead("a, b,", ' ') == "a, b,");
}

// Oracle: the tokens of the whole prompt. The tokens after a lead must match those after the whole
// prompt.
BOOST_AUTO_TEST_CASE(behind_a_lead_stand_the_tokens_that_stand_behind_the_prompt) {
  const NgramModel model("", 1, {", ", ", a", " a", "b,", "a)", ")\n"});
  const TokenJoins joins(model);
  for (const std::string prompt : {"(x, a,", "x)\n(a, b,", "(b, (b,", "b,"}) {
    for (const std::string name : {" ab)", " b)", " 7)", " a)"}) {
      const std::string lead(joins.lead(prompt, ' '));
      BOOST_TEST(ids_of(tokens_after(model, prompt + name, prompt.size())) ==
                 ids_of(tokens_after(model, lead + name, lead.size())));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
