// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which kernels for rows of logits does this program run?

#include "plumb/detail/kernels/kernels.hpp"

#if !defined(PLUMB_COMPILED_KERNELS)
#include "plumb/detail/kernels/row_sums.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {
inline namespace PLUMB_VECTOR_NAMESPACE {
inline const bool adds_row_kernels =
    (added_kernels<RowKernels>().push_back(&row_kernels_here), true);
}  // namespace PLUMB_VECTOR_NAMESPACE
}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
#endif

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The first call may throw the same user errors as choose_kernels.
[[nodiscard]] inline const RowKernels& row_kernels() {
  return kernels<RowKernels>();
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
