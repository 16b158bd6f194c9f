// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which instructions must a processor support to run this file's kernels?

#include "plumb/detail/kernels/kernel_tables.hpp"
#include "plumb/detail/kernels/vector_width.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {
inline namespace PLUMB_VECTOR_NAMESPACE {

#if PLUMB_VECTOR_LEVEL == 4
inline constexpr const char* width_here = "v4";
#elif PLUMB_VECTOR_LEVEL == 3
inline constexpr const char* width_here = "v3";
#elif defined(__ARM_NEON)
inline constexpr const char* width_here = "neon";
#else
inline constexpr const char* width_here = "v2";
#endif

inline constexpr unsigned needs_here = 0U
#if PLUMB_VECTOR_LEVEL >= 3
                                       | static_cast<unsigned>(VectorNeeds::avx2)
#endif
#if PLUMB_VECTOR_LEVEL == 3 && defined(__AVXVNNI__)
                                       | static_cast<unsigned>(VectorNeeds::avx_vnni)
#endif
#if PLUMB_VECTOR_LEVEL == 4
                                       | static_cast<unsigned>(VectorNeeds::avx512)
#if defined(__AVX512VNNI__)
                                       | static_cast<unsigned>(VectorNeeds::vnni)
#endif
#if defined(__AVX512BF16__)
                                       | static_cast<unsigned>(VectorNeeds::bf16)
#endif
#endif
    ;

}  // namespace PLUMB_VECTOR_NAMESPACE
}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
