// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/rank_parts.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "support/errors.hpp"
#include "support/small_graph.hpp"

using namespace plumb::detail;
using test::elements;
using test::ranked;
using test::says;

BOOST_AUTO_TEST_SUITE(rank_parts_suite)

namespace {

using Counts = std::vector<std::size_t>;
using Places = std::vector<std::uint32_t>;

const NgramModel bytes("");

RankParts parts_of(const KnowledgeGraph& graph, RankOptions options, bool with_lm_head = false) {
  options.shots = 2;
  return rank_parts(graph, options, with_lm_head, bytes);
}

Counts queries(const std::vector<RankPlan>& plans) {
  Counts counts;
  for (const RankPlan& plan : plans) counts.push_back(plan.queries.size());
  return counts;
}

Counts candidates(const std::vector<RankPlan>& plans) {
  Counts counts;
  for (const RankPlan& plan : plans) counts.push_back(plan.candidates.size());
  return counts;
}

/// The test triples of a relation.
std::size_t tests_of(const KnowledgeGraph& graph, std::uint32_t relation) {
  return static_cast<std::size_t>(
      std::ranges::count(graph.test, relation, [](const Triple& t) { return t.relation; }));
}

}  // namespace

BOOST_AUTO_TEST_CASE(one_set_of_candidates_is_one_part_without_a_label) {
  const KnowledgeGraph graph = elements();
  for (const auto& [set, count] :
       {std::pair{CandidateSet::all, 77U}, {CandidateSet::single_token, 10U}}) {
    const RankParts parts = parts_of(graph, {.candidates = set});
    BOOST_TEST((candidates(parts.parts) == Counts{count}));
    BOOST_TEST((candidates({parts.whole}) == Counts{count}));
    BOOST_TEST((queries(parts.parts) == queries({parts.whole})));
    BOOST_TEST(parts.label(0) == "");
    BOOST_TEST(parts.single.empty());
  }
  const RankParts few = parts_of(graph, {.candidates = CandidateSet::of_queries, .limit = 3});
  BOOST_TEST((few.parts.at(0).candidates.entities() == Places{0, 1, 8, 9, 16, 17}));
}

BOOST_AUTO_TEST_CASE(lm_head_candidates_are_planned_separately) {
  const KnowledgeGraph graph = elements();
  const RankParts parts = parts_of(graph, {.heads = true}, true);
  BOOST_TEST((candidates(parts.parts) == Counts{77}));
  BOOST_TEST((queries(parts.parts) == Counts{2 * graph.test.size()}));
  BOOST_TEST((candidates(parts.single) == Counts{10}));
  // The test triples whose tail is a single letter; the test part contains the symbols of the
  // first, fifth, ninth … elements.
  std::size_t one_letter = 0;
  for (const Triple& t : graph.test) {
    one_letter += graph.entities[t.tail].name.size() == 1 ? 1U : 0U;
  }
  BOOST_TEST((queries(parts.single) == Counts{one_letter}));
  BOOST_TEST(parts.single[0].left_out == 2 * graph.test.size() - one_letter);
  BOOST_TEST(parts.left_out() == 0U);
  BOOST_CHECK_EXCEPTION((void)parts_of(graph, {.relations = {"in"}}, true), Error,
                        says(Fault::user,
                             "`candidates`: no query's true entity has a one-token name with this "
                             "model; use more queries with `limit` or `sample`, or rank by "
                             "likelihood or DEER"));
  BOOST_TEST(parts_of(graph, {.relations = {"in"}}).single.empty());
}

