// SPDX-License-Identifier: Apache-2.0
#include "plumb/report/csv.hpp"

#include <boost/test/unit_test.hpp>

using namespace plumb;

BOOST_AUTO_TEST_SUITE(csv)

BOOST_AUTO_TEST_CASE(plain_cells_stand_as_they_are) {
  BOOST_TEST(csv_line({"relation", "0.5", "São Tomé"}) == "relation,0.5,São Tomé\n");
  BOOST_TEST(csv_line({"", "", "x"}) == ",,x\n");
  BOOST_TEST(csv_line({"one"}) == "one\n");
}

// RFC 4180, section 2, rules 5 to 7.
BOOST_AUTO_TEST_CASE(cells_that_would_break_the_line_are_quoted) {
  BOOST_TEST(csv_line({"a,b", "c"}) == "\"a,b\",c\n");
  BOOST_TEST(csv_line({"say \"yes\""}) == "\"say \"\"yes\"\"\"\n");
  BOOST_TEST(csv_line({"two\nlines", "back\rthere"}) == "\"two\nlines\",\"back\rthere\"\n");
  BOOST_TEST(csv_line({"\""}) == "\"\"\"\"\n");
}

BOOST_AUTO_TEST_SUITE_END()
