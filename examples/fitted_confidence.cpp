// SPDX-License-Identifier: Apache-2.0

// My model is overconfident. How much of the overconfidence does a fitted mapping correct?
//
// Tempered and Isotonic are confidence estimators that wrap any other estimator. They are fitted on
// some facts and evaluated on the rest. The scorer here is correct for three facts out of four, and
// its scores are five times as far apart as they should be.
//
// Prints:
//   base           accuracy 0.750, mean confidence 0.996
//   tempered_base  accuracy 0.750, mean confidence 0.750, temperature 5.00
//   isotonic_base  accuracy 0.750, mean confidence 0.750

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "plumb/aggregator.hpp"
#include "plumb/calibrator.hpp"
#include "plumb/candidate_scorer.hpp"
#include "plumb/dataset.hpp"
#include "plumb/probe.hpp"

/// A stand-in for your scorer: it prefers the first option by 5 · ln 3 nats.
struct TooSure {
  [[nodiscard]] std::vector<plumb::StatementScore> score(const plumb::Query&) const {
    return {{.statement = {.log_likelihood = 5 * std::log(3.0), .tokens = 1}},
            {.statement = {.log_likelihood = 0, .tokens = 1}}};
  }
};

template <class Estimator>
void show(const Estimator& estimator, const std::vector<plumb::RelationPredictions>& facts,
          const char* more = "\n") {
  const plumb::Calibration made = plumb::calibrate(facts, estimator, {.bins = 4});
  using enum plumb::CalibrationMetric;
  std::printf("%-13s  accuracy %.3f, mean confidence %.3f%s", estimator.name().c_str(),
              made[accuracy].value, made[mean_confidence].value, more);
}

int main() {
  plumb::Dataset dataset{"answers"};
  for (const char* code : {"one", "two", "three", "four"}) {
    // It does not matter here which half a fact is in, because all facts of a relation are alike.
    plumb::Relation relation{.code = code, .templates = {"[X] is [Y]."}, .options = {"yes", "no"}};
    const std::size_t answer = std::string(code) == "four" ? 1 : 0;
    for (const char* subject : {"a", "b", "c", "d"}) {
      relation.facts.push_back({.subject = subject, .answer = answer});
    }
    dataset.relations.push_back(relation);
  }
  TooSure scorer;
  const auto [fitting, held_out] = plumb::split_facts(plumb::probe(scorer, dataset));

  show(plumb::Base{}, held_out);
  const plumb::Tempered<plumb::Base> tempered(fitting);
  show(tempered, held_out, "");
  std::printf(", temperature %.2f\n", tempered.temperature());
  show(plumb::Isotonic<plumb::Base>(fitting), held_out);
}
