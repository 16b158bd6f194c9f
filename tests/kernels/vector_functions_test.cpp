// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/kernels/vector_functions.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "support/kernel_tables.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(vector_functions)

BOOST_AUTO_TEST_CASE(whole_numbers_have_exact_products) {
  std::mt19937 random(3);
  for (const std::size_t size : {0U, 1U, 19U, 64U, 131U}) {
    std::vector<float> a, b;
    double expected = 0;
    for (std::size_t i = 0; i < size; ++i) {
      a.push_back(static_cast<float>(random() % 100) - 50);
      b.push_back(static_cast<float>(random() % 100) - 50);
      expected += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    }
    test::with_each<RankKernels>([&](const RankKernels& set) {
      BOOST_TEST(set.exact_dot(a.data(), b.data(), size) == expected);
      BOOST_TEST(static_cast<double>(set.quick_dot(a.data(), b.data(), size)) == expected);
    });
  }
}

// Sums in double precision are bit-identical at every vector width.
BOOST_AUTO_TEST_CASE(exact_products_do_not_depend_on_the_width) {
  std::mt19937 random(4);
  std::normal_distribution<float> normal;
  std::vector<float> a(771), b(771);
  for (float& x : a) x = normal(random);
  for (float& x : b) x = normal(random);
  const double here = exact_dot_row(a.data(), b.data(), a.size());
  test::with_each<RankKernels>([&](const RankKernels& set) {
    BOOST_TEST(set.exact_dot(a.data(), b.data(), a.size()) == here);
  });
}

BOOST_AUTO_TEST_CASE(rounding_returns_its_squared_error) {
  std::vector<float> numbers(21, 0.125F);
  numbers[4] = -3.0F;
  test::with_each<RankKernels>([&](const RankKernels& set) {
    std::vector<std::int16_t> shorts(21);
    const double off = set.write_short(numbers.data(), 21, 10, shorts.data());
    BOOST_TEST(shorts[0] == 1);
    BOOST_TEST(shorts[4] == -30);
    BOOST_TEST(std::abs(off - 20 * 0.25 * 0.25) < 1e-6);
    BOOST_TEST(set.largest_magnitude(numbers.data(), 21) == 3.0F);
  });
}

BOOST_AUTO_TEST_SUITE_END()
