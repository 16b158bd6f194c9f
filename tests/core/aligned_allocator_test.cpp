// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/aligned_allocator.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <new>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(aligned_allocator)

BOOST_AUTO_TEST_CASE(numbers_begin_a_line_of_the_cache) {
  for (std::size_t count = 1; count < 300; count += 7) {
    const AlignedVector<float> made(count, 1.5F);
    BOOST_TEST(reinterpret_cast<std::uintptr_t>(made.data()) % 64 == 0U);
    BOOST_TEST(made.back() == 1.5F);
  }
  AlignedAllocator<double> allocator;
  BOOST_CHECK_THROW((void)allocator.allocate(static_cast<std::size_t>(-1) / 4), std::bad_alloc);
}

BOOST_AUTO_TEST_SUITE_END()
