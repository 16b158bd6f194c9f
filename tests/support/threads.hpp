// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sets the number of OpenMP threads for one scope; without OpenMP there is only one thread.

#ifdef _OPENMP
#include <omp.h>

#include "plumb/detail/core/version.hpp"
#endif

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

class Threads {
 public:
#ifdef _OPENMP
  explicit Threads(int threads) : before_(omp_get_max_threads()) {
    omp_set_num_threads(threads);
  }
  ~Threads() {
    omp_set_num_threads(before_);
  }
#else
  explicit Threads(int) {}
  ~Threads() {}
#endif
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

#ifdef _OPENMP
 private:
  int before_;
#endif
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
