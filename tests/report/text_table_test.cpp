// SPDX-License-Identifier: Apache-2.0
#include "plumb/report/text_table.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace plumb;

BOOST_AUTO_TEST_SUITE(text_table)

BOOST_AUTO_TEST_CASE(numbers_have_a_fixed_count_of_decimals) {
  BOOST_TEST(fixed(0.125, 2) == "0.12");  // exact tie, to even
  BOOST_TEST(fixed(2.0 / 3, 3) == "0.667");
  BOOST_TEST(fixed(-1234.5, 0) == "-1234");
  BOOST_TEST(fixed(7, 1) == "7.0");
}

BOOST_AUTO_TEST_CASE(what_rounds_to_zero_has_no_sign) {
  BOOST_TEST(fixed(-0.0004, 3) == "0.000");
  BOOST_TEST(fixed(-0.0, 1) == "0.0");
  BOOST_TEST(fixed(-0.4, 0) == "0");
  BOOST_TEST(fixed(-0.0006, 3) == "-0.001");
  BOOST_TEST(fixed(-10, 0) == "-10");
  BOOST_TEST(fixed(0.0004, 3) == "0.000");
  BOOST_TEST(fixed(-INFINITY, 3) == "-inf");
  BOOST_TEST(with_interval({-0.0001, -0.02, 0.01, 9, "fisher"}) == "0.000 [-0.020, 0.010]");
}

BOOST_AUTO_TEST_CASE(an_estimate_stands_with_its_interval) {
  BOOST_TEST(with_interval({0.15, 0.1422, 0.158, 100, "wilson"}) == "0.150 [0.142, 0.158]");
  BOOST_TEST(with_interval({12.34, 10, 15.06, 100, "bootstrap"}, 1) == "12.3 [10.0, 15.1]");
  BOOST_TEST(with_interval({}) == "–");
}

BOOST_AUTO_TEST_CASE(a_number_that_does_not_exist_is_a_dash) {
  BOOST_TEST(number_or_dash({0.15, 0.1422, 0.158, 100, "wilson"}) == "0.150");
  BOOST_TEST(number_or_dash({12.34, 10, 15.06, 1, ""}, 1) == "12.3");
  BOOST_TEST(number_or_dash({0, 0, 0, 1, ""}) == "0.000");
  BOOST_TEST(number_or_dash({}) == "–");
}

BOOST_AUTO_TEST_CASE(what_is_counted_has_its_plural) {
  BOOST_TEST(counted(1, "fact") == "1 fact");
  BOOST_TEST(counted(2, "fact") == "2 facts");
  BOOST_TEST(counted(0, "fact") == "0 facts");
  BOOST_TEST(counted(1, "query") == "1 query");
  BOOST_TEST(counted(2, "query") == "2 queries");
  BOOST_TEST(counted(0, "query") == "0 queries");
  BOOST_TEST(counted(3, "day") == "3 days");  // a vowel before it
  BOOST_TEST(counted(1000, "entity answer") == "1000 entity answers");
}

BOOST_AUTO_TEST_CASE(columns_are_as_wide_as_their_widest_cell) {
  TextTable table({"name", "n", "remark"});
  table.add({"Bonn", "7", "x"});
  table.add({"Rome", "12345"});
  BOOST_TEST(table.text() ==
             "name      n  remark\n"
             "───────────────────\n"
             "Bonn      7       x\n"
             "Rome  12345\n");
}

BOOST_AUTO_TEST_CASE(accents_do_not_shift_a_column) {
  TextTable table({"città", "–"});
  table.add({"Łódź", "7"});
  table.add({"Roma", "é"});
  BOOST_TEST(table.text() ==
             "città  –\n"
             "────────\n"
             "Łódź   7\n"
             "Roma   é\n");
}

BOOST_AUTO_TEST_CASE(rules_stand_between_groups_of_rows) {
  TextTable table({"a", "b"});
  table.add({"1", "2"});
  table.add_rule();
  table.add({"3", "4"});
  BOOST_TEST(table.text() == "a  b\n────\n1  2\n────\n3  4\n");
}

BOOST_AUTO_TEST_SUITE_END()
