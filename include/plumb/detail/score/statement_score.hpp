// SPDX-License-Identifier: Apache-2.0
#pragma once

// How likely is one statement, and which number of it counts?
//
// A scorer keeps the log-likelihood and the lengths of three spans, so that every reduction comes from
// one scoring:
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
#include <utility>

#include "plumb/detail/core/error.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// What a scorer measured of one span of a statement.
struct SpanScore {
  /// Nats, summed over the span's scored tokens. BOS is never scored; without BOS neither is the
  /// statement's first token.
  double log_likelihood = 0;
  /// Scored tokens. 0 when the span's tokens cannot be told, or none of them is scored.
  std::uint32_t tokens = 0;
  /// UTF-8 bytes of the span's text; 0 where nobody counted them.
  std::uint32_t bytes = 0;
};

/// The tokens that are summed.
enum class Span { statement, answer, continuation };

/// A statement's score over each of its spans.
struct StatementScore {
  SpanScore statement{};
  SpanScore answer{};
  SpanScore continuation{};
  /// Scored tokens whose log-probability the engine did not report. The sums that they are part of are
  /// NaN: such a statement has no score, and its fact is left out.
  std::uint32_t unreported_tokens = 0;
  /// Of the answer behind a neutral prefix, in nats; NaN where it was not asked.
  double neutral_log_likelihood = std::numeric_limits<double>::quiet_NaN();

  [[nodiscard]] const SpanScore& operator[](Span span) const noexcept {
    if (span == Span::continuation) return continuation;
    return span == Span::statement ? statement : answer;
  }
  [[nodiscard]] SpanScore& operator[](Span span) noexcept {
    return const_cast<SpanScore&>(std::as_const(*this)[span]);
  }
};

/// A log-likelihood is at most 0; so much above it is rounding.
inline constexpr double most_nats = 1e-3;

/// Which number of a statement counts: see the opening comment.
enum class Reduction { sum, mean, bytes, pmi };

/// Which number stands for a statement.
struct Scoring {
  Reduction reduction = Reduction::sum;
  Span span = Span::statement;

  friend bool operator==(const Scoring&, const Scoring&) = default;
};

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

/// A length of a span, and the reduction that divides by it.
struct SpanLength {
  std::uint32_t SpanScore::*count;
  Reduction reduction;
  /// What results files call it, behind "answer_" or "continuation_" for those spans.
  std::string_view field;
  std::string_view noun;
  /// Counts it in a part of the span's text; nothing where the scorer counts it.
  std::uint32_t (*of_text)(std::string_view) = nullptr;
};

/// All lengths: scores, results files and reductions read this list and no other.
inline constexpr std::array span_lengths{
    SpanLength{&SpanScore::tokens, Reduction::mean, "token_counts", "scored tokens"},
    SpanLength{&SpanScore::bytes, Reduction::bytes, "byte_counts", "UTF-8 bytes",
               [](std::string_view text) { return static_cast<std::uint32_t>(text.size()); }}};

/// The chosen number of a span, in nats, nats per token or nats per byte. NaN when there is no token
/// to reduce over, and where what the reduction needs beside the nats is not known.
[[nodiscard]] inline double reduce(const SpanScore& score, Reduction reduction,
                                   double neutral_log_likelihood = std::nan("")) noexcept {
  if (score.tokens == 0) return std::nan("");
  if (reduction == Reduction::pmi) return score.log_likelihood - neutral_log_likelihood;
  for (const SpanLength& length : span_lengths) {
    if (length.reduction != reduction) continue;
    const std::uint32_t count = score.*length.count;
    return count == 0 ? std::nan("") : score.log_likelihood / count;
  }
  return score.log_likelihood;
}
[[nodiscard]] inline double reduce(const StatementScore& score, Scoring scoring) noexcept {
  return reduce(score[scoring.span], scoring.reduction, score.neutral_log_likelihood);
}

/// The log-likelihood of a neutral prompt's answer that is subtracted over a span: over its own tokens
/// for the answer's, and of a masked model, which has no continuation; else over all behind the prefix.
[[nodiscard]] inline double neutral_log_likelihood(const StatementScore& neutral,
                                                   Span span) noexcept {
  const bool own = span == Span::answer || neutral.continuation.tokens == 0;
  return neutral[own ? Span::answer : Span::continuation].log_likelihood;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
