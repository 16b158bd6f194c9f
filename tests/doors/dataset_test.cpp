// SPDX-License-Identifier: Apache-2.0

#include "plumb/dataset.hpp"

#include <boost/test/unit_test.hpp>

#include "plumb/detail/data/check_and_complete.hpp"

using namespace plumb;

BOOST_AUTO_TEST_SUITE(dataset_door_suite)

BOOST_AUTO_TEST_CASE(objects_become_options_in_the_order_in_which_they_stand) {
  const Relation made = relation_of("country", {"[X] is in [Y]."},
                                    {{"Oslo", "Norway"}, {"Lima", "Peru"}, {"Bergen", "Norway"}});
  BOOST_TEST(made.options == (std::vector<std::string>{"Norway", "Peru"}),
             boost::test_tools::per_element());
  BOOST_TEST(made.facts[1].answer == 1U);
  BOOST_TEST(made.facts[2].answer == 0U);
  BOOST_TEST(made.facts[2].instance == 2U);
  BOOST_TEST(!is_one_to_one(made));
  BOOST_TEST(check_and_complete(made).option_ids[1] == "country-1");
}

BOOST_AUTO_TEST_SUITE_END()
