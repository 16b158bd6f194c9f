// SPDX-License-Identifier: Apache-2.0
#pragma once

// How well calibrated is the probability of every option, not only of the most likely one?
//
// A subject with several objects is one question with n correct options: y_k = 1/n for each correct
// option and 0 for the others, the probability that an object drawn at random from the subject's
// objects is option k. With p, the softmax of the options under the base template:
//   static calibration error   mean over a relation's K options of Σ_b n_b/N |ȳ_b − p̄_b|, where
//                              option k's probabilities over the relation's N questions fall into
//                              equal-width bins; relations are weighted by their number of
//                              questions (Nixon et al. 2020, SCE)
//   Brier                      mean over questions of Σ_k (p_k − y_k)², in [0, 2]
// For an option that a question did not include, p_k = y_k = 0.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/scored_model.hpp"
#include "plumb/detail/calibrate/bins.hpp"
#include "plumb/detail/calibrate/calibrator.hpp"
#include "plumb/detail/core/parallel.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/fact_split.hpp"
#include "plumb/detail/measure/prediction.hpp"
#include "plumb/detail/measure/resamples.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct StaticCalibration {
  /// The number of questions, and the number of questions with several correct options.
  std::size_t questions = 0;
  std::size_t several_right = 0;
  /// Percentile intervals over questions resampled within relations.
  Estimate error, brier;
  /// Over questions with several correct options; no number if there are no such questions.
  Estimate brier_several_right;
};

/// For each question, every option's probability and the probability that it is correct.
class OptionProbabilities {
 public:
  /// The questions of one relation.
  OptionProbabilities(const RelationPredictions& made, const BaseScores& base,
                      const std::vector<double>& edges)
      : options_(made.relation.options.size()), bins_(edges.size() + 1) {
    // If facts have their own choices, or rows of other programs no subject, each fact is a separate
    // question.
    const bool by_subject = base.has_all_options();
    const SubjectGroups subjects(made.relation);
    std::map<std::string, std::size_t> known;  // the index of each subject's question
    std::vector<std::size_t> first;            // the first fact of each question
    for (std::size_t f = 0; f < made.facts(); ++f) {
      const Fact& fact = made.relation.facts[f];
      const auto [entry, is_new] = by_subject && !subject_key(fact).empty()
                                       ? known.try_emplace(subjects.of(fact), right_.size())
                                       : std::pair{known.end(), true};
      if (is_new) {
        first.push_back(f);
        right_.emplace_back();
      }
      std::vector<std::size_t>& right = is_new ? right_.back() : right_[entry->second];
      if (ranges::find(right, fact.answer) == right.end()) right.push_back(fact.answer);
    }
    for (std::size_t q = 0; q < first.size(); ++q) {
      const std::vector<double> p = softmax(base.of(made.relation, first[q]));
      const double share = 1 / static_cast<double>(right_[q].size());
      double brier = 0;
      for (std::size_t c = 0; c < p.size(); ++c) {
        const std::size_t option = base.option(first[q], c);
        const bool is_right = ranges::find(right_[q], option) != right_[q].end();
        const double gap = (is_right ? share : 0) - p[c];
        gaps_.push_back({option * bins_ + bin_of(p[c], edges), gap});
        brier += gap * gap;
      }
      ends_.push_back(gaps_.size());
      briers_.push_back(brier);
    }
  }

  [[nodiscard]] std::size_t questions() const noexcept { return ends_.size(); }
  [[nodiscard]] const std::vector<double>& briers() const noexcept { return briers_; }
  [[nodiscard]] bool has_several_right(std::size_t question) const {
    return right_[question].size() > 1;
  }

  /// The static calibration error if question q is counted times(q) times.
  template <class Times>
  [[nodiscard]] double error(Times times) const {
    std::vector<double> sums(options_ * bins_);
    for (std::size_t q = 0, at = 0; q < ends_.size(); ++q) {
      const double w = static_cast<double>(times(q));
      if (w == 0) {
        at = ends_[q];
        continue;
      }
      for (; at < ends_[q]; ++at) sums[gaps_[at].cell] += w * gaps_[at].gap;
    }
    double all = 0;
    for (const double sum : sums) all += std::abs(sum);
    return all / static_cast<double>(options_ * ends_.size());
  }

 private:
  struct Gap {
    std::size_t cell = 0;  // option · bins + bin
    double gap = 0;        // y − p
  };

  std::size_t options_, bins_;
  std::vector<std::vector<std::size_t>> right_;  // the right options of each question
  std::vector<Gap> gaps_;                        // of all questions
  std::vector<std::size_t> ends_;                // the end of each question's gaps
  std::vector<double> briers_;                   // by question
};

/// nullopt if facts have their own texts for the options: such options are not classes. The model
/// must have at least one fact and a closed set.
[[nodiscard]] inline std::optional<StaticCalibration> static_calibration(
    const ScoredModel& model, std::size_t bins, const Bootstrap& bootstrap) {
  const auto& relations = model.predictions.relations;
  const std::vector<double> edges = uniform_edges(bins);
  std::vector<OptionProbabilities> made;
  std::vector<std::size_t> strata;
  for (std::size_t r = 0; r < relations.size(); ++r) {
    const auto has_own_texts = [](const Fact& fact) { return !fact.choices.empty(); };
    if (ranges::any_of(relations[r].relation.facts, has_own_texts)) return std::nullopt;
    made.emplace_back(relations[r], model.base[r], edges);
    strata.push_back(made.back().questions());
  }
  const Resamples resamples(strata, bootstrap, "bootstrap/static");
  StaticCalibration all;
  all.questions = resamples.items();
  const auto error = [&](auto times) {
    double sum = 0;
    std::size_t first = 0;
    for (const OptionProbabilities& one : made) {
      sum += one.error([&](std::size_t q) { return times(first + q); }) *
             static_cast<double>(one.questions());
      first += one.questions();
    }
    return sum / static_cast<double>(all.questions);
  };
  std::vector<double> draws(resamples.size());
  parallel_for(draws.size(), [&](std::size_t r) {
    const auto counts = resamples.counts(r);
    draws[r] = error([&](std::size_t q) { return counts[q]; });
  });
  // Resamples repeat questions, so their errors are larger than the sample's.
  all.error = Draws{error([](std::size_t) { return 1; }), std::move(draws), all.questions}
                  .within(0, 1)
                  .estimate();
  std::vector<double> briers, several;
  std::vector<std::size_t> several_strata;
  for (const OptionProbabilities& one : made) {
    briers.insert(briers.end(), one.briers().begin(), one.briers().end());
    const std::size_t before = several.size();
    for (std::size_t q = 0; q < one.questions(); ++q) {
      if (one.has_several_right(q)) several.push_back(one.briers()[q]);
    }
    if (several.size() > before) several_strata.push_back(several.size() - before);
  }
  all.brier = resampled_mean(briers, resamples);
  all.several_right = several.size();
  all.brier_several_right =
      resampled_mean(several, Resamples(several_strata, bootstrap, "bootstrap/static/several"));
  return all;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
