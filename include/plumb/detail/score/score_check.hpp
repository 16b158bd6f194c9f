// SPDX-License-Identifier: Apache-2.0
#pragma once

// Can a number be made of a score, and is it a log-likelihood?
//
// Whatever gives scores, a scorer of the user's included, is held to this before a number is made of
// them: they are finite, and what is reduced over has a token. What is written into a run folder is a
// log-likelihood too, which is at most 0.

#include <cmath>
#include <string>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/score/statement_score.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The remedy of a statement without a scored token in a span.
[[nodiscard]] inline std::string remedy_without_token(Span span) {
  return span != Span::answer
             ? "lengthen the template or use `bos` yes"
             : "the tokenizer does not spell the answer, or its only token is the first, which has "
               "no probability without BOS; use `span` statement or `bos` yes";
}

/// Throws a user error for a score without a token that counts, as a reduction over none is no number,
/// and an internal one for a score that is not finite, unless it is NaN and says that tokens were not
/// reported. `statement()` is what the message calls it:
/// "'France', template 0, option 'Paris'".
template <class Name>
void check_score(const StatementScore& score, Span span, const Site& site, Name statement) {
  for (const Span of : every(Span())) {
    const double number = score[of].log_likelihood;
    if (std::isfinite(number) || (std::isnan(number) && score.unreported_tokens > 0)) continue;
    throw internal_error(site,
                         "the score of " + statement() + " is " +
                             (std::isnan(number) ? "NaN"
                              : number < 0       ? "-infinity"
                                                 : "+infinity"),
                         number < 0 ? "a token of it has probability 0: give it a logit, "
                                      "log-probability or score that is finite"
                                    : "check the model file, or what an engine of your own gives");
  }
  if (score[span].tokens > 0) return;
  throw user_error(
      site, statement() + " has no scored token in its " + std::string(name_of(span)),
      remedy_without_token(span) + "; a scorer of your own counts them in StatementScore");
}

/// Throws the user error of a statement that was not reported, where nothing can do without it.
[[noreturn]] inline void refuse_unreported(const Site& site, const std::string& statement) {
  throw user_error(site, "the engine did not report how likely a token of " + statement + " is",
                   "ask the model by an engine that reports every token, or leave out what asks "
                   "for it");
}

/// Throws an internal error for a score above 0, and what check_score throws.
template <class Name>
void check_log_likelihood(const StatementScore& score, Span span, const Site& site,
                          Name statement) {
  check_score(score, span, site, statement);
  for (const Span of : every(Span())) {
    const double number = score[of].log_likelihood;
    if (number <= most_nats || std::isnan(number)) continue;  // check_score knows of NaN
    throw internal_error(
        site,
        "the model gave a log-likelihood of " + with_decimals(number, 3) +
            ", which is above 0, for " + statement(),
        "check the model file; from scores of your own that are no log-likelihoods "
        "subtract a constant, as only their differences count");
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
