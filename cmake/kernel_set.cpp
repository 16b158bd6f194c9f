// SPDX-License-Identifier: Apache-2.0

// The kernels of one vector width, under the name PLUMB_KERNEL_SET (plumb-components.cmake). This
// file may include only kernels: if other files contain a function too, the linker keeps any one.

#include "plumb/detail/kernels/network_functions.hpp"
#include "plumb/detail/kernels/rank_functions.hpp"
#include "plumb/detail/kernels/row_sums.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

extern const KernelSet PLUMB_KERNEL_SET;
const KernelSet PLUMB_KERNEL_SET{row_kernels_here, network_kernels_here, rank_kernels_here};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
