// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/hash.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

using plumb::detail::fnv1a;

BOOST_AUTO_TEST_SUITE(hash)

// Test vectors from the reference code.
BOOST_AUTO_TEST_CASE(known_texts_have_their_published_hashes) {
  BOOST_TEST(fnv1a("") == 0xcbf29ce484222325U);
  BOOST_TEST(fnv1a("a") == 0xaf63dc4c8601ec8cU);
  BOOST_TEST(fnv1a("foobar") == 0x85944171f73967e8U);
}

BOOST_AUTO_TEST_CASE(sixteen_digits_are_those_of_the_number) {
  BOOST_TEST(plumb::detail::fnv1a_hex("foobar") == "85944171f73967e8");
  BOOST_TEST(plumb::detail::fnv1a_hex("00") == "07fc1807b4bd222d");
}

BOOST_AUTO_TEST_CASE(a_text_in_pieces_has_the_hash_of_the_whole) {
  BOOST_TEST(fnv1a("bar", fnv1a("foo")) == fnv1a("foobar"));
  BOOST_TEST(fnv1a("foobar", fnv1a("")) == 0x85944171f73967e8U);
  BOOST_TEST(plumb::detail::hash_digits(0x2f) == "000000000000002f");
}

BOOST_AUTO_TEST_CASE(every_flipped_bit_gives_another_hash) {
  std::string text = "{\"part\":\"столица\",\"pack\":7}";
  const auto whole = fnv1a(text);
  for (char& byte : text) {
    for (int bit = 0; bit < 8; ++bit) {
      byte = static_cast<char>(byte ^ (1 << bit));
      BOOST_TEST(fnv1a(text) != whole);
      byte = static_cast<char>(byte ^ (1 << bit));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
