// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/bare_name.hpp"

#include <boost/test/unit_test.hpp>

using plumb::detail::bare_name;

BOOST_AUTO_TEST_SUITE(bare_name_tests)

BOOST_AUTO_TEST_CASE(letters_and_digits_are_left) {
  BOOST_TEST(bare_name("Multiple Choices") == "multiplechoices");
  BOOST_TEST(bare_name("multiple_choices") == "multiplechoices");
  BOOST_TEST(bare_name("OPT-1.3B") == "opt13b");
  BOOST_TEST(bare_name("r\u00e9ponse!") == "r\u00e9ponse");  // non-ASCII characters are unchanged
  BOOST_TEST(bare_name(" -_.") == "");
}

BOOST_AUTO_TEST_SUITE_END()
