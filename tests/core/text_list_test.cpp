// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/text_list.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <utility>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(text_list_suite)

BOOST_AUTO_TEST_CASE(something_stands_between_items_alone) {
  std::string list;
  add_to_list(list, "P36");
  BOOST_TEST(list == "P36");
  add_to_list(list, "P19");
  add_to_list(list, "P30", "; ");
  BOOST_TEST(list == "P36, P19; P30");
}

BOOST_AUTO_TEST_CASE(a_range_is_listed_by_the_text_of_its_items) {
  BOOST_TEST(text_list(std::vector<std::string>{"a", "b", "c"}) == "a, b, c");
  BOOST_TEST(text_list(std::vector<std::string>{}) == "");
  BOOST_TEST(text_list(std::vector<std::string>{"a", "b", "c"}, {}, ", ", " or ") == "a, b or c");
  BOOST_TEST(text_list(std::vector<std::string>{"a"}, {}, ", ", " or ") == "a");
  const std::vector<std::pair<int, std::string>> pairs{{1, "x"}, {2, "y"}};
  BOOST_TEST(text_list(pairs, &std::pair<int, std::string>::second, "+") == "x+y");
  BOOST_TEST(text_list(std::vector<int>{4, 5}, [](int n) { return std::to_string(n); }) == "4, 5");
}

BOOST_AUTO_TEST_SUITE_END()
