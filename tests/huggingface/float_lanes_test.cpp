// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/float_lanes.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

BOOST_AUTO_TEST_SUITE(float_lanes_of_rows)

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

BOOST_AUTO_TEST_CASE(powers_are_within_2e7) {
  double worst = 0;
  for (float x = -86.9F; x < 87.9F; x += 0.0037F) {
    FloatLanes lanes = FloatLanes{} + x;
    const auto exact = std::exp(static_cast<double>(x));
    worst = std::max(worst, std::abs(static_cast<double>(exp_lanes(lanes)[0]) / exact - 1));
  }
  BOOST_TEST(worst < 2e-7);
  BOOST_TEST(exp_lanes(FloatLanes{})[0] == 1.0F);
  BOOST_TEST(exp_lanes(FloatLanes{} - 1e30F)[0] < 1e-37F);
  BOOST_TEST(std::isfinite(exp_lanes(FloatLanes{} + 1e30F)[0]));
}

BOOST_AUTO_TEST_CASE(softmax_is_that_of_doubles) {
  for (const std::size_t size : {1U, 2U, 7U, 8U, 9U, 16U, 31U, 100U}) {
    std::vector<float> row = random_row(size);
    std::vector<double> expected(row.begin(), row.end());
    double sum = 0;
    for (double& x : expected) sum += x = std::exp(x);
    softmax_row(row);
    for (std::size_t i = 0; i < size; ++i) {
      BOOST_TEST(std::abs(static_cast<double>(row[i]) - expected[i] / sum) < 1e-6);
    }
  }
}

BOOST_AUTO_TEST_CASE(layer_norm_is_that_of_doubles) {
  for (const std::size_t size : {2U, 8U, 13U, 40U}) {
    std::vector<float> row = random_row(size);
    const std::vector<float> weight = random_row(size + 1), bias = random_row(size + 2);
    double mean = 0, variance = 0;
    for (const float x : row) mean += static_cast<double>(x) / static_cast<double>(size);
    for (const float x : row) {
      variance += std::pow(static_cast<double>(x) - mean, 2) / static_cast<double>(size);
    }
    std::vector<float> plain = row, weighted = row;
    layer_norm_row(plain, {}, {}, 0.5F);
    layer_norm_row(weighted, std::span(weight).first(size), std::span(bias).first(size), 0.5F);
    for (std::size_t i = 0; i < size; ++i) {
      const double x = (static_cast<double>(row[i]) - mean) / std::sqrt(variance + 0.5);
      BOOST_TEST(std::abs(static_cast<double>(plain[i]) - x) < 1e-5);
      const double y = x * static_cast<double>(weight[i]) + static_cast<double>(bias[i]);
      BOOST_TEST(std::abs(static_cast<double>(weighted[i]) - y) < 1e-4);
    }
  }
}

BOOST_AUTO_TEST_CASE(softmax_of_large_numbers_stays_finite) {
  for (const std::size_t highest : {0U, 3U, 18U, 36U}) {  // in whichever lane it stands
    std::vector<float> row(37, -1e30F);
    row[highest] = 1e30F;
    softmax_row(row);
    for (std::size_t i = 0; i < row.size(); ++i) {
      BOOST_TEST(std::abs(row[i] - (i == highest ? 1.0F : 0.0F)) < 1e-30F);
    }
  }
}

BOOST_AUTO_TEST_CASE(results_do_not_depend_on_where_a_row_lies) {
  const std::vector<float> row = random_row(37);
  std::vector<float> first = row, moved(38);
  std::copy(row.begin(), row.end(), moved.begin() + 1);
  softmax_row(first);
  softmax_row(std::span(moved).subspan(1));
  BOOST_TEST(std::equal(first.begin(), first.end(), moved.begin() + 1));
}

BOOST_AUTO_TEST_SUITE_END()
