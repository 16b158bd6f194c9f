// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/backend/verified_trees.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(verified_trees_suite)

namespace {

/// Returns the calls made for the trees of two texts under the given limits, as strings such as
/// "ask 3" and "release 0".
std::vector<std::string> asked_within(const TreeLimits& limits, bool backwards) {
  const std::vector<std::vector<TokenId>> texts{{1, 2, 3, 4}, {5, 6, 7, 8}};
  const auto sequences = verified_sequences(texts, std::nullopt, 100, 1);
  DifferenceLog log(sequences, false, 0.1);
  // this model throws if its limits are exceeded or a node is wanted twice
  NgramTreeModel model("");
  model.limits = limits;
  std::vector<std::string> made;
  VerifiedTrees(log, sequences, limits, backwards,
                [&](const TokenTree& tree, NodeId node) {
                  model.release(tree, node);
                  made.push_back("release " + std::to_string(node));
                })
      .compare(
          "evaluate", [](PlacedTree::Place, std::span<const float>) { return 0.0; },
          [&](const TokenTree& tree, const std::vector<NodeId>& wanted,
              const LogitsVisitor& visit) {
            model.evaluate(tree, wanted, visit);
            made.push_back("ask " + std::to_string(wanted.size()));
          });
  return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(trees_are_asked_whole_growing_and_after_releases) {
  // The sequences are 1 2 3 4, 5 6 7 8 and 1 2 8 7. Their tree has ten nodes, six of which belong
  // to the branch and the text from which it branches.
  const std::vector<std::string> expected{
      "ask 10", "release 0",  // the whole tree
      // half of each sequence, three quarters, and the last nodes
      "ask 4", "ask 3", "ask 3", "release 0",
      // 1 2, then the rest of the text, which is released
      "ask 2", "ask 2", "release 3", "ask 2", "ask 1", "release 3", "ask 1", "release 0"};
  BOOST_TEST(asked_within({100, 100, 100}, false) == expected, boost::test_tools::per_element());
  const auto both_ways = asked_within({100, 100, 100}, true);
  BOOST_TEST(both_ways.size() == expected.size() + 2);
}

BOOST_AUTO_TEST_CASE(a_model_of_one_branch_gives_up_whole_trees_alone) {
  for (const std::string& one : asked_within({4, 1, 4}, true)) {
    BOOST_TEST((one == "release 0" || one.starts_with("ask ")));
  }
}

BOOST_AUTO_TEST_SUITE_END()
