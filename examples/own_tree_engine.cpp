// SPDX-License-Identifier: Apache-2.0

// My engine can branch from a stored prefix. How can plumb use that? (The tree form.)
//
// Prints:
//   4 forms compared, all agree
//   2 options of 3 facts, 112 tokens one by one
//   the tree engine computed 66

#include <cstdio>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "plumb/candidate_scorer.hpp"
#include "plumb/dataset.hpp"
#include "plumb/model.hpp"
#include "plumb/probe.hpp"

/// An engine whose state after a sequence of tokens can be stored and continued.
struct Engine {
  struct State {
    std::vector<plumb::TokenId> read;  // a stand-in for a key-value cache
  };
  [[nodiscard]] State continue_search(const State& from, plumb::TokenId token) {
    ++fed;
    State next = from;
    next.read.push_back(token);
    return next;
  }
  [[nodiscard]] std::vector<float> logits(const State& state) const {
    std::vector<float> row(257, 0.0F);
    row[static_cast<std::size_t>(state.read.back() % 256)] = 1.0F;
    return row;
  }
  std::size_t fed = 0;
};

/// The tokenizer and the plain form come from an archetype; the thirty lines below add the tree
/// form.
class TreeEngineModel : public plumb::NgramModel {
 public:
  TreeEngineModel() : NgramModel("") {}

  void evaluate(std::span<const plumb::TokenId> sequence, const plumb::LogitsVisitor& visit) {
    Engine::State state;
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      state = engine.continue_search(state, sequence[i]);
      visit(static_cast<std::uint32_t>(i), engine.logits(state));
    }
  }

  /// Its cache holds 1,024 nodes and 64 branches, and one step evaluates 64 nodes.
  [[nodiscard]] plumb::TreeLimits tree_limits() const {
    return {.nodes = 1024, .leaves = 64, .batch = 64};
  }

  void evaluate(const plumb::TokenTree& tree, std::span<const plumb::NodeId> wanted,
                const plumb::LogitsVisitor& visit) {
    for (const plumb::NodeId node : wanted) visit(node, engine.logits(state(tree, node)));
  }

  void release(const plumb::TokenTree& tree, plumb::NodeId released) {
    std::erase_if(states_, [&](const auto& held) {
      plumb::NodeId node = held.first;
      while (node != released && node != plumb::TokenTree::root) node = tree.parent(node);
      return node == released;
    });
  }

  Engine engine;

 private:
  /// Continues from the nearest stored ancestor.
  const Engine::State& state(const plumb::TokenTree& tree, plumb::NodeId node) {
    if (node == plumb::TokenTree::root) return states_[node];
    if (const auto held = states_.find(node); held != states_.end()) return held->second;
    return states_[node] = engine.continue_search(state(tree, tree.parent(node)), tree.token(node));
  }

  std::map<plumb::NodeId, Engine::State> states_;
};
static_assert(
    // reports the requirements of plumb::TreeCausalLm that are not met
    plumb::check_tree_causal_lm<TreeEngineModel>());

/// Trees that grow, share prefixes and are released must produce the same results as single
/// sequences. Check this once when the engine is written, and whenever it changes.
void verify() {
  TreeEngineModel model;
  const std::vector<std::string> texts{"Oslo is in Norway.", "Lima is in Peru."};
  const auto made = plumb::verify_model(model, texts, 1e-3);
  std::printf("%zu forms compared, %s\n", made.compared.size(),
              made.agrees() ? "all agree" : made.first->description().c_str());
  (void)plumb::require_verified(model, texts,
                                1e-3);  // throws on disagreement, for a start-up check or a test
}

int main() {
  verify();
  const plumb::Relation country = plumb::relation_of(
      "country", {"[X] is in [Y]."}, {{"Oslo", "Norway"}, {"Bergen", "Norway"}, {"Lima", "Peru"}});
  TreeEngineModel model;
  plumb::CausalScorer scorer(model);
  std::size_t alone = 0;
  for (const plumb::Fact& fact : country.facts) {
    for (const std::string& option : country.options) {
      alone += (fact.subject + " is in " + option + ".").size() + 1;  // and BOS
    }
  }
  (void)plumb::probe(scorer, {"cities", {country}});
  std::printf("2 options of 3 facts, %zu tokens one by one\nthe tree engine computed %zu\n", alone,
              model.engine.fed);
}
