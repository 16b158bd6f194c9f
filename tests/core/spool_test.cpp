// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/spool.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <string>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(spool)

BOOST_AUTO_TEST_CASE(what_is_kept_comes_back_from_memory_and_from_the_file) {
  Spool kept(100);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 50; ++i)
    texts.push_back(std::string(i, static_cast<char>('a' + i % 26)));
  for (std::size_t i = 0; i < texts.size(); ++i) BOOST_TEST(kept.add(texts[i]) == i);
  for (std::size_t i = texts.size(); i-- > 0;) BOOST_TEST(kept.get(i) == texts[i]);
  BOOST_TEST(kept.bytes_in_memory() <= 100U);
  BOOST_TEST(kept.bytes_in_memory() + kept.bytes_in_file() == 50U * 49U / 2U);
  // Reading an entry does not change where the next one is written.
  BOOST_TEST(kept.get(kept.add("more")) == "more");
  BOOST_TEST(kept.get(49) == texts[49]);
}

BOOST_AUTO_TEST_CASE(a_text_larger_than_the_room_goes_to_the_file) {
  Spool kept(10);
  BOOST_TEST(kept.get(kept.add(std::string(1000, 'x'))) == std::string(1000, 'x'));
  BOOST_TEST(kept.bytes_in_memory() == 0U);
  BOOST_TEST(kept.get(kept.add("")).empty());
}

BOOST_AUTO_TEST_SUITE_END()
