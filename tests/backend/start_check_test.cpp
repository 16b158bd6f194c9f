// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/backend/start_check.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "plumb/detail/backend/any_model.hpp"
#include "plumb/detail/backend/archetypes.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(start_check_suite)

namespace {

constexpr std::string_view trained = "The capital of France is Paris. 1, 2, 3: one, two, three. ";

/// A tree model that changes its rows; `rows` counts the rows returned for trees.
struct Changed : NgramTreeModel {
  using Change = std::function<void(std::vector<float>&, std::size_t rows)>;
  explicit Changed(
      Change of_trees, Change of_sequences = [](auto&, std::size_t) {})
      : NgramTreeModel(trained, 4),
        trees(std::move(of_trees)),
        sequences(std::move(of_sequences)) {}

  void evaluate(std::span<const TokenId> sequence, const LogitsVisitor& visit) {
    NgramTreeModel::evaluate(sequence, changing(sequences, visit));
  }
  void evaluate(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    NgramTreeModel::evaluate(tree, wanted, changing(trees, visit));
  }
  LogitsVisitor changing(const Change& change, const LogitsVisitor& visit) {
    return [&](std::uint32_t at, std::span<const float> row) {
      std::vector<float> made(row.begin(), row.end());
      change(made, ++rows);
      visit(at, made);
    };
  }
  Change trees, sequences;
  std::size_t rows = 0;
};

/// A tokenizer that accepts only Latin letters and rejects other scripts.
struct Latin : NgramTreeModel {
  Latin() : NgramTreeModel(trained, 3) {}
  [[nodiscard]] Tokenization tokenize(std::string_view text) const {
    for (const char c : text) {
      if (c < 'a' || c > 'z') throw user_error({.field = "text"}, "holds what is no letter");
    }
    return NgramTreeModel::tokenize(text);
  }
};

/// Treats every text as one unknown token.
struct Blind : NgramTreeModel {
  Blind() : NgramTreeModel(trained, 3) {}
  [[nodiscard]] Tokenization tokenize(std::string_view text) const {
    return {{{'?', {0, text.size()}}}, true};
  }
};

void refused(Changed model, double most, const std::string& words) {
  AnyModel any = AnyModel::made_by([&] { return model; });
  BOOST_CHECK_EXCEPTION((void)check_at_start(model, most, "m.gguf"), Error,
                        says(Fault::user, words));
  BOOST_CHECK_EXCEPTION((void)check_at_start(any, most, "m.gguf"), Error, says(Fault::user, words));
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_sound_model_passes_and_holds_nothing_afterwards) {
  NgramTreeModel model(trained, 6);
  const ModelVerification made = check_at_start(model, 1e-3, "m");
  BOOST_TEST(made.worst->nats == 0);
  BOOST_TEST(model.tokens_fed < 200U);  // the check is cheap
  // evaluating this tree would fail if the model still held the nodes of the check
  TokenTree other;
  other.insert(std::vector<TokenId>{'x', 'y', 'z'});
  BOOST_CHECK_NO_THROW(
      model.evaluate(other, std::vector<NodeId>{1, 2, 3}, [](NodeId, std::span<const float>) {}));
  Latin latin;
  BOOST_TEST(check_at_start(latin, 1e-3, "m").rows > 8U);
  Blind blind;
  BOOST_TEST(check_at_start(blind, 1e-3, "m").rows > 8U);
  NgramLookupModel lookups(trained, 3);
  BOOST_TEST(check_at_start(lookups, 1e-3, "m").worst->nats == 0);
  NeighbourModel masked(trained);
  BOOST_TEST(check_at_start(masked, 1e-3, "m").worst->nats == 0);
}

BOOST_AUTO_TEST_CASE(rows_that_are_all_one_number_are_refused_and_some_are_not) {
  const auto zero = [](std::vector<float>& row, std::size_t) {
    for (float& x : row) x = -10.25F;
  };
  const auto differing = [](std::vector<float>& row, std::size_t rows) {
    for (float& x : row) x = static_cast<float>(rows);  // every row has a different number
  };
  refused(Changed(zero, zero), 0.5, "m.gguf returns rows in which all logits are equal");
  refused(Changed(differing, differing), 0.5, "returns rows in which all logits are equal");
  NgramLookupModel level("", 3);
  BOOST_CHECK_EXCEPTION((void)check_at_start(level, 0.5, "m"), Error,
                        says(Fault::user, "all logits are equal"));
  NgramModel bigrams("ab", 2);  // after all but two tokens, all of its logits are equal
  BOOST_CHECK_NO_THROW((void)check_at_start(bigrams, 0.5, "m"));
}

BOOST_AUTO_TEST_CASE(rows_without_a_distribution_are_refused) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    const auto one = [bad](std::vector<float>& row, std::size_t rows) {
      if (rows == 5) row[3] = bad;
    };
    refused(Changed([](auto&, std::size_t) {}, one), 0.5, "returns rows of non-finite logits");
  }
}

BOOST_AUTO_TEST_CASE(a_difference_is_measured_and_refused_above_the_most) {
  const auto by = [](float nats) {
    return [nats](std::vector<float>& row, std::size_t rows) {
      if (rows % 7 == 0) *std::max_element(row.begin(), row.end()) -= nats;
    };
  };
  refused(Changed(by(4)), 0.5, "gives inconsistent answers: evaluate of a tree");
  refused(Changed(by(0.01F)), 1e-3, "at most 0.001 is allowed");
  Changed fast(by(0.01F));
  const ModelVerification made = check_at_start(fast, 0.5, "m");
  BOOST_TEST(made.worst->nats > 0.005);
  BOOST_TEST(made.worst->nats < 0.011);
}

BOOST_AUTO_TEST_SUITE_END()
