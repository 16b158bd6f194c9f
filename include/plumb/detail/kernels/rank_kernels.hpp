// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which ranking kernels does this program run?

#include "plumb/detail/kernels/kernels.hpp"

#if !defined(PLUMB_COMPILED_KERNELS)
#include "plumb/detail/kernels/rank_functions.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {
inline namespace PLUMB_VECTOR_NAMESPACE {
inline const bool adds_rank_kernels =
    (added_kernels<RankKernels>().push_back(&rank_kernels_here), true);
}  // namespace PLUMB_VECTOR_NAMESPACE
}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
#endif

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The first call may throw the same user errors as choose_kernels.
[[nodiscard]] inline const RankKernels& rank_kernels() {
  return kernels<RankKernels>();
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
