// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/rank/cosine_ranker.hpp"

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/core/random.hpp"
#include "support/errors.hpp"
#include "support/threads.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(cosine_ranker_suite)

namespace {

using Questions = std::vector<RankQuestion>;

VectorRows rows_of(const EmbeddingMatrix& matrix) {
  return {matrix.data(), matrix.rows(), matrix.cols()};
}

EmbeddingMatrix matrix_of(const std::vector<std::vector<float>>& rows) {
  EmbeddingMatrix matrix(static_cast<Eigen::Index>(rows.size()),
                         rows.empty() ? 0 : static_cast<Eigen::Index>(rows.front().size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(rows[i], matrix.row(static_cast<Eigen::Index>(i)).data());
  }
  return matrix;
}

std::vector<Rank> ranks_of(const EmbeddingMatrix& entities, const EmbeddingMatrix& queries,
                           const Questions& questions) {
  return CosineRanker(rows_of(entities)).ranks(rows_of(queries), questions);
}

std::size_t place(Eigen::Index row) {
  return static_cast<std::size_t>(row);
}

/// The oracle: all cosines of a query, with the products summed in long double from first to last.
std::vector<long double> cosines(const EmbeddingMatrix& entities, const EmbeddingMatrix& queries,
                                 std::size_t query) {
  const auto dot = [](const float* a, const float* b, Eigen::Index dimension) {
    long double sum = 0;
    for (Eigen::Index i = 0; i < dimension; ++i) {
      sum += static_cast<long double>(a[i]) * static_cast<long double>(b[i]);
    }
    return sum;
  };
  const auto d = entities.cols();
  const float* q = queries.row(static_cast<Eigen::Index>(query)).data();
  std::vector<long double> all;
  for (Eigen::Index e = 0; e < entities.rows(); ++e) {
    const float* row = entities.row(e).data();
    all.push_back(dot(q, row, d) / std::sqrt(dot(row, row, d)) / std::sqrt(dot(q, q, d)));
  }
  return all;
}

/// Random entities. Many are copies of an earlier entity, scaled by a power of two. `same[e]` is
/// the first entity with the same direction as e.
struct Copies {
  Copies(RandomStream& random, std::size_t count, Eigen::Index dimension, std::size_t one_in)
      : rows(static_cast<Eigen::Index>(count), dimension) {
    for (std::size_t e = 0; e < count; ++e) {
      const auto to = static_cast<Eigen::Index>(e);
      if (e > 0 && random.below(one_in) == 0) {
        const std::size_t from = random.below(e);
        const float scale = std::ldexp(1.0F, static_cast<int>(random.below(9)) - 4);
        rows.row(to) = rows.row(static_cast<Eigen::Index>(from)) * scale;
        same.push_back(same[from]);
        continue;
      }
      for (Eigen::Index i = 0; i < dimension; ++i) {
        rows(to, i) = static_cast<float>(random.uniform() * 2 - 1);
      }
      same.push_back(e);
    }
  }
  EmbeddingMatrix rows;
  std::vector<std::size_t> same;
};

/// The rank according to the oracle, which can order any two different directions, because their
/// cosines differ by more than the rounding error of double precision.
Rank standing(std::span<const long double> cosines, const std::vector<std::size_t>& same,
              std::size_t gold) {
  Rank rank;
  for (std::size_t e = 0; e < cosines.size(); ++e) {
    if (e == gold) continue;
    if (same[e] == same[gold]) {
      ++rank.equal;
    } else {
      BOOST_REQUIRE(std::abs(cosines[e] - cosines[gold]) > 1e-15L);
      rank.above += cosines[e] > cosines[gold] ? 1U : 0U;
    }
  }
  return rank;
}

void check_ranks(const std::vector<Rank>& ranks, const std::vector<Rank>& expected) {
  BOOST_REQUIRE(ranks.size() == expected.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    BOOST_TEST(ranks[i].above == expected[i].above);
    BOOST_TEST(ranks[i].equal == expected[i].equal);
  }
}

void check_copies(RandomStream& random, std::size_t entities, Eigen::Index queries,
                  Eigen::Index dimension) {
  const Copies copies(random, entities, dimension, 3);
  const EmbeddingMatrix asked =
      Copies(random, static_cast<std::size_t>(queries), dimension, 10).rows;
  Questions questions;
  std::vector<Rank> expected;
  for (Eigen::Index q = 0; q < queries; ++q) {
    const auto all = cosines(copies.rows, asked, place(q));
    for (int golds = 0; golds < 3; ++golds) {
      const auto gold = static_cast<std::uint32_t>(random.below(entities));
      questions.push_back({static_cast<std::uint32_t>(q), gold});
      expected.push_back(standing(all, copies.same, gold));
    }
  }
  check_ranks(ranks_of(copies.rows, asked, questions), expected);
}

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

}  // namespace

// The cosines with (3, 4) are 1 for (6, 8), 0.96 for (4, 3), 63/65 for (5, 12), 0.8 for (0, 1), 0.6
// for (1, 0) and -1 for (-3, -4).
BOOST_AUTO_TEST_CASE(directions_are_compared_and_not_lengths) {
  const EmbeddingMatrix entities =
      matrix_of({{0, 100}, {4, 3}, {6, 8}, {-3, -4}, {5, 12}, {1, 0}, {0, 1}});
  const EmbeddingMatrix queries = matrix_of({{3, 4}});
  Questions questions;
  for (std::uint32_t gold = 0; gold < 7; ++gold) questions.push_back({0, gold});
  check_ranks(ranks_of(entities, queries, questions),
              {{3, 1}, {2, 0}, {0, 0}, {6, 0}, {1, 0}, {5, 0}, {3, 1}});
  const CosineRanker ranker(rows_of(entities));
  BOOST_TEST(ranker.size() == 7U);
  BOOST_TEST(ranker.dimension() == 2U);
  const std::vector<float> query{3, 4};
  const std::vector<double> expected{0.8, 0.96, 1, -1, 63.0 / 65, 0.6, 0.8};
  for (std::size_t e = 0; e < 7; ++e) {
    BOOST_TEST(std::abs(ranker.cosine(query, e) - expected[e]) < 1e-15);
  }
}

// Some sizes leave the last tile or the last lanes partially filled, and others fill them exactly.
BOOST_AUTO_TEST_CASE(ranks_are_those_of_sorting_all_cosines) {
  RandomStream random(1, "cosine");
  check_copies(random, 1301, 601, 5);
  check_copies(random, 1100, 60, 3);
  check_copies(random, 600, 530, 8);
  check_copies(random, 513, 40, 37);
  check_copies(random, 512, 40, 64);
  check_copies(random, 1025, 10, 771);
  check_copies(random, 5, 140, 65539);  // more queries than fit in a block
}

BOOST_AUTO_TEST_CASE(small_sets_are_ranked_too) {
  RandomStream random(2, "cosine");
  for (std::size_t entities = 1; entities < 30; ++entities) {
    check_copies(random, entities, 1 + static_cast<Eigen::Index>(random.below(4)),
                 2 + static_cast<Eigen::Index>(random.below(20)));
  }
}

// The vectors consist of only a few different integers, so most entities are tied, and ties occur
// in all tiles. The oracle compares integers.
BOOST_AUTO_TEST_CASE(ties_are_counted_wherever_they_stand) {
  RandomStream random(3, "cosine");
  const std::size_t count = 1200;
  std::vector<std::vector<float>> entities, queries;
  const auto vector = [&] {
    std::vector<float> row(4);
    do {
      for (float& x : row) x = static_cast<float>(random.below(3)) - 1;
    } while (std::ranges::all_of(row, [](float x) { return x == 0; }));
    return row;
  };
  for (std::size_t e = 0; e < count; ++e) entities.push_back(vector());
  for (std::size_t q = 0; q < 550; ++q) queries.push_back(vector());
  Questions questions;
  std::vector<Rank> expected;
  std::size_t level = 0;
  for (std::uint32_t q = 0; q < queries.size(); ++q) {
    // One cosine is larger than another if its dot · |dot| / square is larger. The squares are 1 to
    // 4, so the quotients are multiples of 1/12.
    std::vector<int> twelfths;
    for (const auto& entity : entities) {
      int dot = 0, square = 0;
      for (std::size_t i = 0; i < 4; ++i) {
        dot += static_cast<int>(entity[i]) * static_cast<int>(queries[q][i]);
        square += static_cast<int>(entity[i] * entity[i]);
      }
      twelfths.push_back(12 * dot * std::abs(dot) / square);
    }
    for (int golds = 0; golds < 2; ++golds) {
      const auto gold = static_cast<std::uint32_t>(random.below(count));
      Rank rank;
      for (std::size_t e = 0; e < count; ++e) {
        rank.above += twelfths[e] > twelfths[gold] ? 1U : 0U;
        rank.equal += e != gold && twelfths[e] == twelfths[gold] ? 1U : 0U;
      }
      questions.push_back({q, gold});
      expected.push_back(rank);
      level += rank.equal;
    }
  }
  BOOST_TEST(level > 100U * questions.size());
  check_ranks(ranks_of(matrix_of(entities), matrix_of(queries), questions), expected);
}

// All entities have the same direction, with lengths from 2^-36 to 2^36; there is one query of each
// length.
BOOST_AUTO_TEST_CASE(powers_of_two_do_not_part_equals) {
  const std::vector<float> direction{0.3F, -1.7F, 0.9F, 2.1F, 0.1F};
  std::vector<std::vector<float>> rows;
  for (int power = -36; power <= 36; power += 4) {
    std::vector<float> row = direction;
    for (float& x : row) x = std::ldexp(x, power);
    rows.push_back(row);
  }
  const EmbeddingMatrix matrix = matrix_of(rows);
  Questions questions;
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    questions.push_back({i, static_cast<std::uint32_t>(rows.size()) - 1 - i});
  }
  check_ranks(ranks_of(matrix, matrix, questions),
              std::vector<Rank>(rows.size(), {0, rows.size() - 1}));
}

