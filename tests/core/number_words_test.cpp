// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/number_words.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(number_words)

BOOST_AUTO_TEST_CASE(numbers_have_a_fixed_count_of_decimals) {
  BOOST_TEST(with_decimals(0.125, 2) == "0.12");  // an exact tie rounds to even
  BOOST_TEST(with_decimals(2.0 / 3, 3) == "0.667");
  BOOST_TEST(with_decimals(-1234.5, 0) == "-1234");
  BOOST_TEST(with_decimals(7, 1) == "7.0");
}

BOOST_AUTO_TEST_CASE(what_rounds_to_zero_has_no_sign) {
  BOOST_TEST(with_decimals(-0.0004, 3) == "0.000");
  BOOST_TEST(with_decimals(-0.0, 1) == "0.0");
  BOOST_TEST(with_decimals(-0.4, 0) == "0");
  BOOST_TEST(with_decimals(-0.0006, 3) == "-0.001");
  BOOST_TEST(with_decimals(-10, 0) == "-10");
  BOOST_TEST(with_decimals(0.0004, 3) == "0.000");
  BOOST_TEST(with_decimals(-INFINITY, 3) == "-inf");
}

BOOST_AUTO_TEST_CASE(what_is_counted_has_its_plural) {
  BOOST_TEST(counted(1, "fact") == "1 fact");
  BOOST_TEST(counted(2, "fact") == "2 facts");
  BOOST_TEST(counted(0, "fact") == "0 facts");
  BOOST_TEST(counted(1, "query") == "1 query");
  BOOST_TEST(counted(2, "query") == "2 queries");
  BOOST_TEST(counted(0, "query") == "0 queries");
  BOOST_TEST(counted(2, "entity") == "2 entities");
  BOOST_TEST(counted(1, "family") == "1 family");
  BOOST_TEST(counted(3, "day") == "3 days");  // a vowel precedes the y
  BOOST_TEST(counted(1000, "entity answer") == "1000 entity answers");
}

BOOST_AUTO_TEST_SUITE_END()
