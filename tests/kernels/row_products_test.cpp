// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/kernels/row_products.hpp"

#include <bit>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "support/kernel_tables.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(row_products)

BOOST_AUTO_TEST_CASE(tiles_of_every_shape_add_exact_products_where_they_are_told) {
  test::with_each<NetworkKernels>([](const NetworkKernels& set) {
    constexpr std::size_t depth = 7, row_stride = 11, gap = 3;
    std::mt19937 random(4);
    const auto integer = [&] { return static_cast<float>(random() % 9) - 4.0F; };
    for (std::size_t rows = 1; rows <= set.product_rows; ++rows) {
      for (std::size_t lanes = 1; lanes <= set.product_lanes; ++lanes) {
        // Lanes one behind the other, as in a panel, and each of them a block of its own.
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
                            sums.data(), sum_stride});
          for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t c = 0; c < sum_stride; ++c) {
              float expected = before[r * sum_stride + c];
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

// Small integers are BF16 numbers: their bits are the upper half of F32's.
BOOST_AUTO_TEST_CASE(pairs_add_both_products) {
  test::with_each<NetworkKernels>([](const NetworkKernels& set) {
    constexpr std::size_t depth = 5, row_stride = 7;
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
                               depth, sums.data(), sum_stride});
        for (std::size_t r = 0; r < rows; ++r) {
          for (std::size_t c = 0; c < sum_stride; ++c) {
            float expected = 3;
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
