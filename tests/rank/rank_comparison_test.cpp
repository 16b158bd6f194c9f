// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/rank/rank_comparison.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(rank_comparison)

namespace {

/// Ranks, from 1, of the queries of lines 1, 2, … among ten candidates.
RankedMethod method(const std::string& name, const std::vector<std::size_t>& ranks,
                    std::size_t candidates = 10) {
  RankedMethod made;
  made.name = name;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    EntityRank one;
    one.part = "test";
    one.line = i + 1;
    one.relation = i % 2 == 0 ? "even" : "odd";
    one.head = std::string("h").append(std::to_string(i));
    one.tail = std::string("t").append(std::to_string(i));
    one.candidates = one.filtered_candidates = candidates;
    one.raw.above = one.filtered.above = ranks[i] - 1;
    made.ranks.push_back(one);
  }
  return made;
}

RankedModel model(const std::string& name, std::vector<RankedMethod> methods) {
  return {name, rank_results(std::move(methods), {}).methods};
}

}  // namespace

// Reciprocal ranks 1, 1/2, 1/4 and 1/2, 1/2, 1: the differences are 1/2, 0, -3/4, their mean -1/12.
BOOST_AUTO_TEST_CASE(a_difference_is_over_the_queries_that_both_have) {
  const RankComparison made = compare_ranks(
      {model("a", {method("deer", {1, 2, 4})}), model("b", {method("deer", {2, 2, 1})})}, {});
  BOOST_TEST_REQUIRE(made.methods.size() == 1U);
  const MethodComparison& deer = made.methods[0];
  // b's mean reciprocal rank, 2/3, is above a's 7/12.
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
  const RankComparison made =
      compare_ranks({model("a", {method("deer", {1, 2}), method("likelihood", {1, 1})}),
                     model("b", {method("deer", {2, 2}, 20), method("likelihood", {2, 1})})},
                    {});
  BOOST_TEST(made.methods[0].differences.empty());
  BOOST_TEST(made.methods[1].differences.size() == 1U);
  BOOST_TEST_REQUIRE(made.remarks.size() == 1U);
  BOOST_TEST(made.remarks[0].starts_with(
      "Not the same queries and candidates: a and b by deer (0 shared)"));
}

BOOST_AUTO_TEST_CASE(a_method_of_one_model_alone_is_named) {
  const RankComparison made =
      compare_ranks({model("a", {method("deer", {1, 2})}),
                     model("b", {method("deer", {2, 2}), method("lm-head", {1, 1})})},
                    {});
  BOOST_TEST_REQUIRE(made.remarks.size() == 1U);
  BOOST_TEST(made.remarks[0] == "By one model alone: lm-head (b).");
}

BOOST_AUTO_TEST_CASE(what_shares_nothing_is_refused) {
  BOOST_CHECK_EXCEPTION(
      (void)compare_ranks({model("a", {method("deer", {1})}), model("b", {method("lm-head", {1})})},
                          {}),
      Error, says(Fault::user, "the runs share no method"));
  BOOST_CHECK_EXCEPTION(
      (void)compare_ranks({model("a", {method("deer", {1})}), model("b", {method("deer", {1}, 7)})},
                          {}),
      Error, says(Fault::user, "the runs share no query"));
  auto other = method("deer", {1});
  other.ranks[0].tail = "somebody else";
  BOOST_CHECK_EXCEPTION(
      (void)compare_ranks({model("a", {method("deer", {1})}), model("b", {other})}, {}), Error,
      says(Fault::user, "compare runs over the same graph"));
}

BOOST_AUTO_TEST_CASE(undecided_ranks_have_no_difference) {
  auto open = method("likelihood", {1, 3});
  open.ranks[1].undecided = 2;
  const RankComparison made =
      compare_ranks({model("a", {method("likelihood", {1, 2})}), model("b", {open})}, {});
  BOOST_TEST(made.methods[0].differences.empty());
  BOOST_TEST(made.remarks.back().starts_with("b: some searches by likelihood ended"));
}

BOOST_AUTO_TEST_SUITE_END()
