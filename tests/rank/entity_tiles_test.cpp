// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/rank/entity_tiles.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/core/random.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(entity_tiles)

namespace {

EmbeddingMatrix random_rows(RandomStream& random, Eigen::Index rows, Eigen::Index dimension) {
  EmbeddingMatrix made(rows, dimension);
  for (Eigen::Index i = 0; i < made.size(); ++i) {
    made.data()[i] = static_cast<float>(random.uniform() * 2 - 1);
  }
  return made;
}

VectorRows rows_of(const EmbeddingMatrix& matrix) {
  return {matrix.data(), matrix.rows(), matrix.cols()};
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_query_meets_each_entity_once_and_nearly_at_their_cosine) {
  RandomStream random(1, "tiles");
  for (const auto& [entities, queries, dimension] :
       {std::array<Eigen::Index, 3>{1, 1, 1}, {700, 37, 9}, {2000, 5, 300}, {3, 500, 2}}) {
    const EmbeddingMatrix e = random_rows(random, entities, dimension);
    const EmbeddingMatrix q = random_rows(random, queries, dimension);
    const auto e_lengths = checked_lengths(rows_of(e), "entities");
    const auto q_lengths = checked_lengths(rows_of(q), "queries");
    const auto d = static_cast<std::size_t>(dimension);
    std::vector<std::vector<int>> met(q_lengths.size(), std::vector<int>(e_lengths.size()));
    double past_bound = 0;
    std::size_t blocks = 0, next = 0;
    const auto visit = [&](const QueryBlock& block) {
      ++blocks;
      BOOST_TEST(block.first_query == next);
      next += block.queries.size();
      for (std::size_t c = 0; c < entity_chunks(e_lengths.size(), d); ++c) {
        for_each_tile(rows_of(e), e_lengths, block, c, [&](const Tile& tile) {
          for (std::size_t r = 0; r < tile.rows; ++r) {
            for (std::size_t i = 0; i < tile.columns; ++i) {
              const std::size_t query = tile.first_query + r, entity = tile.first_entity + i;
              ++met[query][entity];
              const double exact = exact_dot(q.data() + query * d, e.data() + entity * d, d) /
                                   q_lengths[query] / e_lengths[entity];
              past_bound =
                  std::max(past_bound, std::abs(tile.cosine(r, i) - exact) - tile.bound(r));
            }
          }
        });
      }
    };
    for_each_query_block(rows_of(q), q_lengths, 40 * pairs_of(d) * 4, visit);
    BOOST_TEST(next == q_lengths.size());
    BOOST_TEST(blocks == (q_lengths.size() + 39) / 40);
    BOOST_TEST(past_bound <= 0);
    std::size_t other = 0;
    for (const auto& row : met) {
      for (const int times : row) other += times == 1 ? 0U : 1U;
    }
    BOOST_TEST(other == 0U);
  }
}

BOOST_AUTO_TEST_CASE(chunks_hold_whole_panels_and_all_entities) {
  for (const std::size_t dimension : {1U, 2U, 300U, 4096U, 1000000U}) {
    const std::size_t chunk = entity_chunk_size(dimension);
    BOOST_TEST(chunk % rank_kernels().panel_width == 0U);
    BOOST_TEST(chunk > 0U);
    BOOST_TEST(entity_chunks(0, dimension) == 0U);
    BOOST_TEST(entity_chunks(chunk, dimension) == 1U);
    BOOST_TEST(entity_chunks(chunk + 1, dimension) == 2U);
  }
}

BOOST_AUTO_TEST_CASE(without_queries_or_dimensions_there_is_no_block) {
  const EmbeddingMatrix none(0, 3), flat(2, 0);
  const auto fail = [](const QueryBlock&) { BOOST_ERROR("a block"); };
  for_each_query_block(rows_of(none), {}, 100, fail);
  for_each_query_block(rows_of(flat), {1, 1}, 100, fail);
  BOOST_TEST(pairs_of(0) == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
