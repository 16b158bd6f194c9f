// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/prompt/triple_prompt.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <set>
#include <string>
#include <vector>

#include "support/errors.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(triple_prompt)

namespace {

KnowledgeGraph countries() {
  KnowledgeGraph graph;
  graph.name = "countries";
  for (const char* name : {"France", "Paris", "Italy", "Rome", "Europe", "white-tail deer"}) {
    graph.entities.push_back({"id of " + std::string(name), name, "never shown"});
  }
  graph.relations = {{"P36", "capital"}, {"P30", "part of"}};
  graph.train = {{0, 0, 1, 1}, {0, 1, 4, 2}};
  graph.test = {{2, 0, 3, 1}, {2, 1, 4, 2}};
  return graph;
}

/// A graph with `count` training triples that differ only in their line numbers.
KnowledgeGraph of_size(std::uint32_t count, const std::string& name = "countries") {
  KnowledgeGraph graph = countries();
  graph.name = name;
  graph.train.clear();
  for (std::uint32_t line = 1; line <= count; ++line) graph.train.push_back({0, 0, 1, line});
  return graph;
}

std::vector<std::uint32_t> lines(const std::vector<Triple>& triples) {
  std::vector<std::uint32_t> lines;
  for (const Triple& triple : triples) lines.push_back(triple.line);
  return lines;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_query_gives_one_side_and_asks_for_the_other) {
  const Triple triple{2, 0, 3, 1};
  const GraphQuery tail{triple}, head{triple, true};
  BOOST_TEST(tail.given() == 2U);
  BOOST_TEST(tail.gold() == 3U);
  BOOST_TEST(head.given() == 3U);
  BOOST_TEST(head.gold() == 2U);
}

// The expected text comes from Figure 4 of the paper.
BOOST_AUTO_TEST_CASE(the_papers_form_leaves_the_triple_open_behind_the_relation) {
  const KnowledgeGraph graph = countries();
  const TriplePrompt prompt(graph, graph.train, QueryForm::paper);
  BOOST_TEST(prompt.shots(false) == "(France, capital, Paris)\n(France, part of, Europe)\n");
  BOOST_TEST(prompt.query({graph.test[0]}) ==
             "(France, capital, Paris)\n(France, part of, Europe)\n(Italy, capital,");
  BOOST_TEST(TriplePrompt::candidate(graph.entities[3]) == " Rome)");
  BOOST_TEST(TriplePrompt::head_candidate(graph.entities[3], QueryForm::paper) == " Rome");
  BOOST_TEST(TriplePrompt::head_candidate(graph.entities[3], QueryForm::reference) == "Rome");
  // With the true candidate, the query is identical to a shot.
  BOOST_TEST(prompt.query({graph.train[1]}) + TriplePrompt::candidate(graph.entities[4]) + "\n" ==
             prompt.shots(false) + "(France, part of, Europe)\n");
}

BOOST_AUTO_TEST_CASE(the_programs_form_has_an_empty_line_and_a_space) {
  const KnowledgeGraph graph = countries();
  const TriplePrompt prompt(graph, graph.train, QueryForm::reference);
  BOOST_TEST(prompt.shots(false) == "(France, capital, Paris)\n(France, part of, Europe)\n\n");
  BOOST_TEST(prompt.query({graph.test[1]}) ==
             "(France, capital, Paris)\n(France, part of, Europe)\n\n(Italy, part of, ");
}

BOOST_AUTO_TEST_CASE(head_queries_and_their_shots_are_turned_round) {
  const KnowledgeGraph graph = countries();
  const GraphQuery head{graph.test[0], true};
  const std::string shots =
      "(Paris, inverse of capital, France)\n(Europe, inverse of part of, France)\n";
  const TriplePrompt paper(graph, graph.train, QueryForm::paper);
  BOOST_TEST(paper.shots(true) == shots);
  BOOST_TEST(paper.query(head) == shots + "(Rome, inverse of capital,");
  const TriplePrompt reference(graph, graph.train, QueryForm::reference);
  BOOST_TEST(reference.shots(true) == shots + "\n");
  BOOST_TEST(reference.query(head) == shots + "\n(Rome, inverse of capital, ");
}

BOOST_AUTO_TEST_CASE(shots_stand_in_the_order_they_are_given_and_may_be_none) {
  const KnowledgeGraph graph = countries();
  const TriplePrompt turned(graph, {graph.train[1], graph.train[0]}, QueryForm::paper);
  BOOST_TEST(turned.shots(false) == "(France, part of, Europe)\n(France, capital, Paris)\n");
  const TriplePrompt none(graph, {}, QueryForm::paper);
  BOOST_TEST(none.shots(false).empty());
  BOOST_TEST(none.query({graph.test[0]}) == "(Italy, capital,");
}

BOOST_AUTO_TEST_CASE(names_are_written_and_not_identifiers_or_descriptions) {
  KnowledgeGraph graph = countries();
  graph.test.push_back({5, 1, 4, 3});
  const TriplePrompt prompt(graph, {}, QueryForm::reference);
  BOOST_TEST(prompt.query({graph.test[2]}) == "\n(white-tail deer, part of, ");
  BOOST_TEST(TriplePrompt::candidate(graph.entities[5]) == " white-tail deer)");
}

BOOST_AUTO_TEST_CASE(shots_are_drawn_without_replacement) {
  const KnowledgeGraph graph = of_size(20);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::vector<std::uint32_t> drawn = lines(drawn_shots(graph, 8, seed));
    BOOST_TEST(std::set<std::uint32_t>(drawn.begin(), drawn.end()).size() == 8U);
    BOOST_TEST((std::ranges::min(drawn) >= 1 && std::ranges::max(drawn) <= 20));
  }
}

