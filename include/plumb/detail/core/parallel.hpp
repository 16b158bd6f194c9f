// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are independent pieces of work shared among cores?
//
// By OpenMP where one of the program's files is compiled with it, and in order where none is. A file with
// OpenMP names its loop at start-up; everything else calls the loop that was named, so one program may
// have files of both kinds. Pieces must not depend on one another or on their order, so results are the
// same either way.

#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Calls `piece(work, i)` for each i in [0, count), in any order and on any thread. `piece` throws nothing.
using PieceLoop = void (*)(std::size_t count, void (*piece)(void* work, std::size_t i), void* work);

/// The loop of files that are compiled with OpenMP; null where there is none.
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

/// Calls `work(i)` for each i in [0, count), on as many threads as OpenMP has. Of the
/// exceptions thrown, that of the lowest i is thrown again here; the other pieces are finished.
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