BOOST_AUTO_TEST_CASE(relations_with_candidates_of_their_own_are_parts_by_their_codes) {
  const KnowledgeGraph graph = elements();
  const RankParts parts = parts_of(graph, {.candidates = CandidateSet::of_relation});
  BOOST_TEST((candidates(parts.parts) == Counts{36, 35, 36, 4}));
  BOOST_TEST((queries(parts.parts) == Counts{tests_of(graph, 0), tests_of(graph, 1),
                                             tests_of(graph, 2), tests_of(graph, 3)}));
  const std::vector<std::string> labels{parts.label(0), parts.label(1), parts.label(2),
                                        parts.label(3)};
  BOOST_TEST((labels == std::vector<std::string>{"symbol", "next", "holds", "in"}));
  BOOST_TEST(parts.whole.queries.size() == graph.test.size());
  BOOST_TEST(parts.left_out() == 0U);
  // The labels belong to the parts, not to the graph's relations with the same indices.
  const RankParts two =
      parts_of(graph, {.candidates = CandidateSet::of_relation, .relations = {"in", "next"}});
  BOOST_TEST((candidates(two.parts) == Counts{35, 4}));
  BOOST_TEST(two.label(0) == "next");
  BOOST_TEST(two.label(1) == "in");
}

// Ten symbols have one letter; no tail of "is followed by" or "stands in" is a single letter.
BOOST_AUTO_TEST_CASE(a_relation_without_names_of_one_token_keeps_its_place) {
  const KnowledgeGraph graph = elements();
  const RankParts parts = parts_of(graph, {.candidates = CandidateSet::of_relation}, true);
  BOOST_TEST((candidates(parts.single) == Counts{10, 0, 0, 0}));
  BOOST_REQUIRE(parts.parts.size() == 4U);
  BOOST_TEST(parts.single[0].queries.size() > 0U);
  BOOST_TEST(parts.single[0].queries.size() < parts.parts[0].queries.size());
  BOOST_TEST(parts.single[0].left_out ==
             parts.parts[0].queries.size() - parts.single[0].queries.size());
  for (std::size_t p = 1; p < 4; ++p) {
    BOOST_TEST(parts.single[p].queries.empty());
    BOOST_TEST(parts.single[p].left_out == parts.parts[p].queries.size());
  }
  // One relation with queries is enough. If no relation has any, the run is rejected.
  const RankOptions without{.candidates = CandidateSet::of_relation, .relations = {"in", "next"}};
  BOOST_CHECK_EXCEPTION(
      (void)parts_of(graph, without, true), Error,
      says(Fault::user, "`candidates`: no query's true entity has a one-token name"));
  BOOST_TEST((candidates(parts_of(graph, without).parts) == Counts{35, 4}));
}

BOOST_AUTO_TEST_CASE(one_token_is_counted_in_the_form_that_is_asked_for) {
  const KnowledgeGraph graph = elements();
  const NgramModel model("", 3, {" H", " neon", " period 2"});
  const RankParts parts = rank_parts(graph,
                                     {.part = GraphPart::all,
                                      .candidates = CandidateSet::of_relation,
                                      .shots = 2,
                                      .form = QueryForm::paper},
                                     true, model);
  BOOST_TEST((candidates(parts.single) == Counts{1, 1, 1, 1}));
  BOOST_TEST((queries(parts.single) == Counts{1, 1, 1, 8}));  // eight are in period 2
}

BOOST_AUTO_TEST_CASE(queries_about_shots_are_counted) {
  const KnowledgeGraph graph = elements();
  BOOST_TEST(shown_queries(parts_of(graph, {}).parts) == 0U);
  BOOST_TEST(shown_queries(parts_of(graph, {.part = GraphPart::train}).parts) == 2U);
  BOOST_TEST(shown_queries(parts_of(graph, {.part = GraphPart::all, .heads = true}).parts) == 4U);
}

