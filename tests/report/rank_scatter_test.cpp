// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/rank_scatter.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/markup.hpp"
#include "support/small_rank_comparison.hpp"

using namespace plumb::detail;
using test::holds;

BOOST_AUTO_TEST_SUITE(rank_scatter_suite)

BOOST_AUTO_TEST_CASE(names_are_grouped_by_their_tokens) {
  BOOST_TEST(length_group(0) == 0U);
  BOOST_TEST(length_group(1) == 0U);
  BOOST_TEST(length_group(3) == 2U);
  BOOST_TEST(length_group(9) == 3U);
}

BOOST_AUTO_TEST_CASE(few_candidates_have_linear_axes_and_many_logarithmic_ones) {
  for (const std::size_t candidates : {10U, 5000U}) {
    std::vector<RankedMethod> methods{test::ranked("deer", {1, 2, 4}, candidates),
                                      test::ranked("lm-head", {2, 2, 1}, candidates)};
    methods[0].ranks[2].tokens = 5;
    for (RankedMethod& one : methods) one.candidates = candidates;
    MethodAgreement agreement;
    agreement.other = 1;
    agreement.shared = {{0, 0}, {1, 1}, {2, 2}};
    const std::string chart = rank_scatter(methods, agreement);
    BOOST_TEST(test::markup_fault(chart) == "");
    BOOST_TEST(holds(chart, ">rank, deer<"));
    BOOST_TEST(holds(chart, ">1000<") == (candidates == 5000));
    BOOST_TEST(holds(chart, ">6<") == (candidates == 10));
    BOOST_TEST(holds(chart, "4 or more"));
    BOOST_TEST(!holds(chart, "3 tokens"));
  }
}

BOOST_AUTO_TEST_SUITE_END()
