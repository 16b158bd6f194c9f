// SPDX-License-Identifier: Apache-2.0
#pragma once

// How much does a map fitted on half of the facts improve the confidences on the other half?
//
// A temperature is fitted for Base and Margin. An isotonic map is fitted for these two, for Average
// by plurality vote and for Average by minimum, because the calibration paper compares models by
// these four estimators. Each mapped estimator is compared with the unchanged one on the same
// held-out facts.

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "plumb/detail/aggregate/scored_model.hpp"
#include "plumb/detail/calibrate/estimators.hpp"
#include "plumb/detail/calibrate/model_calibration.hpp"
#include "plumb/detail/calibrate/recalibration.hpp"
#include "plumb/detail/core/number_words.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The remark about numbers that need at least one fact for each bin. If there is only one fact, no
/// value of `bins` is small enough.
inline std::string too_few_for_bins(const std::string& what, std::size_t facts,
                                    const std::string& noun, std::size_t bins) {
  const std::string stated =
      what + " left out: " + counted(facts, noun) + " cannot fill " + counted(bins, "bin");
  return stated + (facts < 2 ? "." : "; set `bins` to " + std::to_string(facts) + " or less.");
}

struct HeldOutRecalibration {
  /// The number of held-out facts.
  std::size_t facts = 0;
  /// One pair of halves for each relation; empty if there are no results.
  std::vector<FactHalves> halves;
  std::vector<RecalibrationResult> results;
  /// Remarks about numbers that were omitted or are doubtful.
  std::vector<std::string> remarks;
};

/// `strata` contains the number of facts in each relation; the halves are drawn within the strata,
/// using the bootstrap's seed. If no relation has at least two facts, returns a remark and no
/// results.
[[nodiscard]] inline HeldOutRecalibration recalibrate_held_out(
    const ScoredModel& model, std::span<const std::size_t> strata,
    const std::vector<NamedEstimator>& estimators, std::size_t bins, const Bootstrap& bootstrap) {
  HeldOutRecalibration made;
  const std::vector<RelationPredictions>& relations = model.predictions.relations;
  const std::vector<bool> fitting = fitting_half(strata, bootstrap.seed);
  std::vector<std::size_t> held_out_strata;
  std::vector<ScoredFact> facts;
  std::size_t at = 0;
  for (std::size_t r = 0; r < relations.size(); ++r) {
    FactHalves& halves = made.halves.emplace_back(FactHalves{relations[r].relation.code, {}, {}});
    const BaseScores& base = model.base[r];
    for (std::size_t f = 0; f < relations[r].facts(); ++f, ++at) {
      (fitting[at] ? halves.fitted : halves.held_out)
          .push_back(relations[r].relation.facts[f].instance);
      if (base.scores.empty()) continue;
      facts.push_back({base.of(relations[r].relation, f),
                       base.candidate(f, relations[r].relation.facts[f].answer)});
    }
    held_out_strata.push_back(halves.held_out.size());
  }
  const Resamples resamples(held_out_strata, bootstrap, "bootstrap/held-out");
  made.facts = resamples.items();
  if (made.facts == 0 || made.facts == at) {
    made.remarks.push_back("Recalibration is left out: no relation has at least two facts.");
    made.halves.clear();
    return made;
  }
  const auto half = [&](const auto& all, bool fit) {
    std::remove_cvref_t<decltype(all)> part;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (fitting[i] == fit) part.push_back(all[i]);
    }
    return part;
  };
  const auto report = [&](const std::string& estimator, const char* map, double divisor,
                          const std::vector<Judgement>& held_out) {
    made.results.push_back(
        {estimator, map, divisor, estimates_of(calibration_of(held_out, bins, resamples)),
         static_cast<std::size_t>(ranges::count(held_out, false, &Judgement::answered))});
  };
  if (made.facts < bins) {
    made.remarks.push_back(
        detail::too_few_for_bins("ACE after recalibration is", made.facts, "held-out fact", bins));
  }
  const bool has_scores = facts.size() == at;
  const double temperature = has_scores ? fit_temperature(half(facts, true)) : 1;
  if (is_end_of_range(temperature)) {
    made.remarks.push_back(
        "The fitted temperature is at the limit of its range; the best one lies outside the "
        "range.");
  }
  std::vector<ScoredFact> held_out_facts;
  if (has_scores) held_out_facts = half(facts, false);
  for (const NamedEstimator& estimator : estimators) {
    const bool single = estimator.name == "base" || estimator.name == "margin";
    if (!single && estimator.name != "average_min" && estimator.name != "average_vote2") continue;
    const std::vector<Judgement> judgements = estimator.judge(relations);
    std::vector<Judgement> held_out = half(judgements, false);
    report(estimator.name, "none", 1, held_out);
    if (single && has_scores) {
      std::vector<Judgement> scaled;
      for (const ScoredFact& fact : held_out_facts) {
        const Prediction after = predict(fact.scores, fact.answer, temperature);
        scaled.push_back(
            {estimator.name == "base" ? after.confidence : after.margin, after.correct});
      }
      report(estimator.name, "temperature", temperature, scaled);
    }
    const IsotonicMap map(half(judgements, true));
    for (Judgement& judgement : held_out) {
      // Without an answer, the confidence stays 0.
      if (judgement.answered) judgement.confidence = map(judgement.confidence);
    }
    report(estimator.name, "isotonic", 1, held_out);
  }
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
