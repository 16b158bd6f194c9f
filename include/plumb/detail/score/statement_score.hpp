// SPDX-License-Identifier: Apache-2.0
#pragma once

// How likely is one statement, and how is its score computed?
//
// A scorer stores the log-likelihood and the lengths of three spans, so that every reduction can be
// computed from one scoring:
//   sum  = Σ log P(token | tokens before it)          mean = sum / scored tokens
//   bytes = sum / UTF-8 bytes of the span             pmi  = sum − ln P(answer | neutral prefix)
// The span is the whole statement, the answer's tokens or the continuation's tokens. A token
// belongs to the answer if their byte ranges overlap. This includes the statement's first token
// (lm-pub-quiz 0.3.3 omits the answer's first token if the statement begins with the answer). The
// continuation consists of all tokens of the whole text after the longest token prefix that it
// shares with the tokens of the given part alone. For example, a space that is a separate token
// before a digit belongs to the continuation, but not to the answer. The text before the statement
// (Prompt::context) does not belong to any span. The reduction pmi is the domain-conditional PMI of
// Holtzman et al. 2021 ("Surface Form Competition"); its neutral prefix comes from
// prompt/neutral_prompt.hpp.

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

/// A scorer's results for one span of a statement.
struct SpanScore {
  /// In nats, summed over the span's scored tokens. BOS is never scored. Without BOS, the
  /// statement's first token is not scored either.
  double log_likelihood = 0;
  /// The number of scored tokens. 0 if the span's tokens are unknown or none of them is scored.
  std::uint32_t tokens = 0;
  /// The number of UTF-8 bytes in the span's text; 0 if not counted.
  std::uint32_t bytes = 0;
};

/// The part of a statement whose tokens' log-probabilities are summed.
enum class Span { statement, answer, continuation };

/// A statement's scores, one for each of its spans.
struct StatementScore {
  SpanScore statement{};
  SpanScore answer{};
  SpanScore continuation{};
  /// The number of scored tokens whose log-probability the engine did not report. If there are any,
  /// the sums that include them are NaN: the statement has no score, and its fact is omitted.
  std::uint32_t unreported_tokens = 0;
  /// The log-likelihood of the answer after a neutral prefix, in nats; NaN if not computed.
  double neutral_log_likelihood = std::numeric_limits<double>::quiet_NaN();

  [[nodiscard]] const SpanScore& operator[](Span span) const noexcept {
    if (span == Span::continuation) return continuation;
    return span == Span::statement ? statement : answer;
  }
  [[nodiscard]] SpanScore& operator[](Span span) noexcept {
    return const_cast<SpanScore&>(std::as_const(*this)[span]);
  }
};

/// A log-likelihood is at most 0; positive values up to this limit are due to rounding.
inline constexpr double most_nats = 1e-3;

/// How a statement's score is computed; see the comment at the top of this file.
enum class Reduction { sum, mean, bytes, pmi };

/// The reduction and the span that determine a statement's score.
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

/// A kind of span length, and the reduction that divides by it.
struct SpanLength {
  std::uint32_t SpanScore::*count;
  Reduction reduction;
  /// The name of this length in results files; for the answer and the continuation, it is preceded
  /// by "answer_" or "continuation_".
  std::string_view field;
  std::string_view noun;
  /// Computes the length of a piece of the span's text; null if the scorer counts it.
  std::uint32_t (*of_text)(std::string_view) = nullptr;
};

/// All span lengths. Scores, results files and reductions all use this list.
inline constexpr std::array span_lengths{
    SpanLength{&SpanScore::tokens, Reduction::mean, "token_counts", "scored tokens"},
    SpanLength{&SpanScore::bytes, Reduction::bytes, "byte_counts", "UTF-8 bytes",
               [](std::string_view text) { return static_cast<std::uint32_t>(text.size()); }}};

/// The reduced score of a span, in nats, nats per token or nats per byte. NaN if there is no token
/// to reduce over, or if a length or neutral score that the reduction needs is unknown.
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

/// The log-likelihood of the answer after a neutral prompt, which pmi subtracts from the
/// log-likelihood of `span`. For the answer span, and for masked models, which have no
/// continuation, it covers the answer's tokens. Otherwise it covers all tokens after the prefix.
[[nodiscard]] inline double neutral_log_likelihood(const StatementScore& neutral,
                                                   Span span) noexcept {
  const bool own = span == Span::answer || neutral.continuation.tokens == 0;
  return neutral[own ? Span::answer : Span::continuation].log_likelihood;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
