// SPDX-License-Identifier: Apache-2.0
#pragma once

// How likely is each candidate?
//
//   plumb::CausalScorer scorer(model);                        // log-likelihoods, BOS first
//   plumb::CausalScorer scorer(model, plumb::Bos::none());    // log-likelihoods without BOS
//   plumb::MaskedScorer scorer(masked_model);                 // pseudo-log-likelihoods
//
// You can also write your own CandidateScorer, as in examples/own_scorer.cpp. Run:
// examples/score_one_fact.cpp.

#include "plumb/detail/score/bos.hpp"
#include "plumb/detail/score/candidate_scorer.hpp"
#include "plumb/detail/score/causal_scorer.hpp"
#include "plumb/detail/score/masked_scorer.hpp"
#include "plumb/detail/score/statement_score.hpp"

namespace plumb {

using detail::Bos;
using detail::CandidateScorer;
using detail::CausalScorer;
using detail::check_candidate_scorer;
using detail::MaskedScorer;
using detail::PseudoLikelihood;
using detail::Query;
using detail::Reduction;
using detail::Span;
using detail::StatementScore;

}  // namespace plumb
