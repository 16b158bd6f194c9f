// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/journal.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::slurp;

BOOST_AUTO_TEST_SUITE(journal)

namespace {

const Json three_rows = Json::parse(R"([{"score": -0.25, "above": 3}, {"score": -1e-12}, null])");

/// A folder with a journal that contains three packs of one part.
struct ThreePacks {
  ThreePacks() {
    Journal journal(file);
    for (std::size_t pack = 0; pack < 3; ++pack) journal.append("P36", pack, three_rows.dump());
  }
  test::TemporaryFolder folder;
  std::filesystem::path file = folder / "journal.jsonl";
};

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_appended_is_found_now_and_after_opening_again) {
  const test::TemporaryFolder folder;
  const auto file = folder / "journal.jsonl";
  {
    Journal journal(file);
    BOOST_TEST(!journal.find("P36", 0).has_value());
    journal.append("P36", 0, three_rows.dump());
    BOOST_CHECK(journal.find("P36", 0).value() == three_rows);
    journal.append("P30", 1, "[]");  // appends at the end after reading in the middle
    BOOST_CHECK(journal.find("P36", 0).value() == three_rows);
    BOOST_CHECK(journal.find("P30", 1).value() == Json::array());
  }
  Journal again(file);
  BOOST_CHECK(again.find("P36", 0).value() == three_rows);
  BOOST_CHECK(again.find("P30", 1).value() == Json::array());
  BOOST_TEST(!again.find("P36", 1).has_value());
  BOOST_TEST(!again.find("P30", 0).has_value());
  BOOST_TEST(!again.find("", 0).has_value());
}

BOOST_FIXTURE_TEST_CASE(a_finished_journal_is_read_and_left_as_it_is, ThreePacks) {
  // A line that is still being written is ignored, but it is not cut off.
  const std::string text = slurp(file) + "{\"version\":2,\"part\":\"P36\",\"pack\":3";
  folder.write("journal.jsonl", text);
  FinishedJournal journal(file);
  BOOST_CHECK(journal.find("P36", 1).value() == three_rows);
  BOOST_CHECK(journal.find("P36", 0).value() == three_rows);
  BOOST_TEST(!journal.find("P36", 3).has_value());
  BOOST_TEST(!journal.find("P30", 0).has_value());
  BOOST_TEST(slurp(file) == text);
  BOOST_CHECK_EXCEPTION(FinishedJournal(folder / "absent"), Error,
                        test::says(Fault::user, "absent: "));
}

// The expected hash was computed by another program, with the constants of the reference code.
BOOST_AUTO_TEST_CASE(a_line_is_what_the_header_promises) {
  const test::TemporaryFolder folder;
  Journal journal(folder / "journal.jsonl");
  journal.append("P36", 7, "[-0.25]");
  journal.mark_done("P36", Json{{"statements", 3}});
  BOOST_TEST(slurp(folder / "journal.jsonl") ==
             R"({"version":2,"part":"P36","pack":7,"rows":[-0.25],"checksum":"044ea969d37697ab"})"
             "\n"
             R"({"version":2,"part":"P36","done":{"statements":3},"checksum":"34d75eda387a6b2d"})"
             "\n");
}

BOOST_AUTO_TEST_CASE(numbers_come_back_to_the_last_bit) {
  const test::TemporaryFolder folder;
  const double third = -1.0 / 3, tiny = 5e-324, large = 1.7976931348623157e308;
  Journal(folder / "journal.jsonl").append("P36", 0, Json{third, tiny, large}.dump());
  const Json rows = Journal(folder / "journal.jsonl").find("P36", 0).value();
  BOOST_TEST(rows.at(0).get<double>() == third);
  BOOST_TEST(rows.at(1).get<double>() == tiny);
  BOOST_TEST(rows.at(2).get<double>() == large);
}

BOOST_AUTO_TEST_CASE(parts_and_rows_may_hold_any_text) {
  const test::TemporaryFolder folder;
  const Json rows{"a\nb", "\"quoted\\", "столица", ",\"checksum\":\"0\"}"};
  for (const char* part : {"\"quoted\\", "столица", "a\nb,{c}"}) {
    Journal(folder / "journal.jsonl").append(part, 0, rows.dump());
  }
  Journal again(folder / "journal.jsonl");
  for (const char* part : {"\"quoted\\", "столица", "a\nb,{c}"}) {
    BOOST_CHECK(again.find(part, 0).value() == rows);
  }
}

BOOST_AUTO_TEST_CASE(summary_of_a_finished_part_is_stored) {
  const test::TemporaryFolder folder;
  const Json said{{"statements", 1}, {"tokens", (std::uint64_t{1} << 40) + 1}};
  {
    Journal journal(folder / "journal.jsonl");
    BOOST_TEST(!journal.done("P36").has_value());
    journal.mark_done("P36", said);
    BOOST_CHECK(journal.done("P36").value() == said);
  }
  Journal again(folder / "journal.jsonl");
  BOOST_CHECK(again.done("P36").value() == said);
  BOOST_TEST(!again.find("P36", 0).has_value());
}

// A process may die while writing any byte of a line.
BOOST_FIXTURE_TEST_CASE(restarted_part_stays_discarded_after_reopening, ThreePacks) {
  const auto size = std::filesystem::file_size(file);
  {
    Journal journal(file);
    journal.restart_part("P30");  // this part has no lines
    BOOST_TEST(std::filesystem::file_size(file) == size);
    journal.append("P3", 0, "[]");
    journal.mark_done("P36", Json(1));
    journal.restart_part("P36");
    BOOST_TEST(!journal.find("P36", 0).has_value());
    BOOST_TEST(!journal.done("P36").has_value());
    BOOST_TEST(journal.find("P3", 0).has_value());
    journal.append("P36", 1, "[7]");
  }
  Journal again(file);
  BOOST_TEST(!again.find("P36", 0).has_value());
  BOOST_CHECK(again.find("P36", 1).value() == Json::array({7}));
  BOOST_TEST(!again.find("P36", 2).has_value());
  BOOST_TEST(!again.done("P36").has_value());
  BOOST_TEST(again.find("P3", 0).has_value());
}

