// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are independent pieces of work shared among cores?
//
// One loop, by OpenMP where the program is compiled with it and in order where it is not. Pieces
// must not depend on one another or on their order, so results are the same either way.

#include <cstddef>
#include <exception>

#include "plumb/detail/core/version.hpp"

namespace plumb::detail {

/// Calls `work(i)` for each i in [0, count), on as many threads as OpenMP has. Of the
/// exceptions thrown, that of the lowest i is thrown again here; the other pieces are finished.
template <class Work>
void parallel_for(std::size_t count, Work work) {
  std::exception_ptr failure;
  std::size_t failed = count;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic)
#endif
  for (std::size_t i = 0; i < count; ++i) {
    try {
      work(i);
    } catch (...) {
#ifdef _OPENMP
#pragma omp critical(plumb_parallel_for)
#endif
      if (i < failed) {
        failed = i;
        failure = std::current_exception();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace plumb::detail
