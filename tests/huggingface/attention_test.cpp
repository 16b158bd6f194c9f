// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/attention.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(attention)

namespace {

std::vector<float> random_numbers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 1);
  std::vector<float> numbers(count);
  for (float& x : numbers) x = normal(random);
  return numbers;
}

/// The slots in a tile's SeenSlots that one query sees.
std::vector<std::size_t> slots_of(const SeenSlots& seen, std::size_t query) {
  std::vector<std::size_t> order, slots;
  for (const SlotRun run : seen.runs) {
    for (std::size_t i = 0; i < run.count; ++i) order.push_back(run.first + i);
  }
  slots.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(seen.shared));
  if (seen.own.empty()) return slots;
  for (const std::uint32_t place : seen.own[query]) slots.push_back(order[place]);
  return slots;
}

/// The part of `seen` that one query sees.
SeenSlots alone(const SeenSlots& seen, std::size_t query) {
  SeenSlots one;
  for (const std::size_t slot : slots_of(seen, query)) one.runs.push_back({slot, 1});
  one.shared = one.runs.size();
  return one;
}

std::vector<float> attend_all(const KeyValues& held, const SeenSlots& seen,
                              const std::vector<float>& queries) {
  const float scale = 1.0F / std::sqrt(static_cast<float>(held.size()));
  const std::size_t row = held.heads() * held.size(), count = queries.size() / row;
  std::vector<float> gathered(queries.size()), scratch(3, 77.0F);
  for (std::size_t h = 0; h < held.heads(); ++h) {
    const std::size_t first = h * held.size();
    attend(held, h, seen, {scale}, queries.data() + first, count, row, gathered.data() + first, row,
           scratch);
  }
  return gathered;
}

}  // namespace

BOOST_AUTO_TEST_CASE(one_head_is_that_of_a_hand) {
  // The query is (√2 ln 3, 0), and the keys are (1, 0) and (0, 0), so their weights are 3/4 and
  // 1/4. The values are (4, 0) and (0, 6), so the result is (3, 3/2).
  KeyValues held(1, 2);
  held.resize(2);
  const std::vector<float> first{1, 0, 4, 0}, second{0, 0, 0, 6};
  held.set(0, first.data());
  held.set(1, second.data());
  const std::vector<float> query{std::sqrt(2.0F) * std::log(3.0F), 0};
  const std::vector<float> both = attend_all(held, {{{0, 2}}, 2, {}}, query);
  BOOST_TEST(std::abs(both[0] - 3) < 1e-5F);
  BOOST_TEST(std::abs(both[1] - 1.5F) < 1e-5F);
  BOOST_TEST((attend_all(held, {{{0, 1}}, 1, {}}, query) == std::vector<float>{4, 0}));
  BOOST_TEST((attend_all(held, {{{1, 1}}, 1, {}}, query) == std::vector<float>{0, 6}));
}

BOOST_AUTO_TEST_CASE(scores_are_scaled_capped_and_biased_by_position) {
  // Each head has a size of one: the query is 1, the keys are 2 and 1, and the values are 4 and 0.
  // Slots 0 and 1 are at positions 3 and 5. The weight of the first slot is 1 / (1 + e^(s1 − s0)),
  // and the result is 4 times that.
  KeyValues held(1, 1);
  held.resize(2);
  const std::vector<float> first{2, 4}, second{1, 0}, query{1};
  held.set(0, first.data());
  held.set(1, second.data());
  SeenSlots seen{{{0, 2}}, 2, {}, {3, 5}};
  const std::vector<float> bias{0, 0, 0, 0.25F, 0, -0.5F};
  const auto gathered = [&](const HeadScores& scores) {
    std::vector<float> to(1), scratch;
    attend(held, 0, seen, scores, query.data(), 1, 1, to.data(), 1, scratch);
    return static_cast<double>(to[0]);
  };
  const auto expected = [](double s0, double s1) { return 4 / (1 + std::exp(s1 - s0)); };
  BOOST_TEST(std::abs(gathered({0.5F}) - expected(1, 0.5)) < 1e-5);
  BOOST_TEST(std::abs(gathered({0.5F, 2}) - expected(2 * std::tanh(0.5), 2 * std::tanh(0.25))) <
             1e-5);
  BOOST_TEST(std::abs(gathered({0.5F, 0, bias.data()}) - expected(1.25, 0)) < 1e-5);
}

