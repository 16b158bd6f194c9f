// SPDX-License-Identifier: Apache-2.0
#include "plumb/measure/study.hpp"

#include <boost/test/unit_test.hpp>

using namespace plumb;

BOOST_AUTO_TEST_SUITE(study)

BOOST_AUTO_TEST_CASE(settings_that_differ_in_the_variant_alone_are_a_group) {
  Setting one{"ic", 50};
  Setting other = one;
  other.variant = 4;
  BOOST_TEST((one.group() == other.group()));
}

BOOST_AUTO_TEST_CASE(any_other_difference_makes_another_group) {
  const Setting one{"ic", 50};
  Setting method = one, shots = one, separator = one, by = one;
  method.method = "eic";
  shots.shots = 25;
  separator.separator = " is ";
  by.by = "generation";
  for (const Setting& other : {method, shots, separator, by}) {
    BOOST_TEST((one.group() != other.group()));
  }
}

BOOST_AUTO_TEST_CASE(a_setting_is_by_default_the_likeliest_choice_of_a_template) {
  const Setting setting{"template"};
  BOOST_TEST(setting.shots == 0U);
  BOOST_TEST(setting.separator == "");
  BOOST_TEST(setting.by == "choice");
  BOOST_TEST(setting.variant == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
