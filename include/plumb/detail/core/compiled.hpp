// SPDX-License-Identifier: Apache-2.0
#pragma once

// Do the bodies of non-template functions come from the headers or from a compiled library?
//
// By default every header contains its function bodies. The dataset readers, the reports and the
// code that measures finished run folders are long, and they compile to the same code in every file
// that uses them. If PLUMB_COMPILED is defined, their headers only declare them, and they are
// compiled once, in the target plumb::compiled or plumb::command. CMake defines the macro for
// targets that link to either of these.

#include "plumb/detail/core/version.hpp"

#if !defined(PLUMB_COMPILED)
#define PLUMB_BODIES 1
#define PLUMB_INLINE inline
#elif defined(PLUMB_COMPILING)  // the library's own files
#define PLUMB_BODIES 1
#define PLUMB_INLINE
#else
#define PLUMB_BODIES 0
#endif
