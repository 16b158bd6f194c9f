// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/aggregate/fact_means.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "support/small_prompts.hpp"

using namespace plumb::detail;
using test::same;

BOOST_AUTO_TEST_SUITE(fact_means)

namespace {

const Bootstrap few{.seed = 4, .resamples = 60};

FactValues facts(const std::vector<std::vector<double>>& relations) {
  FactValues made;
  for (const auto& relation : relations) {
    made.begin_relation();
    for (const double value : relation) made.add(value);
  }
  return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_mean_is_over_facts_and_its_resamples_are_within_relations) {
  // The mean over relations would be 0.5.
  const Estimate mean = FactMeans(few, "x")(facts({{1, 1, 1}, {}, {0}}));
  BOOST_TEST(mean.value == 0.75);
  BOOST_TEST(!mean.has_interval());  // pooled resampling would sometimes miss the 0
  BOOST_TEST(mean.count == 4U);
}

// This is Wilson's interval with the relations as strata of weights 3/4 and 1/4. A relation without
// facts is not a stratum.
BOOST_AUTO_TEST_CASE(a_share_has_relations_for_strata) {
  const Estimate share = share_of(facts({{1, 1, 0.5}, {}, {0}}));
  BOOST_CHECK(same(share, clustered_share({{{1, 1, 0.5}, 0.75}, {{0}, 0.25}})));
  BOOST_TEST(share.value == 0.625);
  BOOST_TEST(share.count == 4U);
  BOOST_TEST(share_of(facts({{}, {}})).count == 0U);
}

BOOST_AUTO_TEST_CASE(a_mean_has_the_resamples_of_its_name_and_seed) {
  const FactValues values = facts({{0.5, 0, 1}, {2, 3}});
  const std::vector<std::size_t> strata{3, 2};
  BOOST_CHECK(same(FactMeans(few, "x")(values),
                   resampled_mean(values.values, Resamples(strata, few, "x"))));
  BOOST_CHECK(!same(FactMeans(few, "y")(values), FactMeans(few, "x")(values)));
}

// The second set has as many facts as the first, but they are split differently between the
// relations.
BOOST_AUTO_TEST_CASE(means_do_not_depend_on_those_taken_before) {
  const std::vector<FactValues> all{facts({{0.5, 0, 1}, {2, 3}}), facts({{0.5, 0}, {1, 2, 3}}),
                                    facts({{0.5, 0, 1}, {2, 3}}), facts({{7, 1, 2}, {2, 4}})};
  FactMeans means(few, "x");
  for (const FactValues& values : all) {
    BOOST_CHECK(same(means(values), FactMeans(few, "x")(values)));
  }
}

BOOST_AUTO_TEST_CASE(there_is_no_mean_without_facts) {
  FactMeans means(few, "x");
  BOOST_TEST(means(facts({})).count == 0U);
  BOOST_TEST(means(facts({{}, {}})).count == 0U);
  BOOST_TEST(means(facts({{2}})).value == 2.0);
}

BOOST_AUTO_TEST_SUITE_END()
