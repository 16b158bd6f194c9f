// SPDX-License-Identifier: Apache-2.0
#pragma once

// What did every candidate of every prompt of every fact score?
//
// The table all probes share, shape [facts, prompts, candidates]: one relation, or the block of it
// that is being scored. Axes are plain indices; what they stand for is the caller's to know.

#include <cstddef>
#include <cstdint>
#include <vector>
#if __has_include(<xtensor/containers/xtensor.hpp>)
#include <xtensor/containers/xtensor.hpp>  // from 0.26 on
#else
#include <xtensor/xtensor.hpp>
#endif

#include "plumb/detail/score/statement_score.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Scores of all (fact, prompt, candidate) of a relation. Any number of threads may read one, or
/// set different statements.
class ScoreTable {
 public:
  ScoreTable(std::size_t facts, std::size_t prompts, std::size_t candidates)
      : log_likelihood({facts, prompts, candidates}, 0.0),
        answer_log_likelihood({facts, prompts, candidates}, 0.0),
        tokens({facts, prompts, candidates}, 0U),
        answer_tokens({facts, prompts, candidates}, 0U),
        continuation_log_likelihood({facts, prompts, candidates}, 0.0),
        continuation_tokens({facts, prompts, candidates}, 0U) {}

  [[nodiscard]] std::size_t facts() const { return log_likelihood.shape(0); }
  [[nodiscard]] std::size_t prompts() const { return log_likelihood.shape(1); }
  [[nodiscard]] std::size_t candidates() const { return log_likelihood.shape(2); }

  /// Statements count through candidates first, then prompts, then facts.
  void set(std::size_t statement, const StatementScore& score) {
    log_likelihood.flat(statement) = score.log_likelihood;
    answer_log_likelihood.flat(statement) = score.answer_log_likelihood;
    tokens.flat(statement) = score.tokens;
    answer_tokens.flat(statement) = score.answer_tokens;
    continuation_log_likelihood.flat(statement) = score.continuation_log_likelihood;
    continuation_tokens.flat(statement) = score.continuation_tokens;
  }

  [[nodiscard]] StatementScore at(std::size_t fact, std::size_t prompt,
                                  std::size_t candidate) const {
    return {log_likelihood(fact, prompt, candidate),
            answer_log_likelihood(fact, prompt, candidate),
            tokens(fact, prompt, candidate),
            answer_tokens(fact, prompt, candidate),
            continuation_log_likelihood(fact, prompt, candidate),
            continuation_tokens(fact, prompt, candidate)};
  }

  /// All candidates of one prompt of one fact.
  [[nodiscard]] std::vector<StatementScore> row(std::size_t fact, std::size_t prompt) const {
    std::vector<StatementScore> scores(candidates());
    for (std::size_t c = 0; c < scores.size(); ++c) scores[c] = at(fact, prompt, c);
    return scores;
  }

  /// Nats; shape [facts, prompts, candidates], as are the others.
  xt::xtensor<double, 3> log_likelihood;
  xt::xtensor<double, 3> answer_log_likelihood;
  xt::xtensor<std::uint32_t, 3> tokens;
  xt::xtensor<std::uint32_t, 3> answer_tokens;
  xt::xtensor<double, 3> continuation_log_likelihood;
  xt::xtensor<std::uint32_t, 3> continuation_tokens;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