BOOST_AUTO_TEST_CASE(extreme_vector_norms_do_not_cause_wrong_ranks) {
  // Before scaling, the dot products a·b, a·c and b·c are 17, 4 and 7, and the squares are 14, 22
  // and 15; d is −a.
  const std::vector<std::vector<float>> directions{
      {1, 2, 3, 0}, {1, 2, 4, 1}, {3, -1, 1, 2}, {-1, -2, -3, 0}};
  const std::vector<std::vector<std::size_t>> above{
      {0, 1, 2, 3}, {1, 0, 2, 3}, {2, 1, 0, 3}, {3, 2, 1, 0}};
  Questions questions;
  std::vector<Rank> expected;
  for (std::uint32_t q = 0; q < 4; ++q) {
    for (std::uint32_t e = 0; e < 4; ++e) {
      questions.push_back({q, e});
      expected.push_back({above[q][e], 0});
    }
  }
  const auto is_right = [&](const EmbeddingMatrix& entities, const EmbeddingMatrix& queries) {
    try {
      return ranks_of(entities, queries, questions) == expected;
    } catch (const Error& error) {
      return error.fault() == Fault::user;
    }
  };
  const EmbeddingMatrix plain = matrix_of(directions);
  check_ranks(ranks_of(plain, plain, questions), expected);
  for (const int power : {-148, -140, -130, 90, 125}) {
    std::vector<std::vector<float>> rows = directions;
    for (const std::size_t row : {0U, 2U}) {  // exact: small integers times a power of two
      for (float& x : rows[row]) x = std::ldexp(x, power);
    }
    const EmbeddingMatrix scaled = matrix_of(rows);
    BOOST_TEST(is_right(scaled, plain), "entities times 2^" << power);
    BOOST_TEST(is_right(plain, scaled), "queries times 2^" << power);
  }
  // The vectors contain the largest representable numbers, so their lengths exceed the range of
  // single precision.
  constexpr float most = std::numeric_limits<float>::max();
  const EmbeddingMatrix long_rows = matrix_of({{most, most}, {most, -most}, {most, most / 3}});
  const EmbeddingMatrix short_rows = matrix_of({{1, 1}, {1, -1}, {3, 1}});
  questions = {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}};
  expected = {{0, 0}, {2, 0}, {1, 0}, {2, 0}, {0, 0}, {1, 0}};
  BOOST_TEST(is_right(long_rows, short_rows));
  BOOST_TEST(is_right(short_rows, long_rows));
}

