// SPDX-License-Identifier: Apache-2.0

// I have embeddings of queries and entities. Where does the true entity stand?
//
// Prints:
//   query 0: rank 1 of 4, cosine 0.994
//   query 1: rank 2.5 of 4, cosine 0.707

#include <cstdio>
#include <vector>

#include "plumb/rank/cosine_ranker.hpp"

int main() {
  const std::vector<float> entities{1, 0, 0, /**/ 0, 1, 0, /**/ 0, 0, 1, /**/ 1, 1, 0};
  const std::vector<float> queries{9, 1, 0, /**/ 1, 1, 0};
  const plumb::CosineRanker ranker(plumb::VectorRows(entities.data(), 4, 3));
  const std::vector<plumb::RankQuestion> questions{{.query = 0, .gold = 0},
                                                   {.query = 1, .gold = 0}};
  const auto ranks = ranker.ranks(plumb::VectorRows(queries.data(), 2, 3), questions);
  for (const plumb::RankQuestion& asked : questions) {
    std::printf("query %u: rank %g of 4, cosine %.3f\n", asked.query,
                ranks[asked.query].realistic(),
                ranker.cosine({queries.data() + 3 * asked.query, 3}, asked.gold));
  }
}
