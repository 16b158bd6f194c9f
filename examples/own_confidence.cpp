// SPDX-License-Identifier: Apache-2.0

// How do I measure the calibration of a confidence of my own?
//
// Any type with operator()(fact), name() and check(relation) is a ConfidenceEstimator. This one is
// the mean over paraphrases of the confidence in the base template's answer.
//
// Prints:
//   mean_of_answer: accuracy 0.750, mean confidence 0.700, ACE 0.400

#include <cstdio>
#include <string>
#include <vector>

#include "plumb/calibrate/calibrator.hpp"

struct MeanOfAnswer {
  [[nodiscard]] plumb::Judgement operator()(const plumb::FactPredictions& fact) const {
    double sum = 0;
    for (const plumb::Prediction& made : fact.paraphrases()) {
      if (made.option == fact.base().option) sum += made.confidence;
    }
    return {sum / static_cast<double>(fact.in.paraphrases), fact.base().correct};
  }
  [[nodiscard]] std::string name() const { return "mean_of_answer"; }
  void check(const plumb::RelationPredictions&) const {}
};
static_assert(plumb::check_confidence_estimator<MeanOfAnswer>());

int main() {
  plumb::RelationPredictions relation;
  for (const std::size_t index : {0U, 1U}) relation.add_template(index);
  relation.paraphrases = 2;
  const auto fact = [&](std::size_t answer, plumb::Prediction one, plumb::Prediction other) {
    relation.relation.facts.push_back({"s", "subject", {}, answer});
    one.correct = one.option == answer;
    other.correct = other.option == answer;
    relation.cells.insert(relation.cells.end(), {one, other});
  };
  fact(0, {.option = 0, .confidence = 0.9}, {.option = 0, .confidence = 0.9});
  fact(1, {.option = 1, .confidence = 0.9}, {.option = 1, .confidence = 0.7});
  fact(1, {.option = 1, .confidence = 0.8}, {.option = 0, .confidence = 0.6});
  fact(0, {.option = 1, .confidence = 0.8}, {.option = 1, .confidence = 0.6});

  const plumb::Calibrator calibrator(MeanOfAnswer{}, /*bins=*/4);
  const std::vector<plumb::RelationPredictions> relations{relation};
  const plumb::Resamples resamples(plumb::strata_of(relations), {}, "example");
  const plumb::Calibration made = calibrator.calibrate(relations, resamples);
  using enum plumb::CalibrationMetric;
  std::printf("%s: accuracy %.3f, mean confidence %.3f, ACE %.3f\n",
              calibrator.estimator().name().c_str(), made[accuracy].value,
              made[mean_confidence].value, made[ace].value);
}
