// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/baseline_templates.hpp"

#include <boost/test/unit_test.hpp>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(baseline_texts)

BOOST_AUTO_TEST_CASE(the_subject_takes_its_place_and_nothing_else_moves) {
  BOOST_TEST(with_subject("The capital of {subject} is", "Côte d'Ivoire") ==
             "The capital of Côte d'Ivoire is");
  BOOST_TEST(with_subject("{subject} 2008", "X") == "X 2008");
  BOOST_TEST(with_subject("for {subject}", "{subject} {subject}") == "for {subject} {subject}");
  BOOST_TEST(with_subject("no place", "X") == "no place");
}

BOOST_AUTO_TEST_SUITE_END()
