// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/weight_type.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(weight_type)

BOOST_AUTO_TEST_CASE(weight_types_have_the_names_used_by_safetensors) {
  for (const WeightType type : {WeightType::f32, WeightType::f16, WeightType::bf16}) {
    BOOST_TEST((weight_type_named(name_of(type)) == type));
  }
  BOOST_TEST(!weight_type_named("F8_E4M3"));
}

BOOST_AUTO_TEST_CASE(numbers_are_those_of_the_formats) {
  // BF16 has 1 sign bit, 8 exponent bits and 7 fraction bits; F16 has 1, 5 and 10.
  BOOST_TEST(widened(WeightType::bf16, 0x3FC0) == 1.5F);
  BOOST_TEST(widened(WeightType::bf16, 0xC080) == -4.0F);
  BOOST_TEST(widened(WeightType::f16, 0x3E00) == 1.5F);
  BOOST_TEST(widened(WeightType::f16, 0xC400) == -4.0F);
  BOOST_TEST(widened(WeightType::f16, 0x0001) == std::ldexp(1.0F, -24));  // subnormal
}

BOOST_AUTO_TEST_CASE(widening_and_narrowing_give_every_number_back) {
  for (const WeightType type : {WeightType::f16, WeightType::bf16}) {
    std::vector<std::uint16_t> all;
    for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
      if (std::isfinite(widened(type, static_cast<std::uint16_t>(bits)))) {
        all.push_back(static_cast<std::uint16_t>(bits));
      }
    }
    std::vector<float> wide(all.size());
    widen(type, all.data(), all.size(), wide.data());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (wide[i] != widened(type, all[i])) ++wrong;
      if (narrowed(type, wide[i]) != all[i]) ++wrong;
    }
    BOOST_TEST(wrong == 0U);
  }
}

// A number halfway between two others is rounded to the even one.
BOOST_AUTO_TEST_CASE(numbers_are_rounded_to_the_nearest) {
  const std::vector<float> from{1, 1 + 1 / 256.0F, 1 + 3 / 256.0F, -1 - 1 / 200.0F,
                                0, -0.0F,          3e38F};
  std::vector<std::uint16_t> to;
  for (const float number : from) to.push_back(narrowed(WeightType::bf16, number));
  BOOST_TEST((to == std::vector<std::uint16_t>{0x3F80, 0x3F80, 0x3F82, 0xBF81, 0, 0x8000, 0x7F62}));
}

BOOST_AUTO_TEST_SUITE_END()
