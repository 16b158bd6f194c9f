// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which answers does a template favour before it contains a subject?
//
//   bias level = 1 − H / H_max,  H = −Σ p_i ln p_i,  H_max = ln n
// for a distribution over n candidates: the level is 0 if all are equally likely and 1 if one has
// all the probability. A template is filled with content-free texts instead of a subject. Its
// distribution is the mean, over these texts, of the softmax of the candidates' log-likelihoods.
// From these distributions:
//   single prompt   mean over templates of the bias level of their distributions
//   multi prompt    bias level of the mean over templates of their distributions
// H is concave, so the multi-prompt level never exceeds the single-prompt level. Only the size of
// the difference is informative. In the paper, each candidate is one token of a masked model. If
// names have several tokens, a sum of log-probabilities favours short names, so the effect of
// length looks like a bias of the prompt. All numbers are therefore also computed per token, from
// log-likelihoods divided by the name's number of tokens; this is our addition. Source: "What
// Matters in Learning Facts in Language Models?", section 5.4; Zhao et al. 2021, "Calibrate Before
// Use" (the texts). Non-goal: removing the bias from the answers.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/prediction.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The texts that replace the subject.
inline constexpr std::array<std::string_view, 3> content_free_texts{"N/A", "", "?"};

/// The bias level, in [0, 1], of finite non-negative weights, which need not sum to 1. Nullopt if
/// there are fewer than two weights or if all are 0. Throws a user error if a weight is negative or
/// not finite.
[[nodiscard]] inline std::optional<double> bias_level(std::span<const double> weights) {
  double largest = 0;
  for (const double weight : weights) {
    if (!(weight >= 0) || !std::isfinite(weight)) {
      throw user_error({.field = "probability"}, std::to_string(weight) + " is not a weight",
                       "pass finite numbers of at least 0");
    }
    largest = (std::max)(largest, weight);
  }
  if (weights.size() < 2 || largest <= 0) return std::nullopt;
  double sum = 0;
  for (const double weight : weights) sum += weight / largest;  // the division prevents overflow
  double entropy = 0;
  for (const double weight : weights) {
    const double p = weight / largest / sum;
    if (p > 0) entropy -= p * std::log(p);
  }
  // Rounding can make a uniform distribution's entropy slightly larger than the theoretical
  // maximum.
  return std::clamp(1 - entropy / std::log(static_cast<double>(weights.size())), 0.0, 1.0);
}

/// The scores of a relation's candidates in its templates, with content-free texts in place of the
/// subject.
struct ContentFreeScores {
  std::size_t templates = 0;
  std::size_t texts = content_free_texts.size();
  std::size_t candidates = 0;
  /// In nats, with shape templates × texts × candidates; minus infinity means a probability of 0.
  std::vector<double> log_likelihoods;
  /// The number of tokens that each log-likelihood sums over; empty if each covers one token.
  std::vector<std::uint32_t> tokens{};
};

/// The candidate that content-free prompts favour, and the template that favours it most.
struct FavouredCandidate {
  std::size_t candidate = 0;
  /// The candidate's mean probability over the templates.
  double mean_probability = 0;
  /// The template under which it is most probable, and its probability there.
  std::size_t template_index = 0;
  double probability = 0;
};

struct BiasLevels {
  std::optional<double> single{};
  std::optional<double> multi{};
};

/// The bias under one weighting of the candidates' names. There is no level if there are fewer than
/// two candidates or no prompt.
struct CandidateBias : BiasLevels {
  /// The most probable candidate across all templates. If candidates (or templates) tie, the first
  /// one is used. Nullopt if there is no candidate or no prompt.
  std::optional<FavouredCandidate> favoured{};
};

/// The inherited members are computed from the sum of each name's log-probabilities, that is, from
/// its probability. `per_token` is computed from that sum divided by the number of tokens.
struct RelationBias : CandidateBias {
  CandidateBias per_token{};
  std::size_t templates = 0;
  std::size_t candidates = 0;
};

/// Each template's mean distribution over the texts, as templates × candidates, row by row. Needs
/// at least one text and one candidate. `all` is used instead of `log_likelihoods`; it contains as
/// many elements, in nats.
inline std::vector<double> content_free_distributions(const ContentFreeScores& scores,
                                                      std::span<const double> all) {
  const std::size_t n = scores.candidates;
  std::vector<double> rows(scores.templates * n);
  for (std::size_t prompt = 0; prompt < scores.templates * scores.texts; ++prompt) {
    const auto row = all.subspan(prompt * n, n);
    double best = -std::numeric_limits<double>::infinity();
    bool sound = true;
    for (const double score : row) {
      sound = sound && score < std::numeric_limits<double>::infinity();  // also false if the score
                                                                         // is NaN
      best = (std::max)(best, score);
    }
    const std::size_t index = prompt / scores.texts;
    if (!sound || !std::isfinite(best)) {
      throw user_error(
          {.field = "log_likelihoods"},
          "template " + std::to_string(index) + ", content-free text " +
              std::to_string(prompt % scores.texts) +
              (sound ? ": every candidate has probability 0" : ": not a log-likelihood"),
          "pass a log-likelihood in nats for each candidate");
    }
    const std::vector<double> p = softmax(row);
    for (std::size_t i = 0; i < n; ++i) {
      rows[index * n + i] += p[i] / static_cast<double>(scores.texts);
    }
  }
  return rows;
}

