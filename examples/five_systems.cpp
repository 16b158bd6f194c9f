// SPDX-License-Identifier: Apache-2.0

// Can my engine run all of plumb's measurements in one program, without writing a folder? (Its
// adapter is own_engine.hpp.)
//
// Prints:
//   probe: accuracy                    0.350 over 10
//   calibrate: ACE                     0.266 over 10
//   calibrate: Brier                   0.225 over 10
//   many shots: ic/2                   0.333 over 6
//   rank: mean reciprocal rank         0.404 over 8
//   many prompts: mean accuracy        0.000 over 10
//   compare: 60 statements, worst 0.000 nats, 0 flips

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "own_engine.hpp"
#include "plumb/calibrator.hpp"
#include "plumb/candidate_scorer.hpp"
#include "plumb/compare.hpp"
#include "plumb/dataset.hpp"
#include "plumb/many_prompts.hpp"
#include "plumb/many_shot.hpp"
#include "plumb/probe.hpp"
#include "plumb/rank.hpp"

namespace {

/// Two templates and ten facts; the engine has read two of these facts.
plumb::Dataset cities() {
  return {"cities",
          {plumb::relation_of("country", {"[X] is in [Y].", "Where is [X]? [Y]"},
                              {{"Oslo", "Norway"},
                               {"Lima", "Peru"},
                               {"Bergen", "Norway"},
                               {"Cusco", "Peru"},
                               {"Turku", "Finland"},
                               {"Vaasa", "Finland"},
                               {"Narvik", "Norway"},
                               {"Piura", "Peru"},
                               {"Oulu", "Finland"},
                               {"Tromso", "Norway"}})}};
}

void print(const char* what, const plumb::Estimate& estimate) {
  std::printf("%-34s %.3f over %zu\n", what, estimate.value, estimate.count);
}

}  // namespace

int main() {
  const plumb::Dataset dataset = cities();
  EngineModel model;
  plumb::CausalScorer scorer(model);

  // 1. The closed-set probe: is the true sentence the likeliest?
  const plumb::Answers answers = plumb::probe(scorer, dataset);
  print("probe: accuracy", plumb::metrics_of(answers).overall.accuracy);

  // 2. Is its confidence justified?
  const plumb::Calibration calibration = plumb::calibrate(answers, {.bins = 2});
  print("calibrate: ACE", calibration[plumb::CalibrationMetric::ace]);
  print("calibrate: Brier", calibration[plumb::CalibrationMetric::brier]);

  // 3. What does it know when given two other facts as bare pairs?
  const plumb::Answers shown =
      plumb::many_shot(scorer, dataset, {.shots = {{2}}, .seeds = 2, .choices = 3, .training = 4});
  for (const auto& group : plumb::accuracy_spreads(shown)) {
    print(("many shots: " + plumb::setting_name(group.group)).c_str(), group.overall.accuracy);
  }

  // 4. What is the rank of the true entity among all entities?
  const auto ranks = plumb::rank(
      model, dataset, {.methods = {plumb::RankMethod::likelihood}, .asked = {.shots = 1}});
  print("rank: mean reciprocal rank", ranks.methods[0].realistic().mean_reciprocal_rank);

  // 5. How does it answer many prompts in its own words, and how confident is it?
  const plumb::ManyPromptAnswers said =
      plumb::many_prompts(model, dataset, {.max_new_tokens = 8, .samples = 10});
  print("many prompts: mean accuracy", plumb::metrics_of(said).ways[0].coverage.average);

  // Does another build of the engine have the same knowledge?
  const plumb::AnswerComparison apart = plumb::compare(answers, plumb::probe(scorer, dataset));
  std::printf("compare: %zu statements, worst %.3f nats, %zu flips\n", apart.statements,
              apart.worst_nats, apart.flips.size());
}
