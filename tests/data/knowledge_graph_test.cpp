// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/knowledge_graph.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(knowledge_graph)

BOOST_AUTO_TEST_CASE(triples_are_ordered_by_head_then_relation_then_tail) {
  std::vector<Triple> triples{{1, 0, 0, 1}, {0, 1, 0, 2}, {0, 0, 1, 3}, {0, 0, 0, 4}};
  std::ranges::sort(triples);
  for (std::uint32_t i = 0; i < triples.size(); ++i) BOOST_TEST(triples[i].line == 4 - i);
  BOOST_CHECK((Triple{0, 0, 9, 0} < Triple{0, 1, 0, 0}));
  BOOST_CHECK((Triple{0, 9, 9, 0} < Triple{1, 0, 0, 0}));
}

BOOST_AUTO_TEST_CASE(triples_are_the_same_wherever_they_stand) {
  BOOST_CHECK((Triple{1, 2, 3, 4} == Triple{1, 2, 3, 5}));
  BOOST_CHECK(!(Triple{1, 2, 3, 4} < Triple{1, 2, 3, 5}));
  BOOST_CHECK(!(Triple{1, 2, 3, 5} < Triple{1, 2, 3, 4}));
  BOOST_CHECK((Triple{0, 2, 3, 4} != Triple{1, 2, 3, 4}));
  BOOST_CHECK((Triple{1, 0, 3, 4} != Triple{1, 2, 3, 4}));
  BOOST_CHECK((Triple{1, 2, 0, 4} != Triple{1, 2, 3, 4}));
  std::vector<Triple> twice{{1, 2, 3, 4}, {1, 2, 3, 5}, {1, 2, 4, 6}};
  twice.erase(std::unique(twice.begin(), twice.end()), twice.end());
  BOOST_TEST(twice.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_graph_has_nothing_until_it_is_read) {
  const KnowledgeGraph graph;
  BOOST_TEST(graph.name.empty());
  BOOST_TEST(graph.entities.empty());
  BOOST_TEST(graph.relations.empty());
  BOOST_TEST((graph.train.empty() && graph.valid.empty() && graph.test.empty()));
  BOOST_TEST(graph.trivial == 0U);
  BOOST_TEST((Entity{"Q1", "one"}.description.empty()));
}

BOOST_AUTO_TEST_SUITE_END()
