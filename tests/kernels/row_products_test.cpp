// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/kernels/row_products.hpp"

#include <algorithm>
#include <bit>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "support/kernel_tables.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(row_products)

BOOST_AUTO_TEST_CASE(tiles_of_every_shape_compute_exact_products) {
  test::with_each<NetworkKernels>([](const NetworkKernels& set) {
    constexpr std::size_t gap = 3;
    std::mt19937 random(4);
    const auto integer = [&] { return static_cast<float>(random() % 9) - 4.0F; };
    for (const auto& [depth, adds] :
         {std::pair{7U, true}, std::pair{65U, false}, std::pair{130U, false}})
      for (std::size_t rows = 1; rows <= set.product_rows; ++rows) {
        const std::size_t row_stride = depth + 4;
        for (std::size_t lanes = 1; lanes <= set.product_lanes; ++lanes) {
          // The lanes are contiguous, as in a panel, or each lane is a separate block.
          for (const bool in_blocks : {false, true}) {
            const std::size_t step = in_blocks ? set.lanes : lanes * set.lanes + gap;
            const std::size_t lane_step = in_blocks ? depth * set.lanes + gap : set.lanes;
            const std::size_t sum_stride = lanes * set.lanes + gap;
            std::vector<float> left(rows * row_stride), right(depth * step + lanes * lane_step),
                sums(rows * sum_stride);
            for (float& x : left) x = integer();
            for (float& x : right) x = integer();
            for (float& x : sums) x = integer();
            const std::vector<float> before = sums;
            set.add_products(rows, lanes,
                             {left.data(), row_stride, right.data(), step, lane_step, depth,
                              sums.data(), sum_stride, adds});
            for (std::size_t r = 0; r < rows; ++r) {
              for (std::size_t c = 0; c < sum_stride; ++c) {
                const bool starts_at_0 = !adds && c < lanes * set.lanes;
                float expected = starts_at_0 ? 0 : before[r * sum_stride + c];
                for (std::size_t k = 0; k < depth && c < lanes * set.lanes; ++k) {
                  const std::size_t at = k * step + c / set.lanes * lane_step + c % set.lanes;
                  expected += left[r * row_stride + k] * right[at];
                }
                BOOST_TEST(sums[r * sum_stride + c] == expected);
              }
            }
          }
        }
      }
  });
}

BOOST_AUTO_TEST_CASE(finished_sums_are_written_with_the_bias) {
  test::with_each<NetworkKernels>([](const NetworkKernels& set) {
    constexpr float guard = 0.5F;  // no sum of integers
    const std::size_t width = set.product_width(), stride = width + 3;
    std::mt19937 random(5);
    const auto integer = [&] { return static_cast<float>(random() % 9) - 4.0F; };
    for (const std::size_t depth : {1U, 64U, 65U, 130U}) {
      for (std::size_t rows = 1; rows <= set.product_rows; ++rows) {
        for (std::size_t lanes = 1; lanes <= set.product_lanes; ++lanes) {
          std::vector<float> left(rows * depth), right(depth * width), bias(width),
              sums(rows * width), made(rows * stride, guard);
          for (float& x : left) x = integer();
          for (float& x : right) x = integer();
          for (float& x : bias) x = integer();
          set.add_products(rows, lanes,
                           {.rows = left.data(),
                            .row_stride = depth,
                            .columns = right.data(),
                            .step = width,
                            .lane_step = set.lanes,
                            .depth = depth,
                            .sums = sums.data(),
                            .sum_stride = width,
                            .adds = false,
                            .finished = made.data(),
                            .finished_stride = stride,
                            .bias = bias.data()});
          for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t c = 0; c < stride; ++c) {
              const bool is_sum = c < lanes * set.lanes;
              float expected = is_sum ? bias[c] : guard;
              for (std::size_t k = 0; is_sum && k < depth; ++k) {
                expected += left[r * depth + k] * right[k * width + c];
              }
              BOOST_TEST(made[r * stride + c] == expected);
            }
          }
        }
      }
    }
  });
}

