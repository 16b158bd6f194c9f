// SPDX-License-Identifier: Apache-2.0
#pragma once

// How likely is each candidate?
//
//   plumb::CausalScorer scorer(model);                        // log-likelihoods, BOS first
//   plumb::CausalScorer scorer(model, plumb::Bos::none());    // or without
//   plumb::MaskedScorer scorer(masked_model);                 // pseudo-log-likelihoods
//
// or a CandidateScorer of one's own: examples/own_scorer.cpp. Run: examples/score_one_fact.cpp.

#include "plumb/score/bos.hpp"
#include "plumb/score/candidate_scorer.hpp"
#include "plumb/score/causal_scorer.hpp"
#include "plumb/score/masked_scorer.hpp"
#include "plumb/score/statement_score.hpp"
