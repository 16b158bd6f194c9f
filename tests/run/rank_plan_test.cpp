// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/rank_plan.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/errors.hpp"
#include "support/small_graph.hpp"

using namespace plumb::detail;
using test::elements;
using test::says;

BOOST_AUTO_TEST_SUITE(rank_plan_suite)

namespace {

using Places = std::vector<std::uint32_t>;

const NgramModel bytes("");

RankPlan rank_plan_of(const KnowledgeGraph& graph, RankOptions options) {
  options.shots = 2;
  return rank_plan(graph, options, bytes);
}

/// The part and line of each triple whose query asks for the tail.
std::vector<std::pair<std::string, std::size_t>> asked(const RankPlan& plan) {
  std::vector<std::pair<std::string, std::size_t>> all;
  for (const PlannedQuery& planned : plan.queries) {
    if (!planned.query.asks_head) all.emplace_back(planned.part, planned.query.triple.line);
  }
  return all;
}

/// The entities with one-letter names: the symbols of hydrogen, boron, carbon, …
Places one_letter(const KnowledgeGraph& graph) {
  Places places;
  for (std::uint32_t e = 0; e < graph.entities.size(); ++e) {
    if (graph.entities[e].name.size() == 1) places.push_back(e);
  }
  return places;
}

}  // namespace

BOOST_AUTO_TEST_CASE(queries_are_the_triples_of_a_part_in_its_order) {
  const KnowledgeGraph graph = elements();
  const auto check = [&](GraphPart part, const char* name, const std::vector<Triple>& triples) {
    const RankPlan plan = rank_plan_of(graph, RankOptions{.part = part});
    BOOST_REQUIRE(plan.queries.size() == triples.size());
    for (std::size_t i = 0; i < triples.size(); ++i) {
      BOOST_TEST(plan.queries[i].part == name);
      BOOST_TEST((plan.queries[i].query.triple == triples[i]));
      BOOST_TEST(plan.queries[i].query.triple.line == triples[i].line);
      BOOST_TEST(!plan.queries[i].query.asks_head);
    }
    BOOST_TEST(plan.left_out == 0U);
  };
  check(GraphPart::test, "test", graph.test);
  check(GraphPart::valid, "valid", graph.valid);
  check(GraphPart::train, "train", graph.train);
  const auto all = asked(rank_plan_of(graph, {.part = GraphPart::all}));
  BOOST_REQUIRE(all.size() == graph.train.size() + graph.valid.size() + graph.test.size());
  BOOST_TEST((all.front() == std::pair(std::string("train"), std::size_t{1})));
  BOOST_TEST((all[graph.train.size()] == std::pair(std::string("valid"), std::size_t{1})));
  BOOST_TEST((all.back() == std::pair(std::string("test"), graph.test.size())));
}

BOOST_AUTO_TEST_CASE(a_head_query_follows_its_tail_query) {
  const KnowledgeGraph graph = elements();
  const RankPlan plan = rank_plan_of(graph, {.heads = true});
  BOOST_REQUIRE(plan.queries.size() == 2 * graph.test.size());
  for (std::size_t i = 0; i < plan.queries.size(); ++i) {
    BOOST_TEST(plan.queries[i].query.asks_head == (i % 2 == 1));
    BOOST_TEST((plan.queries[i].query.triple == graph.test[i / 2]));
    BOOST_TEST(plan.queries[i].part == "test");
  }
}

BOOST_AUTO_TEST_CASE(only_selected_relations_are_queried) {
  const KnowledgeGraph graph = elements();
  std::size_t expected = 0;
  for (const Triple& t : graph.test) expected += t.relation == 1 || t.relation == 3 ? 1U : 0U;
  const RankPlan plan = rank_plan_of(graph, {.relations = {"in", "next"}});
  BOOST_TEST(plan.queries.size() == expected);
  std::uint32_t last = 0;
  for (const PlannedQuery& planned : plan.queries) {
    const Triple& triple = planned.query.triple;
    BOOST_TEST((triple.relation == 1 || triple.relation == 3));
    BOOST_TEST(triple.line > last);  // still in file order
    last = triple.line;
  }
  BOOST_TEST(plan.candidates.size() == graph.entities.size());
  BOOST_CHECK_EXCEPTION(
      (void)rank_plan_of(graph, {.relations = {"in", "weighs"}}), Error,
      says(Fault::user,
           "`relations`: 'weighs' is not a relation of the graph; it has symbol next holds in"));
}

