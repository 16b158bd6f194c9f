// SPDX-License-Identifier: Apache-2.0

// Can my confidence estimator use the scores of all options, not only the likeliest one's?
//
// An estimator can read them with fact.scores(). This one measures how far the distribution over
// options is from uniform: 1 − entropy / ln K.
//
// Prints:
//   entropy: France 0.494, Korea 0.276
//   accuracy 0.500, mean confidence 0.385

#include <cmath>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "plumb/calibrator.hpp"
#include "plumb/candidate_scorer.hpp"
#include "plumb/dataset.hpp"
#include "plumb/model.hpp"
#include "plumb/probe.hpp"
#include "plumb/tensors.hpp"

/// The whole estimator, in ten lines.
struct Entropy {
  [[nodiscard]] plumb::Judgement operator()(const plumb::FactPredictions& fact) const {
    const std::vector<double> p = plumb::softmax(fact.scores());
    double entropy = 0;
    for (const double one : p) entropy -= one > 0 ? one * std::log(one) : 0;
    return {1 - entropy / std::log(static_cast<double>(p.size())), fact.base().correct};
  }
  [[nodiscard]] std::string name() const { return "entropy"; }
  void check(const plumb::RelationPredictions& relation) const { relation.need_scores(name()); }
};
static_assert(plumb::check_confidence_estimator<Entropy>());

int main() {
  plumb::NgramTreeModel model("The capital of France is Paris. It was Seoul.", 6);
  plumb::CausalScorer scorer(model);
  const plumb::Answers answers =
      plumb::probe(scorer, {"capitals",
                            {plumb::relation_of("capital", {"The capital of [X] is [Y]."},
                                                {{"France", "Paris"}, {"Korea", "Seoul"}})}});

  const std::vector<plumb::Judgement> judged = plumb::judge(answers, Entropy());
  std::printf("entropy: France %.3f, Korea %.3f\n", judged[0].confidence, judged[1].confidence);
  const plumb::Calibration measured = plumb::calibrate(answers, Entropy(), {.bins = 2});
  using enum plumb::CalibrationMetric;
  std::printf("accuracy %.3f, mean confidence %.3f\n", measured[accuracy].value,
              measured[mean_confidence].value);
}
