// SPDX-License-Identifier: Apache-2.0

// My engine returns logits. What does its model know? (The engine is in own_engine.hpp.)
//
// Prints:
//   accuracy 1.000 [0.342, 1.000], mean reciprocal rank 1.000 of 2 facts

#include "own_engine.hpp"

#include <cstdio>

#include "plumb/candidate_scorer.hpp"
#include "plumb/dataset.hpp"
#include "plumb/probe.hpp"

int main() {
  const plumb::Dataset cities{
      "cities",
      {plumb::relation_of("country", {"[X] is in [Y]."}, {{"Oslo", "Norway"}, {"Lima", "Peru"}})}};
  EngineModel model;
  plumb::CausalScorer scorer(model);
  const plumb::Answers answers = plumb::probe(scorer, cities);
  const auto numbers = plumb::metrics_of(answers).overall;
  std::printf("accuracy %.3f [%.3f, %.3f], mean reciprocal rank %.3f of %zu facts\n",
              numbers.accuracy.value, numbers.accuracy.low, numbers.accuracy.high,
              numbers.mean_reciprocal_rank.value, numbers.facts);
}
