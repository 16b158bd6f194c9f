// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/calibrate/bins.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "plumb/detail/core/random.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(bins)

namespace {

using Numbers = std::vector<double>;

bool same(const Numbers& a, const Numbers& b) {
  return std::ranges::equal(a, b);
}

}  // namespace

// The expected edges match numpy 2.4's to the last bit: numpy.percentile(values, numpy.linspace(0,
// 1, bins + 1) * 100)[1:-1].
BOOST_AUTO_TEST_CASE(equal_count_edges_are_numpys_percentiles) {
  const Numbers values{.05, .1, .1, .2, .35, .35, .35, .5, .62, .8, .8, .97};
  BOOST_TEST(same(quantile_edges(values, 3), {0x1.3333333333331p-2, 0x1.147ae147ae146p-1}));
  BOOST_TEST(same(quantile_edges(values, 4),
                  {0x1.6666666666667p-3, 0x1.6666666666666p-2, 0x1.547ae147ae148p-1}));
  BOOST_TEST(same(quantile_edges(values, 5), {0x1.eb851eb851ebap-4, 0x1.6666666666666p-2,
                                              0x1.c28f5c28f5c2dp-2, 0x1.872b020c49ba7p-1}));
}

// When an edge should equal a value, numpy's rounding may put it slightly above or below, which
// decides the value's bin. Examples are arange(4) split into thirds and arange(11) split into
// tenths.
BOOST_AUTO_TEST_CASE(edges_round_as_numpys_do) {
  const Numbers four{0, 1, 2, 3};
  const Numbers thirds = quantile_edges(four, 3);
  BOOST_TEST(same(thirds, {0x1.ffffffffffffep-1, 0x1.ffffffffffffep+0}));
  BOOST_TEST(bin_of(1, thirds) == 1U);
  BOOST_TEST(bin_of(2, thirds) == 2U);
  Numbers eleven(11);
  for (std::size_t i = 0; i < eleven.size(); ++i) eleven[i] = static_cast<double>(i);
  const Numbers tenths = quantile_edges(eleven, 10);
  BOOST_TEST(tenths[1] == 2.0);
  BOOST_TEST(tenths[2] == 0x1.8000000000001p+1);
  BOOST_TEST(bin_of(3, tenths) == 2U);
}

BOOST_AUTO_TEST_CASE(ties_make_duplicate_edges) {
  BOOST_TEST(same(quantile_edges(Numbers{0.5, 0.5, 0.5}, 4), {0.5, 0.5, 0.5}));
  BOOST_TEST(same(quantile_edges(Numbers{0.25, 0.5, 0.5, 0.5, 0.5}, 4), {0.5, 0.5, 0.5}));
  BOOST_TEST(same(quantile_edges(Numbers{0.75}, 3), {0.75, 0.75}));
  BOOST_TEST(quantile_edges(Numbers{0.75}, 1).empty());
}

// The values 0.1, 0.2, 0.2, 0.2, 0.7 and 0.9, given as distinct values and their counts.
BOOST_AUTO_TEST_CASE(values_may_be_asked_for_by_their_place) {
  const Numbers values{.1, .2, .7, .9};
  const std::vector<std::size_t> until{1, 4, 5, 6};
  std::vector<std::size_t> asked;
  const auto at = [&](std::size_t place) {
    asked.push_back(place);
    return values[static_cast<std::size_t>(std::ranges::upper_bound(until, place) - until.begin())];
  };
  const Numbers written_out{.1, .2, .2, .2, .7, .9};
  for (const std::size_t bins : {2U, 3U, 5U, 9U}) {
    asked.clear();
    BOOST_TEST(same(quantile_edges(at, 6, bins), quantile_edges(written_out, bins)));
    for (std::size_t i = 0; i < asked.size(); ++i) {
      BOOST_TEST(asked[i] < 6U);
      // each position is at most one below the previous one
      if (i > 0) BOOST_TEST(asked[i] + 1 >= asked[i - 1]);
    }
  }
  BOOST_TEST(same(quantile_edges(at, 6, 2), {.2}));
  asked.clear();
  BOOST_TEST(same(quantile_edges(at, 1, 3), {.1, .1}));
  // With only one value, position 0 is the only valid position.
  BOOST_TEST(std::ranges::count(asked, 0U) == std::ssize(asked));
}

BOOST_AUTO_TEST_CASE(a_confidence_that_equals_an_edge_is_in_the_lower_bin) {
  const Numbers edges{0.25, 0.5, 0.5, 0.75};
  BOOST_TEST(bin_of(0, edges) == 0U);
  BOOST_TEST(bin_of(0.25, edges) == 0U);
  BOOST_TEST(bin_of(std::nextafter(0.25, 1), edges) == 1U);
  BOOST_TEST(bin_of(0.5, edges) == 1U);  // the bin between the duplicates stays empty
  BOOST_TEST(bin_of(0.6, edges) == 3U);
  BOOST_TEST(bin_of(0.75, edges) == 3U);
  BOOST_TEST(bin_of(1, edges) == 4U);
  BOOST_TEST(bin_of(0.9, Numbers{}) == 0U);
}

// The edges numpy.linspace(0, 1, 11)[1:-1] are not always i / 10: 3 · 0.1 is above 0.3.
BOOST_AUTO_TEST_CASE(equal_width_edges_are_numpys_linspace) {
  BOOST_TEST(same(uniform_edges(4), {0.25, 0.5, 0.75}));
  const Numbers tenths = uniform_edges(10);
  BOOST_REQUIRE(tenths.size() == 9U);
  for (std::size_t i = 0; i < 9; ++i) BOOST_TEST(tenths[i] == static_cast<double>(i + 1) * 0.1);
  BOOST_TEST(tenths[2] > 0.3);
  BOOST_TEST(uniform_edges(1).empty());
}

// The cases include edges that equal values (when there are 21 values). A fused multiplication
// could place such an edge one bit below its value and thus leave a bin empty.
BOOST_AUTO_TEST_CASE(distinct_values_fill_equal_count_bins_evenly) {
  RandomStream random(2, "values");
  for (const std::size_t count : {20U, 21U, 57U, 400U}) {
    Numbers values(count);
    for (double& value : values) value = random.uniform();
    std::ranges::sort(values);
    const Numbers edges = quantile_edges(values, 20);
    BOOST_TEST(edges.size() == 19U);
    BOOST_TEST(std::ranges::is_sorted(edges));
    std::vector<std::size_t> filled(20);
    for (const double value : values) ++filled[bin_of(value, edges)];
    const auto [least, most] = std::ranges::minmax(filled);
    BOOST_TEST(least > 0U);
    BOOST_TEST(most - least <= 2U);
  }
}

BOOST_AUTO_TEST_SUITE_END()