// The cosine of (1, 0) and (1, x) is 1 / sqrt(1 + x²), which rounds to 1 in single precision for x
// below 2^-12.
BOOST_AUTO_TEST_CASE(cosines_closer_than_single_precision_are_distinguished) {
  const float x = 0x1.0p-13F;
  const EmbeddingMatrix entities = matrix_of({{1, 3 * x}, {1, x}, {1, 0}, {1, -2 * x}, {2, 2 * x}});
  const EmbeddingMatrix queries = matrix_of({{1, 0}, {1, x}});
  Questions questions;
  for (std::uint32_t q = 0; q < 2; ++q) {
    for (std::uint32_t gold = 0; gold < 5; ++gold) questions.push_back({q, gold});
  }
  // Measured from (1, x), the distances are multiples of x: 2x, 0, x, 3x and 0.
  check_ranks(ranks_of(entities, queries, questions),
              {{4, 0}, {1, 1}, {0, 0}, {3, 0}, {1, 1}, {3, 0}, {0, 1}, {2, 0}, {4, 0}, {0, 1}});
}

// Single precision cannot distinguish these entities, which fill several chunks.
BOOST_AUTO_TEST_CASE(a_crowd_of_near_ties_is_ranked_in_double_precision) {
  RandomStream random(4, "crowd");
  std::vector<std::vector<float>> rows;
  std::vector<float> center(24);
  for (float& x : center) x = static_cast<float>(random.uniform() * 2 - 1);
  std::vector<std::size_t> same;
  for (std::size_t e = 0; e < 1300; ++e) {
    if (e > 10 && random.below(10) == 0) {
      same.push_back(same[random.below(e)]);
      rows.push_back(rows[same.back()]);
      continue;
    }
    std::vector<float> row = center;
    for (float& x : row) x += static_cast<float>((random.uniform() - 0.5) * 1e-3);
    rows.push_back(row);
    same.push_back(e);
  }
  const EmbeddingMatrix entities = matrix_of(rows);
  const EmbeddingMatrix queries = matrix_of({center, rows[7]});
  const CosineRanker ranker(rows_of(entities));
  Questions questions;
  std::vector<Rank> expected;
  for (std::uint32_t q = 0; q < 2; ++q) {
    const auto all = cosines(entities, queries, q);
    BOOST_TEST(std::ranges::max(all) - std::ranges::min(all) < 1e-6L);
    for (std::uint32_t gold = 0; gold < 1300; gold += 13) {
      questions.push_back({q, gold});
      expected.push_back(standing(all, same, gold));
    }
    std::vector<std::uint32_t> order(1300);
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, std::greater<>(),
                             [&](std::uint32_t e) { return all[same[e]]; });
    for (const std::size_t k : {1U, 10U, 200U}) {
      const auto nearest = ranker.nearest(rows_of(queries), k)[q];
      BOOST_REQUIRE(nearest.size() == k);
      for (std::size_t i = 0; i < k; ++i) BOOST_TEST(nearest[i].entity == order[i]);
    }
  }
  check_ranks(ranker.ranks(rows_of(queries), questions), expected);
}