BOOST_AUTO_TEST_CASE(a_sample_is_drawn_without_replacement_by_its_seed) {
  const KnowledgeGraph graph = elements();
  const auto sample = [&](std::size_t count, std::uint64_t seed) {
    return asked(
        rank_plan_of(graph, {.part = GraphPart::all, .sample = count, .sample_seed = seed}));
  };
  const auto ten = sample(10, 0);
  BOOST_TEST(ten.size() == 10U);
  BOOST_TEST(std::set(ten.begin(), ten.end()).size() == 10U);
  BOOST_TEST((sample(10, 0) == ten));
  BOOST_TEST((sample(10, 1) != ten));
  // A larger sample starts with the smaller one.
  const auto twenty = sample(20, 0);
  BOOST_TEST(std::equal(ten.begin(), ten.end(), twenty.begin()));
  // The sample is not just the start of the file, and it comes from more than one part.
  BOOST_TEST(!std::ranges::is_sorted(twenty));
  std::set<std::string> parts;
  for (const auto& [part, line] : twenty) parts.insert(part);
  BOOST_TEST(parts.size() > 1U);
}

BOOST_AUTO_TEST_CASE(a_sample_of_all_is_the_file_itself) {
  const KnowledgeGraph graph = elements();
  const auto all = asked(rank_plan_of(graph, {}));
  for (const std::size_t count : {graph.test.size(), graph.test.size() + 1}) {
    BOOST_TEST((asked(rank_plan_of(graph, {.sample = count})) == all));
  }
  const auto but_one = asked(rank_plan_of(graph, {.sample = graph.test.size() - 1}));
  BOOST_TEST(but_one.size() == all.size() - 1);
}

BOOST_AUTO_TEST_CASE(a_limit_takes_the_first_triples_of_what_was_drawn) {
  const KnowledgeGraph graph = elements();
  const auto all = asked(rank_plan_of(graph, {}));
  const auto first = asked(rank_plan_of(graph, {.limit = 5}));
  BOOST_TEST(first.size() == 5U);
  BOOST_TEST(std::equal(first.begin(), first.end(), all.begin()));
  const auto ten = asked(rank_plan_of(graph, {.sample = 10}));
  const auto drawn = asked(rank_plan_of(graph, {.sample = 10, .limit = 3}));
  BOOST_TEST(drawn.size() == 3U);
  BOOST_TEST(std::equal(drawn.begin(), drawn.end(), ten.begin()));
  BOOST_TEST(asked(rank_plan_of(graph, {.sample = 3, .limit = 10})).size() == 3U);
  BOOST_TEST(rank_plan_of(graph, {.limit = 5, .heads = true}).queries.size() == 10U);
}

BOOST_AUTO_TEST_CASE(candidates_are_all_entities_or_those_of_the_queries) {
  const KnowledgeGraph graph = elements();
  const RankPlan all = rank_plan_of(graph, {.limit = 3});
  BOOST_REQUIRE(all.candidates.size() == graph.entities.size());
  for (std::uint32_t e = 0; e < graph.entities.size(); ++e) {
    BOOST_TEST(all.candidates.entities()[e] == e);
    BOOST_TEST(all.candidates.place(e) == e);
  }
  // The candidates are hydrogen, boron, fluorine and their symbols.
  const RankPlan of_queries =
      rank_plan_of(graph, {.candidates = CandidateSet::of_queries, .limit = 3});
  BOOST_TEST((of_queries.candidates.entities() == Places{0, 1, 8, 9, 16, 17}));
  BOOST_TEST(of_queries.candidates.place(16) == 4U);
  BOOST_TEST(of_queries.candidates.has(9));
  BOOST_TEST(!of_queries.candidates.has(2));
  BOOST_TEST(of_queries.queries.size() == 3U);
}

BOOST_AUTO_TEST_CASE(candidates_of_one_token_keep_the_queries_that_ask_for_them) {
  const KnowledgeGraph graph = elements();
  const Places single = one_letter(graph);
  BOOST_TEST(single.size() == 10U);
  for (const bool heads : {false, true}) {
    const RankPlan plan =
        rank_plan_of(graph, {.candidates = CandidateSet::single_token, .heads = heads});
    BOOST_TEST((plan.candidates.entities() == single));
    std::size_t kept = 0;
    for (const Triple& triple : graph.test) {
      kept += std::ranges::find(single, triple.tail) != single.end() ? 1U : 0U;
    }
    BOOST_TEST(plan.queries.size() == kept);  // no head has a one-letter name
    BOOST_TEST(plan.left_out == graph.test.size() * (heads ? 2 : 1) - kept);
    for (const PlannedQuery& planned : plan.queries) {
      BOOST_TEST(!planned.query.asks_head);
      BOOST_TEST(graph.entities[planned.query.gold()].name.size() == 1U);
    }
  }
}

