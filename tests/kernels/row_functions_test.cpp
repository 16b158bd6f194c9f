// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/kernels/row_functions.hpp"

#include <algorithm>
#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "support/exact_activation.hpp"
#include "support/kernel_tables.hpp"

BOOST_AUTO_TEST_SUITE(row_functions)

using namespace plumb::detail;

namespace {

std::vector<float> random_row(std::size_t size) {
  std::mt19937 random(static_cast<unsigned>(size));
  std::normal_distribution<float> normal(1, 3);
  std::vector<float> row(size);
  for (float& x : row) x = normal(random);
  return row;
}

}  // namespace

BOOST_AUTO_TEST_CASE(softmax_is_that_of_doubles) {
  test::with_each<NetworkKernels>([](const NetworkKernels& set) {
    for (const std::size_t size : {1U, 2U, 7U, 8U, 9U, 16U, 31U, 100U}) {
      std::vector<float> row = random_row(size);
      std::vector<double> expected(row.begin(), row.end());
      double sum = 0;
      for (double& x : expected) sum += x = std::exp(x);
      set.softmax(row.data(), row.size());
      for (std::size_t i = 0; i < size; ++i) {
        BOOST_TEST(std::abs(static_cast<double>(row[i]) - expected[i] / sum) < 1e-6);
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(layer_norm_is_that_of_doubles) {
  test::with_each<NetworkKernels>([](const NetworkKernels& set) {
    for (const std::size_t size : {2U, 8U, 13U, 40U}) {
      std::vector<float> row = random_row(size);
      const std::vector<float> weight = random_row(size + 1), bias = random_row(size + 2);
      double mean = 0, variance = 0;
      for (const float x : row) mean += static_cast<double>(x) / static_cast<double>(size);
      for (const float x : row) {
        variance += std::pow(static_cast<double>(x) - mean, 2) / static_cast<double>(size);
      }
      std::vector<float> plain = row, weighted = row;
      set.layer_norm(plain.data(), size, {nullptr, nullptr, 0.5F});
      set.layer_norm(weighted.data(), size, {weight.data(), bias.data(), 0.5F});
      for (std::size_t i = 0; i < size; ++i) {
        const double x = (static_cast<double>(row[i]) - mean) / std::sqrt(variance + 0.5);
        BOOST_TEST(std::abs(static_cast<double>(plain[i]) - x) < 1e-5);
        const double y = x * static_cast<double>(weight[i]) + static_cast<double>(bias[i]);
        BOOST_TEST(std::abs(static_cast<double>(weighted[i]) - y) < 1e-4);
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(softmax_of_large_numbers_stays_finite) {
  test::with_each<NetworkKernels>([](const NetworkKernels& set) {
    for (const std::size_t highest : {0U, 3U, 18U, 36U}) {  // the maximum may be in any lane
      std::vector<float> row(37, -1e30F);
      row[highest] = 1e30F;
      set.softmax(row.data(), row.size());
      for (std::size_t i = 0; i < row.size(); ++i) {
        BOOST_TEST(std::abs(row[i] - (i == highest ? 1.0F : 0.0F)) < 1e-30F);
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(results_do_not_depend_on_where_a_row_lies) {
  test::with_each<NetworkKernels>([](const NetworkKernels& set) {
    const std::vector<float> row = random_row(37);
    std::vector<float> first = row, moved(38);
    std::copy(row.begin(), row.end(), moved.begin() + 1);
    set.softmax(first.data(), first.size());
    set.softmax(moved.data() + 1, moved.size() - 1);
    BOOST_TEST(std::equal(first.begin(), first.end(), moved.begin() + 1));
  });
}

BOOST_AUTO_TEST_CASE(activations_are_within_1e6) {
  std::vector<float> xs;
  for (float x = -30; x < 30; x += 0.0017F) xs.push_back(x);
  xs.insert(xs.end(), {0, -1e4F, 1e4F});
  test::with_each<NetworkKernels>([&](const NetworkKernels& set) {
    for (const Activation activation :
         {Activation::gelu, Activation::gelu_new, Activation::relu, Activation::silu}) {
      std::vector<float> row = xs;
      set.activate(activation, row.data(), row.size());
      double worst = 0;
      for (std::size_t i = 0; i < xs.size(); ++i) {
        const auto x = static_cast<double>(xs[i]);
        const double away =
            std::abs(static_cast<double>(row[i]) - test::exact_activation(activation, x));
        worst = std::max(worst, away / std::max(1.0, std::abs(x)));
      }
      BOOST_TEST(worst < 1e-6);
    }
  });
}

BOOST_AUTO_TEST_CASE(caps_and_rotations_are_those_of_doubles) {
  const std::vector<float> row = random_row(37), other = random_row(36);
  test::with_each<NetworkKernels>([&](const NetworkKernels& set) {
    std::vector<float> capped = row, added = row, halves = row, neighbours = row;
    set.cap(capped.data(), capped.size(), 2.5F);
    set.add_scaled(added.data(), other.data(), other.size(), 0.7F);
    std::vector<float> cosines, sines;
    for (int i = 0; i < 18; ++i) {
      cosines.push_back(std::cos(0.3F * static_cast<float>(i)));
      sines.push_back(std::sin(0.3F * static_cast<float>(i)));
    }
    set.rotate(halves.data(), 18, cosines.data(), sines.data(), false);
    set.rotate(neighbours.data(), 18, cosines.data(), sines.data(), true);
    const auto near = [](float is, double expected) {
      BOOST_TEST(std::abs(static_cast<double>(is) - expected) < 1e-5);
    };
    const auto of = [](float x) { return static_cast<double>(x); };
    for (std::size_t i = 0; i < 36; ++i) {
      near(capped[i], 2.5 * std::tanh(of(row[i]) / 2.5));
      near(added[i], of(row[i]) + of(other[i]) * of(0.7F));
    }
    BOOST_TEST(added[36] == row[36]);
    for (std::size_t i = 0; i < 18; ++i) {
      const double angle = 0.3 * static_cast<double>(i);
      near(halves[i], of(row[i]) * std::cos(angle) - of(row[i + 18]) * std::sin(angle));
      near(halves[i + 18], of(row[i + 18]) * std::cos(angle) + of(row[i]) * std::sin(angle));
      near(neighbours[2 * i],
           of(row[2 * i]) * std::cos(angle) - of(row[2 * i + 1]) * std::sin(angle));
      near(neighbours[2 * i + 1],
           of(row[2 * i + 1]) * std::cos(angle) + of(row[2 * i]) * std::sin(angle));
    }
    BOOST_TEST(halves[36] == row[36]);
  });
}

BOOST_AUTO_TEST_CASE(an_rms_norm_divides_by_the_root_of_the_mean_square) {
  test::with_each<NetworkKernels>([](const NetworkKernels& set) {
    std::vector<float> row{1, 7};  // the mean of 1² and 7² is 25
    const std::vector<float> weight{5, 10}, bias{1, 2};
    set.rms_norm(row.data(), 2, {weight.data(), bias.data(), 0});
    BOOST_TEST((row == std::vector<float>{2, 16}));
  });
}

BOOST_AUTO_TEST_CASE(numbers_of_16_bits_are_widened) {
  std::vector<std::uint16_t> halves;
  std::vector<float> expected;
  for (int i = 0; i < 37; ++i) {  // 1 + i / 64
    halves.push_back(static_cast<std::uint16_t>(0x3C00 + i * 16));
    expected.push_back(1.0F + static_cast<float>(i) / 64);
  }
  test::with_each<NetworkKernels>([&](const NetworkKernels& set) {
    std::vector<float> made(37);
    set.widen_f16(halves.data(), 37, made.data());
    BOOST_TEST((made == expected));
    const std::vector<std::uint16_t> brain{0x3F80, 0xC040, 0x0000};
    set.widen_bf16(brain.data(), 3, made.data());
    BOOST_TEST(
        (std::vector<float>(made.begin(), made.begin() + 3) == std::vector<float>{1, -3, 0}));
  });
}

// The expected number is the nearer of the two BF16 numbers around it, or the even one halfway.
BOOST_AUTO_TEST_CASE(numbers_are_rounded_to_the_nearest_bf16_number) {
  std::mt19937 random(2);
  std::vector<float> numbers{1 + 1 / 256.0F, 1 + 3 / 256.0F, -1 - 1 / 256.0F, 0, -0.0F, 3e38F};
  while (numbers.size() < 1003) {
    const float sign = random() % 2 == 0 ? 1.0F : -1.0F;
    numbers.push_back(
        sign * std::ldexp(static_cast<float>(random()), static_cast<int>(random() % 60) - 60));
  }
  const auto value = [](std::uint32_t high) { return double{std::bit_cast<float>(high << 16)}; };
  std::vector<std::uint16_t> expected;
  for (const float number : numbers) {
    const std::uint32_t low = std::bit_cast<std::uint32_t>(number) >> 16, high = low + 1;
    const double below = std::abs(number - value(low)), above = std::abs(value(high) - number);
    const bool takes_low = below < above || (below == above && low % 2 == 0);
    expected.push_back(static_cast<std::uint16_t>(takes_low ? low : high));
  }
  test::with_each<NetworkKernels>([&](const NetworkKernels& set) {
    std::vector<std::uint16_t> made(numbers.size());
    set.round_bf16(numbers.data(), numbers.size(), made.data());
    BOOST_TEST((made == expected));
  });
}

BOOST_AUTO_TEST_SUITE_END()