BOOST_AUTO_TEST_CASE(questions_may_share_a_query_a_gold_or_both_and_come_in_any_order) {
  const EmbeddingMatrix entities = matrix_of({{1, 0}, {1, 1}, {0, 1}});
  const EmbeddingMatrix queries = matrix_of({{2, 1}, {5, 5}, {0, 3}});
  const Questions questions{{2, 0}, {0, 1}, {2, 2}, {0, 0},
                            {0, 1}, {2, 1}, {2, 0}};  // query 1 has no question
  check_ranks(ranks_of(entities, queries, questions),
              {{2, 0}, {0, 0}, {0, 0}, {1, 0}, {0, 0}, {1, 0}, {2, 0}});
  BOOST_TEST(ranks_of(entities, queries, {}).empty());
}

// In one dimension, there are only two directions.
BOOST_AUTO_TEST_CASE(in_one_dimension_the_sign_decides) {
  std::vector<std::vector<float>> rows;
  for (int i = 1; i <= 600; ++i)
    rows.push_back({(i % 3 == 0 ? -0.1F : 0.1F) * static_cast<float>(i)});
  const EmbeddingMatrix entities = matrix_of(rows);
  check_ranks(ranks_of(entities, matrix_of({{0.7F}, {-0.3F}}), {{0, 0}, {0, 2}, {1, 0}, {1, 2}}),
              {{0, 399}, {400, 199}, {200, 399}, {0, 199}});
}

