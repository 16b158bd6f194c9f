// SPDX-License-Identifier: Apache-2.0
#pragma once

// By how much does a model's confidence exceed its accuracy?
//
// The prompts P are sorted by descending confidence and cut by position into M bins whose sizes
// differ by at most one:
//   Overconf = Σ_i |P_i| / |P| · (mean confidence of P_i − accuracy of P_i),  in [−1, 1].
// It is positive if the model is too confident and negative if it is not confident enough.
// Because differences keep their signs and bins are weighted by their size, the sum equals mean
// confidence − accuracy for any bins and is computed as that difference. The bins are needed only
// for the reliability diagram. Without a rule for ties, the input order would decide which of
// several equally confident prompts falls into which bin, and confidences that are fractions of a
// hundred samples are often tied. For each prompt in a tie, the accuracy of the whole tie is
// therefore used. This is the expectation over random orderings of ties, as in AURC
// (calibration_metrics.hpp). All prompts have the same weight, so facts with many prompts count for
// more; intervals are over facts. Source: "What Matters in Learning Facts in Language Models?",
// sections 2.4, 3.2 and 6.2. The paper's equation 2 divides by M where it should divide by |P|.
// Non-goals: unsigned errors, bins that keep ties together (curves.hpp), and the source of a
// confidence.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/prompt_list.hpp"
#include "plumb/detail/calibrate/confidence.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/resamples.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// One bin of a reliability diagram.
struct ConfidenceBin {
  std::size_t prompts = 0;
  double lowest = 0;
  double highest = 0;
  double mean_confidence = 0;
  /// Wilson's interval. The number of trials is the number of facts that have a prompt between the
  /// bin's lowest and highest confidence, but at most `prompts`: several prompts of one fact carry
  /// little more information than one.
  Estimate accuracy;
};

struct Overconfidence {
  /// The count is the number of facts with a prompt. The ends of the interval are percentiles over
  /// facts resampled within relations. There is no number if there is no prompt.
  Estimate overconf;
  /// The fraction of correctly answered prompts, with a Wilson interval whose trials are the facts;
  /// the interval is too wide if a fact's prompts differ.
  Estimate accuracy;
  Estimate mean_confidence;
  std::size_t prompts = 0;
  /// The number of facts without a prompt, which are omitted.
  std::size_t without_prompt = 0;
  /// The most confident bin first; one bin for each prompt if there are fewer prompts than bins.
  std::vector<ConfidenceBin> diagram;
};

/// The number of bins in the paper.
inline constexpr std::size_t overconfidence_bins = 10;

/// A range of equally confident prompts, starting at position `first` in descending order of
/// confidence, and the fraction of them that are answered correctly.
struct TiedPrompts {
  std::size_t first = 0;
  std::size_t end = 0;
  double confidence = 0;
  double share = 0;
};

/// In descending order; `order` contains the indices of prompts in that order.
inline std::vector<TiedPrompts> tied_prompts(const std::vector<Judgement>& prompts,
                                             const std::vector<std::uint32_t>& order) {
  std::vector<TiedPrompts> ties;
  for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
    const double confidence = prompts[order[first]].confidence;
    std::size_t right = 0;
    for (; end < order.size() && prompts[order[end]].confidence == confidence; ++end) {
      right += prompts[order[end]].correct ? 1U : 0U;
    }
    ties.push_back(
        {first, end, confidence, static_cast<double>(right) / static_cast<double>(end - first)});
  }
  return ties;
}