// Each draw takes 8 of 20 triples, so in 1000 draws each triple is expected 400 times, with a
// standard error of 15.5. A deviation of more than five standard errors cannot plausibly be due to
// chance.
BOOST_AUTO_TEST_CASE(every_triple_is_drawn_as_often_as_another) {
  const KnowledgeGraph graph = of_size(20);
  std::vector<int> drawn(21, 0), first(21, 0);
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const std::vector<std::uint32_t> shots = lines(drawn_shots(graph, 8, seed));
    for (const std::uint32_t line : shots) ++drawn[line];
    ++first[shots[0]];
  }
  for (std::uint32_t line = 1; line <= 20; ++line) {
    BOOST_TEST((drawn[line] > 322 && drawn[line] < 478));
    // The expected count is 50, with a standard deviation of 6.9.
    BOOST_TEST((first[line] > 15 && first[line] < 85));
  }
}

BOOST_AUTO_TEST_CASE(more_draws_begin_with_the_same) {
  const KnowledgeGraph graph = of_size(20);
  const std::vector<std::uint32_t> all = lines(drawn_shots(graph, 20, 5));
  BOOST_TEST(!std::ranges::is_sorted(all));
  for (std::size_t count = 0; count <= 20; ++count) {
    const std::vector<std::uint32_t> some = lines(drawn_shots(graph, count, 5));
    BOOST_TEST(some == std::vector(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)),
               boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(a_draw_is_repeated_by_its_seed_and_graph) {
  const KnowledgeGraph graph = of_size(50);
  const auto once = lines(drawn_shots(graph, 8, 5));
  BOOST_TEST(lines(drawn_shots(graph, 8, 5)) == once, boost::test_tools::per_element());
  BOOST_TEST((lines(drawn_shots(graph, 8, 6)) != once));
  BOOST_TEST((lines(drawn_shots(of_size(50, "cities"), 8, 5)) != once));
  for (std::uint32_t i = 0; i < 50; ++i) BOOST_TEST(graph.train[i].line == i + 1);
}

BOOST_AUTO_TEST_CASE(no_more_shots_than_training_triples) {
  const KnowledgeGraph graph = of_size(7);
  BOOST_TEST(drawn_shots(graph, 7, 0).size() == 7U);
  BOOST_TEST(drawn_shots(of_size(0), 0, 0).empty());
  BOOST_CHECK_EXCEPTION(
      (void)drawn_shots(graph, 8, 0), Error,
      test::says(Fault::user,
                 "`shots`: the graph has 7 training triples, fewer than 8; set fewer shots"));
}

BOOST_AUTO_TEST_SUITE_END()
