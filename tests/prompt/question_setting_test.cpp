// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/prompt/question_setting.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(setting_suite)

BOOST_AUTO_TEST_CASE(setting_is_judged_by_choice_by_default) {
  const Setting setting{"hgp"};
  BOOST_TEST(setting.shots == 0U);
  BOOST_TEST(setting.separator == "");
  BOOST_TEST(setting.by == "choice");
  BOOST_TEST(setting.variant == 0U);
}

BOOST_AUTO_TEST_CASE(only_the_variant_may_differ_within_a_group) {
  const Setting setting{"ic", 50, " ", "choice", 1};
  Setting other = setting;
  other.variant = 2;
  BOOST_TEST((setting.group() == other.group()));
  const std::vector<Setting> elsewhere{{"eic", 50, " ", "choice", 1},
                                       {"ic", 25, " ", "choice", 1},
                                       {"ic", 50, ", ", "choice", 1},
                                       {"ic", 50, " ", "generation", 1}};
  for (const Setting& each : elsewhere) BOOST_TEST((setting.group() != each.group()));
}

// Methods come first, then shot counts in numerical order (5 before 10), so that tables are sorted.
BOOST_AUTO_TEST_CASE(groups_have_an_order) {
  const auto before = [](const Setting& a, const Setting& b) { return a.group() < b.group(); };
  BOOST_TEST(before({"eic", 50}, {"ic", 1}));
  BOOST_TEST(before({"ic", 5}, {"ic", 10}));
  BOOST_TEST(before({"ic", 5, " "}, {"ic", 5, " is "}));
  BOOST_TEST(before({"ic", 5, " ", "choice", 9}, {"ic", 5, " ", "generation", 1}));
  BOOST_TEST(!before({"ic", 5, " ", "choice", 1}, {"ic", 5, " ", "choice", 2}));
}

BOOST_AUTO_TEST_SUITE_END()
