// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/huggingface/precompiled_map.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/errors.hpp"
#include "support/tokenizer_cases.hpp"

BOOST_AUTO_TEST_SUITE(precompiled_map_suite)

namespace {

using plumb::detail::Fault;
using plumb::detail::test::says;

std::string base64(std::string_view bytes) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = bits << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += at + i > bytes.size() ? '=' : letters[bits >> (18 - 6 * i) & 63U];
    }
  }
  return text;
}

/// A serialised map, consisting of a header with the given size, the units and the strings.
std::string bytes_of(std::size_t size, const std::vector<std::uint32_t>& units,
                     std::string_view texts) {
  std::string bytes;
  const auto put = [&](std::uint32_t word) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      bytes.push_back(static_cast<char>(word >> shift & 255U));
    }
  };
  put(static_cast<std::uint32_t>(size));
  for (const std::uint32_t unit : units) put(unit);
  return bytes.append(texts);
}

plumb::detail::PrecompiledMap read(const std::string& text) {
  const nlohmann::json value = text;
  return plumb::detail::PrecompiledMap::read(
      plumb::detail::JsonPart("tokenizer.json", value, "map"));
}

/// The root's children are at 256 ^ byte, and a leaf's value is at the index of its node. "a" is
/// replaced by "xy", "b" by nothing, and "\r" by a space.
std::vector<std::uint32_t> small_trie() {
  std::vector<std::uint32_t> units(512);
  units[0] = 256U << 10;
  const auto leaf = [&](std::size_t byte, std::size_t value_at, std::uint32_t value) {
    units[256 ^ byte] = static_cast<std::uint32_t>((256 ^ byte ^ value_at) << 10 | 0x100U | byte);
    units[value_at] = value | 0x80000000U;
  };
  leaf('a', 1, 0);
  leaf('b', 2, 3);
  leaf('\r', 3, 4);
  return units;
}

const std::string small_texts{"xy\0\0 \0", 6};

}  // namespace

BOOST_AUTO_TEST_CASE(base64_is_read_and_anything_else_is_not) {
  BOOST_TEST(*plumb::detail::from_base64("TWFu") == "Man");  // the examples from RFC 4648
  BOOST_TEST(*plumb::detail::from_base64("Zm8=") == "fo");
  BOOST_TEST(*plumb::detail::from_base64("Zg==") == "f");
  BOOST_TEST(*plumb::detail::from_base64("") == "");
  for (const char* const wrong : {"Zg", "Zg=", "Z===", "Zm9*", "Z=g="}) {
    BOOST_TEST(!plumb::detail::from_base64(wrong));
  }
}

BOOST_AUTO_TEST_CASE(graphemes_hold_marks_joiners_and_line_ends) {
  const auto first = [](std::string_view text) {
    return std::string(text.substr(0, plumb::detail::end_of_grapheme(text, 0)));
  };
  BOOST_TEST(first("ab") == "a");
  BOOST_TEST(first("e\u0301x") == "e\u0301");
  BOOST_TEST(first("\r\nx") == "\r\n");
  BOOST_TEST(first("👩‍👧x") == "👩‍👧");
  BOOST_TEST(first("🇩🇪🇫🇷") == "🇩🇪");
}

BOOST_AUTO_TEST_CASE(a_text_is_mapped_and_keeps_its_ranges) {
  const plumb::detail::PrecompiledMap map = read(base64(bytes_of(2048, small_trie(), small_texts)));
  BOOST_TEST(*map.find("a") == "xy");
  BOOST_TEST(*map.find("ab") == "xy");  // the shortest matching prefix is replaced
  BOOST_TEST(*map.find("b") == "");
  BOOST_TEST(!map.find("c"));
  BOOST_TEST(!map.find(""));
  plumb::detail::AlignedText text("caeb\r\nd");
  map.normalize(text);
  BOOST_TEST(text.text() == "cxye d");
  BOOST_TEST((text.origin(1) == plumb::detail::ByteSpan{1, 2} &&
              text.origin(2) == plumb::detail::ByteSpan{1, 2}));
  BOOST_TEST((text.origin(4) == plumb::detail::ByteSpan{4, 5}));  // the first of the two line ends
  BOOST_TEST((text.origin(5) == plumb::detail::ByteSpan{6, 7}));
  // As in `tokenizers`, deleting a character after an inserted one turns the insertion into a
  // replacement.
  plumb::detail::AlignedText joined("ab");
  map.normalize(joined);
  BOOST_TEST((joined.origin(0) == plumb::detail::ByteSpan{0, 1} &&
              joined.origin(1) == plumb::detail::ByteSpan{1, 2}));
}

BOOST_AUTO_TEST_CASE(what_is_dropped_at_the_begin_belongs_to_what_follows) {
  const plumb::detail::PrecompiledMap map = read(base64(bytes_of(2048, small_trie(), small_texts)));
  plumb::detail::AlignedText text("bbcbad");
  map.normalize(text);
  BOOST_TEST(text.text() == "cxyd");
  BOOST_TEST((text.origin(0) == plumb::detail::ByteSpan{0, 3} &&
              text.origin(1) == plumb::detail::ByteSpan{4, 5}));
  BOOST_TEST((text.origin(3) == plumb::detail::ByteSpan{5, 6}));
  plumb::detail::AlignedText none("bb");
  map.normalize(none);
  BOOST_TEST(none.empty());
}

BOOST_AUTO_TEST_CASE(a_broken_map_is_refused) {
  const auto refused = [](const std::string& text, const char* words) {
    BOOST_CHECK_EXCEPTION(read(text), plumb::detail::Error, says(Fault::user, words));
  };
  refused("*", "map: is not base64");
  refused("", "is truncated");
  refused(base64("abc"), "is truncated");
  refused(base64(bytes_of(4096, small_trie(), small_texts)), "is truncated");
  refused(base64(bytes_of(2047, small_trie(), small_texts)), "is truncated");
  refused(base64(bytes_of(2048, small_trie(), "xy\xFF")), "not UTF-8");
  // The last string is not terminated.
  refused(base64(bytes_of(2048, small_trie(), "xy")), "outside its own range");
  std::vector<std::uint32_t> far = small_trie();
  far[256 ^ 'a'] = 0x1FFFFFU << 10 | 0x100U | 'a';
  refused(base64(bytes_of(2048, far, small_texts)), "outside its own range");
  std::vector<std::uint32_t> lost = small_trie();
  lost[0] = 0x1FFFFFU << 10;  // the unit is not a leaf, so the strings after it are not found
  BOOST_TEST(!read(base64(bytes_of(2048, lost, small_texts))).find("a"));
}

BOOST_AUTO_TEST_SUITE_END()
