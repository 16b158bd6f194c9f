// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/backend/verified_sequences.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(verified_sequences_suite)

namespace {

using Ids = std::vector<TokenId>;

}  // namespace

BOOST_AUTO_TEST_CASE(sequences_leave_texts_halfway_for_the_next_ones_second_half) {
  const std::vector<Ids> texts{{1, 2, 3, 4}, {}, {5, 6, 7, 8, 9, 10}};
  const auto made = verified_sequences(texts, 0, 100, 100);
  BOOST_REQUIRE(made.size() == 4U);
  BOOST_TEST(made[0].tokens == (Ids{0, 1, 2, 3, 4}), boost::test_tools::per_element());
  BOOST_TEST(made[1].text == 2U);
  // Tokens 0 and 1 of the first sequence, then the second half of the other sequence, reversed.
  BOOST_TEST(made[2].tokens == (Ids{0, 1, 10, 9, 8, 7}), boost::test_tools::per_element());
  BOOST_TEST(made[2].shared == 2U);
  BOOST_TEST(made[2].other.value() == 2U);
  BOOST_TEST(made[3].tokens == (Ids{0, 5, 6, 4, 3, 2}), boost::test_tools::per_element());
  BOOST_TEST(made[3].base == 1U);
}

BOOST_AUTO_TEST_CASE(a_branch_parts_from_its_text_at_once_or_is_not_there) {
  // With only one text, the branch ends in the reversed second half of that text; if this merely
  // repeats the text, there is no branch.
  const auto same = verified_sequences(std::vector<Ids>{{7, 7, 7, 7}}, std::nullopt, 100, 100);
  BOOST_TEST(same.size() == 1U);
  const auto alone = verified_sequences(std::vector<Ids>{{1, 2, 3, 4}}, std::nullopt, 100, 100);
  BOOST_REQUIRE(alone.size() == 2U);
  BOOST_TEST(alone[1].tokens == (Ids{1, 2, 4, 3}), boost::test_tools::per_element());
  BOOST_TEST(
      verified_sequences(std::vector<Ids>{{1, 2, 3, 4}}, 0, 3, 0)[0].tokens == (Ids{0, 1, 2}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_tree_knows_of_each_node_its_first_sequence) {
  const auto sequences =
      verified_sequences(std::vector<Ids>{{1, 2, 3, 4}, {1, 2, 9}}, std::nullopt, 100, 0);
  PlacedTree tree(sequences);
  std::vector<NodeId> added;
  (void)tree.grow(0, 3, added);
  (void)tree.grow(1, 3, added);
  BOOST_TEST(added == (std::vector<NodeId>{1, 2, 3, 4}), boost::test_tools::per_element());
  BOOST_TEST(tree.place(4).sequence == 1U);
  BOOST_TEST(tree.place(4).index == 2U);
  BOOST_TEST(tree.place(2).sequence == 0U);
  BOOST_TEST(tree.leaves() == 2U);
  tree.shrink(3);
  BOOST_TEST(tree.tree().size() == 3U);
}

BOOST_AUTO_TEST_CASE(groups_fit_into_a_trees_limits) {
  const auto sequences = verified_sequences(std::vector<Ids>{{1, 2, 3}, {1, 2, 4}, {5, 6}, {5, 7}},
                                            std::nullopt, 100, 0);
  using Groups = std::vector<std::vector<std::size_t>>;
  BOOST_TEST((sequences_together(sequences, {100, 100, 1}) == Groups{{0, 1, 2, 3}}));
  BOOST_TEST((sequences_together(sequences, {4, 100, 1}) == Groups{{0, 1}, {2, 3}}));
  BOOST_TEST((sequences_together(sequences, {100, 1, 1}) == Groups{{0}, {1}, {2}, {3}}));
}

BOOST_AUTO_TEST_SUITE_END()