BOOST_AUTO_TEST_CASE(two_heads_attend_apart) {
  // Two heads of size one: the queries are (1, 0), the keys are (ln 3, 5) and (0, 7), and the
  // values are (4, 8) and (0, 2).
  KeyValues held(2, 1);
  held.resize(2);
  const std::vector<float> first{std::log(3.0F), 5, 4, 8}, second{0, 7, 0, 2};
  held.set(0, first.data());
  held.set(1, second.data());
  const std::vector<float> gathered = attend_all(held, {{{0, 2}}, 2, {}}, {1, 0});
  BOOST_TEST(std::abs(gathered[0] - 3) < 1e-5F);
  BOOST_TEST(std::abs(gathered[1] - 5) < 1e-5F);
}

BOOST_AUTO_TEST_CASE(queries_that_see_different_slots_gather_as_in_doubles_and_as_alone) {
  constexpr std::size_t slots = 130;
  std::mt19937 random(11);
  for (const std::size_t size : {1U, 5U, 8U, 16U, 20U, 33U, 64U, 100U}) {
    const std::size_t heads = 1 + size % 3, row = heads * size;
    KeyValues held(heads, size);
    held.resize(40);  // the cache grows
    const std::vector<float> numbers = random_numbers(slots * 2 * row, 1);
    for (std::size_t s = 0; s < 40; ++s) held.set(s, numbers.data() + s * 2 * row);
    held.resize(slots);
    for (std::size_t s = 40; s < slots; ++s) held.set(s, numbers.data() + s * 2 * row);
    for (std::size_t count = 1; count <= SeenSlots::most_queries(); ++count) {
      SeenSlots seen{{{90, 37}, {3, 1}, {17, 16}, {50, 5}, {1, 2}}, 40, {}};
      for (std::size_t q = 0; q < count; ++q) {
        std::vector<std::uint32_t>& own = seen.own.emplace_back();
        for (std::uint32_t place = 40; place < 61; ++place) {
          if (random() % 3 == 0) own.push_back(place);
        }
      }
      const std::vector<float> queries = random_numbers(count * row, 2);
      const std::vector<float> gathered = attend_all(held, seen, queries);
      double worst = 0;
      for (std::size_t q = 0; q < count; ++q) {
        const std::vector<float> query(
            queries.begin() + static_cast<std::ptrdiff_t>(q * row),
            queries.begin() + static_cast<std::ptrdiff_t>(q * row + row));
        const std::vector<float> by_itself = attend_all(held, alone(seen, q), query);
        BOOST_TEST(std::equal(by_itself.begin(), by_itself.end(),
                              gathered.begin() + static_cast<std::ptrdiff_t>(q * row)));
        for (std::size_t h = 0; h < heads; ++h) {
          std::vector<double> sums(size, 0);
          double total = 0;
          for (const std::size_t s : slots_of(seen, q)) {
            const float* key = numbers.data() + s * 2 * row + h * size;
            double score = 0;
            for (std::size_t k = 0; k < size; ++k) {
              score += static_cast<double>(query[h * size + k]) * static_cast<double>(key[k]);
            }
            const double weight = std::exp(score / std::sqrt(static_cast<double>(size)));
            total += weight;
            for (std::size_t k = 0; k < size; ++k) {
              sums[k] += weight * static_cast<double>(key[row + k]);
            }
          }
          for (std::size_t k = 0; k < size; ++k) {
            const auto is = static_cast<double>(gathered[q * row + h * size + k]);
            worst = std::max(worst, std::abs(is - sums[k] / total));
          }
        }
      }
      BOOST_TEST(worst < 5e-6);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
