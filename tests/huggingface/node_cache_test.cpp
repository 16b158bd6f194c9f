// SPDX-License-Identifier: Apache-2.0
#include "plumb/huggingface/node_cache.hpp"

#include <boost/test/unit_test.hpp>
#include <set>
#include <vector>

#include "support/errors.hpp"

using namespace plumb;
using test::says;

BOOST_AUTO_TEST_SUITE(node_cache)

namespace {

using Nodes = std::vector<NodeId>;

/// 1 → 2 → 3, 2 → 4, 1 → 5.
struct Tree : TokenTree {
  Tree() {
    insert(std::vector<TokenId>{1, 2, 3});
    add(2, 4);
    add(1, 5);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(ancestors_come_first_and_once, Tree) {
  NodeCache cache(2, 3);
  BOOST_TEST(cache.missing(*this, Nodes{4, 3}) == (Nodes{1, 2, 3, 4}));
  cache.take(Nodes{1, 2, 3, 4});
  BOOST_TEST(cache.held() == 4U);
  BOOST_TEST(cache.missing(*this, Nodes{5}) == Nodes{5});
  BOOST_CHECK_EXCEPTION((void)cache.missing(*this, Nodes{2}), Error,
                        says(Fault::internal, "is the root or was evaluated before"));
  BOOST_CHECK_EXCEPTION((void)cache.missing(*this, Nodes{root}), Error,
                        says(Fault::internal, "is the root"));
}

BOOST_FIXTURE_TEST_CASE(rows_stay_while_others_come_and_go, Tree) {
  NodeCache cache(2, 3);
  cache.reserve(3);
  cache.take(Nodes{1, 2, 3});
  cache.row(1, 2)[2] = 7;
  cache.release(*this, 3);
  BOOST_TEST(!cache.holds(3));
  cache.take(Nodes{4, 5});
  std::set<const float*> places;
  for (const NodeId node : {1U, 2U, 4U, 5U}) places.insert(cache.row(1, node));
  BOOST_TEST(places.size() == 4U);
  BOOST_TEST(cache.row(1, 2)[2] == 7.0F);
}

BOOST_FIXTURE_TEST_CASE(release_takes_all_below, Tree) {
  NodeCache cache(1, 1);
  cache.take(Nodes{1, 2, 3, 4, 5});
  cache.release(*this, 2);
  BOOST_TEST(cache.held() == 2U);
  for (const NodeId node : {2U, 3U, 4U}) BOOST_TEST(!cache.holds(node));
  for (const NodeId node : {1U, 5U}) BOOST_TEST(cache.holds(node));
  cache.release(*this, 2);  // nothing is there any more
  BOOST_TEST(cache.held() == 2U);
  cache.release(*this, root);
  BOOST_TEST(cache.held() == 0U);
  BOOST_TEST(!cache.holds(1));
}

BOOST_AUTO_TEST_SUITE_END()
