// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/many_shot_block.hpp"

#include <boost/test/unit_test.hpp>

#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(many_shot_block)

// The paper uses 50 shots, 5 seeds, 99 distractors, 100 training facts and single spaces.
BOOST_AUTO_TEST_CASE(options_default_to_the_values_of_the_paper) {
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
  BOOST_TEST(options.eic_geometry.first == 50U);
  BOOST_TEST(options.eic_geometry.step == 5U);
  BOOST_TEST(options.eic_geometry.questions == 10U);
  BOOST_TEST(options.baselines.empty());
  BOOST_TEST(options.relation_separators.empty());
}

BOOST_AUTO_TEST_CASE(the_papers_row_has_questions_behind_pairs_50_to_95) {
  const EicGeometry paper;
  BOOST_TEST(paper.before(0) == 50U);
  BOOST_TEST(paper.before(3) == 65U);
  BOOST_TEST(paper.pairs() == 95U);
  const EicGeometry one{.first = 7, .step = 3, .questions = 1};
  BOOST_TEST(one.pairs() == 7U);
}

BOOST_AUTO_TEST_CASE(a_row_without_pairs_or_questions_is_refused_by_name) {
  BOOST_CHECK_NO_THROW((EicGeometry{1, 1, 1}.check()));
  BOOST_CHECK_EXCEPTION((EicGeometry{0, 5, 10}.check()), Error,
                        says(Fault::user, "`eic-first`: 0 is less than 1"));
  BOOST_CHECK_EXCEPTION((EicGeometry{50, 0, 10}.check()), Error,
                        says(Fault::user, "`eic-step`: 0 is less than 1"));
  BOOST_CHECK_EXCEPTION((EicGeometry{50, 5, 0}.check()), Error,
                        says(Fault::user, "`eic-questions`: 0 is less than 1"));
}

BOOST_AUTO_TEST_CASE(default_block_is_empty) {
  const ManyShotBlock block;
  BOOST_TEST(block.settings.empty());
  BOOST_TEST(block.shots.empty());
  BOOST_TEST(block.facts == 0U);
  BOOST_TEST(!block.query);
  BOOST_TEST(!block.opening);
}

BOOST_AUTO_TEST_SUITE_END()
