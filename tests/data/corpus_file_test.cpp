// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/corpus_file.hpp"

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "support/errors.hpp"
#include "support/memory_disk.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(corpus_file)

namespace {

using Pieces = std::vector<std::string>;

/// Each piece as "LINE-PIECE", or "LINE.PIECE" for the last piece of a line; "end" follows a
/// document.
Pieces pieces_of(const DiskPath& file, const std::string& field, std::size_t most = 1 << 16) {
  Pieces pieces;
  for_each_document(
      file, field,
      [&](std::string_view piece, std::size_t line, bool ends) {
        pieces.push_back(std::to_string(line) + (ends ? "." : "-") + std::string(piece));
      },
      [&] { pieces.emplace_back("end"); }, most);
  return pieces;
}

}  // namespace

BOOST_AUTO_TEST_CASE(text_field_is_explicit_or_derived_from_the_extension) {
  BOOST_TEST(text_field_of("a.txt", "") == "");
  BOOST_TEST(text_field_of("wiki_00", "") == "");
  for (const char* name : {"a.jsonl", "b/a.ndjson", "a.json"}) {
    BOOST_TEST(text_field_of(name, "") == "text");
    BOOST_TEST(text_field_of(name, "content") == "content");
  }
  BOOST_TEST(text_field_of("/dev/stdin", "content") == "content");
}

BOOST_AUTO_TEST_CASE(a_plain_file_is_a_document_of_lines) {
  test::MemoryDisk disk;
  const auto same = boost::test_tools::per_element();
  BOOST_TEST(pieces_of(disk.put("a", "one\n\ntwo"), "") == (Pieces{"1.one", "2.", "3.two", "end"}),
             same);
  BOOST_TEST(pieces_of(disk.put("b", "one\ntwo three four"), "", 8) ==
                 (Pieces{"1.one", "2-two ", "2-three ", "2.four", "end"}),
             same);
  BOOST_TEST(pieces_of(disk.put("c", "\xEF\xBB\xBFone"), "") == (Pieces{"1.one", "end"}), same);
  BOOST_TEST(pieces_of(disk.put("d", ""), "") == (Pieces{"end"}), same);
}

BOOST_AUTO_TEST_CASE(each_json_line_is_a_document) {
  test::MemoryDisk disk;
  const auto same = boost::test_tools::per_element();
  const std::string rows =
      "\xEF\xBB\xBF{\"text\": \"one\\ntwo\"}\n"
      "\n"
      "{\"id\": 2, \"text\": \"\"}\r\n"
      "{\"text\": \"three four five\"}";
  BOOST_TEST(pieces_of(disk.put("a.jsonl", rows), "text", 8) ==
                 (Pieces{"1.one", "1.two", "end", "end", "4-three ", "4-four ", "4.five", "end"}),
             same);
  BOOST_TEST(pieces_of(disk.put("a.jsonl", rows + "\n"), "text") ==
                 (Pieces{"1.one", "1.two", "end", "end", "4.three four five", "end"}),
             same);
  // These rows are larger than a block of 65,536 bytes.
  const std::string word(9'999, 'x');
  std::string text;
  for (int i = 0; i < 20; ++i) text += word + " ";
  std::size_t bytes = 0, ends = 0;
  for (const std::string& piece :
       pieces_of(disk.put("b.jsonl", "{\"text\": \"" + text + "\"}\n{\"text\": \"last\"}\n"),
                 "text", 20'000)) {
    if (piece == "end") {
      ++ends;
    } else {
      BOOST_TEST(piece.size() < 100'000U);
      bytes += piece.size() - 2;
    }
  }
  BOOST_TEST(bytes == 200'000U + 4);
  BOOST_TEST(ends == 2U);
}

BOOST_AUTO_TEST_CASE(a_broken_line_is_refused_by_its_number) {
  test::MemoryDisk disk;
  const auto refuses = [&](const std::string& rows, const std::string& words) {
    const DiskPath file = disk.put("a.jsonl", rows);
    BOOST_CHECK_EXCEPTION((void)pieces_of(file, "text"), Error, says(Fault::user, words));
  };
  refuses("{\"text\": \"a\"}\n\n{\"title\": \"b\"}\n", "/a.jsonl:3: has no text; each line must");
  refuses("{\"text\": \"a\"}\n{\"text\": \"b", "/a.jsonl:2: is not a complete JSON object");
  refuses("[\n", "/a.jsonl:1: is not a JSON object");
  refuses("{\"text\": 1}",
          "with a text under \"text\", or under the field that `text-field` names");
}

BOOST_AUTO_TEST_CASE(packed_files_and_no_texts_are_refused) {
  test::MemoryDisk disk;
  const auto refuses = [&](const std::string& bytes, const std::string& words) {
    const DiskPath file = disk.put("a.txt", bytes);
    for (const char* field : {"", "text"}) {
      BOOST_CHECK_EXCEPTION((void)pieces_of(file, field), Error, says(Fault::user, words));
    }
  };
  refuses("\x1F\x8B\x08", "/a.txt: is a gzip file, not text; unpack it");
  refuses("\x28\xB5\x2F\xFDxx", "is a zstd file");
  refuses(
      "\xFD"
      "7zXZ",
      "is a xz file");
  refuses("PAR1\x15", "is a Parquet file");
  refuses("BZh91AY&SYx", "is a bzip2 file");
  refuses(std::string("P\0a\0", 4), "/a.txt: contains a zero byte");
  refuses(std::string(100'000, 'a') + std::string(1, '\0'), "contains a zero byte");
  BOOST_CHECK_EXCEPTION((void)pieces_of(disk / "none", ""), Error,
                        says(Fault::user, "/none: cannot be read; check that it exists"));
  BOOST_TEST(pieces_of(disk.put("b", "PAR1 was a par file"), "").size() == 2U);
}

BOOST_AUTO_TEST_SUITE_END()
