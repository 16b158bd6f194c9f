// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/random.hpp"

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <map>
#include <numeric>
#include <string>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(random_suite)

namespace {

std::vector<std::size_t> draw(RandomStream stream, std::size_t below, std::size_t count) {
  std::vector<std::size_t> numbers(count);
  for (std::size_t& number : numbers) number = stream.below(below);
  return numbers;
}

std::vector<int> shuffled(RandomStream stream, int size, std::size_t count) {
  std::vector<int> values(static_cast<std::size_t>(size));
  std::iota(values.begin(), values.end(), 0);
  stream.shuffle(values, count);
  return values;
}

constexpr auto all = static_cast<std::size_t>(-1);

/// The chi-square statistic over many streams: how far the frequencies of the shuffled prefixes of
/// length `count` are from uniform.
double unevenness(int size, std::size_t count, std::size_t beginnings) {
  constexpr std::size_t each = 1000;
  std::map<std::vector<int>, double> seen;
  for (std::size_t seed = 0; seed < each * beginnings; ++seed) {
    auto values = shuffled({seed, "shuffle"}, size, count);
    values.resize(std::min(count, values.size()));
    ++seen[values];
  }
  BOOST_TEST(seen.size() == beginnings);
  double chi_square = 0;
  for (const auto& [values, times] : seen) {
    chi_square += (times - each) * (times - each) / each;
  }
  return chi_square;
}

}  // namespace

// The expected numbers were computed in Python from the definitions of FNV-1a, SplitMix64's
// finaliser and mt19937_64.
BOOST_AUTO_TEST_CASE(numbers_are_the_same_on_every_machine) {
  BOOST_TEST(
      (draw({7, "bootstrap"}, 1000, 6) == std::vector<std::size_t>{67, 820, 814, 171, 832, 561}));
  BOOST_TEST(
      (draw({8, "prüfung"}, 1000, 6) == std::vector<std::size_t>{748, 725, 31, 842, 482, 489}));
  RandomStream stream(7, "bootstrap");
  BOOST_TEST(stream.uniform() == 0.06717552708002972);
  BOOST_TEST(stream.uniform() == 0.8201764565306553);
}

BOOST_AUTO_TEST_CASE(a_stream_does_not_depend_on_others) {
  RandomStream one(1, "one");
  RandomStream two(1, "two");
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < 20; ++i) {
    numbers.push_back(one.below(1000));
    (void)two.uniform();
    (void)two.below(7);
  }
  BOOST_TEST(numbers == draw({1, "one"}, 1000, 20));
}

BOOST_AUTO_TEST_CASE(another_seed_or_name_is_another_stream) {
  const auto numbers = draw({1, "one"}, 1000, 20);
  BOOST_TEST(numbers != draw({2, "one"}, 1000, 20));
  BOOST_TEST(numbers != draw({1, "two"}, 1000, 20));
  BOOST_TEST(numbers != draw({1, ""}, 1000, 20));
}

BOOST_AUTO_TEST_CASE(one_choice_is_always_taken) {
  BOOST_TEST(draw({3, "x"}, 1, 50) == std::vector<std::size_t>(50, 0));
}

BOOST_AUTO_TEST_CASE(every_choice_comes_up_about_equally_often) {
  constexpr std::size_t draws = 70000;
  std::array<std::size_t, 7> counts{};
  for (const std::size_t number : draw({5, "dice"}, counts.size(), draws)) ++counts.at(number);
  // With 6 degrees of freedom, chi-square is below 22.5 for 999 of 1000 seeds.
  double chi_square = 0;
  for (const std::size_t count : counts) {
    const double off = static_cast<double>(count) - 10000;
    chi_square += off * off / 10000;
  }
  BOOST_TEST(chi_square < 22.5);
}

// Without rejection, the numbers in one third of [0, 3·2^30) would be twice as frequent as the
// others.
BOOST_AUTO_TEST_CASE(a_large_range_is_not_biased) {
  constexpr std::size_t range = std::size_t{3} << 30;
  std::array<std::size_t, 3> counts{};
  for (const std::size_t number : draw({5, "large"}, range, 30000)) {
    BOOST_REQUIRE(number < range);
    ++counts.at(number % 3);
  }
  for (const std::size_t count : counts) {
    BOOST_TEST(count > 9600U);
    BOOST_TEST(count < 10400U);
  }
}

BOOST_AUTO_TEST_CASE(uniform_fills_the_unit_interval) {
  RandomStream stream(9, "uniform");
  double sum = 0;
  double squares = 0;
  constexpr int draws = 20000;
  for (int i = 0; i < draws; ++i) {
    const double x = stream.uniform();
    BOOST_REQUIRE((x >= 0 && x < 1));
    sum += x;
    squares += x * x;
  }
  // The mean is 1/2 and the second moment 1/3, each within five standard errors.
  BOOST_TEST(std::abs(sum / draws - 0.5) < 0.0103);
  BOOST_TEST(std::abs(squares / draws - 1.0 / 3) < 0.0106);
}

// The expected orders were computed in Python from the same definitions and the Fisher–Yates
// shuffle.
BOOST_AUTO_TEST_CASE(an_order_is_the_same_on_every_machine) {
  BOOST_TEST(
      (shuffled({7, "bootstrap"}, 10, all) == std::vector<int>{0, 8, 1, 4, 2, 7, 6, 3, 9, 5}));
  BOOST_TEST((shuffled({8, "prüfung"}, 10, 3) == std::vector<int>{7, 0, 2, 3, 4, 5, 6, 1, 8, 9}));
}

BOOST_AUTO_TEST_CASE(a_larger_count_begins_with_the_same_values) {
  const auto whole = shuffled({4, "prefix"}, 20, all);
  auto sorted = whole;
  std::ranges::sort(sorted);
  for (int i = 0; i < 20; ++i) BOOST_TEST(sorted[static_cast<std::size_t>(i)] == i);
  for (std::size_t count = 0; count <= 22; ++count) {
    auto some = shuffled({4, "prefix"}, 20, count);
    BOOST_TEST(std::equal(
        some.begin(), some.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(count, 20)),
        whole.begin()));
    std::ranges::sort(some);  // no value is lost
    BOOST_TEST(some == sorted);
  }
  BOOST_TEST(shuffled({4, "prefix"}, 20, 0) == sorted);  // zero draws change nothing
}

BOOST_AUTO_TEST_CASE(few_values_are_shuffled_too) {
  BOOST_TEST(shuffled({1, "x"}, 0, all).empty());
  BOOST_TEST(shuffled({1, "x"}, 1, 5) == std::vector<int>{0});
  std::vector<std::string> words{"a", "b"};  // values of any type can be shuffled
  RandomStream(1, "x").shuffle(words);
  BOOST_TEST(std::ranges::is_permutation(words, std::vector<std::string>{"a", "b"}));
}

// Every order of four values is equally frequent, and so is every ordered pair out of five. In 999
// of 1000 cases, chi-square is below 49.7 (23 degrees of freedom) or 43.8 (19 degrees of freedom).
BOOST_AUTO_TEST_CASE(every_order_and_every_draw_is_equally_likely) {
  BOOST_TEST(unevenness(4, all, 24) < 49.7);
  BOOST_TEST(unevenness(5, 2, 20) < 43.8);
}

BOOST_AUTO_TEST_SUITE_END()
