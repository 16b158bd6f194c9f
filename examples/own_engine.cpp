// SPDX-License-Identifier: Apache-2.0

// My engine gives logits. What does its model know? (The engine is own_engine.hpp.)
//
// Prints:
//   accuracy 1.000 [0.342, 1.000], mean reciprocal rank 1.000 of 2 facts

#include "own_engine.hpp"

#include <cstdio>

#include "plumb/probe.hpp"
#include "plumb/score/causal_scorer.hpp"

int main() {
  const plumb::Relation country{
      .code = "country",
      .templates = {"[X] is in [Y]."},
      .options = {"Norway", "Peru"},
      .facts = {{.subject = "Oslo", .answer = 0}, {.subject = "Lima", .answer = 1}}};
  EngineModel model;
  plumb::CausalScorer scorer(model);
  const plumb::Answers answers = plumb::probe(scorer, {.name = "cities", .relations = {country}});
  const plumb::GroupMetrics numbers = plumb::metrics_of(answers).overall;
  std::printf("accuracy %.3f [%.3f, %.3f], mean reciprocal rank %.3f of %zu facts\n",
              numbers.accuracy.value, numbers.accuracy.low, numbers.accuracy.high,
              numbers.mean_reciprocal_rank.value, numbers.facts);
}
