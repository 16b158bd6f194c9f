// SPDX-License-Identifier: Apache-2.0
#include "plumb/huggingface/weight_type.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

using namespace plumb;

BOOST_AUTO_TEST_SUITE(weight_type)

BOOST_AUTO_TEST_CASE(types_are_named_as_safetensors_names_them) {
  for (const WeightType type : {WeightType::f32, WeightType::f16, WeightType::bf16}) {
    BOOST_TEST((weight_type_named(name_of(type)) == type));
  }
  BOOST_TEST(!weight_type_named("F8_E4M3"));
}

BOOST_AUTO_TEST_CASE(numbers_are_those_of_the_formats) {
  // BF16: 1 sign, 8 exponent and 7 fraction bits. F16: 1, 5 and 10.
  BOOST_TEST(detail::widened(WeightType::bf16, 0x3FC0) == 1.5F);
  BOOST_TEST(detail::widened(WeightType::bf16, 0xC080) == -4.0F);
  BOOST_TEST(detail::widened(WeightType::f16, 0x3E00) == 1.5F);
  BOOST_TEST(detail::widened(WeightType::f16, 0xC400) == -4.0F);
  BOOST_TEST(detail::widened(WeightType::f16, 0x0001) == std::ldexp(1.0F, -24));  // subnormal
}

BOOST_AUTO_TEST_CASE(widening_and_narrowing_give_every_number_back) {
  for (const WeightType type : {WeightType::f16, WeightType::bf16}) {
    std::vector<std::uint16_t> all;
    for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
      if (std::isfinite(detail::widened(type, static_cast<std::uint16_t>(bits)))) {
        all.push_back(static_cast<std::uint16_t>(bits));
      }
    }
    std::vector<float> wide(all.size());
    detail::widen(type, all.data(), all.size(), wide.data());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (wide[i] != detail::widened(type, all[i])) ++wrong;
      if (detail::narrowed(type, wide[i]) != all[i]) ++wrong;
    }
    BOOST_TEST(wrong == 0U);
  }
}

BOOST_AUTO_TEST_SUITE_END()
