// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/rank/text_length.hpp"

#include <boost/test/unit_test.hpp>

#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(text_length)

BOOST_AUTO_TEST_CASE(texts_of_one_token_up_to_the_context_can_be_embedded) {
  BOOST_CHECK_NO_THROW(refuse_text_length("a", 1, 12));
  BOOST_CHECK_NO_THROW(refuse_text_length("a", 12, 12));
  BOOST_CHECK_EXCEPTION(refuse_text_length("", 0, 12), Error,
                        says(Fault::user, "text: '' has no tokens; set `bos` to yes"));
  BOOST_CHECK_EXCEPTION(refuse_text_length("Paris", 13, 12), Error,
                        says(Fault::user,
                             "text: 'Paris' has 13 tokens; the model's limit is 12; shorten the "
                             "name or description"));
}

BOOST_AUTO_TEST_SUITE_END()
