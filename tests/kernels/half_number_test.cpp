// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/kernels/half_number.hpp"

#include <Eigen/Core>
#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdint>
#include <random>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(half_number)

// Eigen's conversions serve as the oracle.
BOOST_AUTO_TEST_CASE(every_half_is_widened_as_eigen_widens_it) {
  std::size_t different = 0;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float mine = widened_half(half);
    const float theirs =
        Eigen::half_impl::half_to_float(Eigen::half_impl::raw_uint16_to_half(half));
    const bool is_same = std::isnan(theirs) ? std::isnan(mine)
                                            : std::bit_cast<std::uint32_t>(mine) ==
                                                  std::bit_cast<std::uint32_t>(theirs);
    different += is_same ? 0 : 1;
    if (!std::isnan(mine)) different += narrowed_half(mine) == half ? 0 : 1;
  }
  BOOST_TEST(different == 0U);
}

BOOST_AUTO_TEST_CASE(numbers_are_rounded_as_eigen_rounds_them) {
  std::mt19937 engine(5);
  const auto random = [&] { return static_cast<std::uint32_t>(engine()); };
  std::size_t different = 0;
  for (int i = 0; i < 2'000'000; ++i) {
    // The random numbers cover all signs, exponents and digits, but favour the range that a half
    // can represent.
    std::uint32_t bits = random();
    if (i % 2 == 0) bits = (bits & 0x807FFFFFU) | (100U + random() % 50U) << 23;
    if (i % 3 == 0) bits &= 0xFFFFF000U;  // ties
    const float number = std::bit_cast<float>(bits);
    if (std::isnan(number)) continue;
    different += narrowed_half(number) == Eigen::half_impl::float_to_half_rtne(number).x ? 0 : 1;
  }
  BOOST_TEST(different == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
