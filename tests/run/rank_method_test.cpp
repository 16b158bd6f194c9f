// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/rank_method.hpp"

#include <boost/test/unit_test.hpp>

#include "plumb/detail/backend/archetypes.hpp"
#include "support/errors.hpp"
#include "support/plain_embedder.hpp"
#include "support/small_graph.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(rank_method_suite)

BOOST_AUTO_TEST_CASE(vectors_are_had_by_models_that_embed) {
  BOOST_TEST(!has_vectors(NgramModel("abc", 2)));
  BOOST_TEST(has_vectors(NgramTreeModel("abc", 2)));
  BOOST_TEST(has_vectors(test::PlainEmbedder("abc", 2)));
}

BOOST_AUTO_TEST_CASE(what_no_method_can_rank_is_refused) {
  KnowledgeGraph graph = test::elements();
  refuse_unrankable(graph, true, true);
  refuse_unrankable(graph, false, false);
  BOOST_CHECK_EXCEPTION(refuse_unrankable(graph, true, false), Error,
                        says(Fault::user, "DEER needs hidden vectors"));
  graph.entities.resize(1);
  BOOST_CHECK_EXCEPTION(refuse_unrankable(graph, false, false), Error,
                        says(Fault::user, "the graph has only one entity"));
}

BOOST_AUTO_TEST_SUITE_END()