// The paper's form ends at the comma, so the space belongs to the name.
BOOST_AUTO_TEST_CASE(one_token_is_counted_where_the_form_writes_the_name) {
  const KnowledgeGraph graph = elements();
  const NgramModel model("", 3, {" H", " neon", "zinc"});
  const auto candidates = [&](QueryForm form) {
    const RankPlan plan = rank_plan(graph,
                                    {.part = GraphPart::all,
                                     .candidates = CandidateSet::single_token,
                                     .shots = 1,
                                     .form = form},
                                    model);
    std::set<std::string> names;
    for (const std::uint32_t e : plan.candidates.entities()) names.insert(graph.entities[e].name);
    return names;
  };
  BOOST_TEST((candidates(QueryForm::paper) == std::set<std::string>{"H", "neon"}));
  const auto reference = candidates(QueryForm::reference);
  BOOST_TEST(reference.size() == 11U);
  BOOST_TEST(reference.contains("zinc"));
  BOOST_TEST(!reference.contains("neon"));
}

BOOST_AUTO_TEST_CASE(a_plan_is_narrowed_to_one_token_from_any_candidates) {
  const KnowledgeGraph graph = elements();
  const RankPlan whole = rank_plan_of(graph, {.candidates = CandidateSet::of_queries, .limit = 3});
  const RankPlan single = single_token_plan(whole, bytes, QueryForm::reference);
  BOOST_TEST((single.candidates.entities() == Places{1, 9, 17}));
  BOOST_TEST(single.queries.size() == 3U);
  BOOST_TEST(single.left_out == 0U);
  BOOST_TEST((single.shots == whole.shots));
  // Queries omitted by an earlier plan are still included in the count.
  const RankPlan first = rank_plan_of(graph, {.candidates = CandidateSet::single_token});
  const RankPlan again = single_token_plan(first, bytes, QueryForm::reference);
  BOOST_TEST(first.left_out > 0U);
  BOOST_TEST(again.left_out == first.left_out);
  BOOST_TEST(again.queries.size() == first.queries.size());
}

BOOST_AUTO_TEST_CASE(candidates_are_written_for_each_method) {
  const KnowledgeGraph graph = elements();
  const RankPlan plan = rank_plan_of(graph, {.candidates = CandidateSet::of_queries, .limit = 3});
  const std::vector<std::string> likelihood = likelihood_texts(plan);
  const std::vector<std::string> paper = head_texts(plan, QueryForm::paper);
  const std::vector<std::string> reference = head_texts(plan, QueryForm::reference);
  BOOST_REQUIRE(likelihood.size() == plan.candidates.size());
  for (std::size_t c = 0; c < likelihood.size(); ++c) {
    const std::string& name = graph.entities[plan.candidates.entities()[c]].name;
    BOOST_TEST(likelihood[c] == " " + name + ")");
    BOOST_TEST(paper[c] == " " + name);
    BOOST_TEST(reference[c] == name);
  }
}

// The LM head may be able to rank one relation but not another.
BOOST_AUTO_TEST_CASE(a_plan_may_be_narrowed_to_nothing) {
  const KnowledgeGraph graph = elements();
  const RankPlan periods = rank_plan_of(graph, {.relations = {"in"}});
  const RankPlan none = single_token_plan(periods, bytes, QueryForm::reference);
  BOOST_TEST(none.queries.empty());
  BOOST_TEST(none.left_out == periods.queries.size());
  BOOST_TEST((none.candidates.entities() == one_letter(graph)));
  // After a space, no entity has a one-token name.
  const RankPlan empty = single_token_plan(periods, bytes, QueryForm::paper);
  BOOST_TEST(empty.queries.empty());
  BOOST_TEST(empty.candidates.size() == 0U);
  BOOST_TEST(!empty.candidates.has(1));
  BOOST_CHECK_NO_THROW(refuse_no_single_token(1));
  BOOST_CHECK_EXCEPTION(refuse_no_single_token(0), Error,
                        says(Fault::user,
                             "`candidates`: no query's true entity has a one-token name with this "
                             "model; use more queries with `limit` or `sample`, or rank by "
                             "likelihood or DEER"));
}

