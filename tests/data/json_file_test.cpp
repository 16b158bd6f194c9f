// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/json_file.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(json_file_suite)

namespace {

/// The valid lines, and the messages for the problems.
struct Lines {
  std::vector<std::pair<std::size_t, Json>> sound;
  std::vector<std::string> problems;
};

Lines read_lines(const std::filesystem::path& file) {
  Lines lines;
  const ProblemSink sink = [&](const Error& error) { lines.problems.emplace_back(error.what()); };
  for_each_json_line(file, sink, [&](const Json& object, std::size_t line) {
    lines.sound.emplace_back(line, object);
  });
  return lines;
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_object_is_read_with_its_keys_in_order) {
  const test::TemporaryFolder folder;
  const Json object =
      read_json_object(folder.write("a.json", R"({"z": 1, "a": [true], "m": "é"})"));
  BOOST_TEST(object.dump() == R"({"z":1,"a":[true],"m":"é"})");
}

BOOST_AUTO_TEST_CASE(a_file_that_is_not_json_is_refused_at_its_line) {
  const test::TemporaryFolder folder;
  BOOST_CHECK_EXCEPTION(read_json_object(folder.write("a.json", "{\"a\": 1,\n\n  b: 2}\n")), Error,
                        says(Fault::user, "a.json:3: not JSON (byte 13); fix the syntax there"));
  BOOST_CHECK_EXCEPTION(read_json_object(folder.write("cut.json", "{\"a\": [1,\n")), Error,
                        says(Fault::user, "cut.json:2: not JSON"));
  BOOST_CHECK_EXCEPTION(read_json_object(folder.write("empty.json", "")), Error,
                        says(Fault::user, "empty.json:1: not JSON"));
  BOOST_CHECK_EXCEPTION(read_json_object(folder.write("list.json", "[1, 2]")), Error,
                        says(Fault::user,
                             "list.json:1: is JSON but not an object; "
                             "write {…}"));
}

BOOST_AUTO_TEST_CASE(a_file_that_is_not_utf8_is_refused_at_its_line) {
  const test::TemporaryFolder folder;
  BOOST_CHECK_EXCEPTION(read_json_object(folder.write("a.json", "{\n\"a\": \"caf\xE9\"}")), Error,
                        says(Fault::user, "a.json:2: not UTF-8 at byte 12"));
}

BOOST_AUTO_TEST_CASE(a_number_too_large_for_a_double_is_refused) {
  const test::TemporaryFolder folder;
  BOOST_CHECK_EXCEPTION(read_json_object(folder.write("a.json", "{\"a\": 1e999}")), Error,
                        says(Fault::user, "a.json:1: not JSON"));
  const Lines lines = read_lines(folder.write("a.jsonl", "{\"a\": 1}\n{\"a\": -1e999}\n"));
  BOOST_TEST(lines.sound.size() == 1U);
  BOOST_REQUIRE(lines.problems.size() == 1U);
  BOOST_TEST(lines.problems[0].find("a.jsonl:2: not JSON") != std::string::npos);
}

// Python's json module writes these values, although JSON does not allow them.
BOOST_AUTO_TEST_CASE(nan_and_infinity_are_reported_with_their_location) {
  const test::TemporaryFolder folder;
  BOOST_CHECK_EXCEPTION(
      read_json_object(folder.write("a.json", "{\n\"a\": NaN}")), Error,
      says(Fault::user,
           "a.json:2: contains NaN, which JSON does not allow (byte 8); fix the syntax there"));
  const Lines lines = read_lines(
      folder.write("a.jsonl",
                   "{\"a\": [1, NaN]}\n{\"a\": Infinity}\n{\"a\": -Infinity}\n{\"a\": \"NaN\"}\n"
                   "{\"a\": \"NaN and much else\", b}\n"));
  BOOST_TEST(lines.sound.size() == 1U);
  BOOST_REQUIRE(lines.problems.size() == 4U);
  const auto ends = [&](std::size_t line, const std::string& words) {
    const std::string expected = "a.jsonl:" + words + "; each line must be one JSON object";
    return lines.problems[line].ends_with(expected);
  };
  BOOST_TEST(ends(0, "1: contains NaN, which JSON does not allow (byte 11)"));
  BOOST_TEST(ends(1, "2: contains Infinity, which JSON does not allow (byte 7)"));
  // The position is just after the minus sign.
  BOOST_TEST(ends(2, "3: contains Infinity, which JSON does not allow (byte 8)"));
  BOOST_TEST(ends(3, "5: not JSON (byte 28)"));
}

// Functions that copy or write a value recurse into nested lists: with 50,000 levels, the stack
// overflowed.
BOOST_AUTO_TEST_CASE(lists_too_deep_in_one_another_are_refused) {
  const auto nested = [](std::size_t depth, const std::string& inside = "") {
    return std::string(depth, '[') + inside + std::string(depth, ']');
  };
  const test::TemporaryFolder folder;
  const Json deep = read_json(folder.write("deep.json", nested(500)));
  BOOST_TEST(deep.dump() == nested(500));
  BOOST_CHECK_EXCEPTION(
      read_json(folder.write("a.json", "[\n" + nested(500) + "]")), Error,
      says(Fault::user,
           "a.json:2: nested more than 500 levels deep at byte 502; fix the syntax there"));
  BOOST_CHECK_EXCEPTION(read_json(folder.write("a.json", std::string(100'000, '['))), Error,
                        says(Fault::user, "a.json:1: nested more than 500 levels deep"));
  std::string objects;
  for (std::size_t i = 0; i < 501; ++i) objects += "{\"a\":";
  const Lines lines = read_lines(folder.write("a.jsonl", objects + "\n{}\n"));
  BOOST_TEST(lines.sound.size() == 1U);
  BOOST_TEST(lines.problems.size() == 1U);
  // Neither adjacent lists nor brackets in a text count as nesting.
  std::string beside = "[";
  for (std::size_t i = 0; i < 1000; ++i) beside += "[{}],";
  const auto wide =
      read_json(folder.write("wide.json", beside + "\"" + nested(600, "\\\"{") + "\"]"));
  BOOST_TEST(wide.size() == 1001U);
  BOOST_TEST(wide.back() == nested(600, "\"{"));
}

BOOST_AUTO_TEST_CASE(error_names_the_unreadable_file) {
  const test::TemporaryFolder folder;
  const auto remedy = "none.json: cannot be read; check that it exists";
  BOOST_CHECK_EXCEPTION((void)read_text(folder / "none.json"), Error, says(Fault::user, remedy));
  BOOST_CHECK_EXCEPTION(read_json_object(folder / "none.json"), Error, says(Fault::user, remedy));
  BOOST_CHECK_EXCEPTION(read_lines(folder / "none.json"), Error, says(Fault::user, remedy));
  BOOST_CHECK_EXCEPTION((void)read_text(folder.path()), Error,
                        says(Fault::user, "check that it exists and is a readable file"));
}

BOOST_AUTO_TEST_CASE(lines_are_visited_with_their_numbers_and_blank_ones_passed_over) {
  const test::TemporaryFolder folder;
  const Lines lines =
      read_lines(folder.write("a.jsonl", "{\"a\":1}\n\n \t\r\n{\"a\":2}\r\n{\"a\":3}"));
  BOOST_TEST(lines.problems.empty());
  BOOST_REQUIRE(lines.sound.size() == 3U);
  BOOST_TEST(lines.sound[0].first == 1U);
  BOOST_TEST(lines.sound[1].first == 4U);
  BOOST_TEST(lines.sound[2].first == 5U);
  BOOST_TEST(lines.sound[2].second["a"] == 3);
  BOOST_TEST(read_lines(folder.write("empty.jsonl", "")).sound.empty());
}

BOOST_AUTO_TEST_CASE(broken_lines_are_reported_and_left_out) {
  const test::TemporaryFolder folder;
  const auto file =
      folder.write("a.jsonl", "{\"a\":1}\nnonsense\n[1]\n\"x\"\n{\"a\":\"\xFF\"}\n{\"a\":2}\n");
  const Lines lines = read_lines(file);
  BOOST_TEST(lines.sound.size() == 2U);
  const std::string name = file.string();
  BOOST_TEST(
      lines.problems == (std::vector<std::string>{
                            name + ":2: not JSON (byte 2); each line must be one JSON object",
                            name + ":3: is JSON but not an object; each line must be {…}",
                            name + ":4: is JSON but not an object; each line must be {…}",
                            name + ":5: not UTF-8 at byte 7; each line must be one JSON object"}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_strict_sink_ends_the_reading_at_the_first_problem) {
  const test::TemporaryFolder folder;
  int visits = 0;
  BOOST_CHECK_EXCEPTION(for_each_json_line(folder.write("a.jsonl", "{}\n{\n{}\n"), throw_problem,
                                           [&](const Json&, std::size_t) { ++visits; }),
                        Error, says(Fault::user, "a.jsonl:2: not JSON"));
  BOOST_TEST(visits == 1);
}

BOOST_AUTO_TEST_CASE(a_list_of_strings_is_just_that) {
  const Json object = {
      {"list", {"a", "b"}}, {"none", Json::array()}, {"mixed", {"a", 1}}, {"word", "a"}};
  BOOST_TEST((string_list(object, "list") == std::vector<std::string>{"a", "b"}));
  BOOST_TEST(string_list(object, "none")->empty());
  for (const char* field : {"mixed", "word", "absent"}) BOOST_TEST(!string_list(object, field));
  BOOST_TEST(!string_list(Json("not an object"), "list"));
}

BOOST_AUTO_TEST_CASE(first_non_empty_string_is_returned) {
  const Json object = {{"empty", ""}, {"number", 7}, {"a", "one"}, {"b", "two"}};
  BOOST_TEST(first_string(object, "absent", "empty", "number", "b", "a").value() == "two");
  BOOST_TEST(!first_string(object, "absent", "empty", "number"));
}

BOOST_AUTO_TEST_CASE(git_lfs_pointer_is_rejected) {
  BOOST_CHECK_EXCEPTION(
      (void)json_of_text("version https://git-lfs.github.com/spec/v1\n", "tokenizer.json"), Error,
      test::says(Fault::user, "tokenizer.json: is a Git LFS pointer, not the file itself"));
}

BOOST_AUTO_TEST_CASE(a_key_and_what_stands_behind_it_have_a_line) {
  const std::string text = "{\n \"a\": \"b\",\n \"b\"\n:\n [\"a\", \"é\"]\n}";
  BOOST_TEST(line_of_json(text, "a") == 2U);
  BOOST_TEST(line_of_json(text, "b") == 3U);  // "b" is matched as a key, not as a value
  BOOST_TEST(line_of_json(text, "b", "a") == 5U);
  BOOST_TEST(line_of_json(text, "b", "é") == 5U);
  BOOST_TEST(line_of_json(text, "b", "none") == 3U);
  BOOST_TEST(line_of_json(text, "none") == 0U);
  BOOST_TEST(line_of_json("", "a") == 0U);
  BOOST_TEST(line_of_json("\"a\"", "a") == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
