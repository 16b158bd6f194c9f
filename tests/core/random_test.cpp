// SPDX-License-Identifier: Apache-2.0
#include "plumb/core/random.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <vector>

using namespace plumb;

namespace {

std::vector<std::size_t> draw(RandomStream stream, std::size_t below, std::size_t count) {
  std::vector<std::size_t> numbers(count);
  for (std::size_t& number : numbers) number = stream.below(below);
  return numbers;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(random_suite)

// Computed in Python from the definitions of FNV-1a, SplitMix64's finaliser and mt19937_64.
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
  // Chi-square with 6 degrees of freedom is below 22.5 in 999 of 1000 seeds.
  double chi_square = 0;
  for (const std::size_t count : counts) {
    const double off = static_cast<double>(count) - 10000;
    chi_square += off * off / 10000;
  }
  BOOST_TEST(chi_square < 22.5);
}

// Without the rejection, every third number of [0, 3·2^30) would come up twice as often.
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
  // Mean 1/2 and second moment 1/3, each within five standard errors.
  BOOST_TEST(std::abs(sum / draws - 0.5) < 0.0103);
  BOOST_TEST(std::abs(squares / draws - 1.0 / 3) < 0.0106);
}

BOOST_AUTO_TEST_SUITE_END()
