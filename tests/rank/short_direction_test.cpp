// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/rank/short_direction.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "plumb/detail/rank/vectors.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(short_direction)

namespace {

struct Written {
  ShortDirection direction;
  std::vector<std::int16_t> numbers;
  std::vector<double> unit;
};

Written written(const std::vector<float>& vector, double scale = 0) {
  const std::size_t d = vector.size();
  const double length = std::sqrt(exact_dot(vector.data(), vector.data(), d));
  const double largest = static_cast<double>(largest_magnitude(vector.data(), d)) / length;
  Written made{{scale == 0 ? short_scale(largest, d) : scale, 0}, std::vector<std::int16_t>(d), {}};
  made.direction.off =
      write_short(vector.data(), length, made.direction.scale, d, made.numbers.data());
  for (const float number : vector) made.unit.push_back(static_cast<double>(number) / length);
  return made;
}

long long product(const Written& a, const Written& b) {
  long long sum = 0;
  for (std::size_t i = 0; i < a.numbers.size(); ++i) sum += a.numbers[i] * b.numbers[i];
  return sum;
}

double cosine(const Written& a, const Written& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.unit.size(); ++i) sum += a.unit[i] * b.unit[i];
  return sum;
}

std::vector<float> random_vector(std::size_t dimension, float size, RandomStream& random) {
  std::vector<float> vector(dimension);
  for (float& number : vector) number = size * static_cast<float>(random.uniform() - 0.5);
  return vector;
}

/// Vectors that are hard to round or close to the limits of the number range.
std::vector<std::vector<float>> vectors(std::size_t dimension) {
  RandomStream random(0, "shorts " + std::to_string(dimension));
  std::vector<std::vector<float>> made;
  for (const float size : {1.0F, 0x1.0p-48F, 0x1.0p44F}) {
    for (int i = 0; i < 3; ++i) made.push_back(random_vector(dimension, size, random));
  }
  // all numbers are equal: rounding lengthens this vector the most
  made.emplace_back(dimension, 3.0F);
  made.emplace_back(dimension, -3.0F);
  made.emplace_back(dimension, 0.0F)[dimension / 2] = -5;  // only one nonzero number
  made.push_back(random_vector(dimension, 1e-4F, random));
  made.back()[0] = 1;  // one number is much larger than the others
  return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(rounding_error_stays_within_the_recorded_bound) {
  for (const std::size_t dimension : {1U, 2U, 17U, 768U}) {
    for (const auto& vector : vectors(dimension)) {
      const Written made = written(vector);
      double squares = 0;
      for (std::size_t i = 0; i < dimension; ++i) {
        const double off = made.numbers[i] - made.direction.scale * made.unit[i];
        squares += off * off;
      }
      BOOST_TEST(std::sqrt(squares) <= made.direction.off);
      BOOST_TEST(made.direction.off <= std::sqrt(static_cast<double>(dimension)) / 2 + 0.1);
    }
  }
}

BOOST_AUTO_TEST_CASE(products_fit_32_bits_and_stay_within_the_error_bound) {
  for (const std::size_t dimension : {1U, 2U, 17U, 768U}) {
    std::vector<Written> all;
    for (const auto& vector : vectors(dimension)) all.push_back(written(vector));
    for (const Written& a : all) {
      for (const Written& b : all) {
        const long long whole = product(a, b);
        BOOST_TEST(std::llabs(whole) <= 0x7fffffffLL);
        const double exact = a.direction.scale * b.direction.scale * cosine(a, b);
        BOOST_TEST(std::abs(static_cast<double>(whole) - exact) <=
                   product_bound(a.direction, b.direction));
      }
    }
  }
}

// Ranking is fast because hardly any entities lie within the bound.
BOOST_AUTO_TEST_CASE(the_bound_of_a_cosine_is_narrow) {
  RandomStream random(0, "narrow");
  const Written a = written(random_vector(768, 1, random)),
                b = written(random_vector(768, 1, random));
  BOOST_TEST(product_bound(a.direction, b.direction) <
             0.0004 * a.direction.scale * b.direction.scale);
}

BOOST_AUTO_TEST_CASE(a_smaller_scale_is_taken_as_it_is) {
  const Written made = written({3, -4}, 10);
  BOOST_TEST(made.numbers == (std::vector<std::int16_t>{6, -8}), boost::test_tools::per_element());
  BOOST_TEST(made.direction.off < 1e-4);
}

BOOST_AUTO_TEST_CASE(the_largest_magnitude_is_found_whatever_its_sign) {
  const std::vector<float> numbers{1, -7, 6.5F, -0.0F};
  BOOST_TEST(largest_magnitude(numbers.data(), 4) == 7.0F);
  BOOST_TEST(largest_magnitude(numbers.data() + 3, 1) == 0.0F);
  BOOST_TEST(largest_magnitude(numbers.data(), 0) == 0.0F);
}

BOOST_AUTO_TEST_SUITE_END()