BOOST_AUTO_TEST_CASE(queries_without_their_true_entity_are_counted) {
  KnowledgeGraph graph = elements();
  const RankParts single = parts_of(graph, {.candidates = CandidateSet::single_token}, true);
  const std::size_t left_out = graph.test.size() - single.parts[0].queries.size();
  BOOST_TEST(left_out > 0U);
  BOOST_TEST(single.left_out() == left_out);
  // The graph's ranges contain neither the third period nor any two-letter symbols.
  graph.relations[3].range = {72, 73, 75};
  for (std::uint32_t e = 0; e < graph.entities.size(); ++e) {
    if (graph.entities[e].name.size() == 1) graph.relations[0].range.push_back(e);
  }
  const RankParts parts =
      parts_of(graph, {.part = GraphPart::all, .candidates = CandidateSet::of_relation});
  BOOST_TEST((queries(parts.parts) == Counts{10, 35, 36, 28}));
  BOOST_TEST(parts.left_out() == 26U + 8);
}

BOOST_AUTO_TEST_CASE(queries_left_out_of_the_only_relation_are_counted) {
  KnowledgeGraph graph = elements();
  graph.relations[3].range = {72, 73, 75};
  const RankParts parts = parts_of(
      graph,
      {.part = GraphPart::all, .candidates = CandidateSet::of_relation, .relations = {"in"}});
  BOOST_TEST((queries(parts.parts) == Counts{28}));
  BOOST_TEST(parts.left_out() == 8U);
}

BOOST_AUTO_TEST_CASE(the_whole_has_the_candidates_of_its_parts) {
  const KnowledgeGraph graph = elements();
  const auto whole = [&](const std::vector<std::string>& relations) {
    return parts_of(graph, {.candidates = CandidateSet::of_relation, .relations = relations})
        .whole.candidates.entities();
  };
  BOOST_TEST((whole({"in"}) == Places{72, 73, 74, 75}));
  BOOST_TEST(whole({"next", "in"}).size() == 35U + 4);
  BOOST_TEST(whole({}).size() == 72U + 4);  // copper's second entry is not a tail
}

BOOST_AUTO_TEST_CASE(ranks_follow_one_another_by_part) {
  const KnowledgeGraph graph = elements();
  RankParts parts = parts_of(graph, {.candidates = CandidateSet::of_relation}, true);
  std::vector<std::pair<std::size_t, std::size_t>> asked;
  const auto rank = [&](const RankPlan& part, std::size_t place) {
    asked.emplace_back(place, part.candidates.size());
    return std::vector{ranked(place + 1, "first", 0, 1), ranked(place + 1, "second", 1, 1)};
  };
  const std::vector<EntityRank> all = ranks_of(parts.parts, rank);
  BOOST_TEST((asked ==
              std::vector<std::pair<std::size_t, std::size_t>>{{0, 36}, {1, 35}, {2, 36}, {3, 4}}));
  BOOST_REQUIRE(all.size() == 8U);
  for (std::size_t i = 0; i < all.size(); ++i) {
    BOOST_TEST(all[i].line == i / 2 + 1);
    BOOST_TEST(all[i].relation == (i % 2 == 0 ? "first" : "second"));
  }
  // Parts without queries are skipped; the other parts keep their indices.
  asked.clear();
  std::swap(parts.single[0].queries, parts.single[2].queries);
  BOOST_TEST(ranks_of(parts.single, rank).size() == 2U);
  BOOST_REQUIRE(asked.size() == 1U);
  BOOST_TEST(asked[0].first == 2U);
  BOOST_TEST(ranks_of({}, rank).empty());
}

BOOST_AUTO_TEST_CASE(what_a_plan_refuses_is_refused) {
  const KnowledgeGraph graph = elements();
  BOOST_CHECK_EXCEPTION(
      (void)parts_of(graph, {.relations = {"weighs"}}), Error,
      says(Fault::user, "`relations`: 'weighs' is not a relation of the graph; it has symbol"));
  BOOST_CHECK_EXCEPTION(
      (void)parts_of(graph, {.candidates = CandidateSet::single_token, .relations = {"in"}}), Error,
      says(Fault::user, "`candidates`: no query's true entity"));
}

BOOST_AUTO_TEST_SUITE_END()
