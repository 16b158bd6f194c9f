// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/server/contiguous_parts.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <thread>
#include <vector>

using plumb::detail::ContiguousParts;

BOOST_AUTO_TEST_SUITE(contiguous_parts_suite)

namespace {

std::vector<std::size_t> rest_of(ContiguousParts& parts, std::size_t part) {
  std::vector<std::size_t> items;
  while (const auto item = parts.next(part)) items.push_back(*item);
  return items;
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_part_returns_its_items_in_order_and_then_half_of_the_longest) {
  const std::vector<std::size_t> begins{0, 2, 5};
  ContiguousParts parts(begins, 11);
  BOOST_TEST(parts.size() == 3U);
  BOOST_TEST(*parts.next(1) == 2U);
  BOOST_TEST(*parts.next(0) == 0U);
  BOOST_TEST(*parts.next(0) == 1U);
  BOOST_TEST(*parts.next(0) == 8U);  // half of 5 to 10
  BOOST_TEST(*parts.next(2) == 5U);
  const std::vector<std::size_t> left{3, 4, 10, 7, 9, 6};
  BOOST_TEST(rest_of(parts, 1) == left, boost::test_tools::per_element());
  BOOST_TEST(!parts.next(0));
  BOOST_TEST(!parts.next(2));
}

BOOST_AUTO_TEST_CASE(no_items_are_returned_after_a_stop_or_for_an_empty_list) {
  const std::vector<std::size_t> begins{0, 3}, none;
  ContiguousParts parts(begins, 6);
  BOOST_TEST(*parts.next(1) == 3U);
  parts.stop();
  BOOST_TEST(!parts.next(0));
  BOOST_TEST(!parts.next(1));
  BOOST_TEST(ContiguousParts(none, 0).size() == 0U);
}

BOOST_AUTO_TEST_CASE(threads_share_every_item_exactly_once) {
  constexpr std::size_t count = 20'000;
  const std::vector<std::size_t> begins{0, 1, 2, 3};
  ContiguousParts parts(begins, count);
  std::vector<std::atomic<int>> taken(count);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < begins.size(); ++t) {
    threads.emplace_back([&, t] {
      while (const auto item = parts.next(t)) ++taken[*item];
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::size_t once = 0;
  for (const auto& times : taken) once += times == 1 ? 1U : 0U;
  BOOST_TEST(once == count);
}

BOOST_AUTO_TEST_SUITE_END()
