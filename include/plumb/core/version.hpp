// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which plumb is this, and which compilers is it tested with? Macros, so that a build script and the
// preprocessor can read them too.

#define PLUMB_VERSION "0.2.0"

// An older compiler ends in pages of errors about concepts; this is one line of them. Newer ones, and
// others, are let through.
#if !defined(PLUMB_ANY_COMPILER) &&                                                          \
    (__cplusplus < 202002L || (!defined(__clang__) && defined(__GNUC__) && __GNUC__ < 12) || \
     (defined(__clang__) && !defined(__apple_build_version__) && __clang_major__ < 14))
#error \
    "plumb wants C++20 and is tested with g++ 12, clang 14 and clang 16; give -std=c++20 and one of these or a newer one, or define PLUMB_ANY_COMPILER to try"
#endif
