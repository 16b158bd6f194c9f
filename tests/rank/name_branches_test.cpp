// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/rank/name_branches.hpp"

// likelihood_ranker_test.cpp checks that ranks do not depend on what the model holds.

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(name_branches)

namespace {

using Tokens = std::vector<TokenId>;

Tokens tokens_of(const NgramModel& model, const std::string& text) {
  Tokens ids;
  for (const Token& token : model.tokenize(text).tokens) ids.push_back(token.id);
  return ids;
}

/// Prompts "xya" and "xyb" after the context "x", and the names "ab)", "ac)" and "d)".
struct Branches {
  void evaluate(PromptBranch& branch, const std::vector<NodeId>& nodes) {
    branches.evaluate({{&branch, std::span<const NodeId>(nodes)}},
                      [](PromptBranch&, NodeId, std::span<const double>) {});
  }
  NodeId at(const std::string& text) const {
    NodeId node = TokenTree::root;
    for (const TokenId token : tokens_of(model, text)) node = trie.tree().child(node, token);
    return node;
  }
  NgramTreeModel model{"xyab) xyac) xybd)", 2};
  std::vector<std::string> names{"ab)", "ac)", "d)"};
  NameTrie trie{model, names};
  Tokens context = tokens_of(model, "x"), one = tokens_of(model, "xya"),
         other = tokens_of(model, "xyb");
  NameBranches<NgramTreeModel> branches{model, trie};
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(what_prompts_share_is_fed_once, Branches) {
  branches.hold_context(context);
  BOOST_TEST(branches.fed_prompts() == 1U);
  PromptBranch first = branches.add(one), second = branches.add(other);
  BOOST_TEST(model.tokens_fed == 1U);
  evaluate(first, {TokenTree::root});
  BOOST_TEST(branches.fed_prompts() == 3U);
  evaluate(second, {TokenTree::root});
  BOOST_TEST(branches.fed_prompts() == 4U);
  BOOST_TEST(branches.fed_names() == 0U);
  evaluate(first, {at("a"), at("ab")});
  evaluate(first, {at("ac")});
  BOOST_TEST(branches.fed_names() == 3U);
  BOOST_TEST(model.tokens_fed == 7U);
}

BOOST_FIXTURE_TEST_CASE(children_are_those_behind_prompt_and_name, Branches) {
  branches.hold_context(context);
  PromptBranch branch = branches.add(one);
  const std::vector<NodeId> nodes{TokenTree::root, at("a")};
  std::size_t asked = 0;
  branches.evaluate({{&branch, std::span<const NodeId>(nodes)}}, [&](PromptBranch& of, NodeId node,
                                                                     std::span<const double> nats) {
    BOOST_TEST(&of == &branch);
    BOOST_TEST(node == nodes.at(asked++));
    const Tokens prefix = tokens_of(model, node == TokenTree::root ? "xya" : "xyaa");
    const auto children = trie.children(node);
    BOOST_REQUIRE(nats.size() == children.size());
    for (std::size_t i = 0; i < nats.size(); ++i) {
      BOOST_TEST(std::abs(nats[i] - model.log_probability(prefix, children[i].token)) < 1e-6);
    }
  });
  BOOST_TEST(asked == 2U);
}

// Each batch is a single call that contains each distinct lookup once; the model holds nothing.
BOOST_AUTO_TEST_CASE(a_model_of_lookups_is_asked_for_children_alone) {
  NgramLookupModel model("xyab) xyac) xybd)", 2);
  const std::vector<std::string> names{"ab)", "ac)", "d)"};
  const NameTrie trie(model, names);
  NameBranches<NgramLookupModel> branches(model, trie);
  BOOST_TEST(branches.has_branches());
  const Tokens prompt{'x', 'y', 'a'};
  branches.hold_context(std::span(prompt).first(1));
  BOOST_TEST(model.calls == 0U);
  PromptBranch branch = branches.add(prompt);
  const NodeId a = trie.tree().child(TokenTree::root, 'a');
  const std::vector<NodeId> nodes{TokenTree::root, a};
  std::size_t asked = 0;
  branches.evaluate({{&branch, std::span<const NodeId>(nodes)}},
                    [&](PromptBranch&, NodeId node, std::span<const double> nats) {
                      ++asked;
                      BOOST_TEST(nats.size() == trie.children(node).size());
                    });
  BOOST_TEST(asked == 2U);
  BOOST_TEST(model.calls == 1U);
  BOOST_TEST(model.looked_up == 4U);  // a and d, b and c
  branches.release(branch);
}

BOOST_FIXTURE_TEST_CASE(needs_exclude_nodes_that_the_branch_holds, Branches) {
  branches.hold_context(context);
  PromptBranch branch = branches.add(one);
  const auto needs = [&](std::vector<NodeId> nodes) { return branches.needs(branch, nodes); };
  // The four nodes are the prompt's two tokens and the two tokens of "ab", on one branch.
  BOOST_TEST(needs({at("ab")}).nodes == 4U);
  BOOST_TEST(needs({at("ab")}).leaves == 1U);
  BOOST_TEST(needs({at("ab"), at("ac")}).leaves == 2U);
  evaluate(branch, {TokenTree::root, at("a")});
  BOOST_TEST(branches.held_by(branch).nodes == 3U);
  BOOST_TEST(branches.held_by(branch).leaves == 1U);
  BOOST_TEST(needs({at("ab")}).nodes == 1U);
  BOOST_TEST(needs({at("ab")}).leaves == 0U);
  BOOST_TEST(needs({at("ab"), at("ac")}).leaves == 1U);
}

BOOST_FIXTURE_TEST_CASE(what_is_given_up_is_fed_again, Branches) {
  branches.hold_context(context);
  PromptBranch first = branches.add(one), second = branches.add(other);
  evaluate(first, {TokenTree::root, at("a")});
  evaluate(second, {TokenTree::root});
  branches.forget_names(first);
  BOOST_TEST(branches.held_by(first).nodes == 2U);
  const std::size_t fed = model.tokens_fed;
  evaluate(first, {at("ab")});  // and "a" before it
  BOOST_TEST(model.tokens_fed == fed + 2);
  branches.release(first);
  BOOST_TEST(branches.held_by(first).nodes == 0U);
  evaluate(first, {at("ac")});  // "y" is held by the other prompt
  BOOST_TEST(model.tokens_fed == fed + 2 + 3);
  branches.release(first);
  branches.release(second);
  branches.release(second);  // the model no longer holds anything
  evaluate(first, {TokenTree::root});
  BOOST_TEST(model.tokens_fed == fed + 2 + 3 + 2);
}

BOOST_AUTO_TEST_CASE(a_model_without_branches_is_fed_prefix_by_prefix) {
  NgramModel model("xyab)", 2);
  const std::vector<std::string> names{"ab)", "d)"};
  const NameTrie trie(model, names);
  NameBranches<NgramModel> branches(model, trie);
  BOOST_TEST(!branches.has_branches());
  const Tokens prompt = tokens_of(model, "xy");
  branches.hold_context(std::span(prompt).first(1));
  BOOST_TEST(branches.context() == 0U);
  PromptBranch branch = branches.add(prompt);
  const NodeId a = trie.tree().child(TokenTree::root, 'a');
  const std::vector<NodeId> nodes{TokenTree::root, a};
  std::size_t rows = 0;
  branches.evaluate({{&branch, std::span<const NodeId>(nodes)}},
                    [&](PromptBranch&, NodeId, std::span<const double>) { ++rows; });
  BOOST_TEST(rows == 2U);
  BOOST_TEST(branches.fed_prompts() == 4U);
  BOOST_TEST(branches.fed_names() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
