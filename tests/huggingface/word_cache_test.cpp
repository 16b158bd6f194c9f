// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/word_cache.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <thread>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(word_cache)

BOOST_AUTO_TEST_CASE(short_words_come_back_and_long_ones_are_not_kept) {
  WordCache cache;
  const std::vector<Token> tokens{{7, {0, 2}}, {9, {2, 3}}};
  std::vector<Token> made{{1, {0, 1}}};
  BOOST_TEST(!cache.append("abc", made));
  cache.keep("abc", tokens);
  BOOST_TEST(cache.append("abc", made));
  BOOST_REQUIRE(made.size() == 3U);
  BOOST_TEST(made[1].id == 7);
  BOOST_TEST(made[2].bytes.end == 3U);
  const std::string longer(WordCache::most_bytes + 1, 'x');
  cache.keep(longer, tokens);
  BOOST_TEST(!cache.append(longer, made));
  cache.keep("", {});
  BOOST_TEST(cache.append("", made));
  BOOST_TEST(made.size() == 3U);
}

BOOST_AUTO_TEST_CASE(it_stops_to_grow) {
  WordCache cache;
  for (std::size_t i = 0; i < WordCache::most_words + 10; ++i) cache.keep(std::to_string(i), {});
  std::vector<Token> made;
  BOOST_TEST(cache.append(std::to_string(WordCache::most_words - 1), made));
  BOOST_TEST(!cache.append(std::to_string(WordCache::most_words), made));
}

BOOST_AUTO_TEST_CASE(threads_may_share_it) {
  WordCache cache;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        const std::string word = std::to_string(i % 500);
        std::vector<Token> made;
        if (!cache.append(word, made)) cache.keep(word, std::vector<Token>{{i % 500, {0, 1}}});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < 500; ++i) {
    std::vector<Token> made;
    BOOST_REQUIRE(cache.append(std::to_string(i), made));
    BOOST_TEST(made.at(0).id == i);
  }
}

BOOST_AUTO_TEST_SUITE_END()
