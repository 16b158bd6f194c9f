// SPDX-License-Identifier: Apache-2.0

// My engine only reports the k likeliest next tokens. What can I probe with it?
//
// The probability of any other token is unknown and is never replaced by a minimum; a fact that
// needs it is left out and counted.
//
// Prints:
//   top 256: knows 3 of 4 facts, 0 left out
//   top 3: knows 2 of 2 facts, 2 left out

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>
#include <vector>

#include "own_engine.hpp"
#include "plumb/candidate_scorer.hpp"
#include "plumb/dataset.hpp"
#include "plumb/model.hpp"
#include "plumb/probe.hpp"

/// A stand-in for an engine's sampling call: tokens with their log-probabilities, likeliest first.
struct TopEngine : Engine {
  [[nodiscard]] std::vector<std::pair<plumb::TokenId, double>> top(
      std::span<const plumb::TokenId> tokens, std::size_t k) const {
    const std::vector<float> logits = next(tokens);
    double sum = 0;
    for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
    std::vector<std::pair<plumb::TokenId, double>> all;
    for (std::size_t i = 0; i < logits.size(); ++i) {
      all.emplace_back(static_cast<plumb::TokenId>(i),
                       static_cast<double>(logits[i]) - std::log(sum));
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    all.resize(std::min(k, all.size()));
    return all;
  }
};

/// The engine as a plumb::LookupLm; the tokenizer and limits come from own_engine.hpp.
class TopModel {
 public:
  explicit TopModel(std::size_t k) : k_(k) {}
  [[nodiscard]] plumb::Tokenization tokenize(std::string_view text) const {
    return tokenizer_.tokenize(text);
  }
  [[nodiscard]] std::string detokenize(std::span<const plumb::TokenId> ids) const {
    return tokenizer_.detokenize(ids);
  }
  [[nodiscard]] std::optional<plumb::TokenId> bos() const { return tokenizer_.bos(); }
  [[nodiscard]] std::size_t vocabulary_size() const { return tokenizer_.vocabulary_size(); }
  [[nodiscard]] std::size_t context_length() const { return tokenizer_.context_length(); }
  [[nodiscard]] plumb::TreeLimits tree_limits() const { return {4096, 256, 256}; }

  /// Lookups with the same prefix are adjacent.
  void look_up(const plumb::TokenTree& tree, std::span<const plumb::TokenLookup> lookups,
               std::span<double> log_probabilities) {
    for (std::size_t i = 0; i < lookups.size();) {
      const plumb::NodeId node = lookups[i].node;
      const auto top = engine_.top(tree.prefix(node), k_);
      for (; i < lookups.size() && lookups[i].node == node; ++i) {
        const auto found = std::find_if(
            top.begin(), top.end(), [&](const auto& one) { return one.first == lookups[i].token; });
        log_probabilities[i] =
            found == top.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
      }
    }
  }

 private:
  std::size_t k_;
  EngineModel tokenizer_;
  TopEngine engine_;
};
static_assert(plumb::check_lookup_lm<TopModel>());

int main() {
  const plumb::Dataset facts{
      "facts",
      {plumb::relation_of("country", {"[X] is in [Y]."}, {{"Oslo", "Norway"}, {"Lima", "Peru"}}),
       plumb::relation_of("colour", {"[X] is [Y]."}, {{"Blood", "red"}, {"Grass", "green"}})}};
  for (const std::size_t k : {256U, 3U}) {
    TopModel model(k);
    plumb::CausalScorer scorer(model, plumb::Bos(), plumb::Span::continuation);
    const plumb::Answers answers = plumb::probe(scorer, facts);
    const auto numbers = plumb::metrics_of(answers).overall;
    std::printf("top %zu: knows %.0f of %zu facts, %zu left out\n", k,
                numbers.accuracy.value * static_cast<double>(numbers.facts), numbers.facts,
                answers.unreported_facts);
  }
}