inline std::vector<ConfidenceBin> reliability_diagram(const PromptList<Judgement>& list,
                                                      std::size_t bins) {
  std::vector<std::uint32_t> order(list.prompts.size());
  std::iota(order.begin(), order.end(), 0U);
  ranges::sort(order, std::greater<>{},
               [&](std::uint32_t i) { return list.prompts[i].confidence; });
  std::vector<std::uint32_t> fact_of;
  for (std::uint32_t fact = 0; fact < list.facts.size(); ++fact) {
    fact_of.insert(fact_of.end(), list.facts[fact], fact);
  }
  const auto ties = tied_prompts(list.prompts, order);
  std::vector<std::size_t> seen(list.facts.size());  // for each fact, the last bin that counted it
  std::vector<ConfidenceBin> diagram((std::min)(bins, order.size()));
  std::size_t next = 0;  // the tie to which the next position belongs
  for (std::size_t b = 0; b < diagram.size(); ++b) {
    ConfidenceBin& bin = diagram[b];
    std::size_t at = b * order.size() / diagram.size();
    const std::size_t end = (b + 1) * order.size() / diagram.size();
    bin.prompts = end - at;
    const TiedPrompts& highest = ties[next];
    const TiedPrompts* lowest = &highest;
    double right = 0;
    while (at < end) {
      lowest = &ties[next];
      const std::size_t until = (std::min)(end, lowest->end);
      bin.mean_confidence += lowest->confidence * static_cast<double>(until - at);
      right += lowest->share * static_cast<double>(until - at);
      if (until == lowest->end) ++next;
      at = until;
    }
    bin.highest = highest.confidence;
    bin.lowest = lowest->confidence;
    const double size = static_cast<double>(bin.prompts);
    bin.mean_confidence /= size;
    std::size_t facts = 0;
    for (std::size_t place = highest.first; place < lowest->end; ++place) {
      std::size_t& latest = seen[fact_of[order[place]]];
      facts += latest == b + 1 ? 0U : 1U;
      latest = b + 1;
    }
    bin.accuracy = wilson_share((std::min)(1.0, right / size), (std::min)(facts, bin.prompts));
  }
  return diagram;
}

/// Sums over one fact's prompts.
struct JudgementSums {
  double confidence = 0;
  double right = 0;
  double prompts = 0;
};

/// The fraction of all prompts that are answered correctly. A fact is weighted by its number of
/// prompts w, so the number of trials of Wilson's interval is (Σ w)² / Σ w² (Kish 1965), which is
/// the number of facts if each has the same number of prompts.
inline Estimate accuracy_of_prompts(const std::vector<JudgementSums>& facts) {
  double right = 0, prompts = 0, squares = 0;
  for (const JudgementSums& fact : facts) {
    right += fact.right;
    prompts += fact.prompts;
    squares += fact.prompts * fact.prompts;
  }
  return wilson_of(right / prompts, prompts * prompts / squares, facts.size(), "clustered wilson");
}

/// Throws a user error for a confidence that is not in [0, 1]. `bins` ≥ 1; fewer than 2^32 prompts.
[[nodiscard]] inline Overconfidence overconfidence(const PromptList<Judgement>& list,
                                                   const Bootstrap& bootstrap,
                                                   std::size_t bins = overconfidence_bins) {
  for (const Judgement& prompt : list.prompts) {
    if (prompt.confidence >= 0 && prompt.confidence <= 1 + 1e-9) continue;
    throw user_error({.field = "confidence"},
                     std::to_string(prompt.confidence) + " is not in [0, 1]",
                     "pass probabilities or fractions of samples");
  }
  Overconfidence made;
  std::vector<detail::JudgementSums> facts;  // facts with a prompt
  std::vector<std::size_t> strata;
  auto prompt = list.prompts.begin();
  auto fact = list.facts.begin();
  for (const std::size_t size : list.strata) {
    const std::size_t before = facts.size();
    for (std::size_t i = 0; i < size; ++i, ++fact) {
      detail::JudgementSums sums{0, 0, static_cast<double>(*fact)};
      for (std::size_t p = 0; p < *fact; ++p, ++prompt) {
        sums.confidence += prompt->confidence;
        sums.right += prompt->correct ? 1 : 0;
      }
      if (*fact > 0) facts.push_back(sums);
    }
    strata.push_back(facts.size() - before);
  }
  made.prompts = list.prompts.size();
  made.without_prompt = list.facts.size() - facts.size();
  if (facts.empty()) return made;
  const auto means = [&](auto times) {
    detail::JudgementSums all;
    for (std::size_t f = 0; f < facts.size(); ++f) {
      const double w = times(f);
      all.confidence += w * facts[f].confidence;
      all.right += w * facts[f].right;
      all.prompts += w * facts[f].prompts;
    }
    return std::array{all.confidence / all.prompts, all.right / all.prompts};
  };
  const Resamples resamples(strata, bootstrap, "overconfidence");
  std::vector<double> over(resamples.size()), sure(resamples.size());
  parallel_for(resamples.size(), [&](std::size_t r) {
    const auto counts = resamples.counts(r);
    const auto [c, y] = means([&](std::size_t f) { return static_cast<double>(counts[f]); });
    over[r] = c - y;
    sure[r] = c;
  });
  const auto [c, y] = means([](std::size_t) { return 1.0; });
  made.overconf = percentile_interval(c - y, std::move(over), facts.size());
  made.accuracy = detail::accuracy_of_prompts(facts);
  made.mean_confidence = percentile_interval(c, std::move(sure), facts.size());
  made.diagram = detail::reliability_diagram(list, bins);
  return made;
}