// By relation, the tails are the 36 symbols, all elements except the first (which follows no
// other), all 36 elements, and the four periods.
BOOST_AUTO_TEST_CASE(a_relations_queries_are_ranked_among_all_its_tails) {
  const KnowledgeGraph graph = elements();
  Places symbols, followers, held, periods{72, 73, 74, 75};
  for (std::uint32_t i = 0; i < 36; ++i) {
    symbols.push_back(2 * i + 1);
    held.push_back(2 * i);
    if (i > 0) followers.push_back(2 * i);
  }
  const RankPlan whole = rank_plan_of(graph, {.candidates = CandidateSet::of_relation});
  BOOST_TEST(whole.queries.size() == graph.test.size());
  const std::vector<RankPlan> plans = plans_by_relation(whole);
  const std::vector<Places> expected{symbols, followers, held, periods};
  BOOST_REQUIRE(plans.size() == 4U);
  std::size_t queries = 0;
  for (std::uint32_t r = 0; r < 4; ++r) {
    const RankPlan& plan = plans[r];
    BOOST_TEST(plan.candidates.entities() == expected[r], boost::test_tools::per_element());
    BOOST_TEST(plan.candidates.place(expected[r][2]) == 2U);
    BOOST_TEST((plan.shots == whole.shots));
    BOOST_TEST(plan.left_out == 0U);
    BOOST_TEST(&plan.graph == &graph);
    // The queries are the relation's test triples, in the same order.
    std::vector<std::size_t> lines, of_relation;
    for (const PlannedQuery& planned : plan.queries) {
      BOOST_TEST(planned.query.triple.relation == r);
      BOOST_TEST(planned.part == "test");
      lines.push_back(planned.query.triple.line);
    }
    for (const Triple& t : graph.test) {
      if (t.relation == r) of_relation.push_back(t.line);
    }
    BOOST_TEST(lines == of_relation, boost::test_tools::per_element());
    queries += lines.size();
  }
  BOOST_TEST(queries == whole.queries.size());
}

BOOST_AUTO_TEST_CASE(relations_that_are_not_asked_have_no_plan) {
  const KnowledgeGraph graph = elements();
  const auto relations = [&](const RankOptions& options) {
    Places asked;
    for (const RankPlan& plan : plans_by_relation(rank_plan_of(graph, options))) {
      asked.push_back(plan.queries.front().query.triple.relation);
    }
    return asked;
  };
  BOOST_TEST((relations({}) == Places{0, 1, 2, 3}));
  BOOST_TEST((relations({.relations = {"in", "next"}}) == Places{1, 3}));
  BOOST_TEST((relations({.limit = 5}) == Places{0}));
  // A sample is not sorted by relation, but the plans are.
  const Places drawn = relations({.part = GraphPart::all, .sample = 12});
  BOOST_TEST(drawn.size() > 1U);
  BOOST_TEST(std::ranges::is_sorted(drawn));
}

// The candidates are all tails in the graph, not only those of the queries.
BOOST_AUTO_TEST_CASE(tails_of_all_parts_are_a_relations_candidates) {
  KnowledgeGraph graph = elements();
  for (const GraphPart part : {GraphPart::test, GraphPart::valid, GraphPart::train}) {
    const auto plans =
        plans_by_relation(rank_plan_of(graph, {.part = part, .relations = {"symbol"}}));
    BOOST_REQUIRE(plans.size() == 1U);
    BOOST_TEST(plans[0].candidates.size() == 36U);
  }
  // This tail occurs only in the validation part, and it is listed once although it occurs in two
  // triples.
  graph.valid.push_back({0, 3, 76});
  graph.valid.push_back({2, 3, 76});
  const auto plans = plans_by_relation(rank_plan_of(graph, {.relations = {"in"}}));
  BOOST_TEST((plans[0].candidates.entities() == Places{72, 73, 74, 75, 76}));
}

BOOST_AUTO_TEST_CASE(declared_relation_range_takes_precedence_over_observed_tails) {
  KnowledgeGraph graph = elements();
  graph.relations[3].range = {5, 72, 73, 75, 76};  // without the third period
  const auto plans = plans_by_relation(rank_plan_of(graph, {.part = GraphPart::all}));
  BOOST_REQUIRE(plans.size() == 4U);
  BOOST_TEST(plans[0].candidates.size() == 36U);  // not specified by the graph
  const RankPlan& in = plans[3];
  BOOST_TEST((in.candidates.entities() == graph.relations[3].range));
  BOOST_TEST(in.left_out == 8U);  // the elements from sodium to argon
  BOOST_TEST(in.queries.size() == 28U);
  for (const PlannedQuery& planned : in.queries) BOOST_TEST(planned.query.gold() != 74U);
}

