// SPDX-License-Identifier: Apache-2.0

// I want the probabilities as a tensor. Which axes does it have, and how do I reduce over them?
//
// Prints:
//   2 facts, 2 templates, 2 candidates
//   Oslo: Norway
//   Lima: Peru
//   Oslo: -1.02 nats per token, -1.02 per byte
//   candidates sum to 1

#include <cmath>
#include <cstdio>

#include "own_engine.hpp"
#include "plumb/candidate_scorer.hpp"
#include "plumb/dataset.hpp"
#include "plumb/probe.hpp"
#include "plumb/tensors.hpp"

int main() {
  EngineModel model;
  plumb::CausalScorer scorer(model);
  const plumb::Answers answers =
      plumb::probe(scorer, {"cities",
                            {plumb::relation_of("country", {"[X] is in [Y].", "Is [X] in [Y]?"},
                                                {{"Oslo", "Norway"}, {"Lima", "Peru"}})}});
  const plumb::Answers::Table& country = answers.tables.front();
  const auto nats = plumb::log_likelihoods(country);
  std::printf("%zu facts, %zu templates, %zu candidates\n", nats.shape(plumb::axis::facts),
              nats.shape(plumb::axis::templates), nats.shape(plumb::axis::candidates));
  // The likeliest candidate for each fact, based on the mean over templates.
  const xt::xtensor<double, 2> mean = xt::mean(nats, {plumb::axis::templates});
  const xt::xtensor<std::size_t, 1> best = xt::argmax(mean, 1);
  for (std::size_t fact = 0; fact < country.facts(); ++fact) {
    std::printf("%s: %s\n", country.relation.facts[fact].subject.c_str(),
                country.label(fact, best(fact)).c_str());
  }
  // Nats per token, and per byte.
  const xt::xtensor<double, 3> per_token = nats / plumb::token_counts(country);
  const xt::xtensor<double, 3> per_byte = nats / plumb::byte_counts(country);
  std::printf("Oslo: %.2f nats per token, %.2f per byte\n", per_token(0, 0, 0), per_byte(0, 0, 0));
  const xt::xtensor<double, 2> sums = xt::sum(plumb::softmax(nats), {plumb::axis::candidates});
  std::printf("candidates sum to %.0f\n", xt::amax(sums)());
}