struct OverconfidenceByLength {
  /// For answers of 1, 2, … 5 tokens. A fact without an answer of that length counts as
  /// `without_prompt`.
  std::array<Overconfidence, 5> lengths;
  /// The numbers of answers that are omitted: those of more than 5 tokens, and those without a
  /// token.
  std::size_t longer = 0;
  std::size_t empty = 0;
};

/// The confidence is the probability of the whole answer, that is, exp of the sum of its tokens'
/// log-probabilities. Throws a user error if an answer of 1 to 5 tokens has a log-probability that
/// is above 0 or not a number.
[[nodiscard]] inline OverconfidenceByLength overconfidence_by_length(
    const PromptList<AnswerLikelihood>& answers, const Bootstrap& bootstrap,
    std::size_t bins = overconfidence_bins) {
  OverconfidenceByLength made;
  std::array<PromptList<Judgement>, 5> lists;
  auto answer = answers.prompts.begin();
  auto fact = answers.facts.begin();
  for (const std::size_t size : answers.strata) {
    for (auto& list : lists) list.begin_relation();
    for (std::size_t i = 0; i < size; ++i, ++fact) {
      for (auto& list : lists) list.begin_fact();
      for (std::size_t p = 0; p < *fact; ++p, ++answer) {
        if (answer->tokens == 0) {
          ++made.empty;
        } else if (answer->tokens > lists.size()) {
          ++made.longer;
        } else if (answer->log_probability <= 1e-9) {
          lists[answer->tokens - 1].add(
              {(std::min)(1.0, std::exp(answer->log_probability)), answer->right});
        } else {
          throw user_error({.field = "log_probability"},
                           std::to_string(answer->log_probability) + " is not a log-probability",
                           "pass the sum over the answer's tokens, in nats");
        }
      }
    }
  }
  for (std::size_t k = 0; k < lists.size(); ++k) {
    made.lengths[k] = overconfidence(lists[k], bootstrap, bins);
  }
  return made;
}

/// The Base confidence of every prompt of a closed set: the paraphrases of each fact, in the order
/// of closed_set_outcomes (aggregate/closed_set_outcomes.hpp). A tie for the best option counts as
/// wrong.
[[nodiscard]] inline PromptList<Judgement> closed_set_confidences(const ModelPredictions& model) {
  PromptList<Judgement> list;
  for (const RelationPredictions& relation : model.relations) {
    list.begin_relation();
    for (std::size_t fact = 0; fact < relation.facts(); ++fact) {
      list.begin_fact();
      for (const Prediction& made : FactPredictions{relation, fact}.paraphrases()) {
        list.add({made.confidence, made.correct});
      }
    }
  }
  return list;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
