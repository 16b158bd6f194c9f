// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which version of plumb is this, and which compilers and flags does it support? The answers are
// macros, so that a build script and the preprocessor can read them too. Every header includes this
// one, so the checks here apply whichever header a file includes first.

#define PLUMB_VERSION "0.2.0"

// All types and functions are in plumb::PLUMB_VERSION_NAMESPACE, an inline namespace. Programs
// write plumb::Dataset, and one program can link two libraries that contain different versions of
// plumb. The name changes with every release that may change a type. Each header spells it out,
// because clang before 17 treats `namespace plumb::detail` as a different namespace (CWG 2061).
#define PLUMB_VERSION_NAMESPACE v0_2

// An older compiler would print pages of errors about concepts; this check prints one line instead.
// Newer compilers, and unknown ones, pass the check.
#if !defined(PLUMB_ANY_COMPILER) &&                                                          \
    (__cplusplus < 202002L || (!defined(__clang__) && defined(__GNUC__) && __GNUC__ < 12) || \
     (defined(__clang__) && !defined(__apple_build_version__) && __clang_major__ < 14))
#error \
    "plumb needs C++20 and is tested with g++ 12, clang 14 and clang 16; pass -std=c++20 and use one of these or a newer one, or define PLUMB_ANY_COMPILER to try another"
#endif

// NaN marks values that a model did not compute or that are undefined. If the compiler may assume
// that NaN never occurs, a fact with NaN scores is silently judged right or wrong. GCC and clang
// define the first macro, MSVC the second. -fno-signed-zeros, -fassociative-math and
// -freciprocal-math are allowed, as they only change rounding.
#if (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || defined(_M_FP_FAST)
#error \
    "plumb tests for NaN, which -ffast-math, -Ofast, -ffinite-math-only and /fp:fast break; drop the flag for files that include plumb, or add -fno-finite-math-only (/fp:precise) after it"
#endif

// All errors are reported as exceptions (core/error.hpp).
#if !defined(__cpp_exceptions) && !defined(__EXCEPTIONS) && !defined(_CPPUNWIND)
#error \
    "plumb reports errors as exceptions, which -fno-exceptions disables; drop the flag for files that include plumb, or add -fexceptions after it"
#endif