BOOST_AUTO_TEST_CASE(no_name_of_one_token_is_refused) {
  const KnowledgeGraph graph = elements();
  const auto message = says(Fault::user,
                            "`candidates`: no query's true entity has a one-token name with this "
                            "model; use more queries with `limit` or `sample`, or rank by "
                            "likelihood or DEER");
  BOOST_CHECK_EXCEPTION((void)rank_plan_of(graph, {.candidates = CandidateSet::single_token,
                                                   .form = QueryForm::paper}),
                        Error, message);
  // There are candidates, but none of them is the answer to a query.
  BOOST_CHECK_EXCEPTION(
      (void)rank_plan_of(graph, {.candidates = CandidateSet::single_token, .relations = {"in"}}),
      Error, message);
}

BOOST_AUTO_TEST_CASE(shots_are_drawn_from_train_whatever_is_asked) {
  const KnowledgeGraph graph = elements();
  const auto shots = [&](RankOptions options) { return rank_plan(graph, options, bytes).shots; };
  const auto eight = shots({});
  BOOST_REQUIRE(eight.size() == 8U);  // the paper's number
  for (const Triple& shot : eight) {
    BOOST_TEST((std::ranges::find(graph.train, shot) != graph.train.end()));
  }
  BOOST_TEST((shots({.part = GraphPart::valid, .sample = 3, .heads = true}) == eight));
  const auto three = shots({.shots = 3});
  BOOST_REQUIRE(three.size() == 3U);
  BOOST_TEST(std::equal(three.begin(), three.end(), eight.begin()));
  BOOST_TEST((shots({.shot_seed = 1}) != eight));
  BOOST_TEST(shots({.shots = 0}).empty());
  BOOST_CHECK_EXCEPTION((void)shots({.shots = graph.train.size() + 1}), Error,
                        says(Fault::user,
                             "`shots`: the graph has 71 training triples, fewer than "
                             "72; set fewer shots"));
}

BOOST_AUTO_TEST_CASE(a_part_without_triples_is_refused) {
  KnowledgeGraph graph = elements();
  graph.valid.clear();
  BOOST_CHECK_EXCEPTION(
      (void)rank_plan_of(graph, {.part = GraphPart::valid}), Error,
      says(Fault::user, "`split`: the graph has no triples in this part; use another part"));
  std::erase_if(graph.test, [](const Triple& triple) { return triple.relation == 0; });
  BOOST_CHECK_THROW((void)rank_plan_of(graph, {.relations = {"symbol"}}), Error);
  BOOST_TEST(rank_plan_of(graph, {.relations = {"next"}}).queries.size() > 0U);
}

// Oracle: every triple of the three parts is compared with every query.
BOOST_AUTO_TEST_CASE(true_candidates_are_those_of_all_parts) {
  KnowledgeGraph graph = elements();
  graph.valid.push_back(graph.test.front());  // a triple that occurs in two parts counts once
  graph.train.push_back(graph.test.back());
  const auto check = [&](const RankPlan& plan) {
    const TrueCandidates truths(plan);
    std::size_t most = 0;
    for (const PlannedQuery& planned : plan.queries) {
      const GraphQuery& query = planned.query;
      std::set<std::uint32_t> entities;
      for (const auto* part : {&graph.train, &graph.valid, &graph.test}) {
        for (const Triple& t : *part) {
          if (t.relation != query.triple.relation) continue;
          if (!query.asks_head && t.head == query.triple.head) entities.insert(t.tail);
          if (query.asks_head && t.tail == query.triple.tail) entities.insert(t.head);
        }
      }
      Places expected;
      for (std::uint32_t place = 0; place < plan.candidates.size(); ++place) {
        if (entities.contains(plan.candidates.entities()[place])) expected.push_back(place);
      }
      const Places found = truths.of(query);
      BOOST_TEST(found == expected, boost::test_tools::per_element());
      BOOST_TEST(std::ranges::count(found, plan.candidates.place(query.gold())) == 1);
      most = std::max(most, found.size());
    }
    return most;
  };
  BOOST_TEST(check(rank_plan_of(graph, {.part = GraphPart::all, .heads = true})) == 18U);
  BOOST_TEST(check(rank_plan_of(graph, {.candidates = CandidateSet::of_queries, .heads = true})) >
             1U);
  BOOST_TEST(check(rank_plan_of(graph, {.candidates = CandidateSet::single_token})) == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
