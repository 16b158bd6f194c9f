// SPDX-License-Identifier: Apache-2.0

// Can my confidence use every option's score, and not the likeliest alone?
//
// A probe in memory keeps the scores where it is asked to; an estimator reads them as
// fact.scores(). This one is how far the answer's distribution is from even: 1 − entropy / ln K.
//
// Prints:
//   entropy: France 0.494, Korea 0.276
//   accuracy 0.500, mean confidence 0.385

#include <cmath>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "plumb/aggregate/probe_in_memory.hpp"
#include "plumb/backend/archetypes.hpp"
#include "plumb/calibrate/calibrator.hpp"
#include "plumb/score/causal_scorer.hpp"

/// The ten lines.
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
  plumb::Relation capital{"capital", {"The capital of [X] is [Y]."}, {"Paris", "Seoul"}};
  capital.facts = {{.subject = "France", .answer = 0}, {.subject = "Korea", .answer = 1}};
  plumb::NgramTreeModel model("The capital of France is Paris. It was Seoul.", 6);
  plumb::CausalScorer scorer(model, true);
  const auto made =
      plumb::probe_in_memory(scorer, {"capitals", {capital}, {}}, {.keep_scores = true}).relations;

  const plumb::Calibrator calibrator(Entropy{}, /*bins=*/2);
  const std::vector<plumb::Judgement> judged = calibrator.judge(made);
  std::printf("entropy: France %.3f, Korea %.3f\n", judged[0].confidence, judged[1].confidence);
  const plumb::Resamples resamples(plumb::strata_of(made), {}, "example");
  const plumb::Calibration measured = calibrator.calibrate(made, resamples);
  using enum plumb::CalibrationMetric;
  std::printf("accuracy %.3f, mean confidence %.3f\n", measured[accuracy].value,
              measured[mean_confidence].value);
}
