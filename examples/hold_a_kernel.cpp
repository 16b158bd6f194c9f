// SPDX-License-Identifier: Apache-2.0

// Does a model with my quantised kernel still know what it knew with the reference kernel? The exit
// code is the answer.
//
// Prints:
//   worst 0.203 nats (Lima, Norway), mean 0.163; lost 0 of 2 facts

#include <cmath>
#include <cstdio>

#include "own_engine.hpp"
#include "plumb/candidate_scorer.hpp"
#include "plumb/compare.hpp"
#include "plumb/dataset.hpp"
#include "plumb/model.hpp"
#include "plumb/probe.hpp"

/// A stand-in for the quantised kernel: it shrinks the reference's logits by 5% and rounds them to
/// steps of one half.
struct QuantisedModel : EngineModel {
  void evaluate(std::span<const plumb::TokenId> sequence, const plumb::LogitsVisitor& visit) {
    EngineModel::evaluate(sequence, [&](std::uint32_t i, std::span<const float> logits) {
      std::vector<float> row(logits.begin(), logits.end());
      for (float& logit : row) logit = std::round(logit * 1.9F) / 2;
      visit(i, row);
    });
  }
};

plumb::Answers ask(auto model) {
  plumb::CausalScorer scorer(model);
  return plumb::probe(scorer, {"cities",
                               {plumb::relation_of("country", {"[X] is in [Y]."},
                                                   {{"Oslo", "Norway"}, {"Lima", "Peru"}})}});
}

int main() {
  const plumb::Answers reference = ask(EngineModel()), quantised = ask(QuantisedModel());
  const auto apart = plumb::compare(reference, quantised);
  std::printf("worst %.3f nats (%s, %s), mean %.3f; lost %zu of %zu facts\n", apart.worst_nats,
              apart.worst_at->question.subject.c_str(), apart.worst_at->candidate.c_str(),
              apart.mean_nats, apart.lost.size(), apart.facts);
  // If an engine reports only some tokens, facts are omitted, and none of the numbers above shows
  // this.
  const bool is_whole = quantised.unreported_facts == 0;
  return is_whole && apart.worst_nats < 2 && apart.lost.empty() ? 0 : 1;
}
