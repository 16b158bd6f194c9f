// SPDX-License-Identifier: Apache-2.0
#include "plumb/core/text_file.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/errors.hpp"
#include "support/memory_disk.hpp"

using namespace plumb;
using test::says;

BOOST_AUTO_TEST_SUITE(text_file)

namespace {

using Lines = std::vector<std::pair<std::size_t, std::string>>;

Lines lines_of(const DiskPath& file) {
  Lines lines;
  for_each_line(file,
                [&](const std::string& text, std::size_t line) { lines.emplace_back(line, text); });
  return lines;
}

Lines table_lines_of(const DiskPath& file) {
  Lines lines;
  for_each_table_line(
      file, [&](const std::string& text, std::size_t line) { lines.emplace_back(line, text); });
  return lines;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_file_is_read_whole_or_by_lines) {
  test::MemoryDisk disk;
  const DiskPath file = disk.put("x", "one\n\ntwo\r\nlast");
  BOOST_TEST(read_text(file) == "one\n\ntwo\r\nlast");
  BOOST_CHECK((lines_of(file) == Lines{{1, "one"}, {2, ""}, {3, "two\r"}, {4, "last"}}));
  BOOST_CHECK(lines_of(disk.put("empty", "")).empty());
}

BOOST_AUTO_TEST_CASE(a_line_without_its_newline_is_not_whole) {
  test::MemoryDisk disk;
  for (const auto& [text, whole] : std::vector<std::pair<std::string, std::size_t>>{
           {"one\n\ntwo\n", 3}, {"one\n\ntw", 2}, {"on", 0}, {"", 0}}) {
    std::size_t lines = 0;
    for_each_whole_line(disk.put("x", text),
                        [&](const std::string&, std::size_t line) { BOOST_TEST(line == ++lines); });
    BOOST_TEST(lines == whole);
  }
}

BOOST_AUTO_TEST_CASE(the_first_line_is_the_first_that_is_not_empty) {
  test::MemoryDisk disk;
  BOOST_TEST(first_line(disk.put("x", "\n\none\ntwo\n")) == "one");
  BOOST_TEST(first_line(disk.put("x", "\n")).empty());
}

BOOST_AUTO_TEST_CASE(lines_of_a_table_lack_what_editors_add) {
  test::MemoryDisk disk;
  BOOST_CHECK((table_lines_of(disk.put("x", "\xEF\xBB\xBFone\r\n\r\n\n\xEF\xBB\xBFtwo\n")) ==
               Lines{{1, "one"}, {4, "\xEF\xBB\xBFtwo"}}));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_read_is_the_users_to_fix) {
  test::MemoryDisk disk;
  const auto read = [&](const std::string& name) { static_cast<void>(read_text(disk / name)); };
  BOOST_CHECK_EXCEPTION(read("none"), Error,
                        says(Fault::user,
                             "/none: cannot be read; check that it exists and is a "
                             "readable file"));
  disk.put("folder/x", "");
  BOOST_CHECK_EXCEPTION(read("folder"), Error, says(Fault::user, "/folder: cannot be read"));
  BOOST_CHECK_EXCEPTION(lines_of(disk / "none"), Error,
                        says(Fault::user, "/none: cannot be read; check that it exists"));
}

// A disk that fails while a file is read must not make it look shorter than it is.
BOOST_AUTO_TEST_CASE(a_read_that_breaks_is_an_error_and_no_end) {
  test::MemoryDisk memory;
  const DiskPath file = memory.put("x", "one\ntwo\n");
  for (const bool whole : {true, false}) {
    test::FailingDisk disk(memory, 1);
    const auto read = [&] {
      if (whole) {
        static_cast<void>(read_text(disk(file)));
      } else {
        static_cast<void>(lines_of(disk(file)));
      }
    };
    BOOST_CHECK_EXCEPTION(read(), Error, says(Fault::internal, "/x: cannot be read to its end"));
  }
}

BOOST_AUTO_TEST_CASE(a_long_line_comes_in_pieces) {
  test::MemoryDisk disk;
  const auto pieces_of = [&](const std::string& text, std::size_t most) {
    std::vector<std::string> pieces;
    for_each_line_piece(
        disk.put("x", text), most, [&](std::string_view piece, std::size_t line, bool ends) {
          pieces.push_back(std::to_string(line) + (ends ? "." : "-") + std::string(piece));
        });
    return pieces;
  };
  const auto same = boost::test_tools::per_element();
  using Pieces = std::vector<std::string>;
  BOOST_TEST(pieces_of("", 8).empty());
  BOOST_TEST(pieces_of("one\n\ntwo", 8) == (Pieces{"1.one", "2.", "3.two"}), same);
  BOOST_TEST(pieces_of("one\n", 8) == (Pieces{"1.one"}), same);
  // Behind white space, and between characters where there is none: "é" has two bytes.
  BOOST_TEST(pieces_of("one two three", 8) == (Pieces{"1-one two ", "1.three"}), same);
  BOOST_TEST(pieces_of("abcé", 4) == (Pieces{"1-abc", "1.é"}), same);
  BOOST_TEST(pieces_of("\x80\x80\x80\x80\x80\x80", 4) ==
                 (Pieces{"1-\x80", "1-\x80", "1.\x80\x80\x80\x80"}),
             same);
  // More than a block of 65,536 bytes: a line that ends right behind a piece has an empty last one.
  const std::string half(40'000, 'a');
  BOOST_TEST(pieces_of(half + " " + half + "\nend", 50'000) ==
                 (Pieces{"1-" + half + " ", "1." + half, "2.end"}),
             same);
  const std::string block(65'535, 'b');
  BOOST_TEST(pieces_of(block + " \nend", 65'535) == (Pieces{"1-" + block, "1. ", "2.end"}), same);
  BOOST_TEST(pieces_of(block + " ", 65'535) == (Pieces{"1-" + block, "1. "}), same);
}

BOOST_AUTO_TEST_CASE(all_of_a_file_is_in_its_pieces) {
  test::MemoryDisk disk;
  std::string text;
  for (int i = 0; i < 60'000; ++i) text += i % 977 == 0 ? "\n" : i % 7 == 0 ? " " : "é";
  for (const std::size_t most : {4U, 5U, 100U, 70'000U}) {
    std::string joined;
    std::size_t lines = 0;
    for_each_line_piece(disk.put("x", text), most,
                        [&](std::string_view piece, std::size_t line, bool ends) {
                          joined += piece;
                          if (ends) joined += '\n';
                          lines = line;
                        });
    if (!text.ends_with('\n')) joined.pop_back();
    BOOST_TEST((joined == text));
    BOOST_TEST(lines == 63U);
  }
}

BOOST_AUTO_TEST_SUITE_END()
