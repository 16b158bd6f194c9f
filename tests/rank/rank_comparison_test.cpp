// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/rank/rank_comparison.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/small_rank_comparison.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(rank_comparison)

namespace {

/// A model of known size with the rank of one query.
RankedModel sized(const std::string& name, std::size_t rank, const std::string& family,
                  double parameters) {
  RankedModel made = test::ranked_model(name, {test::ranked("deer", {rank})});
  made.family = family;
  made.parameters = parameters;
  return made;
}

}  // namespace

// The reciprocal ranks are 1, 1/2, 1/4 for a and 1/2, 1/2, 1 for b. Their differences are 1/2, 0
// and -3/4, with mean -1/12.
BOOST_AUTO_TEST_CASE(a_difference_is_over_the_queries_that_both_have) {
  const RankComparison made =
      compare_ranks({test::ranked_model("a", {test::ranked("deer", {1, 2, 4})}),
                     test::ranked_model("b", {test::ranked("deer", {2, 2, 1})})},
                    {});
  BOOST_TEST_REQUIRE(made.methods.size() == 1U);
  const MethodComparison& deer = made.methods[0];
  // The mean reciprocal rank of b, 2/3, is higher than that of a, 7/12.
  BOOST_TEST_REQUIRE(deer.standings.size() == 2U);
  BOOST_TEST(made.models[deer.standings[0].model].name == "b");
  BOOST_TEST_REQUIRE(deer.differences.size() == 1U);
  const RankDifference& one = deer.differences[0];
  BOOST_TEST(made.models[one.first].name == "b");
  BOOST_TEST(one.queries == 3U);
  BOOST_TEST(std::abs(one.mean_reciprocal_rank.value - 1.0 / 12) < 1e-12);
  BOOST_TEST(one.mean_reciprocal_rank.low < one.mean_reciprocal_rank.value);
  BOOST_TEST(one.first_higher == 1U);
  BOOST_TEST(one.second_higher == 1U);
  BOOST_TEST(one.equal == 1U);
  BOOST_TEST(one.hits_at_1.value == 0.0);
  BOOST_TEST(one.hits_at_10.value == 0.0);
  BOOST_TEST(made.remarks.empty());
}

BOOST_AUTO_TEST_CASE(queries_among_other_candidates_are_not_compared) {
  const RankComparison made = compare_ranks(
      {test::ranked_model("a", {test::ranked("deer", {1, 2}), test::ranked("likelihood", {1, 1})}),
       test::ranked_model("b",
                          {test::ranked("deer", {2, 2}, 20), test::ranked("likelihood", {2, 1})})},
      {});
  BOOST_TEST(made.methods[0].differences.empty());
  BOOST_TEST(made.methods[1].differences.size() == 1U);
  BOOST_TEST_REQUIRE(made.remarks.size() == 1U);
  BOOST_TEST(
      made.remarks[0].starts_with("Different queries or candidates: a and b by deer (0 shared)"));
}

BOOST_AUTO_TEST_CASE(method_used_by_only_one_model_is_remarked) {
  const RankComparison made = compare_ranks(
      {test::ranked_model("a", {test::ranked("deer", {1, 2})}),
       test::ranked_model("b", {test::ranked("deer", {2, 2}), test::ranked("lm-head", {1, 1})})},
      {});
  BOOST_TEST_REQUIRE(made.remarks.size() == 1U);
  BOOST_TEST(made.remarks[0] == "Methods used by only one model: lm-head (b).");
}

BOOST_AUTO_TEST_CASE(what_shares_nothing_is_refused) {
  BOOST_CHECK_EXCEPTION(
      (void)compare_ranks({test::ranked_model("a", {test::ranked("deer", {1})}),
                           test::ranked_model("b", {test::ranked("lm-head", {1})})},
                          {}),
      Error, says(Fault::user, "the runs share no method"));
  BOOST_CHECK_EXCEPTION(
      (void)compare_ranks({test::ranked_model("a", {test::ranked("deer", {1})}),
                           test::ranked_model("b", {test::ranked("deer", {1}, 7)})},
                          {}),
      Error, says(Fault::user, "the runs share no query"));
  auto other = test::ranked("deer", {1});
  other.ranks[0].tail = "somebody else";
  BOOST_CHECK_EXCEPTION((void)compare_ranks({test::ranked_model("a", {test::ranked("deer", {1})}),
                                             test::ranked_model("b", {other})},
                                            {}),
                        Error, says(Fault::user, "compare runs over the same graph"));
}

BOOST_AUTO_TEST_CASE(undecided_ranks_have_no_difference) {
  auto open = test::ranked("likelihood", {1, 3});
  open.ranks[1].undecided = 2;
  const RankComparison made =
      compare_ranks({test::ranked_model("a", {test::ranked("likelihood", {1, 2})}),
                     test::ranked_model("b", {open})},
                    {});
  BOOST_TEST(made.methods[0].differences.empty());
  BOOST_TEST(made.remarks.back().starts_with("b: some searches by likelihood ended"));
}

// In family A, the rank of the only query falls from 4 to 2, so every metric rises or stays the
// same; in family B, the rank rises.
BOOST_AUTO_TEST_CASE(numbers_are_followed_over_the_sizes_of_a_family) {
  const RankComparison made =
      compare_ranks({sized("large", 2, "A", 7e9), sized("small", 4, "A", 1e8),
                     sized("big", 3, "B", 2e9), sized("little", 1, "B", 1e9)},
                    {});
  std::size_t of_a = 0;
  for (const SizeSeries& one : made.sizes) {
    BOOST_TEST(one.models.size() == 2U);
    if (one.family == "A") {
      ++of_a;
      BOOST_TEST(one.monotone);
      BOOST_TEST(made.models[one.models[0]].name == "small");
    } else if (one.measure == "mean_reciprocal_rank" || one.measure == "hits_at_1") {
      BOOST_TEST(!one.monotone);
    }
  }
  BOOST_TEST(of_a >= 3U);
  BOOST_TEST(made.monotone_share() < 1.0);
  BOOST_TEST(made.monotone_share() > 0.5);
}

// If two models have the same size, it does not count as a decrease when the first one has the
// better number. A model without a family is not part of any series.
BOOST_AUTO_TEST_CASE(models_of_one_size_are_no_fall) {
  const RankComparison made =
      compare_ranks({sized("a", 2, "A", 1e8), sized("b", 3, "A", 1e8), sized("c", 2, "A", 2e8),
                     sized("d", 1, "", 1e8), sized("e", 5, "", 2e8)},
                    {});
  BOOST_TEST(!made.sizes.empty());
  for (const SizeSeries& one : made.sizes) {
    BOOST_TEST(one.family == "A");
    BOOST_TEST(one.monotone, one.measure);
  }
  BOOST_TEST(made.monotone_share() == 1.0);
}

BOOST_AUTO_TEST_CASE(without_sizes_there_are_no_series) {
  BOOST_TEST(test::small_rank_comparison().sizes.empty());
  BOOST_TEST(std::isnan(test::small_rank_comparison().monotone_share()));
}

BOOST_AUTO_TEST_SUITE_END()
