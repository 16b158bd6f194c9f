// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which network kernels does this program run?

#include "plumb/detail/kernels/kernels.hpp"

#if !defined(PLUMB_COMPILED_KERNELS)
#include "plumb/detail/kernels/network_functions.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {
inline namespace PLUMB_VECTOR_NAMESPACE {
inline const bool adds_network_kernels =
    (added_kernels<NetworkKernels>().push_back(&network_kernels_here), true);
}  // namespace PLUMB_VECTOR_NAMESPACE
}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
#endif

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The first call may throw the same user errors as choose_kernels.
[[nodiscard]] inline const NetworkKernels& network_kernels() {
  return kernels<NetworkKernels>();
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
