// SPDX-License-Identifier: Apache-2.0

// The file that is compiled with vector instructions and OpenMP. It checks that its answers and
// ranks match the other file's. Prints the vector widths that the program contains, the width that
// it uses, and which parts are compiled with OpenMP.

#include <cstdio>

#include "../../examples/own_engine.hpp"
#include "mixed_flags.hpp"
#include "mixed_flags_ranks.hpp"
#include "plumb/candidate_scorer.hpp"
#include "plumb/compare.hpp"

int main() {
  const plumb::Dataset cities{
      "cities",
      {plumb::relation_of("country", {"[X] is in [Y]."}, {{"Oslo", "Norway"}, {"Lima", "Peru"}})}};
  EngineModel model;
  plumb::CausalScorer scorer(model);
  const auto apart = plumb::compare(plumb::probe(scorer, cities), other_answers(cities));
  if (apart.worst_nats != 0 || apart.facts != 2) return 1;
  if (ranks_here() != other_ranks()) return 2;
  for (const auto* set : plumb::detail::held_kernels<plumb::detail::RankKernels>())
    std::printf("%s ", set->width);
#ifdef _OPENMP
  const bool has_openmp = true;
#else
  const bool has_openmp = false;
#endif
  std::printf("| %s | %d %d %d\n", plumb::detail::rank_kernels().width, has_openmp,
              other_has_openmp(), plumb::detail::openmp_loop != nullptr);
}
