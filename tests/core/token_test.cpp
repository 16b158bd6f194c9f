// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/token.hpp"

#include <boost/test/unit_test.hpp>
#include <span>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(token_suite)

BOOST_AUTO_TEST_CASE(ranges_that_share_a_byte_overlap) {
  const ByteSpan span{4, 7};
  for (const ByteSpan other : {ByteSpan{4, 7}, {5, 6}, {0, 9}, {0, 5}, {6, 9}, {4, 5}, {6, 7}}) {
    BOOST_TEST_CONTEXT(other.begin << " to " << other.end) {
      BOOST_TEST(span.overlaps(other));
      BOOST_TEST(other.overlaps(span));
    }
  }
}

BOOST_AUTO_TEST_CASE(ranges_that_only_touch_or_are_empty_do_not) {
  const ByteSpan span{4, 7};
  for (const ByteSpan other : {ByteSpan{0, 4}, {7, 9}, {0, 0}, {4, 4}, {5, 5}, {7, 7}}) {
    BOOST_TEST_CONTEXT(other.begin << " to " << other.end) {
      BOOST_TEST(!span.overlaps(other));
      BOOST_TEST(!other.overlaps(span));
    }
  }
  BOOST_TEST(!(ByteSpan{5, 5}.overlaps({5, 5})));
}

// For every pair of ranges within six bytes, compares the result with an overlap found byte by
// byte.
BOOST_AUTO_TEST_CASE(overlap_is_a_shared_byte) {
  for (std::size_t a = 0; a <= 6; ++a) {
    for (std::size_t b = a; b <= 6; ++b) {
      for (std::size_t c = 0; c <= 6; ++c) {
        for (std::size_t d = c; d <= 6; ++d) {
          bool shared = false;
          for (std::size_t byte = 0; byte < 6; ++byte) {
            shared |= a <= byte && byte < b && c <= byte && byte < d;
          }
          BOOST_TEST((ByteSpan{a, b}.overlaps({c, d}) == shared));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(default_tokenization_spells_its_text) {
  BOOST_TEST(Tokenization{}.spells_text);
  BOOST_TEST(Tokenization{}.tokens.empty());
}

BOOST_AUTO_TEST_CASE(common_prefix_ends_at_the_first_difference) {
  const std::vector<TokenId> one{1, 2, 3}, other{1, 2, 4, 3}, none;
  BOOST_TEST(common_prefix(one, other) == 2U);
  BOOST_TEST(common_prefix(other, one) == 2U);
  BOOST_TEST(common_prefix(one, one) == 3U);
  BOOST_TEST(common_prefix(std::span(one).first(2), other) == 2U);
  BOOST_TEST(common_prefix(one, none) == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
