// SPDX-License-Identifier: Apache-2.0
#include "plumb/aggregate/weighted_likelihood.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "support/errors.hpp"

using namespace plumb;
using test::says;

BOOST_AUTO_TEST_SUITE(weighted_likelihood)

namespace {

using Scores = std::vector<double>;

}  // namespace

BOOST_AUTO_TEST_CASE(each_template_counts_by_its_weight) {
  WeightedLikelihood sum;
  sum.add(Scores{-1, -5, -8}, 0.25);
  sum.add(Scores{-9, -1, -4}, 0.75);
  // (−1·¼ − 9·¾, −5·¼ − 1·¾, −8·¼ − 4·¾), the weights adding up to one.
  BOOST_TEST(sum.scores() == (Scores{-7, -2, -5}));
}

BOOST_AUTO_TEST_CASE(weights_need_not_add_up_to_one) {
  WeightedLikelihood sum;
  sum.add(Scores{-1, -4}, 3);
  sum.add(Scores{-5, -8}, 1);
  BOOST_TEST(sum.scores() == (Scores{-2, -5}));
}

BOOST_AUTO_TEST_CASE(a_template_without_weight_changes_nothing) {
  WeightedLikelihood sum;
  BOOST_TEST(sum.scores().empty());
  sum.add(Scores{-1, -2, -3}, 0);
  BOOST_TEST(sum.scores().empty());
  sum.add(Scores{-4, -6}, 2);
  sum.add(Scores{-100, 0}, 0);
  BOOST_TEST(sum.scores() == (Scores{-4, -6}));
}

BOOST_AUTO_TEST_CASE(options_are_the_same_under_all_templates) {
  WeightedLikelihood sum;
  sum.add(Scores{-1, -2, -3}, 1);
  BOOST_CHECK_EXCEPTION(sum.add(Scores{-1, -2}, 1), Error,
                        says(Fault::internal, "with different options"));
}

BOOST_AUTO_TEST_CASE(templates_behind_the_weights_weigh_nothing) {
  const Scores weights{0.5, 0.25};
  BOOST_TEST(weight_of(weights, 1) == 0.25);
  BOOST_TEST(weight_of(weights, 2) == 0);
  BOOST_TEST(weight_of({}, 0) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
