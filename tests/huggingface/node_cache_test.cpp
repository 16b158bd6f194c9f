// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/node_cache.hpp"

#include <boost/test/unit_test.hpp>
#include <set>
#include <vector>

#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(node_cache)

namespace {

using Nodes = std::vector<NodeId>;
using Slots = std::vector<std::size_t>;

/// The tree has the branches 1 → 2 → 3, 2 → 4 and 1 → 5.
struct Tree : TokenTree {
  Tree() {
    insert(std::vector<TokenId>{1, 2, 3});
    add(2, 4);
    add(1, 5);
  }
  /// The slots visible to these nodes, in the order in which they are summed.
  [[nodiscard]] std::vector<std::size_t> slots(const NodeCache& cache,
                                               const std::vector<NodeId>& nodes) const {
    std::vector<std::size_t> all;
    for (const SlotRun run : cache.seen_by(*this, nodes).runs) {
      for (std::size_t i = 0; i < run.count; ++i) all.push_back(run.first + i);
    }
    return all;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(ancestors_come_first_and_once, Tree) {
  NodeCache cache(2, 1, 2);
  BOOST_TEST(cache.missing(*this, Nodes{4, 3}) == (Nodes{1, 2, 3, 4}));
  cache.take(Nodes{1, 2, 3, 4});
  BOOST_TEST(cache.held() == 4U);
  BOOST_TEST(cache.missing(*this, Nodes{5}) == Nodes{5});
  BOOST_CHECK_EXCEPTION((void)cache.missing(*this, Nodes{2}), Error,
                        says(Fault::internal, "is the root or was already evaluated"));
  BOOST_CHECK_EXCEPTION((void)cache.missing(*this, Nodes{root}), Error,
                        says(Fault::internal, "is the root"));
}

BOOST_FIXTURE_TEST_CASE(numbers_stay_while_others_come_and_go, Tree) {
  NodeCache cache(2, 1, 2);
  cache.reserve(3);
  cache.take(Nodes{1, 2, 3});
  const std::vector<float> numbers{5, 6, 7, 8};
  cache.set(1, 2, numbers.data());
  cache.release(*this, 3);
  BOOST_TEST(!cache.holds(3));
  cache.take(Nodes{4, 5});
  std::set<std::size_t> places;
  for (const NodeId node : {1U, 2U, 4U, 5U}) places.insert(slots(cache, {node}).back());
  BOOST_TEST(places.size() == 4U);
  const std::size_t slot = slots(cache, {2}).back(), lanes = cache.layer(1).lanes();
  const float* keys = cache.layer(1).keys(0, slot / lanes) + slot % lanes;
  BOOST_TEST(keys[0] == 5.0F);
  BOOST_TEST(keys[lanes] == 6.0F);
  BOOST_TEST(cache.layer(1).value(0, slot)[0] == 7.0F);
  BOOST_TEST(cache.layer(1).value(0, slot)[1] == 8.0F);
  BOOST_TEST(cache.layer(0).value(0, slot)[1] == 0.0F);
}

BOOST_FIXTURE_TEST_CASE(nodes_see_their_own_paths, Tree) {
  NodeCache cache(1, 1, 1);
  cache.take(Nodes{1, 2, 3, 4, 5});
  BOOST_TEST(slots(cache, {3}) == (Slots{0, 1, 2}));
  const SeenSlots seen = cache.seen_by(*this, Nodes{2, 3, 4, 5});
  BOOST_TEST(slots(cache, {2, 3, 4, 5}) == (Slots{0, 1, 2, 3, 4}));
  BOOST_TEST(seen.runs.size() == 1U);
  BOOST_TEST(seen.shared == 1U);
  BOOST_TEST((seen.own == std::vector<std::vector<std::uint32_t>>{{1}, {1, 2}, {1, 3}, {4}}));
  const SeenSlots chain = cache.seen_by(*this, Nodes{2, 3});
  BOOST_TEST(chain.shared == 2U);
  BOOST_TEST((chain.own == std::vector<std::vector<std::uint32_t>>{{}, {2}}));
  BOOST_TEST(cache.seen_by(*this, Nodes{1, 5}).shared == 1U);
}

BOOST_FIXTURE_TEST_CASE(branches_of_the_root_share_nothing, Tree) {
  add(root, 9);
  NodeCache cache(1, 1, 1);
  cache.take(Nodes{1, 2, 6});
  const SeenSlots seen = cache.seen_by(*this, Nodes{2, 6});
  BOOST_TEST(seen.shared == 0U);
  BOOST_TEST((seen.own == std::vector<std::vector<std::uint32_t>>{{0, 1}, {2}}));
}

BOOST_FIXTURE_TEST_CASE(the_lowest_slots_are_used_again_first, Tree) {
  NodeCache cache(1, 1, 1);
  cache.take(Nodes{1, 2, 3, 4, 5});
  cache.release(*this, 5);
  cache.release(*this, 2);
  cache.take(Nodes{2, 3, 4, 5});
  BOOST_TEST(slots(cache, {3, 4, 5}) == (Slots{0, 1, 2, 3, 4}));
  cache.release(*this, 2);
  cache.take(Nodes{4});
  // The slots are not adjacent: node 1 is in slot 0, and node 5 in slot 4.
  BOOST_TEST(cache.seen_by(*this, Nodes{5}).runs.size() == 2U);
  BOOST_TEST(slots(cache, {5}) == (Slots{0, 4}));
}

BOOST_FIXTURE_TEST_CASE(release_takes_all_below, Tree) {
  NodeCache cache(1, 1, 1);
  cache.take(Nodes{1, 2, 3, 4, 5});
  cache.release(*this, 2);
  BOOST_TEST(cache.held() == 2U);
  for (const NodeId node : {2U, 3U, 4U}) BOOST_TEST(!cache.holds(node));
  for (const NodeId node : {1U, 5U}) BOOST_TEST(cache.holds(node));
  cache.release(*this, 2);  // no effect: the node has already been released
  BOOST_TEST(cache.held() == 2U);
  cache.release(*this, root);
  BOOST_TEST(cache.held() == 0U);
  BOOST_TEST(!cache.holds(1));
}

BOOST_AUTO_TEST_SUITE_END()
