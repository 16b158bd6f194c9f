// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/text_table.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <utility>
#include <vector>

using namespace plumb::detail;

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

namespace {

/// The table is 4 + 2 + 5 + 2 + 3 + 2 + 6 = 24 characters wide.
TextTable of_cities(std::vector<ColumnWeight> weights = {}) {
  TextTable table({"city", "facts", "MRR", "remark"}, std::move(weights));
  table.add({"Bonn", "7", "0.5", "x"});
  table.add_rule();
  table.add({"Łódź", "12", "0.1"});
  return table;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_table_that_fits_is_whole) {
  const std::string whole =
      "city  facts  MRR  remark\n"
      "────────────────────────\n"
      "Bonn      7  0.5       x\n"
      "────────────────────────\n"
      "Łódź     12  0.1\n";
  BOOST_TEST(of_cities().text() == whole);
  BOOST_TEST(of_cities().text({0, "see it"}) == whole);
  BOOST_TEST(of_cities().text({24, "see it"}) == whole);
}

BOOST_AUTO_TEST_CASE(of_one_that_is_too_wide_the_last_columns_go_first) {
  BOOST_TEST(of_cities().text({23, "see report.html"}) ==
             "city  facts  MRR\n"
             "────────────────\n"
             "Bonn      7  0.5\n"
             "────────────────\n"
             "Łódź     12  0.1\n"
             "Left out to fit 23 of 24 characters:\nremark; see report.html.\n");
  BOOST_TEST(of_cities().text({15}).ends_with("to fit 15 of 24 characters:\nMRR, remark.\n"));
}

BOOST_AUTO_TEST_CASE(columns_of_less_weight_go_before_the_last) {
  using enum ColumnWeight;
  // Without facts, the width is 4 + 2 + 3 + 2 + 6 = 17.
  BOOST_TEST(of_cities({usual, minor}).text({17}).starts_with("city  MRR  remark\n───"));
  // Then MRR is omitted too, because remark is major.
  const std::string narrow = of_cities({usual, minor, usual, major}).text({16});
  BOOST_TEST(narrow.starts_with("city  remark\n────────────\nBonn       x\n"));
  BOOST_TEST(narrow.ends_with("Left out to fit 16 of 24 characters:\nfacts, MRR.\n"));
}

BOOST_AUTO_TEST_CASE(intervals_go_before_their_column) {
  // The width is 4 + 2 + 3 + 2 + 15 + 2 + 15 = 43 characters.
  TextTable table({"city", "n", "share [95%]", "MRR [95%]"},
                  {ColumnWeight::usual, ColumnWeight::minor});
  table.add({"Bonn", "123", "0.50 [0.4, 0.6]", "0.25 [0.2, 0.3]"});
  BOOST_TEST(table.text({43}).starts_with("city    n      share [95%]        MRR [95%]\n"));
  BOOST_TEST(table.text({42}).starts_with("city      share [95%]        MRR [95%]\n"));
  // Without n, the width is 38. Then the intervals of the last column are omitted, and n fits
  // again: 4 + 2 + 3 + 2 + 15 + 2 + 4 = 32.
  BOOST_TEST(table.text({37}) ==
             "city    n      share [95%]   MRR\n"
             "────────────────────────────────\n"
             "Bonn  123  0.50 [0.4, 0.6]  0.25\n"
             "Left out to fit 37 of 43 characters:\nintervals of MRR.\n");
  // The width is 4 + 2 + 15 + 2 + 4 = 27 without n, and 4 + 2 + 3 + 2 + 5 + 2 + 4 = 22 without any
  // interval.
  BOOST_TEST(table.text({31}).starts_with("city      share [95%]   MRR\n"));
  BOOST_TEST(table.text({31}).ends_with("characters: n,\nintervals of MRR.\n"));
  BOOST_TEST(table.text({26}).starts_with("city    n  share   MRR\n"));
  // The width is 4 + 2 + 5 + 2 + 4 = 17, and 11 with only the share column, which is kept but
  // without its interval.
  BOOST_TEST(table.text({17}).starts_with("city  share   MRR\n"));
  BOOST_TEST(table.text({16}).starts_with("city    n  share\n"));
  BOOST_TEST(table.text({15}).starts_with("city  share\n"));
  BOOST_TEST(table.text({1}).starts_with("city  share\n"));
  BOOST_TEST(table.text({1}).ends_with(": n,\nMRR, intervals of share.\n"));
}

BOOST_AUTO_TEST_CASE(lines_break_at_blanks) {
  BOOST_TEST(in_lines("one two  three", 7) == "one two\nthree");
  BOOST_TEST(in_lines("Łódź two", 8) == "Łódź two");
  BOOST_TEST(in_lines("Łódź two", 7) == "Łódź\ntwo");
  BOOST_TEST(in_lines("longer than that", 2) == "longer\nthan\nthat");
  BOOST_TEST(in_lines("one  two", 0) == "one  two");
  BOOST_TEST(in_lines("", 5) == "");
}

BOOST_AUTO_TEST_CASE(a_narrow_column_comes_back_where_a_wide_one_made_room) {
  // First z is omitted, then the column before it: the width is 1 + 2 + 8 = 11 without both, and 14
  // after z is added back.
  TextTable table({"a", "wide one", "wider than that", "z"});
  BOOST_TEST(table.text({14}).starts_with("a  wide one  z\n"));
  BOOST_TEST(table.text({13}).starts_with("a  wide one\n"));
}

BOOST_AUTO_TEST_CASE(two_columns_stay_however_narrow_the_terminal_is) {
  BOOST_TEST(of_cities().text({1}).starts_with("city  facts\n───────────\n"));
  BOOST_TEST(TextTable({"alone"}).text({1}) == "alone\n");
  BOOST_TEST(TextTable({}).text({1}) == "\n");
}

BOOST_AUTO_TEST_CASE(a_cell_keeps_to_its_line_and_commands_nothing) {
  TextTable table({"name", "n"});
  table.add({"a\x1b[2J\nb", "1"});
  BOOST_TEST(table.text() ==
             "name               n\n"
             "────────────────────\n"
             "a\\u001b[2J\\u000ab  1\n");
}

BOOST_AUTO_TEST_CASE(missing_interval_is_shown_as_a_dash) {
  BOOST_TEST(with_interval(without_interval(1, 1)) == "1.000 [–]");
  BOOST_TEST(number_or_dash(without_interval(1, 1)) == "1.000");
}

BOOST_AUTO_TEST_SUITE_END()
