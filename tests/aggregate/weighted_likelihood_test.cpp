// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/aggregate/weighted_likelihood.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <utility>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(weighted_likelihood)

namespace {

using Scores = std::vector<double>;

}  // namespace

BOOST_AUTO_TEST_CASE(each_template_counts_by_its_weight) {
  WeightedLikelihood sum;
  sum.add(Scores{-1, -5, -8}, 0.25);
  sum.add(Scores{-9, -1, -4}, 0.75);
  // The weights are scaled to sum to one: (−1·¼ − 9·¾, −5·¼ − 1·¾, −8·¼ − 4·¾).
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

// The scores and their sums are sums of powers of two, so any order of addition gives the same
// bits.
BOOST_AUTO_TEST_CASE(the_order_of_templates_and_options_changes_nothing) {
  RandomStream random(41, "templates");
  for (int round = 0; round < 100; ++round) {
    const std::size_t options = 1 + random.below(6);
    std::vector<std::pair<Scores, double>> templates(1 + random.below(6));
    for (auto& [scores, weight] : templates) {
      for (std::size_t o = 0; o < options; ++o) {
        scores.push_back(-static_cast<double>(random.below(512)) / 16);
      }
      weight = static_cast<double>(random.below(9)) / 8;
    }
    std::vector<std::size_t> order(options);
    for (std::size_t o = 0; o < options; ++o) order[o] = o;
    random.shuffle(order);
    const auto mean = [&](const std::vector<std::size_t>& places) {
      WeightedLikelihood sum;
      for (const auto& [scores, weight] : templates) {
        Scores placed;
        for (const std::size_t place : places) placed.push_back(scores[place]);
        sum.add(placed, weight);
      }
      return sum.scores();
    };
    std::vector<std::size_t> as_they_are = order;
    std::ranges::sort(as_they_are);
    const Scores before = mean(as_they_are);
    random.shuffle(templates);
    const Scores after = mean(order);
    BOOST_REQUIRE(after.size() == before.size());
    for (std::size_t o = 0; o < after.size(); ++o) BOOST_TEST(after[o] == before[order[o]]);
  }
}

BOOST_AUTO_TEST_SUITE_END()
