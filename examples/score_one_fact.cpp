// SPDX-License-Identifier: Apache-2.0

// Does the model know the capital of France?
//
// Prints:
//   -149.05 nats  The capital of France is Paris.
//   -153.19 nats  The capital of France is Seoul.
//   It answers Paris, with confidence 0.984.

#include <cstdio>
#include <string>
#include <vector>

#include "plumb/aggregator.hpp"
#include "plumb/calibrator.hpp"
#include "plumb/candidate_scorer.hpp"
#include "plumb/model.hpp"
#include "plumb/prompt_builder.hpp"

int main() {
  plumb::NgramTreeModel model("The capital of France is Paris. The capital of Korea is Seoul.", 12);
  plumb::CausalScorer scorer(model);  // after BOS; without BOS: scorer(model, plumb::Bos::none())

  const std::vector<std::string> options{"Paris", "Seoul"};
  plumb::Query query;
  for (const std::string& option : options) {
    query.candidates.push_back(
        plumb::fill_template("The capital of [X] is [Y].", "France", option, true));
  }
  std::vector<double> scores;
  for (const plumb::StatementScore& score : scorer.score(query)) {
    std::printf("%.2f nats  %s\n", score.statement.log_likelihood,
                query.candidates[scores.size()].text.c_str());
    scores.push_back(score.statement.log_likelihood);
  }
  const plumb::Prediction made = plumb::predict(scores, /*answer=*/0);
  std::printf("It answers %s, with confidence %.3f.\n", options[made.option].c_str(),
              made.confidence);
}
