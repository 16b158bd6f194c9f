// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/score/name_trie.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "support/errors.hpp"
#include "support/names.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(name_trie_suite)

namespace {

using Strings = std::vector<std::string>;
using Indices = std::vector<std::uint32_t>;

Indices candidates_of(const NameTrie& trie, NodeId leaf) {
  const auto all = trie.candidates(leaf);
  return {all.begin(), all.end()};
}

/// A tokenizer that ignores case.
struct CaseBlind {
  [[nodiscard]] Tokenization tokenize(std::string_view text) const {
    Tokenization result;
    for (std::size_t i = 0; i < text.size(); ++i) {
      result.tokens.push_back({text[i] | 0x20, {i, i + 1}});
    }
    return result;
  }
};

}  // namespace

// The names are ab], acc] and d]: the root, a, ab, ac, acc and d have children.
BOOST_AUTO_TEST_CASE(each_prefix_knows_its_descendants) {
  const NgramModel model("");
  const NameTrie trie(model, Strings{"ab]", "d]", "acc]"});
  const TokenTree& tree = trie.tree();
  BOOST_TEST(trie.size() == 3U);
  BOOST_TEST(tree.size() == 1U + 3 + 2 + 3);
  BOOST_TEST(trie.inner_nodes() == 5U);  // a, ab, ac, acc, d
  BOOST_TEST(trie.count(TokenTree::root) == 3U);
  BOOST_TEST(trie.longest(TokenTree::root) == 4U);
  const NodeId a = tree.child(TokenTree::root, 'a');
  const NodeId d = tree.child(TokenTree::root, 'd');
  BOOST_TEST(trie.count(a) == 2U);
  BOOST_TEST(trie.longest(a) == 4U);
  BOOST_TEST(trie.longest(tree.child(a, 'b')) == 3U);
  BOOST_TEST(trie.count(d) == 1U);
  BOOST_TEST(trie.longest(d) == 2U);
  BOOST_TEST(!trie.is_leaf(d));
  BOOST_REQUIRE(trie.children(d).size() == 1U);
  BOOST_TEST(trie.children(d)[0].token == ']');
  BOOST_TEST(trie.children(d)[0].node == trie.leaf(1));
  BOOST_TEST(trie.is_leaf(trie.leaf(1)));
  BOOST_TEST(trie.children(trie.leaf(1)).empty());
  BOOST_TEST(candidates_of(trie, trie.leaf(2)) == Indices{2});
  BOOST_TEST(tree.prefix(trie.leaf(2)) == (std::vector<TokenId>{'a', 'c', 'c', ']'}));
}

BOOST_AUTO_TEST_CASE(equal_texts_share_a_leaf_and_keep_their_order) {
  const NgramModel model("");
  const NameTrie trie(model, Strings{"b]", "a]", "b]", "c]", "b]"});
  BOOST_TEST(trie.size() == 5U);
  BOOST_TEST(trie.leaf(0) == trie.leaf(2));
  BOOST_TEST(trie.leaf(0) == trie.leaf(4));
  BOOST_TEST(candidates_of(trie, trie.leaf(0)) == (Indices{0, 2, 4}));
  BOOST_TEST(candidates_of(trie, trie.leaf(3)) == Indices{3});
  BOOST_TEST(trie.count(trie.leaf(0)) == 3U);
  BOOST_TEST(trie.count(TokenTree::root) == 5U);
  BOOST_TEST(trie.children(TokenTree::root).size() == 3U);
}

BOOST_AUTO_TEST_CASE(texts_with_the_same_tokens_share_a_leaf_too) {
  const NameTrie trie(CaseBlind{}, Strings{"Turkey]", "turkey]", "Chad]"});
  BOOST_TEST(candidates_of(trie, trie.leaf(1)) == (Indices{0, 1}));
  BOOST_TEST(trie.leaf(0) != trie.leaf(2));
}

// Each text is tokenised from its start, taking the longest token at each position, without BOS.
BOOST_AUTO_TEST_CASE(tokens_are_those_of_the_text_by_itself) {
  const NgramModel model("", 2, {"an", "ana"});
  const NameTrie trie(model, Strings{"ana]", "an]", "ban]"});
  BOOST_TEST(trie.tree().prefix(trie.leaf(0)) == (std::vector<TokenId>{257, ']'}));
  BOOST_TEST(trie.tree().prefix(trie.leaf(1)) == (std::vector<TokenId>{256, ']'}));
  BOOST_TEST(trie.tree().prefix(trie.leaf(2)) == (std::vector<TokenId>{'b', 256, ']'}));
  BOOST_TEST(trie.longest(TokenTree::root) == 3U);
}

// After "x,", the token ", N" spans the boundary, so the trie begins before the given comma.
BOOST_AUTO_TEST_CASE(a_token_that_spans_the_join_begins_the_trie_earlier) {
  const NgramModel model("", 2, {", N"});
  const NameTrie trie(model, Strings{" Na]", " Oa]"}, "x,");
  const TokenTree& tree = trie.tree();
  BOOST_REQUIRE(trie.given().size() == 1U);
  BOOST_TEST(trie.given()[0] == ',');
  BOOST_TEST(tree.prefix(trie.leaf(0)) == (std::vector<TokenId>{256, 'a', ']'}));
  BOOST_TEST(tree.prefix(trie.leaf(1)) == (std::vector<TokenId>{',', ' ', 'O', 'a', ']'}));
  const NodeId comma = tree.child(TokenTree::root, ',');
  BOOST_TEST(trie.is_given(comma));
  BOOST_TEST(trie.length(comma) == 0U);
  BOOST_TEST(!trie.is_given(tree.child(comma, ' ')));
  BOOST_TEST(!trie.is_given(tree.child(TokenTree::root, 256)));
  BOOST_TEST(trie.length(trie.leaf(0)) == 3U);
  BOOST_TEST(trie.length(trie.leaf(1)) == 4U);
  BOOST_TEST(trie.longest(TokenTree::root) == 4U);
}

