// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/huggingface/byte_letters.hpp"

#include <boost/test/unit_test.hpp>
#include <set>
#include <string>

BOOST_AUTO_TEST_SUITE(byte_letters_suite)

BOOST_AUTO_TEST_CASE(each_byte_maps_to_a_distinct_letter) {
  const std::set<char32_t> letters(plumb::detail::byte_letters.begin(),
                                   plumb::detail::byte_letters.end());
  BOOST_TEST(letters.size() == 256U);
  BOOST_TEST(
      (plumb::detail::byte_letters[' '] == U'Ġ' && plumb::detail::byte_letters['\n'] == U'Ċ'));
  BOOST_TEST(
      (plumb::detail::byte_letters['a'] == U'a' && plumb::detail::byte_letters[0xAD] == U'Ń'));
}

BOOST_AUTO_TEST_CASE(letters_of_a_text_keep_the_ranges_of_its_characters) {
  plumb::detail::AlignedText text(" é");
  plumb::detail::write_byte_letters(text);
  BOOST_TEST(text.text() == "ĠÃ©");
  BOOST_TEST((text.origin(0) == plumb::detail::ByteSpan{0, 1} &&
              text.origin(2) == plumb::detail::ByteSpan{1, 3} &&
              text.origin(4) == plumb::detail::ByteSpan{1, 3}));
  BOOST_TEST(*plumb::detail::bytes_of_letters(text.text()) == " é");
}

BOOST_AUTO_TEST_CASE(what_is_no_letter_of_a_byte_has_none) {
  BOOST_TEST(!plumb::detail::bytes_of_letters("a b"));
  BOOST_TEST(!plumb::detail::bytes_of_letters("東"));
  BOOST_TEST(!plumb::detail::bytes_of_letters("\xFF"));
  BOOST_TEST(plumb::detail::bytes_of_letters("")->empty());
}

BOOST_AUTO_TEST_SUITE_END()
