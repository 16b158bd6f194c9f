// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/word_trie.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(word_trie)

BOOST_AUTO_TEST_CASE(names_of_the_same_words_have_one_number) {
  WordTrie trie;
  BOOST_TEST(trie.add("New York") == 0U);
  BOOST_TEST(trie.add("York") == 1U);
  BOOST_TEST(trie.add("new-york's") == 0U);
  BOOST_TEST(trie.add("New") == 2U);
  BOOST_TEST(trie.add("?") == WordTrie::none);
  BOOST_TEST(trie.add("") == WordTrie::none);
  BOOST_TEST(trie.size() == 3U);
}

BOOST_AUTO_TEST_CASE(a_name_is_read_word_by_word) {
  WordTrie trie;
  trie.add("New York City");
  trie.add("New");
  trie.add("York");
  const auto walk = [&](std::uint32_t node, const std::string& word) {
    return trie.next(node, trie.word(word));
  };
  BOOST_TEST(trie.word("old") == WordTrie::none);
  const std::uint32_t first = walk(WordTrie::root, "new");
  BOOST_REQUIRE(first != WordTrie::none);
  BOOST_TEST(trie.name_at(first) == 1U);
  const std::uint32_t second = walk(first, "york");
  BOOST_REQUIRE(second != WordTrie::none);
  BOOST_TEST(trie.name_at(second) == WordTrie::none);
  BOOST_TEST(trie.name_at(walk(second, "city")) == 0U);
  BOOST_TEST(walk(second, "york") == WordTrie::none);
  BOOST_TEST(walk(WordTrie::root, "city") == WordTrie::none);
  BOOST_TEST(trie.name_at(walk(WordTrie::root, "york")) == 2U);
}

BOOST_AUTO_TEST_CASE(letters_may_keep_their_case) {
  WordTrie trie(LetterCase::kept);
  BOOST_TEST(trie.add("US") == 0U);
  BOOST_TEST(trie.add("us") == 1U);
  BOOST_TEST(trie.add("U.S.") == 0U);
  BOOST_TEST(trie.word("Us") == WordTrie::none);
}

BOOST_AUTO_TEST_SUITE_END()
