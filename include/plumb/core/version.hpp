// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which plumb is this? A macro, so that a build script and the preprocessor can read it too.

#define PLUMB_VERSION "0.2.0"
