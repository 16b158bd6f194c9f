// SPDX-License-Identifier: Apache-2.0

// I have embeddings of queries and entities. What is the rank of the true entity, and how good is
// that rank?
//
// Prints:
//   query 0: rank 1 of 4, cosine 0.994
//   query 1: rank 2.5 of 4, cosine 0.707
//   query 1 without the other true entity: rank 1.5 of 3
//   filtered: MRR 0.833, Hit@1 0.750, adjusted mean rank index 0.800

#include <cstdint>
#include <cstdio>
#include <vector>

#include "plumb/rank.hpp"

int main() {
  const std::vector<float> entities{1, 0, 0, /**/ 0, 1, 0, /**/ 0, 0, 1, /**/ 1, 1, 0};
  const std::vector<float> vectors{9, 1, 0, /**/ 1, 1, 0};
  const plumb::VectorRows queries(vectors.data(), 2, 3);
  const plumb::CosineRanker ranker(plumb::VectorRows(entities.data(), 4, 3));
  const std::vector<plumb::RankQuestion> questions{{.query = 0, .gold = 0},
                                                   {.query = 1, .gold = 0}};
  const auto ranks = ranker.ranks(queries, questions);
  for (const plumb::RankQuestion& asked : questions) {
    std::printf("query %u: rank %g of 4, cosine %.3f\n", asked.query,
                ranks[asked.query].realistic(),
                ranker.cosine({vectors.data() + 3 * asked.query, 3}, asked.gold));
  }

  // Entity 3 is also true for query 1, so ranking it first is not an error.
  const std::vector<std::vector<std::uint32_t>> known{{}, {3}};
  const auto filtered = plumb::filtered_ranks(ranker, queries, questions, known);
  std::printf("query 1 without the other true entity: rank %g of %zu\n",
              filtered[1].rank.realistic(), filtered[1].candidates);
  const auto metrics = plumb::rank_metrics(filtered, plumb::Ties::realistic, {}, "example");
  std::printf("filtered: MRR %.3f, Hit@1 %.3f, adjusted mean rank index %.3f\n",
              metrics.mean_reciprocal_rank.value, metrics.hit_at(1).value,
              metrics.adjusted_mean_rank_index.value);
}
