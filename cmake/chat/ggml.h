// SPDX-License-Identifier: Apache-2.0
// What llama.cpp's JSON wrapper takes of ggml, so that its Jinja engine is built without ggml.
#pragma once

#include <cassert>

#define GGML_ASSERT(condition) assert(condition)
