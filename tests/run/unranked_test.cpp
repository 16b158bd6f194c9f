// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/unranked.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/small_graph.hpp"

using namespace plumb::detail;
using test::elements;

BOOST_AUTO_TEST_SUITE(unranked_suite)

namespace {

RankPlan plan_of(const KnowledgeGraph& graph, std::vector<std::uint32_t> candidates) {
  RankPlan plan{graph, {}, {}, {}, 0};
  plan.candidates = Candidates(std::move(candidates), graph.entities.size());
  return plan;
}

}  // namespace

// Nitrogen's triple from the validation part; three of the 77 entities are candidates.
BOOST_AUTO_TEST_CASE(unranked_row_describes_the_query) {
  const KnowledgeGraph graph = elements();
  const NgramModel model("");
  const RankPlan plan = plan_of(graph, {12, 13, 20});
  const Triple triple{12, 0, 13, 7};
  const EntityRank tail = unranked(model, plan, {{triple, false}, "valid"});
  BOOST_TEST(tail.part == "valid");
  BOOST_TEST(tail.line == 7U);
  BOOST_TEST(!tail.asks_head);
  BOOST_TEST(tail.head == "e7");
  BOOST_TEST(tail.relation == "symbol");
  BOOST_TEST(tail.tail == "s7");
  BOOST_TEST(tail.candidates == 3U);
  BOOST_TEST(tail.filtered_candidates == 3U);
  BOOST_TEST(tail.score == 0.0);
  BOOST_TEST((tail.raw == Rank{}));
  BOOST_TEST((tail.filtered == Rank{}));
  BOOST_TEST(tail.undecided == 0U);
  BOOST_TEST(tail.tokens == 2U);  // " N"
  const EntityRank head = unranked(model, plan, {{triple, true}, "test"});
  BOOST_TEST(head.asks_head);
  BOOST_TEST(head.head == "e7");
  BOOST_TEST(head.tail == "s7");
  BOOST_TEST(head.tokens == 9U);  // " nitrogen"
}

BOOST_AUTO_TEST_CASE(a_name_is_as_long_as_it_is_behind_a_space) {
  const KnowledgeGraph graph = elements();
  const NgramModel pieces("", 3, {" nitro", "nitrogen"});
  const EntityRank head = unranked(pieces, plan_of(graph, {12, 13}), {{{12, 0, 13, 7}, true}, ""});
  BOOST_TEST(head.tokens == 4U);  // " nitro", "g", "e", "n"
}

BOOST_AUTO_TEST_SUITE_END()
