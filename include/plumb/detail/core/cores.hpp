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

/// Cores that the calling thread may run on, at least 1. Fewer than the machine has where a batch system,
/// a container's cpuset or taskset bound it to some, which std::thread::hardware_concurrency() does
/// not see with every version of glibc. A share of time (CPU quota) is not counted.
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
