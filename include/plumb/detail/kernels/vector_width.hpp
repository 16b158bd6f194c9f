// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which instructions may this file's kernels use?
//
// They may use the instructions that the file's compiler flags allow. One program may contain files
// with different flags. Functions whose bodies depend on the flags are therefore in an inline
// namespace (PLUMB_VECTOR_NAMESPACE) that is named after the flags. Files with different flags thus
// get two different functions, not one function with two bodies. All other code calls kernels
// through the tables of kernel_tables.hpp.

#include "plumb/detail/core/version.hpp"

// Widths are named after the levels of the x86-64 psABI. GCC and Clang define the macros.
#if defined(__AVX512F__) && defined(__AVX512BW__)
#define PLUMB_VECTOR_LEVEL 4
#if defined(__AVX512BF16__) && defined(__AVX512VNNI__)
#define PLUMB_VECTOR_NAMESPACE v4_vnni_bf16
#elif defined(__AVX512BF16__)
#define PLUMB_VECTOR_NAMESPACE v4_bf16
#elif defined(__AVX512VNNI__)
#define PLUMB_VECTOR_NAMESPACE v4_vnni
#else
#define PLUMB_VECTOR_NAMESPACE v4
#endif
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define PLUMB_VECTOR_LEVEL 3
#if defined(__AVXVNNI__)
#define PLUMB_VECTOR_NAMESPACE v3_vnni
#else
#define PLUMB_VECTOR_NAMESPACE v3
#endif
#elif defined(__ARM_NEON)
#define PLUMB_VECTOR_LEVEL 2
#define PLUMB_VECTOR_NAMESPACE neon
#else
// Files compiled with only some of v3's instructions (-mavx2 without -mfma or -mf16c) are also at
// level 2. Their functions need separate names, because they contain AVX code, and because a
// compiler may contract a product and a sum into one FMA.
#define PLUMB_VECTOR_LEVEL 2
#if defined(__FMA__)
#define PLUMB_VECTOR_NAMESPACE v2_fma
#elif defined(__AVX__)
#define PLUMB_VECTOR_NAMESPACE v2_avx
#else
#define PLUMB_VECTOR_NAMESPACE v2
#endif
#endif

// The files of plumb::kernels use their own namespaces, so that they do not clash with a program's
// files of the same width.
#if defined(PLUMB_KERNEL_SPACE)
#undef PLUMB_VECTOR_NAMESPACE
#define PLUMB_VECTOR_NAMESPACE PLUMB_KERNEL_SPACE
#endif
