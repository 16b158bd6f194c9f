// SPDX-License-Identifier: Apache-2.0
#pragma once

// Can a score be reduced to a number, and is it a log-likelihood?
//
// All scores, including those of a user's scorer, are checked before they are reduced: they must be
// finite, and the span must contain at least one token. Scores written to a run folder must also be
// log-likelihoods, that is, at most 0.

#include <cmath>
#include <string>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/score/statement_score.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The remedy for a statement without a scored token in a span.
[[nodiscard]] inline std::string remedy_without_token(Span span) {
  return span != Span::answer
             ? "lengthen the template or set `bos` to yes"
             : "the tokenizer does not spell the answer, or its only token is the first, which has "
               "no probability without BOS; set `span` to statement or `bos` to yes";
}

/// Throws a user error for a score without tokens, which cannot be reduced. Throws an internal
/// error for a score that is not finite, except NaN if some tokens were not reported. `statement()`
/// returns the statement's name for the message: "'France', template 0, option 'Paris'".
template <class Name>
void check_score(const StatementScore& score, Span span, const Site& site, Name statement) {
  for (const Span of : every(Span())) {
    const double number = score[of].log_likelihood;
    if (std::isfinite(number) || (std::isnan(number) && score.unreported_tokens > 0)) continue;
    throw internal_error(
        site,
        "the score of " + statement() + " is " +
            (std::isnan(number) ? "NaN"
             : number < 0       ? "-infinity"
                                : "+infinity"),
        number < 0
            ? "one of its tokens has probability 0; the model or scorer must return a finite value"
            : "check the model file, or the output of your own engine");
  }
  if (score[span].tokens > 0) return;
  throw user_error(
      site, statement() + " has no scored token in its " + std::string(name_of(span)),
      remedy_without_token(span) + "; your own scorer must count tokens in StatementScore");
}

/// Throws a user error for a statement that has unreported tokens but must have a score.
[[noreturn]] inline void refuse_unreported(const Site& site, const std::string& statement) {
  throw user_error(site, "the engine did not report how likely a token of " + statement + " is",
                   "use an engine that reports every token, or drop the option that needs it");
}

/// Throws an internal error for a score above 0, and otherwise the errors of check_score.
template <class Name>
void check_log_likelihood(const StatementScore& score, Span span, const Site& site,
                          Name statement) {
  check_score(score, span, site, statement);
  for (const Span of : every(Span())) {
    const double number = score[of].log_likelihood;
    if (number <= most_nats || std::isnan(number)) continue;  // check_score handles NaN
    throw internal_error(
        site,
        "the model returned a log-likelihood of " + with_decimals(number, 3) +
            ", which is above 0, for " + statement(),
        "check the model file; if your own scores are not log-likelihoods, subtract a constant: "
        "only differences count");
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
