// SPDX-License-Identifier: Apache-2.0

// The file that is compiled without vector instructions and without OpenMP.

#include "../../examples/own_engine.hpp"
#include "mixed_flags.hpp"
#include "mixed_flags_ranks.hpp"
#include "plumb/candidate_scorer.hpp"

plumb::Answers other_answers(const plumb::Dataset& facts) {
  EngineModel model;
  plumb::CausalScorer scorer(model);
  return plumb::probe(scorer, facts);
}

std::string other_ranks() {
  return ranks_here();
}

bool other_has_openmp() {
#ifdef _OPENMP
  return true;
#else
  return false;
#endif
}
