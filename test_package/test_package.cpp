// SPDX-License-Identifier: Apache-2.0

// Scores a sentence with a model that has read it.

#include <cstdio>

#include "plumb/candidate_scorer.hpp"
#include "plumb/model.hpp"
#include "plumb/prompt_builder.hpp"

int main() {
  plumb::NgramTreeModel model("Water is wet.", 4);
  plumb::CausalScorer scorer(model);
  const auto scores = scorer.score({{plumb::fill_template("[X] is [Y].", "Water", "wet", true),
                                     plumb::fill_template("[X] is [Y].", "Water", "dry", true)}});
  std::printf("plumb %s: wet %.3f, dry %.3f nats\n", PLUMB_VERSION, scores[0].log_likelihood,
              scores[1].log_likelihood);
  return scores[0].log_likelihood > scores[1].log_likelihood ? 0 : 1;
}
