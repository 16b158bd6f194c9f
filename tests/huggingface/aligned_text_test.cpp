// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/huggingface/aligned_text.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(aligned_text_suite)

namespace {

/// The origin of every byte, as "begin-end".
std::string origins_of(const plumb::detail::AlignedText& text) {
  std::string all;
  for (std::size_t i = 0; i < text.size(); ++i) {
    all += (i > 0 ? " " : "") + std::to_string(text.origin(i).begin) + "-" +
           std::to_string(text.origin(i).end);
  }
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_byte_comes_from_its_whole_character) {
  const plumb::detail::AlignedText text("aé");
  BOOST_TEST(text.text() == "aé");
  BOOST_TEST(origins_of(text) == "0-1 1-3 1-3");
  BOOST_TEST((text.origin(plumb::detail::ByteSpan{0, 3}) == plumb::detail::ByteSpan{0, 3}));
  BOOST_TEST(plumb::detail::AlignedText("").empty());
}

BOOST_AUTO_TEST_CASE(a_byte_that_is_no_character_is_a_replacement_character_that_covers_it) {
  const plumb::detail::AlignedText text("a\xFF\xC3");
  BOOST_TEST(text.text() == "a\uFFFD\uFFFD");
  BOOST_TEST(origins_of(text) == "0-1 1-2 1-2 1-2 2-3 2-3 2-3");
}

BOOST_AUTO_TEST_CASE(what_replaces_a_character_has_its_range) {
  plumb::detail::AlignedText text("aéb");
  text.rewrite([](char32_t c, auto put) {
    if (c == U'a') return;
    put(c == U'é' ? U'e' : c);
    if (c == U'b') put(U'!');
  });
  BOOST_TEST(text.text() == "eb!");
  BOOST_TEST(origins_of(text) == "1-3 3-4 3-4");
}

BOOST_AUTO_TEST_CASE(what_stands_before_a_text_stands_for_its_first_character) {
  plumb::detail::AlignedText text("éa");
  text.prepend("xy");
  BOOST_TEST(text.text() == "xyéa");
  BOOST_TEST(origins_of(text) == "0-2 0-2 0-2 0-2 2-3");
  plumb::detail::AlignedText empty("");
  empty.prepend("x");
  BOOST_TEST(empty.empty());
}

BOOST_AUTO_TEST_CASE(what_replaces_a_part_stands_for_its_last_character) {
  plumb::detail::AlignedText text("a``b``");
  const std::vector<plumb::detail::ByteSpan> parts{{1, 3}, {4, 6}};
  text.replace(parts, "\"");
  BOOST_TEST(text.text() == "a\"b\"");
  BOOST_TEST(origins_of(text) == "0-1 2-3 3-4 5-6");
}

BOOST_AUTO_TEST_CASE(changes_replace_insert_and_drop) {
  plumb::detail::AlignedText text("abcd");
  const std::vector<plumb::detail::CharacterChange> changes{
      {U'x', 0}, {U'y', 1}, {U'z', -1}, {U'd', 0}};
  text.transform(changes);  // a becomes xy, bc becomes z
  BOOST_TEST(text.text() == "xyzd");
  BOOST_TEST(origins_of(text) == "0-1 0-1 1-2 3-4");
}

BOOST_AUTO_TEST_CASE(characters_dropped_at_the_begin_keep_their_bytes) {
  plumb::detail::AlignedText text("éabc");
  text.transform(std::vector<plumb::detail::CharacterChange>{{U'x', 0}, {U'y', 0}}, 2);
  BOOST_TEST(text.text() == "xy");
  BOOST_TEST(origins_of(text) == "0-4 4-5");
}

BOOST_AUTO_TEST_CASE(changes_past_the_end_stay_in_the_text) {
  plumb::detail::AlignedText text("a");
  const std::vector<plumb::detail::CharacterChange> changes{{U'x', -5}, {U'y', 0}, {U'z', 1}};
  text.transform(changes);
  BOOST_TEST(origins_of(text) == "0-1 0-1 0-1");
  plumb::detail::AlignedText inserted("a");
  inserted.transform(std::vector<plumb::detail::CharacterChange>{{U'x', 1}});
  BOOST_TEST(origins_of(inserted) == "0-0");
}

BOOST_AUTO_TEST_CASE(slices_keep_where_they_came_from) {
  plumb::detail::AlignedText text = plumb::detail::AlignedText("aéb").slice({1, 4});
  text.append("!", {0, 1});
  BOOST_TEST(text.text() == "éb!");
  BOOST_TEST(origins_of(text) == "1-3 1-3 3-4 0-1");
}

BOOST_AUTO_TEST_SUITE_END()
