// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/name_lines.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(name_lines_suite)

BOOST_AUTO_TEST_CASE(names_are_broken_into_lines_and_never_cut) {
  using Lines = std::vector<std::string>;
  BOOST_TEST((name_lines("short", 10) == Lines{"short"}));
  BOOST_TEST((name_lines("", 10) == Lines{""}));
  BOOST_TEST((name_lines("one two three", 8) == Lines{"one two ", "three"}));
  BOOST_TEST((name_lines("pythia-1.4b-deduped", 10) == Lines{"pythia-", "1.4b-", "deduped"}));
  BOOST_TEST((name_lines("abcdefgh", 3) == Lines{"abc", "def", "gh"}));
  BOOST_TEST((name_lines("ééé", 2) == Lines{"éé", "é"}));  // letters, not bytes
}

// Lines are 14 apart and centred at 50; baselines are 4 below their middle.
BOOST_AUTO_TEST_CASE(lines_stand_around_their_middle) {
  BOOST_TEST(text_lines({"a", "<b>"}, "class=\"name\"", 7, 50) ==
             "<text class=\"name\" x=\"7.0\" y=\"47.0\">a</text>"
             "<text class=\"name\" x=\"7.0\" y=\"61.0\">&lt;b&gt;</text>");
}

BOOST_AUTO_TEST_CASE(lengths_have_no_trailing_zeros) {
  BOOST_TEST(short_length(3) == "3");
  BOOST_TEST(short_length(-0.5) == "-0.5");
  BOOST_TEST(short_length(2.126) == "2.13");
}

BOOST_AUTO_TEST_SUITE_END()
