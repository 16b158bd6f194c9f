// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/resamples.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "support/threads.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(resamples_suite)

namespace {

using Counts = std::vector<std::size_t>;
using Ranges = std::vector<std::pair<std::size_t, std::size_t>>;

const Counts strata{3, 1, 5};

Counts counts_of(const Resamples& resamples, std::size_t r) {
  const auto counts = resamples.counts(r);
  return {counts.begin(), counts.end()};
}

std::vector<Counts> all_of(const Resamples& resamples) {
  std::vector<Counts> all;
  for (std::size_t r = 0; r < resamples.size(); ++r) all.push_back(counts_of(resamples, r));
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_stratum_keeps_its_number_of_facts) {
  const Resamples resamples(strata, {.seed = 1, .resamples = 50}, "x");
  BOOST_TEST(resamples.size() == 50U);
  BOOST_TEST(resamples.items() == 9U);
  for (const Counts& counts : all_of(resamples)) {
    BOOST_REQUIRE(counts.size() == 9U);
    BOOST_TEST(counts[0] + counts[1] + counts[2] == 3U);
    BOOST_TEST(counts[3] == 1U);
    BOOST_TEST(std::accumulate(counts.begin() + 4, counts.end(), std::size_t{0}) == 5U);
  }
}

// The oracle reproduces the documented draws one by one.
BOOST_AUTO_TEST_CASE(a_resample_is_drawn_from_the_stream_of_its_name_and_number) {
  const Resamples resamples(strata, {.seed = 8, .resamples = 20}, "bootstrap/x");
  for (std::size_t r = 0; r < 20; ++r) {
    RandomStream random(8, "bootstrap/x/" + std::to_string(r));
    Counts expected(9, 0);
    for (int i = 0; i < 3; ++i) ++expected[random.below(3)];
    for (int i = 0; i < 1; ++i) ++expected[3 + random.below(1)];
    for (int i = 0; i < 5; ++i) ++expected[4 + random.below(5)];
    BOOST_TEST(counts_of(resamples, r) == expected);
  }
}

BOOST_AUTO_TEST_CASE(a_resample_depends_on_seed_name_and_number_alone) {
  const auto made = [](std::uint64_t seed, std::size_t resamples, const char* name, int threads) {
    const test::Threads with(threads);
    return all_of(Resamples(strata, {.seed = seed, .resamples = resamples}, name));
  };
  const auto once = made(3, 40, "x", 1);
  BOOST_CHECK(made(3, 40, "x", 4) == once);
  auto more = made(3, 60, "x", 4);
  more.resize(40);
  BOOST_CHECK(more == once);
  BOOST_CHECK(made(4, 40, "x", 1) != once);
  BOOST_CHECK(made(3, 40, "y", 1) != once);
  BOOST_CHECK(once[0] != once[1] || once[1] != once[2]);
}

// In a resample, each of n items appears Binomial(n, 1/n) times. On average, it appears once. It is
// absent with probability (1 − 1/n)^n, which is 0.3164 for n = 4. For 4000 resamples, five standard
// errors are 0.07 and 0.037.
BOOST_AUTO_TEST_CASE(items_stand_as_often_as_draws_with_replacement_would_have_it) {
  const Resamples resamples(Counts{2, 4}, {.seed = 5, .resamples = 4000}, "x");
  for (std::size_t item = 2; item < 6; ++item) {
    double mean = 0, absent = 0;
    for (std::size_t r = 0; r < 4000; ++r) {
      mean += resamples.counts(r)[item] / 4000.0;
      absent += resamples.counts(r)[item] == 0 ? 1 / 4000.0 : 0;
    }
    BOOST_TEST(std::abs(mean - 1) < 0.07);
    BOOST_TEST(std::abs(absent - 0.3164) < 0.037);
  }
}

BOOST_AUTO_TEST_CASE(a_part_has_the_same_resamples_of_the_strata_it_is_asked_for) {
  const Resamples whole(strata, {.seed = 2, .resamples = 30}, "x");
  const Resamples ends = whole.part(Ranges{{0, 3}, {4, 5}});
  BOOST_TEST(ends.size() == 30U);
  BOOST_TEST(ends.items() == 8U);
  for (std::size_t r = 0; r < 30; ++r) {
    Counts expected = counts_of(whole, r);
    expected.erase(expected.begin() + 3);
    BOOST_TEST(counts_of(ends, r) == expected);
  }
  BOOST_CHECK(all_of(whole.part(Ranges{{0, 3}, {3, 1}, {4, 5}})) == all_of(whole));
  BOOST_TEST(whole.part({}).items() == 0U);
  BOOST_TEST(whole.part({}).size() == 30U);
}

// The oracle expands each resample into the list of values that it represents.
BOOST_AUTO_TEST_CASE(a_mean_has_the_percentiles_of_the_means_of_its_resamples) {
  const std::vector<double> values{0.5, -1, 4, 2, 0, 1, 1, 7, 0.25};
  const Resamples resamples(strata, {.seed = 6, .resamples = 41}, "x");
  std::vector<double> means;
  for (std::size_t r = 0; r < 41; ++r) {
    std::vector<double> drawn;
    for (std::size_t i = 0; i < values.size(); ++i) {
      drawn.insert(drawn.end(), resamples.counts(r)[i], values[i]);
    }
    means.push_back(std::accumulate(drawn.begin(), drawn.end(), 0.0) / 9);
  }
  std::ranges::sort(means);
  const Estimate estimate = resampled_mean(values, resamples);
  BOOST_TEST(std::abs(estimate.value - 14.75 / 9) < 1e-12);
  BOOST_TEST(std::abs(estimate.low - means[1]) < 1e-12);  // position 0.025 · 40
  BOOST_TEST(std::abs(estimate.high - means[39]) < 1e-12);
  BOOST_TEST(estimate.count == 9U);
  BOOST_TEST(estimate.method == "bootstrap");
}

// Each stratum is constant, so only a pooled resampling would find a spread.
BOOST_AUTO_TEST_CASE(strata_are_resampled_within_themselves) {
  const std::vector<double> values{2, 2, 2, -1, 4, 4, 4, 4, 4};
  const Estimate estimate = resampled_mean(values, Resamples(strata, {}, "x"));
  BOOST_TEST(estimate.value == 25.0 / 9);
  BOOST_TEST(!estimate.has_interval());
}

BOOST_AUTO_TEST_CASE(nothing_to_resample_gives_no_number) {
  const Resamples none(Counts{}, {.seed = 0, .resamples = 10}, "x");
  BOOST_TEST(none.size() == 10U);
  BOOST_TEST(none.items() == 0U);
  BOOST_TEST(none.counts(9).empty());
  BOOST_TEST(resampled_mean({}, none).count == 0U);
  const Resamples unmade;
  BOOST_TEST(unmade.size() == 0U);
  BOOST_TEST(unmade.items() == 0U);
  BOOST_TEST(resampled_mean({}, unmade).count == 0U);
}

BOOST_AUTO_TEST_CASE(no_resamples_leave_the_value_alone) {
  const Resamples none(Counts{2}, {.seed = 0, .resamples = 0}, "x");
  BOOST_TEST(none.size() == 0U);
  const Estimate estimate = resampled_mean(std::vector<double>{1, 2}, none);
  BOOST_TEST(estimate.value == 1.5);
  BOOST_TEST(!estimate.has_interval());
  BOOST_TEST(estimate.count == 2U);
}

BOOST_AUTO_TEST_SUITE_END()
