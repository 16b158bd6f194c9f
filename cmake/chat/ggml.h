// SPDX-License-Identifier: Apache-2.0
// The part of ggml that llama.cpp's JSON wrapper uses, so that its Jinja engine can be built without ggml.
#pragma once

#include <cassert>

#define GGML_ASSERT(condition) assert(condition)
