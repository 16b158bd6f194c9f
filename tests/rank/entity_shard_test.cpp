// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/rank/entity_shard.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "plumb/detail/rank/filtered_ranks.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(entity_shard)

namespace {

VectorRows rows_of(const EmbeddingMatrix& matrix) {
  return {matrix.data(), matrix.rows(), matrix.cols()};
}

/// Rows of small integers, so that many cosines are equal, including copies of earlier rows with
/// different lengths.
EmbeddingMatrix level_rows(RandomStream& random, Eigen::Index count, Eigen::Index dimension) {
  EmbeddingMatrix made(count, dimension);
  for (Eigen::Index i = 0; i < count; ++i) {
    if (i > 0 && random.below(3) == 0) {
      made.row(i) =
          made.row(static_cast<Eigen::Index>(random.below(static_cast<std::size_t>(i)))) * 2;
      continue;
    }
    for (Eigen::Index d = 0; d < dimension; ++d) {
      made(i, d) = static_cast<float>(random.below(5)) - 2;
    }
    made(i, 0) += 3;
  }
  return made;
}

std::vector<EntityQuestion> questions_among(RandomStream& random, std::size_t entities,
                                            std::size_t queries) {
  std::vector<EntityQuestion> made;
  for (std::uint32_t i = 0; i < 3 * queries; ++i) {
    EntityQuestion question{static_cast<std::uint32_t>(random.below(queries)),
                            static_cast<std::uint32_t>(random.below(entities))};
    for (std::uint32_t e = 0; e < entities; ++e) {
      if (e != question.gold && random.below(7) == 0) question.known.push_back(e);
    }
    made.push_back(std::move(question));
  }
  return made;
}

/// The counts of several processes, summed.
std::vector<EntityStanding> standings_by(std::size_t processes, const EntityVectors& entities,
                                         VectorRows queries,
                                         std::span<const EntityQuestion> questions) {
  std::vector<std::unique_ptr<EntityShard>> shards;
  std::vector<double> gold(questions.size(), 0);
  for (std::size_t p = 0; p < processes; ++p) {
    shards.push_back(
        std::make_unique<EntityShard>(entities, range_of_process(entities.size(), p, processes)));
    const auto own = shards.back()->gold_cosines(queries, questions);
    for (std::size_t i = 0; i < gold.size(); ++i) gold[i] += own[i];
  }
  std::vector<std::uint64_t> sums(questions.size() * EntityShard::counts_each, 0);
  for (const auto& shard : shards) {
    const auto own = shard->counts(queries, questions, gold);
    BOOST_REQUIRE(own.size() == sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += own[i];
  }
  return standings_of(entities.size(), questions, gold, sums);
}

void check_equal(const std::vector<EntityStanding>& a, const std::vector<EntityStanding>& b) {
  BOOST_REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    BOOST_TEST(a[i].cosine == b[i].cosine);
    BOOST_TEST((a[i].raw == b[i].raw));
    BOOST_TEST((a[i].filtered.rank == b[i].filtered.rank));
    BOOST_TEST(a[i].filtered.candidates == b[i].filtered.candidates);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(ranges_are_even_and_hold_each_entity_once) {
  for (const std::size_t entities : {0U, 1U, 3U, 4U, 40943U}) {
    for (const std::size_t processes : {1U, 2U, 4U, 7U}) {
      std::size_t next = 0;
      for (std::size_t p = 0; p < processes; ++p) {
        const EntityRange range = range_of_process(entities, p, processes);
        BOOST_TEST(range.begin == next);
        BOOST_TEST(range.size() >= entities / processes);
        BOOST_TEST(range.size() <= entities / processes + 1);
        BOOST_TEST(range.has(range.begin) == (range.size() > 0));
        BOOST_TEST(!range.has(range.end));
        next = range.end;
      }
      BOOST_TEST(next == entities);
    }
  }
}

BOOST_AUTO_TEST_CASE(sums_of_shards_are_the_ranks_of_one_process) {
  RandomStream random(1, "shards");
  for (const auto& [count, dimension] : {std::array<Eigen::Index, 2>{400, 4}, {61, 3}, {3, 2}}) {
    const EmbeddingMatrix entities = level_rows(random, count, dimension);
    const EmbeddingMatrix queries = level_rows(random, 20, dimension);
    const auto questions = questions_among(random, static_cast<std::size_t>(count), 20);
    // The reference: a ranker without shards.
    const CosineRanker ranker(rows_of(entities));
    std::vector<RankQuestion> asked;
    std::vector<std::vector<std::uint32_t>> known;
    for (const EntityQuestion& question : questions) {
      asked.push_back({question.query, question.gold});
      known.push_back(question.known);
    }
    const auto raw = ranker.ranks(rows_of(queries), asked);
    const auto filtered = filtered_ranks(ranker, rows_of(queries), asked, known);
    std::size_t level = 0;
    for (const std::size_t processes : {1U, 2U, 4U, 5U}) {  // 3 entities: some processes have none
      const auto made = standings_by(processes, rows_of(entities), rows_of(queries), questions);
      for (std::size_t i = 0; i < made.size(); ++i) {
        BOOST_TEST((made[i].raw == raw[i]));
        BOOST_TEST((made[i].filtered.rank == filtered[i].rank));
        BOOST_TEST(made[i].filtered.candidates == filtered[i].candidates);
        const std::span query(queries.data() + asked[i].query * ranker.dimension(),
                              ranker.dimension());
        BOOST_TEST(made[i].cosine == ranker.cosine(query, asked[i].gold));
        level += raw[i].equal;
      }
    }
    if (count > 3) BOOST_TEST(level > questions.size());
    check_equal(LocalRanking().standings(rows_of(entities), rows_of(queries), questions),
                standings_by(3, rows_of(entities), rows_of(queries), questions));
  }
}

BOOST_AUTO_TEST_CASE(chosen_rows_rank_as_a_matrix_of_them) {
  RandomStream random(2, "chosen");
  const EmbeddingMatrix all = level_rows(random, 300, 4), queries = level_rows(random, 9, 4);
  std::vector<std::uint32_t> places;
  for (std::size_t i = 0; i < 130; ++i)
    places.push_back(static_cast<std::uint32_t>(random.below(300)));
  EmbeddingMatrix gathered(130, 4);
  for (Eigen::Index i = 0; i < 130; ++i)
    gathered.row(i) = all.row(places[static_cast<std::size_t>(i)]);
  const auto questions = questions_among(random, 130, 9);
  const EntityVectors chosen(rows_of(all), "", places);
  LocalRanking local;
  BOOST_TEST(local.processes() == 1U);
  const auto expected = local.standings(rows_of(gathered), rows_of(queries), questions);
  check_equal(local.standings(chosen, rows_of(queries), questions), expected);
  check_equal(standings_by(4, chosen, rows_of(queries), questions), expected);
}

BOOST_AUTO_TEST_CASE(lists_of_shards_merge_into_the_nearest_of_all) {
  RandomStream random(3, "nearest");
  const EmbeddingMatrix entities = level_rows(random, 200, 3), queries = level_rows(random, 11, 3);
  for (const std::size_t k : {0U, 1U, 10U, 70U, 200U, 300U}) {
    const auto expected = CosineRanker(rows_of(entities)).nearest(rows_of(queries), k);
    std::size_t ties = 0;
    for (const std::size_t processes : {1U, 2U, 4U, 7U}) {
      std::vector<std::vector<NearEntity>> lists(11);
      for (std::size_t p = 0; p < processes; ++p) {
        const EntityShard shard(rows_of(entities), range_of_process(200, p, processes));
        const auto own = shard.nearest(rows_of(queries), k);
        for (std::size_t q = 0; q < 11; ++q) {
          BOOST_TEST(own[q].size() == std::min<std::size_t>(k, shard.range().size()));
          lists[q].insert(lists[q].begin(), own[q].begin(), own[q].end());  // in a different order
        }
      }
      for (std::size_t q = 0; q < 11; ++q) {
        const auto merged = merged_nearest(lists[q], k);
        BOOST_REQUIRE(merged.size() == expected[q].size());
        for (std::size_t i = 0; i < merged.size(); ++i) {
          BOOST_TEST(merged[i].entity == expected[q][i].entity);
          BOOST_TEST(merged[i].cosine == expected[q][i].cosine);
          ties += i > 0 && merged[i].cosine == merged[i - 1].cosine ? 1U : 0U;
        }
      }
    }
    if (k >= 10) BOOST_TEST(ties > 0U);
  }
}

BOOST_AUTO_TEST_CASE(zero_vector_is_rejected_with_its_global_row_number) {
  EmbeddingMatrix entities(10, 2);
  entities.setOnes();
  entities.row(7).setZero();
  BOOST_CHECK_NO_THROW(EntityShard(rows_of(entities), {0, 7}));
  BOOST_CHECK_EXCEPTION(EntityShard(rows_of(entities), {5, 10}), Error,
                        says(Fault::user, "entities: row 7 is a zero vector"));
}

BOOST_AUTO_TEST_CASE(questions_with_invalid_indices_or_dimensions_are_refused) {
  EmbeddingMatrix entities(3, 2), queries(2, 2), other(1, 5);
  entities.setOnes();
  queries.setOnes();
  other.setOnes();
  const auto refused = [&](const EmbeddingMatrix& asked, const EntityQuestion& question,
                           const std::string& message) {
    BOOST_CHECK_EXCEPTION(
        (void)LocalRanking().standings(rows_of(entities), rows_of(asked), std::vector{question}),
        Error, says(Fault::user, message));
  };
  refused(queries, {2, 0}, "questions: a question refers to query 2 and entity 0");
  refused(queries, {0, 3}, "questions: a question refers to query 0 and entity 3");
  refused(queries, {0, 0, {1, 3}},
          "questions: a question refers to query 0 and entity 0, and possibly to known");
  refused(other, {0, 0}, "queries: have 5 dimensions, but the entities have 2");
  BOOST_TEST(LocalRanking()
                 .standings(rows_of(entities), rows_of(queries), std::vector{EntityQuestion{1, 2}})
                 .size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
