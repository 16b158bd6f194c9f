// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/text_file.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/errors.hpp"
#include "support/memory_disk.hpp"

using namespace plumb::detail;
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

BOOST_AUTO_TEST_CASE(table_lines_omit_bom_carriage_returns_and_blank_lines) {
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

// If the disk fails during reading, the file must not look shorter than it is.
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
    BOOST_CHECK_EXCEPTION(read(), Error, says(Fault::internal, "/x: cannot be read to the end"));
  }
}

namespace {

/// The pieces of a text that arrives in blocks of a given size, each as "LINE-PIECE", or
/// "LINE.PIECE" for the last piece of a line.
std::vector<std::string> pieces_of(const std::string& text, std::size_t most,
                                   std::size_t block = 1 << 16) {
  std::vector<std::string> pieces;
  LinePieces lines(most, [&](std::string_view piece, std::size_t line, bool ends) {
    pieces.push_back(std::to_string(line) + (ends ? "." : "-") + std::string(piece));
  });
  for (std::size_t at = 0; at < text.size(); at += block) {
    lines.add(std::string_view(text).substr(at, block));
  }
  lines.end();
  return pieces;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_long_line_comes_in_pieces) {
  const auto same = boost::test_tools::per_element();
  using Pieces = std::vector<std::string>;
  BOOST_TEST(pieces_of("", 8).empty());
  for (const std::size_t block : {1U, 3U, 100U}) {
    BOOST_TEST(pieces_of("one\n\ntwo", 8, block) == (Pieces{"1.one", "2.", "3.two"}), same);
    BOOST_TEST(pieces_of("one\n", 8, block) == (Pieces{"1.one"}), same);
    BOOST_TEST(pieces_of("\n", 8, block) == (Pieces{"1."}), same);
  }
  // Lines are split after white space or, if there is none, between characters; "é" has two bytes.
  BOOST_TEST(pieces_of("one two three", 8) == (Pieces{"1-one two ", "1.three"}), same);
  BOOST_TEST(pieces_of("abcé", 4) == (Pieces{"1-abc", "1.é"}), same);
  BOOST_TEST(pieces_of("\x80\x80\x80\x80\x80\x80", 4) ==
                 (Pieces{"1-\x80", "1-\x80", "1.\x80\x80\x80\x80"}),
             same);
  // A piece interrupted by the end of a block continues in the next block.
  BOOST_TEST(pieces_of("abcd efgh \nx", 4, 5) == (Pieces{"1-abcd", "1- ", "1-efgh", "1. ", "2.x"}),
             same);
  BOOST_TEST(pieces_of("ab ab ", 4, 6) == (Pieces{"1-ab ", "1.ab "}), same);
  BOOST_TEST(pieces_of("ab cd", 4, 5) == (Pieces{"1-ab ", "1.cd"}), same);
}

BOOST_AUTO_TEST_CASE(lines_of_another_text_count_from_one_again) {
  std::vector<std::size_t> numbers;
  LinePieces lines(8, [&](std::string_view, std::size_t line, bool) { numbers.push_back(line); });
  lines.add("a\nb");
  lines.end();
  lines.end();
  lines.add("c\n");
  lines.end();
  BOOST_TEST(numbers == (std::vector<std::size_t>{1, 2, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(all_of_a_text_is_in_its_pieces) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += i % 977 == 0 ? "\n" : i % 7 == 0 ? " " : "é";
  for (const std::size_t most : {4U, 5U, 100U, 70'000U}) {
    for (const std::size_t block : {7U, 1000U, 65'536U}) {
      std::string joined;
      std::size_t lines = 0, longest = 0;
      for (const std::string& piece : pieces_of(text, most, block)) {
        const std::size_t mark = piece.find_first_of("-.");
        joined += piece.substr(mark + 1);
        longest = std::max(longest, piece.size() - mark - 1);
        if (piece[mark] != '.') continue;
        joined += '\n';
        ++lines;
      }
      joined.pop_back();  // the last line has no newline
      BOOST_TEST((joined == text));
      BOOST_TEST(lines == 22U);  // a line begins at 0, 977, …, 19,540, and the first line is empty
      BOOST_TEST(longest <= most + block);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