// The result is compared with a full sort in which ties are ordered by row. Copies and small
// integers cause ties at the cutoff.
BOOST_AUTO_TEST_CASE(the_nearest_are_the_first_of_all_sorted) {
  RandomStream random(5, "nearest");
  for (const auto& [entities, queries, dimension] : {std::array<Eigen::Index, 3>{1301, 530, 4},
                                                     {40, 20, 3},
                                                     {512, 5, 17},
                                                     {1, 3, 2},
                                                     {30, 400, 771}}) {
    const Copies copies(random, place(entities), dimension, 2);
    const EmbeddingMatrix asked = Copies(random, place(queries), dimension, 9).rows;
    const CosineRanker ranker(rows_of(copies.rows));
    std::vector<std::vector<std::uint32_t>> sorted;
    std::vector<std::vector<long double>> all;
    for (Eigen::Index q = 0; q < queries; ++q) {
      all.push_back(cosines(copies.rows, asked, place(q)));
      // Copies are tied by construction, whatever their cosines in long double.
      std::vector<long double> level;
      for (const std::size_t first : copies.same) level.push_back(all.back()[first]);
      std::vector<std::uint32_t>& order = sorted.emplace_back(place(entities));
      std::iota(order.begin(), order.end(), 0U);
      std::ranges::stable_sort(order, std::greater<>(), [&](std::uint32_t e) { return level[e]; });
    }
    for (const std::size_t k :
         {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{100},
          place(entities) - 1, place(entities), place(entities) + 5}) {
      const auto nearest = ranker.nearest(rows_of(asked), k);
      BOOST_REQUIRE(nearest.size() == sorted.size());
      for (std::size_t q = 0; q < nearest.size(); ++q) {
        BOOST_REQUIRE(nearest[q].size() == std::min(k, place(entities)));
        for (std::size_t i = 0; i < nearest[q].size(); ++i) {
          const auto [entity, cosine] = nearest[q][i];
          BOOST_REQUIRE(entity == sorted[q][i]);
          BOOST_REQUIRE_SMALL(cosine - static_cast<double>(all[q][entity]), 1e-14);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_nearest_entitys_cosine_is_the_one_it_is_ranked_by) {
  RandomStream random(6, "nearest");
  const EmbeddingMatrix entities = Copies(random, 700, 11, 3).rows;
  const EmbeddingMatrix queries = Copies(random, 20, 11, 3).rows;
  const CosineRanker ranker(rows_of(entities));
  const auto nearest = ranker.nearest(rows_of(queries), 700);
  for (std::uint32_t q = 0; q < 20; ++q) {
    Questions questions;
    for (const NearEntity& one : nearest[q]) questions.push_back({q, one.entity});
    const auto ranks = ranker.ranks(rows_of(queries), questions);
    for (std::size_t i = 0; i < questions.size(); ++i) {
      BOOST_TEST(ranks[i].above <= i);
      BOOST_TEST(i <= ranks[i].above + ranks[i].equal);
      const std::span query(queries.row(q).data(), 11);
      BOOST_TEST(ranker.cosine(query, nearest[q][i].entity) == nearest[q][i].cosine);
    }
  }
}

BOOST_AUTO_TEST_CASE(without_entities_or_queries_there_is_nothing_to_rank) {
  const EmbeddingMatrix none(0, 3), one = matrix_of({{1, 2, 3}});
  const CosineRanker empty(rows_of(none));
  BOOST_TEST(empty.size() == 0U);
  BOOST_TEST(empty.ranks(rows_of(one), Questions{}).empty());
  BOOST_REQUIRE(empty.nearest(rows_of(one), 3).size() == 1U);
  BOOST_TEST(empty.nearest(rows_of(one), 3)[0].empty());
  const CosineRanker ranker(rows_of(one));
  BOOST_TEST(ranker.ranks(rows_of(none), Questions{}).empty());
  BOOST_TEST(ranker.nearest(rows_of(none), 3).empty());
}

BOOST_AUTO_TEST_CASE(without_dimensions_there_is_nothing_to_rank) {
  const EmbeddingMatrix none(0, 0);
  const CosineRanker ranker(rows_of(none));
  BOOST_TEST(ranker.dimension() == 0U);
  BOOST_TEST(ranker.ranks(rows_of(none), Questions{}).empty());
  BOOST_TEST(ranker.nearest(rows_of(none), 3).empty());
}

BOOST_AUTO_TEST_CASE(any_number_of_threads_gives_the_same) {
  RandomStream random(7, "threads");
  const EmbeddingMatrix entities = Copies(random, 1700, 6, 3).rows;
  const EmbeddingMatrix queries = Copies(random, 600, 6, 3).rows;
  Questions questions;
  for (std::uint32_t i = 0; i < 1500; ++i) {
    questions.push_back({static_cast<std::uint32_t>(random.below(600)),
                         static_cast<std::uint32_t>(random.below(1700))});
  }
  const auto once = [&] {
    const CosineRanker ranker(rows_of(entities));
    std::vector<std::uint32_t> near;
    for (const auto& best : ranker.nearest(rows_of(queries), 5)) {
      for (const NearEntity& one : best) near.push_back(one.entity);
    }
    return std::pair(ranker.ranks(rows_of(queries), questions), near);
  };
  const auto expected = [&] {
    const test::Threads threads(1);
    return once();
  }();
  for (const int count : {2, 3, 8}) {
    const test::Threads threads(count);
    BOOST_TEST((once() == expected));
  }
  // Several threads may share one ranker.
  const CosineRanker ranker(rows_of(entities));
  std::vector<std::vector<Rank>> answers(3);
  {
    std::vector<std::jthread> asking;
    for (auto& answer : answers) {
      asking.emplace_back([&] { answer = ranker.ranks(rows_of(queries), questions); });
    }
  }
  for (const auto& answer : answers) BOOST_TEST((answer == expected.first));
}

BOOST_AUTO_TEST_CASE(a_vector_without_a_direction_is_refused) {
  const EmbeddingMatrix good = matrix_of({{1, 2}, {3, 4}});
  const CosineRanker ranker(rows_of(good));
  const auto check = [&](const std::vector<std::vector<float>>& rows, const std::string& words) {
    const EmbeddingMatrix bad = matrix_of(rows);
    BOOST_CHECK_EXCEPTION(CosineRanker(rows_of(bad)), Error,
                          says(Fault::user, "entities: " + words));
    BOOST_CHECK_EXCEPTION((void)ranker.ranks(rows_of(bad), Questions{}), Error,
                          says(Fault::user, "queries: " + words));
    BOOST_CHECK_EXCEPTION((void)ranker.nearest(rows_of(bad), 1), Error,
                          says(Fault::user, "queries: " + words));
  };
  const std::string remedy = ", so it has no direction; remove it or embed it again";
  check({{1, 2}, {0, 0}}, "row 1 is a zero vector" + remedy);
  check({{-0.0F, 0}, {1, 1}}, "row 0 is a zero vector" + remedy);
  check({{1, 2}, {3, 4}, {not_a_number, 1}}, "row 2 is not finite" + remedy);
  check({{1, infinity}}, "row 0 is not finite" + remedy);
  check({{1, 1}, {-infinity, infinity}}, "row 1 is not finite" + remedy);
  check({{1, 1}, {not_a_number, 1}, {0, 0}}, "row 1 is not finite");  // the first such row
}

BOOST_AUTO_TEST_CASE(queries_of_another_dimension_are_refused) {
  const EmbeddingMatrix entities = matrix_of({{1, 2}, {3, 4}});
  const EmbeddingMatrix queries = matrix_of({{1, 2, 3}});
  const CosineRanker ranker(rows_of(entities));
  const auto words =
      says(Fault::user,
           "queries: have 3 dimensions, but the entities have 2; embed both with the same model");
  BOOST_CHECK_EXCEPTION((void)ranker.ranks(rows_of(queries), Questions{}), Error, words);
  BOOST_CHECK_EXCEPTION((void)ranker.nearest(rows_of(queries), 1), Error, words);
}

BOOST_AUTO_TEST_CASE(a_question_about_a_row_that_is_not_there_is_refused) {
  const EmbeddingMatrix entities = matrix_of({{1, 2}, {3, 4}, {5, 6}});
  const EmbeddingMatrix queries = matrix_of({{1, 2}, {3, 4}});
  BOOST_CHECK_EXCEPTION(ranks_of(entities, queries, {{1, 2}, {2, 0}}), Error,
                        says(Fault::user,
                             "questions: question 1 refers to row 2 and entity 0, but at least one "
                             "of them does not exist; ask only about existing rows"));
  BOOST_CHECK_EXCEPTION(ranks_of(entities, queries, {{1, 3}}), Error,
                        says(Fault::user, "question 0 refers to row 1 and entity 3"));
}

// Cosines with (1, 0): 1, 0.8, 0.6, 0.6, 0, -1.
BOOST_AUTO_TEST_CASE(entities_are_counted_against_any_cosine) {
  const std::vector<float> vectors{1, 0, /**/ 4, 3, /**/ 3, 4, /**/ 3, -4, /**/ 0, 1, /**/ -1, 0};
  const CosineRanker ranker(VectorRows(vectors.data(), 6, 2));
  const EmbeddingMatrix queries = matrix_of({{7, 0}});
  const auto count = [&](double cosine, std::uint32_t own) {
    return ranker.counts(rows_of(queries), std::vector{CosineQuestion{0, cosine, own}}).at(0);
  };
  const double sixth = ranker.cosine(std::vector<float>{7, 0}, 2);
  BOOST_TEST((count(sixth, CosineQuestion::none) == Rank{2, 2}));
  BOOST_TEST((count(sixth, 3) == Rank{2, 1}));
  BOOST_TEST((count(0.7, CosineQuestion::none) == Rank{2, 0}));
  BOOST_TEST((count(2, CosineQuestion::none) == Rank{0, 0}));
  BOOST_TEST((count(-2, CosineQuestion::none) == Rank{6, 0}));
  BOOST_CHECK_EXCEPTION((void)ranker.counts(rows_of(queries), std::vector{CosineQuestion{1, 0}}),
                        Error, says(Fault::user, "questions: a question refers to query 1 of 1"));
}

BOOST_AUTO_TEST_CASE(error_gives_the_global_row_number) {
  const EmbeddingMatrix bad = matrix_of({{1, 2}, {0, 0}});
  BOOST_CHECK_EXCEPTION(CosineRanker(rows_of(bad), 40), Error,
                        says(Fault::user, "entities: row 41 is a zero vector"));
}

BOOST_AUTO_TEST_CASE(a_cosine_is_of_vectors_that_are_there) {
  const std::vector<float> vectors{1, 0, 0, 0, 1, 1};
  const CosineRanker ranker(VectorRows(vectors.data(), 2, 3));
  const std::vector<float> query{0, 3, 3}, nothing{0, 0, 0};
  BOOST_TEST(std::abs(ranker.cosine(query, 1) - 1) < 1e-12);
  BOOST_TEST(std::isnan(ranker.cosine(nothing, 1)));
  BOOST_CHECK_EXCEPTION((void)ranker.cosine(std::span(query).first(2), 1), Error,
                        says(Fault::user,
                             "cosine: query of 2 dimensions, entity 1; the ranker has "
                             "2"));
  BOOST_CHECK_EXCEPTION((void)ranker.cosine(query, 2), Error,
                        says(Fault::user,
                             "cosine: query of 3 dimensions, entity 2; the ranker has "
                             "2"));
}

BOOST_AUTO_TEST_SUITE_END()