BOOST_AUTO_TEST_CASE(behind_a_lead_that_no_token_spans_nothing_is_given) {
  const NgramModel model("", 2, {" N"});
  const NameTrie trie(model, Strings{" Na]", " Oa]"}, ",");
  BOOST_TEST(trie.given().empty());
  BOOST_TEST(trie.tree().prefix(trie.leaf(0)) == (std::vector<TokenId>{256, 'a', ']'}));
  BOOST_TEST(trie.length(trie.leaf(1)) == 4U);
}

BOOST_AUTO_TEST_CASE(names_of_one_token_leave_the_root_alone_inside) {
  const NgramModel model("");
  const NameTrie trie(model, Strings{"a", "b", "a"});
  BOOST_TEST(trie.inner_nodes() == 0U);
  BOOST_TEST(trie.longest(TokenTree::root) == 1U);
  BOOST_TEST(trie.is_leaf(trie.leaf(1)));
}

BOOST_AUTO_TEST_CASE(a_text_that_begins_another_is_refused_wherever_it_stands) {
  const NgramModel model("");
  const auto words = [](const std::string& longer) {
    return says(Fault::user, "candidate: 'ab' is the beginning of another candidate, '" + longer +
                                 "'; rename one of them, or end every candidate with a text that "
                                 "occurs inside none");
  };
  BOOST_CHECK_EXCEPTION(NameTrie(model, Strings{"ab", "abc"}), Error, words("abc"));
  BOOST_CHECK_EXCEPTION(NameTrie(model, Strings{"x", "abcd", "ab"}), Error, words("abcd"));
  BOOST_CHECK_EXCEPTION(NameTrie(model, Strings{"ab", "abc", "ab"}), Error, words("abc"));
  BOOST_CHECK_NO_THROW(NameTrie(model, Strings{"ab]", "abc]"}));
  // Prefixes consist of tokens, not of letters: "ana" is one token, so "an" is not its prefix.
  BOOST_CHECK_NO_THROW(NameTrie(NgramModel("", 2, {"an", "ana"}), Strings{"an", "ana"}));
}

BOOST_AUTO_TEST_CASE(a_text_without_tokens_is_refused) {
  const NgramModel model("");
  BOOST_CHECK_EXCEPTION(NameTrie(model, Strings{"a]", ""}), Error,
                        says(Fault::user, "candidate: '' has no tokens; remove it"));
}

BOOST_AUTO_TEST_CASE(no_texts_make_the_empty_trie) {
  const NameTrie trie(NgramModel(""), Strings{});
  BOOST_TEST(trie.size() == 0U);
  BOOST_TEST(trie.inner_nodes() == 0U);
  BOOST_TEST(trie.count(TokenTree::root) == 0U);
  BOOST_TEST(trie.children(TokenTree::root).empty());
}

// The oracle searches all texts for each prefix.
BOOST_AUTO_TEST_CASE(random_names_are_counted_below_each_of_their_prefixes) {
  RandomStream random(1, "trie");
  for (int round = 0; round < 30; ++round) {
    const NgramModel model("", 1, {"ab", "ca"});
    const Strings names = test::random_names(random, 1 + random.below(30), 5);
    const NameTrie trie(model, names);
    struct Below {
      std::size_t count = 0, longest = 0;
      std::set<TokenId> next;
      Indices ends;
    };
    std::map<std::vector<TokenId>, Below> oracle;
    for (std::uint32_t i = 0; i < names.size(); ++i) {
      const auto ids = test::ids_of(model, names[i]);
      for (std::size_t length = 0; length <= ids.size(); ++length) {
        Below& below = oracle[{ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(length)}];
        ++below.count;
        below.longest = std::max(below.longest, ids.size());
        if (length < ids.size()) below.next.insert(ids[length]);
        if (length == ids.size()) below.ends.push_back(i);
      }
    }
    BOOST_REQUIRE(trie.tree().size() == oracle.size());
    std::size_t inner = 0;
    for (NodeId node = 0; node < trie.tree().size(); ++node) {
      const Below& below = oracle.at(trie.tree().prefix(node));
      BOOST_TEST(trie.count(node) == below.count);
      BOOST_TEST(trie.longest(node) == below.longest);
      BOOST_TEST(trie.is_leaf(node) == below.next.empty());
      if (trie.is_leaf(node)) BOOST_TEST(candidates_of(trie, node) == below.ends);
      inner += node != TokenTree::root && !below.next.empty() ? 1U : 0U;
      std::set<TokenId> next;
      for (const NameTrie::Child& child : trie.children(node)) {
        BOOST_TEST(trie.tree().child(node, child.token) == child.node);
        BOOST_TEST(next.insert(child.token).second);
      }
      BOOST_TEST((next == below.next));
    }
    BOOST_TEST(trie.inner_nodes() == inner);
    for (std::uint32_t i = 0; i < names.size(); ++i) {
      BOOST_TEST(std::ranges::count(trie.candidates(trie.leaf(i)), i) == 1);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
