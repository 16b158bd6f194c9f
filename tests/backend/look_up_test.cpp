// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/backend/look_up.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(look_up_suite)

namespace {

/// A tree with the sequences "abc", "abd" and "ax", and lookups after "a", "ab" and "abd".
struct Asked {
  Asked() {
    const NodeId a = tree.add(TokenTree::root, 'a');
    const NodeId ab = tree.add(a, 'b');
    tree.add(ab, 'c');
    const NodeId abd = tree.add(ab, 'd');
    tree.add(a, 'x');
    lookups = {{a, 'b'}, {a, 'x'}, {ab, 'c'}, {ab, 'd'}, {abd, 'a'}};
    end = abd;
  }
  TokenTree tree;
  std::vector<TokenLookup> lookups;
  NodeId end = 0;
};

constexpr const char* text = "abcabdaxabc";

/// Returns the answers after checking that each equals the archetype's.
template <class Model>
std::vector<double> checked(Model& model, NodeId held = TokenTree::none) {
  const Asked asked;
  const NgramModel oracle(text);
  std::vector<double> nats(asked.lookups.size());
  look_up(model, asked.tree, asked.lookups, nats, held);
  for (std::size_t i = 0; i < nats.size(); ++i) {
    const auto [node, token] = asked.lookups[i];
    BOOST_TEST(std::abs(nats[i] - oracle.log_probability(asked.tree.prefix(node), token)) < 1e-6);
  }
  return nats;
}

/// A LookupLm that changes its answers before returning them.
struct Meddled : NgramLookupModel {
  explicit Meddled(std::function<void(std::span<double>)> meddle)
      : NgramLookupModel(text), meddle_(std::move(meddle)) {}
  void look_up(const TokenTree&, std::span<const TokenLookup>, std::span<double> nats) {
    meddle_(nats);
  }

 private:
  std::function<void(std::span<double>)> meddle_;
};

void refused(std::function<void(std::span<double>)> meddle, const std::string& words) {
  Meddled model(std::move(meddle));
  const Asked asked;
  std::vector<double> nats(asked.lookups.size());
  BOOST_CHECK_EXCEPTION(look_up(model, asked.tree, asked.lookups, nats), Error,
                        says(Fault::user, "look_up: " + words));
}

}  // namespace

BOOST_AUTO_TEST_CASE(rows_trees_and_lookups_give_the_same_answers) {
  NgramModel plain(text);
  NgramTreeModel tree(text);
  NgramLookupModel lookups(text);
  const std::vector<double> by_rows = checked(plain);
  BOOST_TEST(checked(tree) == by_rows, boost::test_tools::per_element());
  (void)checked(lookups);
  BOOST_TEST(tree.tokens_fed == 3U);  // only a, b and d are fed; nothing is looked up after x and c
  BOOST_TEST(lookups.calls == 1U);
  BOOST_TEST(lookups.looked_up == 5U);
}

BOOST_AUTO_TEST_CASE(what_is_held_is_evaluated_once_with_the_rest) {
  NgramTreeModel model(text);
  (void)checked(model, Asked().end);
  BOOST_TEST(model.tokens_fed == 3U);
  NgramTreeModel other(text);
  const NodeId x = 5;
  (void)checked(other, x);
  BOOST_TEST(other.tokens_fed == 4U);

  TokenTree chain;
  const NodeId end = chain.insert(std::vector<TokenId>{'a', 'b'});
  NgramTreeModel alone(text);
  look_up(alone, chain, {}, {}, end);
  BOOST_TEST(alone.tokens_fed == 2U);
  NgramLookupModel lookups(text);
  look_up(lookups, chain, {}, {}, end);
  BOOST_TEST(lookups.calls == 0U);
}

BOOST_AUTO_TEST_CASE(nothing_asked_is_nothing_evaluated) {
  struct Silent : NgramModel {
    Silent() : NgramModel(text) {}
    void evaluate(std::span<const TokenId>, const LogitsVisitor&) { BOOST_ERROR("was asked"); }
  } plain;
  NgramTreeModel tree(text);
  TokenTree chain;
  const NodeId end = chain.insert(std::vector<TokenId>{'a', 'b'});
  look_up(plain, chain, {}, {});
  look_up(plain, chain, {}, {}, end);  // this model holds nothing between calls
  look_up(tree, chain, {}, {});
  BOOST_TEST(tree.tokens_fed == 0U);
}

BOOST_AUTO_TEST_CASE(a_token_beyond_the_vocabulary_is_refused) {
  NgramModel model(text);
  TokenTree chain;
  const std::vector<TokenLookup> lookups{{chain.add(TokenTree::root, 'a'), 300}};
  std::vector<double> nats(1);
  BOOST_CHECK_EXCEPTION(look_up(model, chain, lookups, nats), Error,
                        says(Fault::user, "returned token 300, outside the vocabulary of 257"));
}

BOOST_AUTO_TEST_CASE(a_model_of_lookups_is_held_to_its_concept) {
  refused([](std::span<double>) {}, "returned no log-probability for token 98 at position 1");
  refused(
      [](std::span<double> nats) {
        for (double& one : nats) one = 0.5;
      },
      "returned 0.500000 for token 98 at position 1; a log-probability must be 0 or less");
  // A log-probability that is zero up to rounding, minus infinity or unknown is a valid answer.
  Meddled sound([](std::span<double> nats) {
    for (double& one : nats) one = -std::numeric_limits<double>::infinity();
    nats[0] = 1e-7;
    nats[4] = std::numeric_limits<double>::quiet_NaN();
  });
  const Asked asked;
  std::vector<double> nats(asked.lookups.size());
  look_up(sound, asked.tree, asked.lookups, nats);
  BOOST_TEST(nats[0] == 1e-7);
}

BOOST_AUTO_TEST_SUITE_END()
