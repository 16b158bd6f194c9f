// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/csv_file.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(csv_file)

namespace {

using Fields = std::vector<std::string>;

struct Csv : test::TemporaryFolder {
  CsvFile read(const std::string& text, const ProblemSink& sink = throw_problem) const {
    return {write("a.csv", text), sink};
  }
  /// The records after the header.
  std::vector<Fields> fields(const std::string& text) const {
    std::vector<Fields> all;
    const CsvFile csv = read(text);
    for (const CsvRecord& record : csv.records()) all.push_back(record.fields);
    return all;
  }
  std::vector<std::size_t> lines(const std::string& text) const {
    std::vector<std::size_t> all;
    const CsvFile csv = read(text);
    for (const CsvRecord& record : csv.records()) all.push_back(record.line);
    return all;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_field_is_found_by_the_headers_name, Csv) {
  const CsvFile csv = read("name,\"full, title\",\nBonn,city,1\nRome,\"Caput, mundi\",2\n");
  BOOST_REQUIRE(csv.records().size() == 2U);
  BOOST_TEST(csv.at(csv.records()[0], "name") == "Bonn");
  BOOST_TEST(csv.at(csv.records()[1], "full, title") == "Caput, mundi");
  BOOST_TEST(csv.at(csv.records()[1], "") == "2");
  BOOST_TEST(csv.has("name"));
  BOOST_TEST(!csv.has("title"));
  BOOST_CHECK_EXCEPTION(
      (void)csv.at(csv.records()[0], "title"), Error,
      says(Fault::user, "a.csv:1: title: is not among the header's fields; add the column"));
}

BOOST_FIXTURE_TEST_CASE(quotes_hold_commas_quotes_and_line_breaks, Csv) {
  BOOST_CHECK(
      (fields("a,b\n\"x,y\",\"say \"\"hi\"\"\"\n") == std::vector<Fields>{{"x,y", "say \"hi\""}}));
  BOOST_CHECK((fields("a,b\n\"two\nlines\",\"two\r\nmore\"\n") ==
               std::vector<Fields>{{"two\nlines", "two\r\nmore"}}));
  BOOST_CHECK((fields("a,b\n\"\"\"\",\"\"\n") == std::vector<Fields>{{"\"", ""}}));
  // A quote inside an unquoted field is ordinary text.
  BOOST_CHECK((fields("a,b\n5\" disk,x\"y\"\n") == std::vector<Fields>{{"5\" disk", "x\"y\""}}));
}

// Python's csv module with delimiter "\t" writes the first table in this form; in the others,
// quotes are ordinary text.
BOOST_FIXTURE_TEST_CASE(a_table_with_tabs_has_the_same_quotes, Csv) {
  const auto tabbed = [&](const std::string& text) {
    std::vector<Fields> all;
    const CsvFile csv(write("a.tsv", text), throw_problem, '\t');
    for (const CsvRecord& record : csv.records()) all.push_back(record.fields);
    return all;
  };
  BOOST_CHECK((tabbed("a\tb\n\"x\ty\"\t\"say \"\"hi\"\"\"\n\"two\nlines\"\t1,2\r\n") ==
               std::vector<Fields>{{"x\ty", "say \"hi\""}, {"two\nlines", "1,2"}}));
  BOOST_CHECK((tabbed("a\tb\n\"Heroes\" (song)\t\"\n5\" disk\t\"open\n") ==
               std::vector<Fields>{{"\"Heroes\" (song)", "\""}, {"5\" disk", "\"open"}}));
  BOOST_CHECK((csv_header(write("b.tsv", "a\t\"b, c\"\nx\ty\n"), '\t') == Fields{"a", "b, c"}));
}

BOOST_FIXTURE_TEST_CASE(empty_fields_and_spaces_are_kept, Csv) {
  BOOST_CHECK(
      (fields("a,b,c\n,,\n x , ,\"\"\n") == std::vector<Fields>{{"", "", ""}, {" x ", " ", ""}}));
}

BOOST_FIXTURE_TEST_CASE(the_last_line_break_is_optional_and_may_be_two_bytes, Csv) {
  const std::vector<Fields> expected{{"1", "2"}, {"3", "4"}};
  for (const char* text :
       {"a,b\n1,2\n3,4\n", "a,b\n1,2\n3,4", "a,b\r\n1,2\r\n3,4\r\n", "a,b\r\n1,\"2\"\r\n3,\"4\"",
        "\xEF\xBB\xBF\"a\",b\n1,2\n3,4\r", "\n\na,b\n\n1,2\r\n\r\n3,4\n\n"}) {
    BOOST_CHECK(fields(text) == expected);
    BOOST_TEST(read(text).has("a"));
  }
}

BOOST_FIXTURE_TEST_CASE(record_knows_the_line_it_starts_on, Csv) {
  BOOST_TEST(lines("a\n1\n2\n") == (std::vector<std::size_t>{2, 3}));
  BOOST_TEST(lines("\"a\nb\"\n\n1\n\"2\n\"\"\n\"\r\n3") == (std::vector<std::size_t>{4, 5, 8}));
}

BOOST_FIXTURE_TEST_CASE(a_quoted_empty_field_is_a_record_and_a_blank_line_is_none, Csv) {
  BOOST_CHECK((fields("a\n\n\"\"\n") == std::vector<Fields>{{""}}));
}

// The fields contain arbitrary bytes. They are quoted where necessary and sometimes elsewhere.
BOOST_FIXTURE_TEST_CASE(what_is_written_by_rfc_4180_is_read_back, Csv) {
  RandomStream random(7, "csv");
  const Fields pieces{"a", ",", "\"", "\n", "\r", "\r\n", "é", " ", "漢"};
  for (int round = 0; round < 100; ++round) {
    std::vector<Fields> records(1 + random.below(4), Fields(3));
    std::string text = "a,b,c\r\n";
    for (Fields& record : records) {
      for (std::string& field : record) {
        for (std::size_t n = random.below(6); n > 0; --n) field += pieces[random.below(9)];
        std::string written;
        for (const char c : field) written += c == '"' ? "\"\"" : std::string(1, c);
        const bool needed = field.find_first_of(",\"\r\n") != std::string::npos;
        if (needed || random.below(2) == 0) written = "\"" + written + "\"";
        text += written + (&field == &record.back() ? "\r\n" : ",");
      }
    }
    BOOST_CHECK(fields(text) == records);
  }
}

BOOST_FIXTURE_TEST_CASE(a_record_of_another_length_is_reported_and_left_out, Csv) {
  std::vector<std::string> problems;
  const CsvFile csv = read("a,b\n1,2\n3\n\"4\n\",5,6\n7,8\n", [&](const Error& error) {
    problems.emplace_back(error.what());
    BOOST_TEST((error.fault() == Fault::user));
  });
  BOOST_TEST(csv.records().size() == 2U);
  BOOST_TEST(csv.at(csv.records()[1], "b") == "8");
  const std::string name = (path() / "a.csv").string();
  const std::string remedy = "; write one field for each name in the header";
  BOOST_TEST(problems == (Fields{name + ":3: 1 fields instead of 2" + remedy,
                                 name + ":4: 3 fields instead of 2" + remedy}),
             boost::test_tools::per_element());
  BOOST_CHECK_EXCEPTION(read("a,b\n1,2\n3\n"), Error, says(Fault::user, "a.csv:3: 1 fields"));
}

BOOST_FIXTURE_TEST_CASE(a_file_that_is_no_csv_is_refused_at_its_line, Csv) {
  BOOST_CHECK_EXCEPTION(CsvFile(*this / "none.csv", throw_problem), Error,
                        says(Fault::user, "none.csv: cannot be read; check that it exists"));
  BOOST_CHECK_EXCEPTION(read("a,b\n1,2\n3,caf\xE9\n"), Error,
                        says(Fault::user, "a.csv:3: not UTF-8; convert the file"));
  for (const char* empty : {"", "\n\r\n", "\xEF\xBB\xBF"}) {
    BOOST_CHECK_EXCEPTION(
        read(empty), Error,
        says(Fault::user, "a.csv: is empty; its first line must name the fields"));
  }
  BOOST_CHECK_EXCEPTION(read("a,b\n\"1\n\",\"2\n3,4\n5,6\n"), Error,
                        says(Fault::user,
                             "a.csv:3: a quote is opened here and never closed; close it, and "
                             "double any quotes inside a field"));
  BOOST_CHECK_EXCEPTION(read("a,b\n1,\""), Error, says(Fault::user, "a.csv:2: a quote is opened"));
  BOOST_CHECK_EXCEPTION(read("a,b\n1,\"x\"\""), Error, says(Fault::user, "a.csv:2: a quote is"));
}

BOOST_FIXTURE_TEST_CASE(a_column_that_stands_twice_is_refused, Csv) {
  BOOST_CHECK_EXCEPTION(read("a,b,a\n1,2,3\n"), Error,
                        says(Fault::user, "a.csv:1: a: appears twice in the header; keep one"));
  BOOST_CHECK_EXCEPTION(read("\n\"x y\",\"x y\"\n1,2\n"), Error,
                        says(Fault::user, "a.csv:2: x y: appears twice in the header"));
  BOOST_TEST(read("a,,,\n1,,,\n").records().size() == 1U);  // empty columns of a spreadsheet
}

BOOST_FIXTURE_TEST_CASE(text_behind_a_closing_quote_is_reported, Csv) {
  const auto left = [&](const std::string& text) {
    std::vector<std::string> problems;
    const std::size_t records =
        read(text, [&](const Error& error) { problems.emplace_back(error.what()); })
            .records()
            .size();
    BOOST_REQUIRE(problems.size() == 1U);
    BOOST_TEST(
        problems[0].ends_with("a.csv:2: text follows a closing quote; put the whole "
                              "field in quotes, and double the quotes inside"));
    return records;
  };
  for (const char* text : {"\"Ro\"me,2", "1,\"Ro\"me", "\"\"x,2", "\"Ro\" ,2", "\"a\" \"b\",2"}) {
    BOOST_TEST(left("a,b\n" + std::string(text) + "\n3,4\n") == 1U, text);
  }
  BOOST_CHECK(
      (fields("a,b\n\"Rome\",\"x\"\r\n\"y\",z") == std::vector<Fields>{{"Rome", "x"}, {"y", "z"}}));
  BOOST_CHECK_EXCEPTION(read("\"a\"b,c\n1,2\n"), Error,
                        says(Fault::user, "a.csv:1: text follows a closing quote"));
}

BOOST_FIXTURE_TEST_CASE(a_header_that_stands_again_is_reported, Csv) {
  std::vector<std::string> problems;
  const CsvFile csv = read("a,b\n1,2\n\"a\",b\n3,4\n",
                           [&](const Error& error) { problems.emplace_back(error.what()); });
  BOOST_TEST(csv.records().size() == 2U);
  BOOST_REQUIRE(problems.size() == 1U);
  BOOST_TEST(problems[0].ends_with("a.csv:3: repeats the header; remove the line"));
}

BOOST_AUTO_TEST_SUITE_END()
