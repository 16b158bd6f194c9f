// SPDX-License-Identifier: Apache-2.0

// How do I measure the calibration of my own confidence estimator?
//
// Any type with operator()(fact), name() and check(relation) is a ConfidenceEstimator. This one
// averages, over paraphrases, the confidence in the base template's answer.
//
// Prints:
//   mean_of_answer: accuracy 0.750, mean confidence 0.700, ACE 0.400
//   average_vote2: ACE 0.250
//   consistency_vote2: ACE 0.167

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "plumb/aggregator.hpp"
#include "plumb/calibrator.hpp"
#include "plumb/candidate_scorer.hpp"
#include "plumb/dataset.hpp"
#include "plumb/probe.hpp"

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

/// A stand-in for your scorer: it returns fixed probabilities for the first option, one per
/// question.
struct Told {
  std::vector<double> first_options = {0.9, 0.9, 0.1, 0.3, 0.2, 0.6, 0.2, 0.4};
  std::size_t next = 0;
  [[nodiscard]] std::vector<plumb::StatementScore> score(const plumb::Query&) {
    const double p = first_options[next++];
    return {{.statement = {.log_likelihood = std::log(p), .tokens = 1}},
            {.statement = {.log_likelihood = std::log(1 - p), .tokens = 1}}};
  }
};

int main() {
  plumb::Relation relation{
      .code = "answers", .templates = {"[X] is [Y].", "Is [X] [Y]?"}, .options = {"yes", "no"}};
  for (const std::size_t answer : {0U, 1U, 1U, 0U}) {
    relation.facts.push_back({.subject = "it", .answer = answer});
  }
  Told scorer;
  const plumb::Answers answers = plumb::probe(scorer, {"given", {relation}});
  const plumb::Calibration made = plumb::calibrate(answers, MeanOfAnswer(), {.bins = 4});
  using enum plumb::CalibrationMetric;
  std::printf("%s: accuracy %.3f, mean confidence %.3f, ACE %.3f\n", MeanOfAnswer().name().c_str(),
              made[accuracy].value, made[mean_confidence].value, made[ace].value);

  // The paper's own estimators: the mean confidence of the agreeing paraphrases, and the fraction
  // of paraphrases that agree.
  const auto print = [&](const auto& estimator) {
    std::printf("%s: ACE %.3f\n", estimator.name().c_str(),
                plumb::calibrate(answers, estimator, {.bins = 4})[ace].value);
  };
  print(plumb::Average<>());
  print(plumb::Consistency<>());
}