BOOST_FIXTURE_TEST_CASE(a_torn_last_line_is_cut_off_wherever_it_broke, ThreePacks) {
  const std::string whole = slurp(file);
  const std::size_t two_lines = whole.find('\n', whole.find('\n') + 1) + 1;
  for (std::size_t size = two_lines; size < whole.size(); ++size) {
    folder.write("journal.jsonl", whole.substr(0, size));
    {
      Journal journal(file);
      BOOST_TEST(slurp(file).size() == two_lines);
      BOOST_TEST(journal.find("P36", 1).has_value());
      BOOST_TEST(!journal.find("P36", 2).has_value());
      journal.append("P36", 2, three_rows.dump());
    }
    BOOST_TEST(slurp(file) == whole);
  }
}

BOOST_AUTO_TEST_CASE(a_journal_that_is_only_a_torn_line_becomes_empty) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("journal.jsonl", R"({"version":2,"part":"P3)");
  Journal journal(file);
  BOOST_TEST(slurp(file).empty());
}

// A flipped bit in the last newline only causes the last pack to be evaluated again; every other
// flipped bit is reported as an error.
BOOST_FIXTURE_TEST_CASE(every_flipped_bit_is_refused_or_loses_the_last_pack, ThreePacks) {
  const std::string whole = slurp(file);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
      folder.write("journal.jsonl", changed);
      bool refused = false;
      try {
        Journal journal(file);
        BOOST_TEST(at == whole.size() - 1);  // the newline that ends the last line
        BOOST_TEST(!journal.find("P36", 2).has_value());
        BOOST_CHECK(journal.find("P36", 1).value() == three_rows);
      } catch (const Error& error) {
        refused = error.fault() == Fault::user;
        BOOST_TEST(slurp(file) == changed);
      }
      BOOST_TEST(refused == (at != whole.size() - 1));
    }
  }
}

BOOST_FIXTURE_TEST_CASE(a_damaged_earlier_line_is_refused_by_file_and_line, ThreePacks) {
  const std::string whole = slurp(file);
  const std::size_t begin = whole.find('\n') + 1;
  const std::size_t end = whole.find('\n', begin);
  const std::string line = whole.substr(begin, end - begin);
  const auto refused = [&](const std::string& damage, const std::string& words) {
    const std::string changed = whole.substr(0, begin) + damage + whole.substr(end);
    folder.write("journal.jsonl", changed);
    BOOST_CHECK_EXCEPTION(Journal{file}, Error,
                          test::says(Fault::user, file.string() + ":2: " + words));
    BOOST_TEST(slurp(file) == changed);
  };
  for (const char* damage : {"", "not json", "[]", "{}", "null", "\xff\xfe"}) {
    refused(damage,
            "is not a journal line; the file was changed; delete the line to evaluate its pack "
            "again");
  }
  const std::string damaged =
      "is damaged: its checksum does not match; delete the line to evaluate its pack";
  refused(line.substr(0, line.size() - 1), damaged);
  refused(line + " ", damaged);
  refused(R"({"version":2,"part":"P36"})", damaged);
  refused(R"({"version":2,)", damaged);
  std::string other = line;
  other.replace(other.find("-0.25"), 5, "-0.26");
  refused(other, damaged);
}

// The lines have a correct checksum but the wrong content.
BOOST_AUTO_TEST_CASE(a_sound_line_that_is_no_packs_is_refused) {
  for (const char* fields :
       {R"("part":"P36")", R"("part":5,"done":{})", R"("done":{})", R"("part":"P36","pack":7)",
        R"("part":"P36","pack":-1,"rows":[])", R"("part":"P36","pack":"7","rows":[])",
        R"("pack":7,"rows":[])", R"("part":"P36","pack":7,"rows":)", R"(nonsense)"}) {
    std::string line = std::string("{\"version\":2,") + fields;
    line += ",\"checksum\":\"" + fnv1a_hex(line) + "\"}\n";
    const test::TemporaryFolder folder;
    const auto file = folder.write("journal.jsonl", line);
    BOOST_CHECK_EXCEPTION(Journal{file}, Error,
                          test::says(Fault::user, file.string() + ":1: is not a journal line"));
  }
}

// Lines in the formats of earlier versions of plumb and of a possible later version.
BOOST_AUTO_TEST_CASE(lines_of_another_version_are_refused_in_words) {
  for (const char* line :
       {R"({"relation":"P36","block":0,"pack":7,"scores":[[-1,-1,2,1,-1,1]]})",
        R"({"part":"likelihood","pack":7,"rows":[]})", R"({"version":3,"part":"P36","pack":7})"}) {
    const test::TemporaryFolder folder;
    const auto file = folder.write("journal.jsonl", std::string(line) + "\n");
    BOOST_CHECK_EXCEPTION(
        Journal{file}, Error,
        test::says(
            Fault::user,
            ":1: was written by another version of plumb and cannot be resumed by this one; start "
            "again in another folder, or resume with that version"));
  }
}

BOOST_AUTO_TEST_CASE(a_journal_that_cannot_be_opened_is_a_user_error) {
  const test::TemporaryFolder folder;
  BOOST_CHECK_EXCEPTION(Journal{folder / "absent/journal.jsonl"}, Error,
                        test::says(Fault::user, "cannot be written"));
}

BOOST_AUTO_TEST_SUITE_END()