// 2^24 + 1 cannot be represented as a float: a single running sum loses each of the 64 ones added
// to 2^24, but a separate partial sum does not.
BOOST_AUTO_TEST_CASE(sums_that_start_at_0_are_made_in_parts_of_64) {
  test::with_each<NetworkKernels>([](const NetworkKernels& set) {
    const std::size_t width = set.product_width();
    for (const std::size_t depth : {64U, 65U, 128U, 130U}) {
      for (const bool adds : {false, true}) {
        std::vector<float> left(depth, 1.0F), right(depth * width), sums(width);
        for (std::size_t k = 0; k < depth; ++k) {
          const float number = k == 0 ? 16777216.0F : k < 64 ? 0.0F : 1.0F;
          std::fill_n(right.begin() + static_cast<std::ptrdiff_t>(k * width), width, number);
        }
        set.add_products(
            1, set.product_lanes,
            {left.data(), depth, right.data(), width, set.lanes, depth, sums.data(), width, adds});
        // With depth 130, the last two ones form a separate partial sum, and 2^24 + 64 + 2 can be
        // represented as a float.
        const float behind = adds || depth == 65 ? 0.0F : static_cast<float>(depth - 64);
        for (const float sum : sums) BOOST_TEST(sum == 16777216.0F + behind);
      }
    }
  });
}

// Sums values as attention does: over runs of slots, skipping the slots that a query does not see.
BOOST_AUTO_TEST_CASE(sums_that_are_added_to_depend_neither_on_calls_nor_on_zeros_between) {
  test::with_each<NetworkKernels>([](const NetworkKernels& set) {
    constexpr std::size_t depth = 200;
    const std::size_t width = set.product_width();
    std::mt19937 random(8);
    const auto number = [&] { return static_cast<float>(random() % 10007) / 5003.5F - 1.0F; };
    std::vector<float> left(depth), right(depth * width);
    for (float& x : left) x = number();
    for (float& x : right) x = number();
    const auto add = [&](const std::vector<float>& weights, const std::vector<float>& values,
                         std::size_t first, std::size_t count, std::vector<float>& sums) {
      set.add_products(1, set.product_lanes,
                       {weights.data() + first, depth, values.data() + first * width, width,
                        set.lanes, count, sums.data(), width, true});
    };
    std::vector<float> whole(width), runs(width), between(width);
    add(left, right, 0, depth, whole);
    add(left, right, 0, 70, runs);
    add(left, right, 70, depth - 70, runs);
    left.insert(left.begin() + 33, 0.0F);
    right.insert(right.begin() + static_cast<std::ptrdiff_t>(33 * width), width, 1.0F);
    add(left, right, 0, depth + 1, between);
    BOOST_TEST(whole == runs);
    BOOST_TEST(whole == between);
  });
}

// Small integers are exact in BF16: their bits are the upper half of their F32 bits.
BOOST_AUTO_TEST_CASE(pairs_add_both_products) {
  test::with_each<NetworkKernels>([](const NetworkKernels& set) {
    constexpr std::size_t depth = 70, row_stride = 72;
    const std::size_t step = set.product_width(), sum_stride = set.product_width();
    std::mt19937 random(6);
    const auto integer = [&] { return static_cast<float>(random() % 9) - 4.0F; };
    const auto bits = [](float number) {
      return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(number) >> 16);
    };
    for (std::size_t rows = 1; rows <= set.product_rows; ++rows) {
      for (std::size_t lanes = 1; lanes <= set.product_lanes; ++lanes) {
        std::vector<float> left(2 * rows * row_stride), right(2 * depth * step);
        for (float& x : left) x = integer();
        for (float& x : right) x = integer();
        std::vector<NumberPair> left_pairs, right_pairs;
        for (std::size_t i = 0; i < left.size(); i += 2) {
          left_pairs.push_back({bits(left[i]), bits(left[i + 1])});
        }
        for (std::size_t i = 0; i < right.size(); i += 2) {
          right_pairs.push_back({bits(right[i]), bits(right[i + 1])});
        }
        std::vector<float> sums(rows * sum_stride, 3.0F);
        set.add_pair_products(rows, lanes,
                              {left_pairs.data(), row_stride, right_pairs.data(), step, set.lanes,
                               depth, sums.data(), sum_stride, lanes % 2 == 0});
        for (std::size_t r = 0; r < rows; ++r) {
          for (std::size_t c = 0; c < sum_stride; ++c) {
            float expected = lanes % 2 != 0 && c < lanes * set.lanes ? 0.0F : 3.0F;
            for (std::size_t k = 0; k < depth && c < lanes * set.lanes; ++k) {
              const float* const one = left.data() + 2 * (r * row_stride + k);
              const float* const other = right.data() + 2 * (k * step + c);
              expected += one[0] * other[0] + one[1] * other[1];
            }
            BOOST_TEST(sums[r * sum_stride + c] == expected);
          }
        }
      }
    }
  });
}

BOOST_AUTO_TEST_SUITE_END()
