// SPDX-License-Identifier: Apache-2.0
#pragma once

// Is a score a log-likelihood that counts?
//
// Whatever gives scores, a scorer of the user's included, is held to this before a number is made of
// them or they are written: log-likelihoods are finite and at most 0, and what is reduced over has a
// token.

#include <cmath>
#include <functional>
#include <string>

#include "plumb/core/error.hpp"
#include "plumb/core/number_words.hpp"
#include "plumb/score/statement_score.hpp"

namespace plumb {

/// The remedy of a statement without a scored token in a span.
[[nodiscard]] inline std::string remedy_without_token(Span span) {
  return span != Span::answer
             ? "lengthen the template or use `bos` yes"
             : "the tokenizer does not spell the answer, or its only token is the first, which has "
               "no probability without BOS; use `span` statement or `bos` yes";
}

/// Throws a user error for a score without a token that counts, as a reduction over none is no number,
/// and an internal one for log-likelihoods that are not finite or above 0. `statement()` is what the
/// message calls it: "'France', template 0, option 'Paris'".
template <class Name>
void check_score(const StatementScore& score, Span span, const Site& site, Name statement) {
  for (const double number :
       {score.log_likelihood, score.answer_log_likelihood, score.continuation_log_likelihood}) {
    if (std::isfinite(number) && number <= most_nats) continue;
    throw internal_error(site,
                         std::isfinite(number)
                             ? "the model gave a log-likelihood of " + fixed(number, 3) +
                                   ", which is above 0, for " + statement()
                             : "the model gave a score that is not finite for " + statement(),
                         "check the model file, or an engine's logits for NaN and +infinity");
  }
  if (scored_tokens(score, span) > 0) return;
  throw user_error(
      site, statement() + " has no scored token in its " + std::string(name_of(span)),
      remedy_without_token(span) + "; a scorer of your own counts them in StatementScore");
}

}  // namespace plumb
