// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/cores.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <thread>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(cores_suite)

BOOST_AUTO_TEST_CASE(core_count_is_between_one_and_the_hardware_concurrency) {
  BOOST_TEST(available_cores() >= 1U);
  BOOST_TEST(available_cores() <= std::max(1U, std::thread::hardware_concurrency()));
}

#if defined(__linux__)
BOOST_AUTO_TEST_CASE(a_thread_that_is_bound_to_one_core_has_one) {
  std::size_t cores = 0;
  std::thread bound([&] {
    cpu_set_t all, one;
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof all, &all) != 0) return;
    for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core) {
      if (CPU_ISSET(core, &all)) CPU_SET(core, &one);
    }
    if (sched_setaffinity(0, sizeof one, &one) == 0) cores = available_cores();
  });
  bound.join();
  BOOST_TEST(cores == 1U);
}
#endif

BOOST_AUTO_TEST_SUITE_END()