/// Needs at least one log-likelihood.
inline CandidateBias candidate_bias(const ContentFreeScores& scores, std::span<const double> all) {
  CandidateBias made;
  const std::size_t n = scores.candidates;
  const double templates = static_cast<double>(scores.templates);
  const std::vector<double> rows = content_free_distributions(scores, all);
  std::vector<double> mean(n);
  double levels = 0;
  for (std::size_t t = 0; t < scores.templates; ++t) {
    const auto row = std::span(rows).subspan(t * n, n);
    for (std::size_t i = 0; i < n; ++i) mean[i] += row[i] / templates;
    levels += bias_level(row).value_or(0);
  }
  if (n > 1) {
    made.single = levels / templates;
    made.multi = bias_level(mean);
  }
  FavouredCandidate most;
  most.candidate = static_cast<std::size_t>(ranges::max_element(mean) - mean.begin());
  most.mean_probability = mean[most.candidate];
  for (std::size_t t = 0; t < scores.templates; ++t) {
    const double probability = rows[t * n + most.candidate];
    if (probability <= most.probability) continue;
    most.template_index = t;
    most.probability = probability;
  }
  made.favoured = most;
  return made;
}

/// Throws a user error if the shape of the log-likelihoods is not templates × texts × candidates,
/// if any of them is NaN or plus infinity or covers no token, or if every candidate has probability
/// 0 for some prompt.
[[nodiscard]] inline RelationBias relation_bias(const ContentFreeScores& scores) {
  if (scores.log_likelihoods.size() != scores.templates * scores.texts * scores.candidates) {
    throw user_error({.field = "log_likelihoods"},
                     std::to_string(scores.log_likelihoods.size()) + " numbers for " +
                         counted(scores.templates, "template") + ", " +
                         std::to_string(scores.texts) + " texts and " +
                         counted(scores.candidates, "candidate"),
                     "pass one number for each combination");
  }
  const bool of_one = scores.tokens.empty();
  if (!of_one && (scores.tokens.size() != scores.log_likelihoods.size() ||
                  ranges::find(scores.tokens, 0U) != scores.tokens.end())) {
    throw user_error({.field = "tokens"},
                     "must contain one positive token count for each log-likelihood",
                     "pass the number of tokens in each sum, or none if each covers one token");
  }
  RelationBias made;
  if (!scores.log_likelihoods.empty()) {
    static_cast<CandidateBias&>(made) = detail::candidate_bias(scores, scores.log_likelihoods);
    std::vector<double> means = scores.log_likelihoods;
    for (std::size_t i = 0; i < scores.tokens.size(); ++i) {
      means[i] /= static_cast<double>(scores.tokens[i]);
    }
    made.per_token = detail::candidate_bias(scores, means);
  }
  made.templates = scores.templates;
  made.candidates = scores.candidates;
  return made;
}

/// The unweighted mean over relations. It has no interval: templates and relations are part of the
/// design, and each level is computed from a fully known distribution, so there is no sample to
/// resample.
struct MeanBias : BiasLevels {
  BiasLevels per_token{};
  /// The number of relations with levels; if there are none, there is no mean.
  std::size_t relations = 0;
  /// The number of relations without a level, which are excluded.
  std::size_t excluded = 0;
};

[[nodiscard]] inline MeanBias mean_bias(std::span<const RelationBias> relations) {
  MeanBias made;
  const auto mean = [&](auto levels_of) {
    double single = 0;
    double multi = 0;
    std::size_t count = 0;
    for (const RelationBias& relation : relations) {
      const BiasLevels& levels = levels_of(relation);
      if (!levels.single || !levels.multi) continue;
      single += *levels.single;
      multi += *levels.multi;
      ++count;
    }
    made.relations = count;  // the per-token levels exist for the same number of relations
    if (count == 0) return BiasLevels{};
    return BiasLevels{single / static_cast<double>(count), multi / static_cast<double>(count)};
  };
  made.per_token = mean([](const RelationBias& one) -> const BiasLevels& { return one.per_token; });
  static_cast<BiasLevels&>(made) =
      mean([](const RelationBias& one) -> const BiasLevels& { return one; });
  made.excluded = relations.size() - made.relations;
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
