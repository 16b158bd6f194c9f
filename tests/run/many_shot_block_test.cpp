// SPDX-License-Identifier: Apache-2.0
#include "plumb/run/many_shot_block.hpp"

#include <boost/test/unit_test.hpp>

using namespace plumb;

BOOST_AUTO_TEST_SUITE(many_shot_block)

// 50 shots, 5 seeds, 99 distractors, 100 training facts and single spaces, as the paper has them.
BOOST_AUTO_TEST_CASE(options_are_the_papers_where_nothing_is_said) {
  const ManyShotOptions options;
  BOOST_TEST((options.shots.numbers == std::vector<std::size_t>{50}));
  BOOST_TEST(options.seeds == 5U);
  BOOST_TEST(options.choices == 100U);
  BOOST_TEST(options.training == 100U);
  BOOST_TEST((options.pair_separators == std::vector<std::string>{" "}));
  BOOST_TEST(options.item_separator == " ");
  BOOST_TEST(options.limit == 0U);
  BOOST_TEST(options.least_facts == 0U);
  BOOST_TEST(options.least_objects == 0U);
  BOOST_TEST(!options.eic_paper);
  BOOST_TEST(!options.eic_isolated);
  BOOST_TEST((options.eic_form.join == Join::ids));
  BOOST_TEST(options.eic_form.pair_separator == " ");
  BOOST_TEST(options.eic_form.item_separator == ",");
  BOOST_TEST(options.baselines.empty());
  BOOST_TEST(options.relation_separators.empty());
}

BOOST_AUTO_TEST_CASE(a_block_asks_nothing_until_it_is_told) {
  const ManyShotBlock block;
  BOOST_TEST(block.settings.empty());
  BOOST_TEST(block.shots.empty());
  BOOST_TEST(block.facts == 0U);
  BOOST_TEST(!block.query);
  BOOST_TEST(!block.opening);
}

BOOST_AUTO_TEST_SUITE_END()
