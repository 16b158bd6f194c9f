// SPDX-License-Identifier: Apache-2.0
#pragma once

// How many cores may this process use?

#include <algorithm>
#include <cstddef>
#include <thread>

#include "plumb/detail/core/version.hpp"

#if defined(__linux__)
#include <sched.h>
#endif

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The number of cores that the calling thread may run on, at least 1. The number is lower than the
/// machine's core count if a batch system, a container's cpuset or taskset restricts the thread.
/// With some versions of glibc, std::thread::hardware_concurrency() ignores such restrictions. CPU
/// quotas are not taken into account.
[[nodiscard]] inline std::size_t available_cores() noexcept {
#if defined(__linux__)
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) {
    return static_cast<std::size_t>((std::max)(1, CPU_COUNT(&cores)));
  }
#endif
  return (std::max)(1U, std::thread::hardware_concurrency());
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
