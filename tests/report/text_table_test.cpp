// SPDX-License-Identifier: Apache-2.0
#include "plumb/report/text_table.hpp"

#include <boost/test/unit_test.hpp>

using namespace plumb;

BOOST_AUTO_TEST_SUITE(text_table)

BOOST_AUTO_TEST_CASE(an_estimate_stands_with_its_interval) {
  BOOST_TEST(with_interval({0.15, 0.1422, 0.158, 100, "wilson"}) == "0.150 [0.142, 0.158]");
  BOOST_TEST(with_interval({12.34, 10, 15.06, 100, "bootstrap"}, 1) == "12.3 [10.0, 15.1]");
  BOOST_TEST(with_interval({-0.0001, -0.02, 0.01, 9, "fisher"}) == "0.000 [-0.020, 0.010]");
  BOOST_TEST(with_interval({}) == "–");
}

BOOST_AUTO_TEST_CASE(a_number_that_does_not_exist_is_a_dash) {
  BOOST_TEST(number_or_dash({0.15, 0.1422, 0.158, 100, "wilson"}) == "0.150");
  BOOST_TEST(number_or_dash({12.34, 10, 15.06, 1, ""}, 1) == "12.3");
  BOOST_TEST(number_or_dash({0, 0, 0, 1, ""}) == "0.000");
  BOOST_TEST(number_or_dash({}) == "–");
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
