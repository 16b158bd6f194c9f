// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the bodies of functions that are no templates come from: with the headers, or from a library.
//
// By default every header brings its bodies. Reports with what measures finished folders, and readers
// of datasets, are long and the same in every file that calls them: where PLUMB_COMPILED is defined,
// their headers declare them only, and they are compiled once, in the target plumb::compiled or
// plumb::command. CMake defines it for what links one of these.

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
