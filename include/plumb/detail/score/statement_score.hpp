// SPDX-License-Identifier: Apache-2.0
#pragma once

// How likely is one statement, and which number of it counts?
//
// A scorer keeps three log-likelihoods and three counts, so that every reduction comes from one
// scoring:
//   sum  = Σ log P(token | tokens before it)          mean = sum / scored tokens
//   bytes = sum / UTF-8 bytes of the span             pmi  = sum − ln P(answer | neutral prefix)
// over the whole statement, over the answer's tokens or over the continuation's. A token is the
// answer's when their byte ranges overlap, the statement's first token too (lm-pub-quiz 0.3.3 drops
// the answer's first token where the answer begins the statement). The continuation is every token
// of the whole text behind the longest token prefix that it shares with the tokens of what is given:
// a space that is a token of its own before a digit is the continuation's and not the answer's. What
// stands before the statement (Prompt::context) is in none of the three. The pmi is the
// domain-conditional one of Holtzman et al. 2021 ("Surface Form Competition"); its neutral prefix is
// prompt/neutral_prompt.hpp's.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "plumb/detail/core/error.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Log-likelihoods in nats, counts in scored tokens. BOS is never scored; without BOS neither is
/// the first token.
struct StatementScore {
  double log_likelihood = 0;
  double answer_log_likelihood = 0;
  std::uint32_t tokens = 0;
  /// 0 when the answer's tokens cannot be told, or none of them is scored.
  std::uint32_t answer_tokens = 0;
  double continuation_log_likelihood = 0;
  std::uint32_t continuation_tokens = 0;
  /// Scored tokens whose log-probability the engine did not report. The sums that they are part of are
  /// NaN: such a statement has no score, and its fact is left out.
  std::uint32_t unreported_tokens = 0;
  /// UTF-8 bytes of the statement, of its answer and of its continuation; 0 where nobody counted them.
  std::uint32_t bytes = 0, answer_bytes = 0, continuation_bytes = 0;
  /// Of the answer behind a neutral prefix; NaN where it was not asked.
  double neutral_log_likelihood = std::numeric_limits<double>::quiet_NaN();
};

/// A log-likelihood is at most 0; so much above it is rounding.
inline constexpr double most_nats = 1e-3;

/// Which number of a statement counts: see the opening comment.
enum class Reduction { sum, mean, bytes, pmi };
/// The tokens that are summed.
enum class Span { statement, answer, continuation };

/// Which number stands for a statement.
struct Scoring {
  Reduction reduction = Reduction::sum;
  Span span = Span::statement;

  friend bool operator==(const Scoring&, const Scoring&) = default;
};

/// Scored tokens of the statement, of its answer alone or of its continuation.
[[nodiscard]] inline std::uint32_t scored_tokens(const StatementScore& score, Span span) noexcept {
  if (span == Span::continuation) return score.continuation_tokens;
  return span == Span::statement ? score.tokens : score.answer_tokens;
}

/// Nats over the same.
[[nodiscard]] inline double log_likelihood(const StatementScore& score, Span span) noexcept {
  if (span == Span::continuation) return score.continuation_log_likelihood;
  return span == Span::statement ? score.log_likelihood : score.answer_log_likelihood;
}

/// UTF-8 bytes of the same; 0 where nobody counted them.
[[nodiscard]] inline std::uint32_t counted_bytes(const StatementScore& score, Span span) noexcept {
  if (span == Span::continuation) return score.continuation_bytes;
  return span == Span::statement ? score.bytes : score.answer_bytes;
}

/// The chosen number, in nats, nats per token or nats per byte. NaN when there is no token to reduce
/// over, and where what the reduction needs beside them is not known.
[[nodiscard]] inline double reduce(const StatementScore& score, Scoring scoring) noexcept {
  const double sum = log_likelihood(score, scoring.span);
  const std::uint32_t count = scored_tokens(score, scoring.span);
  const std::uint32_t bytes = counted_bytes(score, scoring.span);
  if (count == 0) return std::nan("");
  switch (scoring.reduction) {
    case Reduction::bytes:
      return bytes == 0 ? std::nan("") : sum / bytes;
    case Reduction::pmi:
      return sum - score.neutral_log_likelihood;
    case Reduction::sum:
      return sum;
    case Reduction::mean:
      break;
  }
  return sum / count;
}

/// The log-likelihood of a neutral prompt's answer that is subtracted over a span: over its own tokens
/// for the answer's, and of a masked model, which has no continuation; else over all behind the prefix.
[[nodiscard]] inline double neutral_log_likelihood(const StatementScore& neutral,
                                                   Span span) noexcept {
  const bool own = span == Span::answer || neutral.continuation_tokens == 0;
  return log_likelihood(neutral, own ? Span::answer : Span::continuation);
}

[[nodiscard]] constexpr std::array<Reduction, 4> every(Reduction) noexcept {
  return {Reduction::sum, Reduction::mean, Reduction::bytes, Reduction::pmi};
}
[[nodiscard]] constexpr std::array<Span, 3> every(Span) noexcept {
  return {Span::statement, Span::answer, Span::continuation};
}
[[nodiscard]] inline std::string_view name_of(Reduction reduction) noexcept {
  constexpr std::array<std::string_view, 4> names{"sum", "mean", "bytes", "pmi"};
  return names[static_cast<std::size_t>(reduction)];
}
[[nodiscard]] inline std::string_view name_of(Span span) noexcept {
  if (span == Span::continuation) return "continuation";
  return span == Span::statement ? "statement" : "answer";
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
