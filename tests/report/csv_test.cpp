// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/csv.hpp"

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "plumb/detail/core/printable.hpp"
#include "plumb/detail/core/random.hpp"
#include "plumb/detail/data/csv_file.hpp"
#include "support/any_text.hpp"
#include "support/memory_disk.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(csv)

BOOST_AUTO_TEST_CASE(plain_cells_stand_as_they_are) {
  BOOST_TEST(csv_line({"relation", "0.5", "São Tomé"}) == "relation,0.5,São Tomé\n");
  BOOST_TEST(csv_line({"", "", "x"}) == ",,x\n");
  BOOST_TEST(csv_line({"one"}) == "one\n");
}

// These are rules 5 to 7 in RFC 4180, section 2.
BOOST_AUTO_TEST_CASE(cells_that_would_break_the_line_are_quoted) {
  BOOST_TEST(csv_line({"a,b", "c"}) == "\"a,b\",c\n");
  BOOST_TEST(csv_line({"say \"yes\""}) == "\"say \"\"yes\"\"\"\n");
  BOOST_TEST(csv_line({"two\nlines", "back\rthere"}) == "\"two\nlines\",\"back\rthere\"\n");
  BOOST_TEST(csv_line({"\""}) == "\"\"\"\"\n");
}

BOOST_AUTO_TEST_CASE(random_cells_are_read_back_as_they_were) {
  RandomStream random(59, "cells");
  for (int round = 0; round < 100; ++round) {
    const std::size_t columns = 1 + random.below(5);
    std::vector<std::string> names;
    for (std::size_t c = 0; c < columns; ++c) names.push_back("c" + std::to_string(c));
    std::string text = csv_line(names);
    std::vector<std::vector<std::string>> rows(random.below(6));
    for (auto& cells : rows) {
      // Readers skip empty lines, and spreadsheets treat some initial characters as the start of a
      // formula.
      for (std::size_t c = 0; c < columns; ++c) {
        cells.push_back(printable("x" + test::any_text(random), "\t\r\n"));
      }
      text += csv_line(cells);
    }
    test::MemoryDisk disk;
    const CsvFile file(disk.put("a.csv", text), throw_problem);
    BOOST_REQUIRE(file.records().size() == rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r) BOOST_TEST(file.records()[r].fields == rows[r]);
  }
}

// According to OWASP ("CSV Injection"), a spreadsheet may run a string as a formula if it begins
// with =, +, -, @, a tab or a carriage return.
BOOST_AUTO_TEST_CASE(texts_that_a_spreadsheet_would_run_have_an_apostrophe) {
  BOOST_TEST(csv_line({"=1+1", "@SUM(A1)", "+49 30", "-1+1", "plain"}) ==
             "'=1+1,'@SUM(A1),'+49 30,'-1+1,plain\n");
  BOOST_TEST(csv_line({"=HYPERLINK(\"x\",\"y\")"}) == "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\"\n");
  BOOST_TEST(csv_line({"\tx", "\rx", "-", "--1", "+-1"}) == "'\tx,\"'\rx\",'-,'--1,'+-1\n");
}

// A terminal that prints the file must not execute control sequences contained in its names.
BOOST_AUTO_TEST_CASE(control_characters_are_written_out) {
  BOOST_TEST(csv_line({"=\x1b[31mred", "a\u202Eb", std::string("nul\0", 4), "tab\tand\nline"}) ==
             "'=\\u001b[31mred,a\\u202eb,nul\\u0000,\"tab\tand\nline\"\n");
}

BOOST_AUTO_TEST_CASE(numbers_stay_numbers) {
  BOOST_TEST(csv_line({"-1.5", "+3", "-0.00000001", "-1e-05", "-inf", "0"}) ==
             "-1.5,+3,-0.00000001,-1e-05,-inf,0\n");
}

BOOST_AUTO_TEST_CASE(a_number_without_an_interval_has_empty_ends) {
  EstimateCsv csv({"of"});
  csv.add({"x"}, without_interval(-1, 3));
  BOOST_TEST(csv.text() == "of,value,low,high,count\nx,-1.00000000,,,3\n");
}

BOOST_AUTO_TEST_CASE(a_number_that_does_not_exist_is_an_empty_cell) {
  EstimateCsv csv({"of"});
  csv.add({"none"}, Estimate{});
  csv.add({"nan"}, Estimate{no_number, 0, 1, 3, "wilson"});
  csv.add_number({"plain"}, no_number);
  csv.add_number({"absent"}, std::nullopt);
  csv.add_number({"zero"}, 0);
  BOOST_TEST(csv.text() ==
             "of,value,low,high,count\nnone,,,,0\nnan,,,,0\nplain,,,,\nabsent,,,,\n"
             "zero,0.00000000,,,\n");
  BOOST_TEST(csv_number(no_number) == "");
  BOOST_TEST(csv_number(0.25, 2) == "0.25");
}

BOOST_AUTO_TEST_CASE(a_small_p_does_not_become_zero) {
  BOOST_TEST(csv_number(2.41e-38) == "2.41e-38");
  BOOST_TEST(csv_number(-1.23456789e-9) == "-1.2345679e-09");
  BOOST_TEST(csv_number(1.5e-7) == "0.00000015");
  BOOST_TEST(csv_number(0) == "0.00000000");
}

BOOST_AUTO_TEST_CASE(all_digits_of_a_number_tell_it_from_every_other) {
  BOOST_TEST(csv_digits(0.1) == "0.1");
  BOOST_TEST(csv_digits(1.0 / 3) == "0.3333333333333333");
  BOOST_TEST(csv_digits(2.5e-300) == "2.5e-300");
  BOOST_TEST(csv_digits(no_number) == "");
}

BOOST_AUTO_TEST_SUITE_END()
