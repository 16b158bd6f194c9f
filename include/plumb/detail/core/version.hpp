// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which plumb is this, and which compilers and flags does it compile with? Macros, so that a build script
// and the preprocessor can read them too. Every header includes this one, so what is refused here is
// refused whichever header a file begins with.

#define PLUMB_VERSION "0.2.0"

// All types and functions lie in plumb::PLUMB_VERSION_NAMESPACE, an inline namespace: programs write
// plumb::Dataset, and two libraries with different versions of plumb inside can be linked into one program.
// It changes with every release that may change a type. Each header spells it, because clang before 17
// takes `namespace plumb::detail` for another one (CWG 2061).
#define PLUMB_VERSION_NAMESPACE v0_2

// An older compiler ends in pages of errors about concepts; this is one line of them. Newer ones, and
// others, are let through.
#if !defined(PLUMB_ANY_COMPILER) &&                                                          \
    (__cplusplus < 202002L || (!defined(__clang__) && defined(__GNUC__) && __GNUC__ < 12) || \
     (defined(__clang__) && !defined(__apple_build_version__) && __clang_major__ < 14))
#error \
    "plumb wants C++20 and is tested with g++ 12, clang 14 and clang 16; give -std=c++20 and one of these or a newer one, or define PLUMB_ANY_COMPILER to try"
#endif

// NaN marks what a model did not compute and what no number can be given for. Where the compiler may
// take it that there is none, a fact with NaN scores is judged right or wrong without a word. GCC and
// clang define the first, MSVC the second. -fno-signed-zeros, -fassociative-math and
// -freciprocal-math only round otherwise.
#if (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || defined(_M_FP_FAST)
#error \
    "plumb tells NaN from a number, which -ffast-math, -Ofast, -ffinite-math-only and /fp:fast take away; leave the flag out for files that include plumb, or add -fno-finite-math-only (/fp:precise) behind it"
#endif

// Every error is an exception (core/error.hpp).
#if !defined(__cpp_exceptions) && !defined(__EXCEPTIONS) && !defined(_CPPUNWIND)
#error \
    "plumb reports errors as exceptions, which -fno-exceptions takes away; leave the flag out, or give -fexceptions behind it, for files that include plumb"
#endif
