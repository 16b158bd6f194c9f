// SPDX-License-Identifier: Apache-2.0
#include "plumb/run/part_journal.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb;
using test::slurp;

BOOST_AUTO_TEST_SUITE(part_journal)

namespace {

const Json three_rows = Json::parse(R"([{"score": -1.5, "above": 3}, {"score": 0.1}, [1, "é"]])");

/// A folder with a journal of three packs.
struct ThreePacks {
  ThreePacks() {
    PartJournal journal(file);
    for (std::size_t pack = 0; pack < 3; ++pack) journal.append("likelihood", pack, three_rows);
  }
  test::TemporaryFolder folder;
  std::filesystem::path file = folder / "journal.jsonl";
};

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_appended_is_found_now_and_after_opening_again) {
  const test::TemporaryFolder folder;
  const auto file = folder / "journal.jsonl";
  const Json other = Json::parse(R"([{"score": -2}])");
  {
    PartJournal journal(file);
    BOOST_TEST(!journal.find("likelihood", 0).has_value());
    journal.append("likelihood", 0, three_rows);
    BOOST_CHECK(journal.find("likelihood", 0).value() == three_rows);
    journal.append("likelihood", 1, other);  // goes on at the end after reading in the middle
    BOOST_CHECK(journal.find("likelihood", 0).value() == three_rows);
    BOOST_CHECK(journal.find("likelihood", 1).value() == other);
  }
  PartJournal again(file);
  BOOST_CHECK(again.find("likelihood", 0).value() == three_rows);
  BOOST_CHECK(again.find("likelihood", 1).value() == other);
  BOOST_TEST(!again.find("likelihood", 2).has_value());
}

BOOST_AUTO_TEST_CASE(parts_of_a_job_have_packs_of_their_own) {
  const test::TemporaryFolder folder;
  {
    PartJournal journal(folder / "journal.jsonl");
    journal.append("queries", 0, Json::array());
    journal.append("entities", 1, Json::array());
    BOOST_TEST(journal.find("queries", 0).has_value());
    BOOST_TEST(!journal.find("queries", 1).has_value());
    BOOST_TEST(!journal.find("entities", 0).has_value());
    BOOST_TEST(journal.find("entities", 1).has_value());
    BOOST_TEST(!journal.find("", 0).has_value());
  }
  PartJournal again(folder / "journal.jsonl");
  BOOST_TEST(again.find("queries", 0).has_value());
  BOOST_TEST(!again.find("queries", 1).has_value());
  BOOST_TEST(!again.find("entities", 0).has_value());
  BOOST_TEST(again.find("entities", 1).has_value());
}

BOOST_AUTO_TEST_CASE(vectors_have_no_rows) {
  const test::TemporaryFolder folder;
  PartJournal(folder / "journal.jsonl").append("queries", 4, Json::array());
  PartJournal journal(folder / "journal.jsonl");
  const auto rows = journal.find("queries", 4);
  BOOST_REQUIRE(rows.has_value());
  BOOST_TEST((rows->is_array() && rows->empty()));
}

BOOST_AUTO_TEST_CASE(a_line_is_what_the_header_promises) {
  const test::TemporaryFolder folder;
  PartJournal journal(folder / "journal.jsonl");
  journal.append("likelihood", 7, Json::parse(R"([{"score": -0.25}])"));
  journal.append("entities", 0, Json::array());
  BOOST_TEST(slurp(folder / "journal.jsonl") ==
             R"({"part":"likelihood","pack":7,"rows":[{"score":-0.25}]})"
             "\n"
             R"({"part":"entities","pack":0,"rows":[]})"
             "\n");
}

BOOST_AUTO_TEST_CASE(numbers_come_back_to_the_last_bit) {
  const test::TemporaryFolder folder;
  const double third = -1.0 / 3, tiny = 5e-324, large = 1.7976931348623157e308;
  {
    PartJournal journal(folder / "journal.jsonl");
    journal.append("likelihood", 0, Json{third, tiny, large});
  }
  const Json rows = PartJournal(folder / "journal.jsonl").find("likelihood", 0).value();
  BOOST_TEST(rows.at(0).get<double>() == third);
  BOOST_TEST(rows.at(1).get<double>() == tiny);
  BOOST_TEST(rows.at(2).get<double>() == large);
}

BOOST_AUTO_TEST_CASE(parts_and_rows_may_hold_any_text) {
  const test::TemporaryFolder folder;
  const Json rows{"a\nb", "\"quoted\\", "столица"};
  for (const char* part : {"\"quoted\\", "столица", "a\nb,{c}"}) {
    PartJournal(folder / "journal.jsonl").append(part, 0, rows);
  }
  PartJournal again(folder / "journal.jsonl");
  for (const char* part : {"\"quoted\\", "столица", "a\nb,{c}"}) {
    BOOST_CHECK(again.find(part, 0).value() == rows);
  }
}

// A process may die at any byte of a line.
BOOST_FIXTURE_TEST_CASE(a_torn_last_line_is_cut_off_wherever_it_broke, ThreePacks) {
  const std::string whole = slurp(file);
  const std::size_t two_lines = whole.find('\n', whole.find('\n') + 1) + 1;
  for (std::size_t size = two_lines; size < whole.size(); ++size) {
    folder.write("journal.jsonl", whole.substr(0, size));
    {
      PartJournal journal(file);
      BOOST_TEST(slurp(file).size() == two_lines);
      BOOST_CHECK(journal.find("likelihood", 1).value() == three_rows);
      BOOST_TEST(!journal.find("likelihood", 2).has_value());
      journal.append("likelihood", 2, three_rows);
      BOOST_CHECK(journal.find("likelihood", 2).value() == three_rows);
    }
    BOOST_TEST(slurp(file) == whole);
  }
}

BOOST_FIXTURE_TEST_CASE(a_damaged_earlier_line_is_refused_by_file_and_line, ThreePacks) {
  const std::string whole = slurp(file);
  const std::size_t begin = whole.find('\n') + 1;
  const std::size_t end = whole.find('\n', begin);
  for (const char* damage :
       {"", "not json", "[]", "{}", "null", R"({"part":"likelihood"})",
        R"({"part":"likelihood","pack":1})", R"({"part":"likelihood","rows":[]})",
        R"({"pack":1,"rows":[]})", R"({"part":7,"pack":1,"rows":[]})",
        R"({"part":"likelihood","pack":"1","rows":[]})",
        R"({"part":"likelihood","pack":1,"rows":[])", R"({"rows":1e999})", "\xff\xfe"}) {
    const std::string changed = whole.substr(0, begin) + damage + whole.substr(end);
    folder.write("journal.jsonl", changed);
    BOOST_CHECK_EXCEPTION(
        PartJournal{file}, Error,
        test::says(Fault::user, file.string() +
                                    ":2: is not a journal line; the file was changed by hand; "
                                    "start anew in another --out"));
    BOOST_TEST(slurp(file) == changed);
  }
}

BOOST_AUTO_TEST_CASE(a_journal_that_cannot_be_opened_is_the_users_to_mend) {
  const test::TemporaryFolder folder;
  BOOST_CHECK_EXCEPTION(PartJournal{folder / "absent/journal.jsonl"}, Error,
                        test::says(Fault::user, "cannot be written"));
}

BOOST_AUTO_TEST_SUITE_END()
