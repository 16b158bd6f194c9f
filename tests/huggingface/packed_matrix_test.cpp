// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/packed_matrix.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(packed_matrix)

namespace {

using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Small integers have exact products and sums.
Rows integers(Eigen::Index rows, Eigen::Index columns, unsigned seed) {
  std::mt19937 random(seed);
  return Rows::NullaryExpr(rows, columns, [&] { return static_cast<float>(random() % 9) - 4.0F; });
}

std::span<const float> row_of(const Rows& rows, Eigen::Index r) {
  return {rows.data() + r * rows.cols(), static_cast<std::size_t>(rows.cols())};
}

}  // namespace

BOOST_AUTO_TEST_CASE(products_of_any_shape_are_exact) {
  for (const Eigen::Index outputs : {1, 15, 16, 17, 50, 600}) {
    for (const Eigen::Index inputs : {1, 3, 40, 130}) {
      const Rows weights = integers(outputs, inputs, 1), bias = integers(1, outputs, 2);
      const auto wide = static_cast<std::size_t>(outputs);
      PackedMatrix matrix(wide, static_cast<std::size_t>(inputs));
      PackedMatrix pairs(wide, static_cast<std::size_t>(inputs), WeightType::bf16_pairs);
      for (PackedMatrix* const one : {&matrix, &pairs}) {
        for (Eigen::Index o = 0; o < outputs; ++o) {
          one->set_output(static_cast<std::size_t>(o), row_of(weights, o));
        }
        one->set_bias(0, row_of(bias, 0));
      }
      for (const Eigen::Index count : {1, 2, 5, 6, 7, 8, 9, 20}) {
        const Rows rows = integers(count, inputs, 3);
        const Rows expected = (rows * weights.transpose()).rowwise() + bias.row(0);
        Rows out(count, outputs), shared(count, outputs);
        matrix.multiply(rows.data(), static_cast<std::size_t>(count), matrix.inputs(), out.data(),
                        matrix.outputs());
        matrix.multiply_shared(rows.data(), static_cast<std::size_t>(count), matrix.inputs(),
                               shared.data(), matrix.outputs());
        BOOST_TEST((out == expected));
        BOOST_TEST((shared == expected));
        // Space between the rows of outputs is left as it is.
        Rows spaced = Rows::Constant(count, outputs + 3, 0.5F);
        matrix.multiply_shared(rows.data(), static_cast<std::size_t>(count), matrix.inputs(),
                               spaced.data(), wide + 3);
        BOOST_TEST((spaced.leftCols(outputs) == expected));
        BOOST_TEST((spaced.rightCols(3).array() == 0.5F).all());
        pairs.multiply(rows.data(), static_cast<std::size_t>(count), matrix.inputs(), out.data(),
                       wide);
        pairs.multiply_shared(rows.data(), static_cast<std::size_t>(count), matrix.inputs(),
                              shared.data(), wide);
        BOOST_TEST((out == expected));
        BOOST_TEST((shared == expected));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(rows_of_a_panel_are_set_at_once_as_one_by_one) {
  constexpr std::size_t inputs = 37;
  const std::size_t width = network_kernels().product_width(), outputs = width + 5;
  const Rows weights = integers(outputs, inputs, 4), rows = integers(3, inputs, 5);
  const Rows expected = rows * weights.transpose();
  for (const WeightType type : {WeightType::f32, WeightType::f16, WeightType::bf16}) {
    PackedMatrix matrix(outputs, inputs, type);
    const auto set = [&](std::size_t first, std::size_t count) {
      if (type == WeightType::f32) {
        return matrix.set_rows(first, count, weights.data() + first * inputs);
      }
      std::vector<std::uint16_t> bits;
      for (std::size_t i = first * inputs; i < (first + count) * inputs; ++i) {
        bits.push_back(narrowed(type, weights.data()[i]));
      }
      matrix.set_rows(first, count, bits.data());
    };
    set(0, 3);  // the first panel is filled in two steps, the second only partially
    set(3, width - 3);
    set(width, 5);
    Rows out(3, outputs);
    matrix.multiply(rows.data(), 3, inputs, out.data(), outputs);
    BOOST_TEST((out == expected), name_of(type));
  }
}

BOOST_AUTO_TEST_CASE(weights_of_16_bits_give_the_bits_that_they_give_in_32) {
  for (const WeightType type : {WeightType::f16, WeightType::bf16}) {
    std::mt19937 random(9);
    std::vector<float> weights(40), rows(20 * 40);
    PackedMatrix narrow(50, 40, type), wide(50, 40);
    for (std::size_t o = 0; o < 50; ++o) {
      for (float& weight : weights) {
        weight = static_cast<float>(random() % 2001) / 64.0F - 15.0F;
        weight = widened(type, narrowed(type, weight));
      }
      narrow.set_output(o, weights);
      wide.set_output(o, weights);
      std::vector<float> a(40, 0), b(40, 0);
      narrow.add_output_to(o, a.data());
      wide.add_output_to(o, b.data());
      BOOST_TEST(a == b);
    }
    for (float& x : rows) x = static_cast<float>(random() % 1000) / 300.0F - 1;
    std::vector<float> a(20 * 50), b(20 * 50);
    narrow.multiply_shared(rows.data(), 20, 40, a.data(), 50);
    wide.multiply_shared(rows.data(), 20, 40, b.data(), 50);
    BOOST_TEST(a == b);
    BOOST_TEST((narrow.type() == type));
  }
}

// BF16 has 7 fraction bits. 1 + 1/256 and 1 + 3/256 are halfway cases and become the even numbers 1
// and 1 + 4/256; 1 + 1/512 becomes 1.
BOOST_AUTO_TEST_CASE(products_in_bf16_round_weights_and_rows) {
  const float low = 1 + 1 / 256.0F, high = 1 + 3 / 256.0F, near_one = 1 + 1 / 512.0F;
  PackedMatrix matrix(2, 3, WeightType::bf16_pairs);
  matrix.set_output(0, std::vector<float>{low, high, 2});
  matrix.set_input(0, 1, std::vector<float>{near_one});
  matrix.set_input(2, 1, std::vector<float>{-8});
  std::vector<float> out(2);
  const std::vector<float> row{high, near_one, low};
  matrix.multiply(row.data(), 1, 3, out.data(), 2);
  const float up = 1 + 4 / 256.0F;
  BOOST_TEST(out[0] == up + up + 2);
  BOOST_TEST(out[1] == up - 8);
  std::vector<float> held(3, 10);
  matrix.add_output_to(0, held.data());
  BOOST_TEST(held == (std::vector<float>{11, 10 + up, 12}));
}

BOOST_AUTO_TEST_CASE(weights_may_come_by_input) {
  const Rows weights = integers(21, 7, 4), columns = weights.transpose();
  PackedMatrix by_output(21, 7), by_input(21, 7);
  for (Eigen::Index o = 0; o < 21; ++o) {
    by_output.set_output(static_cast<std::size_t>(o), row_of(weights, o));
  }
  for (Eigen::Index i = 0; i < 7; ++i) {
    by_input.set_input(static_cast<std::size_t>(i), 0, row_of(columns, i).first(20));
    by_input.set_input(static_cast<std::size_t>(i), 20, row_of(columns, i).last(1));
  }
  for (std::size_t o = 0; o < 21; ++o) {
    std::vector<float> a(7, 1), b(7, 1);
    by_output.add_output_to(o, a.data());
    by_input.add_output_to(o, b.data());
    BOOST_TEST(a == b);
    BOOST_TEST(a[3] == 1 + weights(static_cast<Eigen::Index>(o), 3));
  }
}

BOOST_AUTO_TEST_CASE(a_row_does_not_depend_on_its_neighbours) {
  const Rows weights = Rows::Random(70, 333), rows = Rows::Random(29, 333);
  for (const WeightType type : {WeightType::f32, WeightType::bf16_pairs}) {
    PackedMatrix matrix(70, 333, type);
    for (Eigen::Index o = 0; o < 70; ++o) {
      matrix.set_output(static_cast<std::size_t>(o), row_of(weights, o));
    }
    Rows together(29, 70), alone(1, 70);
    matrix.multiply(rows.data(), 29, 333, together.data(), 70);
    for (Eigen::Index r = 0; r < 29; ++r) {
      matrix.multiply(row_of(rows, r).data(), 1, 333, alone.data(), 70);
      BOOST_TEST((alone.row(0) == together.row(r)));
    }
    // Each product of two numbers below 1 has a relative error of at most 2^-8.
    const float most = type == WeightType::f32 ? 1e-4F : 333 / 256.0F;
    BOOST_TEST((together - rows * weights.transpose()).cwiseAbs().maxCoeff() < most);
  }
}

BOOST_AUTO_TEST_SUITE_END()
