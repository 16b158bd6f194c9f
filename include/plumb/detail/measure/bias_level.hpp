// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which answers does a template ask for before any subject stands in it?
//
//   bias level = 1 − H / H_max,  H = −Σ p_i ln p_i,  H_max = ln n
// of a distribution over n candidates: 0 where they are equally likely, 1 where one takes all. A
// template's distribution is the mean over content-free texts in the subject's place of the softmax
// of the candidates' log-likelihoods; with it
//   single prompt   mean over templates of the bias level of their distributions
//   multi prompt    bias level of the mean over templates of their distributions
// H is concave, so multi is never above single: that it is lower says nothing, by how much does.
// The paper's candidates are one token of a masked model. Of names of several tokens a sum of
// log-probabilities favours the short ones, so that their lengths look like the prompt's bias: all of
// it is also taken per token, of log-likelihoods divided by the name's tokens, which is ours.
// Source: "What Matters in Learning Facts in Language Models?", section 5.4; Zhao et al. 2021,
// "Calibrate Before Use" (the texts). Non-goal: taking the bias out of the answers.

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

/// What stands in the subject's place.
inline constexpr std::array<std::string_view, 3> content_free_texts{"N/A", "", "?"};

/// Of weights, at least 0 and finite, that need not sum to 1; in [0, 1]. None for fewer than two
/// and where all are 0. Throws a user error for a weight that is negative or not finite.
[[nodiscard]] inline std::optional<double> bias_level(std::span<const double> weights) {
  double largest = 0;
  for (const double weight : weights) {
    if (!(weight >= 0) || !std::isfinite(weight)) {
      throw user_error({.field = "probability"}, std::to_string(weight) + " is no weight",
                       "give numbers from 0 on");
    }
    largest = (std::max)(largest, weight);
  }
  if (weights.size() < 2 || largest <= 0) return std::nullopt;
  double sum = 0;
  for (const double weight : weights) sum += weight / largest;  // which cannot overflow
  double entropy = 0;
  for (const double weight : weights) {
    const double p = weight / largest / sum;
    if (p > 0) entropy -= p * std::log(p);
  }
  // Rounding takes a uniform distribution's entropy a little above the highest.
  return std::clamp(1 - entropy / std::log(static_cast<double>(weights.size())), 0.0, 1.0);
}

/// A relation's candidates behind its templates with content-free texts in the subject's place.
struct ContentFreeScores {
  std::size_t templates = 0;
  std::size_t texts = content_free_texts.size();
  std::size_t candidates = 0;
  /// In nats, templates × texts × candidates; minus infinity is a probability of 0.
  std::vector<double> log_likelihoods;
  /// Of which so many tokens each is the sum; empty where each is of one.
  std::vector<std::uint32_t> tokens{};
};

/// A candidate that content-free prompts ask for, and where they do so most.
struct FavouredCandidate {
  std::size_t candidate = 0;
  /// Mean over the templates.
  double mean_probability = 0;
  /// The template it is most probable under, and how probable there.
  std::size_t template_index = 0;
  double probability = 0;
};

struct BiasLevels {
  std::optional<double> single{};
  std::optional<double> multi{};
};

/// By one way to weigh names. No level with fewer than two candidates, or without a prompt.
struct CandidateBias : BiasLevels {
  /// The most probable over all templates; the first of equals, for the template too. None without
  /// a candidate or a prompt.
  std::optional<FavouredCandidate> favoured{};
};

/// By the sum of a name's log-probabilities, as its probability has it, and per token.
struct RelationBias : CandidateBias {
  CandidateBias per_token{};
  std::size_t templates = 0;
  std::size_t candidates = 0;
};

/// templates × candidates, row by row: each template's mean over the texts. There is a text and a
/// candidate. `all` has a weight in nats in place of each log-likelihood.
inline std::vector<double> content_free_distributions(const ContentFreeScores& scores,
                                                      std::span<const double> all) {
  const std::size_t n = scores.candidates;
  std::vector<double> rows(scores.templates * n);
  for (std::size_t prompt = 0; prompt < scores.templates * scores.texts; ++prompt) {
    const auto row = all.subspan(prompt * n, n);
    double best = -std::numeric_limits<double>::infinity();
    bool sound = true;
    for (const double score : row) {
      sound = sound && score < std::numeric_limits<double>::infinity();  // and not for NaN
      best = (std::max)(best, score);
    }
    const std::size_t index = prompt / scores.texts;
    if (!sound || !std::isfinite(best)) {
      throw user_error({.field = "log_likelihoods"},
                       "template " + std::to_string(index) + ", content-free text " +
                           std::to_string(prompt % scores.texts) +
                           (sound ? ": no candidate is possible" : ": not a log-likelihood"),
                       "score each candidate in nats");
    }
    const std::vector<double> p = softmax(row);
    for (std::size_t i = 0; i < n; ++i) {
      rows[index * n + i] += p[i] / static_cast<double>(scores.texts);
    }
  }
  return rows;
}

/// There is a log-likelihood.
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

/// Throws a user error for numbers that are not templates × texts × candidates, for one that is NaN
/// or infinite, for one of no tokens, and for a prompt under which no candidate is possible.
[[nodiscard]] inline RelationBias relation_bias(const ContentFreeScores& scores) {
  if (scores.log_likelihoods.size() != scores.templates * scores.texts * scores.candidates) {
    throw user_error({.field = "log_likelihoods"},
                     std::to_string(scores.log_likelihoods.size()) + " numbers for " +
                         counted(scores.templates, "template") + ", " +
                         std::to_string(scores.texts) + " texts and " +
                         counted(scores.candidates, "candidate"),
                     "give one for each");
  }
  const bool of_one = scores.tokens.empty();
  if (!of_one && (scores.tokens.size() != scores.log_likelihoods.size() ||
                  ranges::find(scores.tokens, 0U) != scores.tokens.end())) {
    throw user_error({.field = "tokens"}, "are not a number of tokens for each log-likelihood",
                     "give how many each is the sum of, or none where each is of one");
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

/// Over relations, unweighted. There is no interval: templates and relations are the design, and
/// each level is of a distribution that is known whole, so nothing was drawn that could be redrawn.
struct MeanBias : BiasLevels {
  BiasLevels per_token{};
  /// That have levels; without one there is no mean.
  std::size_t relations = 0;
  /// Relations without a number, left out.
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
    made.relations = count;  // per token as many
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
