// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are independent pieces of work distributed across cores?
//
// OpenMP distributes them if at least one of the program's files is compiled with OpenMP. Otherwise
// they run one after another. A file compiled with OpenMP registers its loop at start-up, and all
// other files call the registered loop. A program may therefore mix both kinds of file. Pieces must
// not depend on one another or on their order, so the results are the same either way.

#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Calls `piece(work, i)` for each i in [0, count), in any order and on any thread. `piece` must
/// not throw.
using PieceLoop = void (*)(std::size_t count, void (*piece)(void* work, std::size_t i), void* work);

/// The loop from a file compiled with OpenMP; null if there is none.
inline PieceLoop openmp_loop = nullptr;

#ifdef _OPENMP
inline namespace with_openmp {
inline void loop_by_openmp(std::size_t count, void (*piece)(void*, std::size_t), void* work) {
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < count; ++i) piece(work, i);
}
inline const bool names_loop = (openmp_loop = &loop_by_openmp, true);
}  // namespace with_openmp
#endif

/// Calls `work(i)` for each i in [0, count), on OpenMP's threads. If any pieces throw, the others
/// still run, and the exception from the lowest i is rethrown here.
template <class Work>
void parallel_for(std::size_t count, Work work) {
  struct Pieces {
    Work* work;
    std::size_t failed;
    std::exception_ptr failure{};
    std::mutex failing{};
  } pieces{std::addressof(work), count};
  const auto piece = [](void* all, std::size_t i) {
    Pieces& these = *static_cast<Pieces*>(all);
    try {
      (*these.work)(i);
    } catch (...) {
      const std::lock_guard lock(these.failing);
      if (i < these.failed) {
        these.failed = i;
        these.failure = std::current_exception();
      }
    }
  };
  if (openmp_loop != nullptr) {
    openmp_loop(count, piece, &pieces);
  } else {
    for (std::size_t i = 0; i < count; ++i) piece(&pieces, i);
  }
  if (pieces.failure) std::rethrow_exception(pieces.failure);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
