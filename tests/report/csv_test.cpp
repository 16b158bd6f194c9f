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

// OWASP, "CSV Injection": what begins with =, +, -, @, a tab or a carriage return.
BOOST_AUTO_TEST_CASE(texts_that_a_spreadsheet_would_run_have_an_apostrophe) {
  BOOST_TEST(csv_line({"=1+1", "@SUM(A1)", "+49 30", "-1+1", "plain"}) ==
             "'=1+1,'@SUM(A1),'+49 30,'-1+1,plain\n");
  BOOST_TEST(csv_line({"=HYPERLINK(\"x\",\"y\")"}) == "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\"\n");
  BOOST_TEST(csv_line({"\tx", "\rx", "-", "--1", "+-1"}) == "'\tx,\"'\rx\",'-,'--1,'+-1\n");
}

BOOST_AUTO_TEST_CASE(numbers_stay_numbers) {
  BOOST_TEST(csv_line({"-1.5", "+3", "-0.00000001", "-1e-05", "-inf", "0"}) ==
             "-1.5,+3,-0.00000001,-1e-05,-inf,0\n");
}

BOOST_AUTO_TEST_CASE(a_number_without_an_interval_has_empty_ends) {
  detail::EstimateCsv csv({"of"});
  csv.add({"x"}, without_interval(-1, 3));
  BOOST_TEST(csv.text() == "of,value,low,high,count\nx,-1.00000000,,,3\n");
}

BOOST_AUTO_TEST_SUITE_END()
