// SPDX-License-Identifier: Apache-2.0

// Scores a sentence with a model that was trained on it.

#include <cstdio>

#include "plumb/candidate_scorer.hpp"
#include "plumb/model.hpp"
#include "plumb/prompt_builder.hpp"

int main() {
  plumb::NgramTreeModel model("Water is wet.", 4);
  plumb::CausalScorer scorer(model);
  const auto scores = scorer.score({{plumb::fill_template("[X] is [Y].", "Water", "wet", true),
                                     plumb::fill_template("[X] is [Y].", "Water", "dry", true)}});
  const double wet = scores[0].statement.log_likelihood;
  const double dry = scores[1].statement.log_likelihood;
  std::printf("plumb %s: wet %.3f, dry %.3f nats\n", PLUMB_VERSION, wet, dry);
  return wet > dry ? 0 : 1;
}
