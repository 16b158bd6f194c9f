// SPDX-License-Identifier: Apache-2.0
#pragma once

// How do I run a GGUF file with llama.cpp?
//
//   plumb::LlamaModel model({.model = "model.gguf"});
//
// Needs llama.cpp (the component plumb::llama). Run: the plumb command itself,
// examples/plumb/plumb.cpp.

#include "plumb/detail/backend/llama.hpp"

namespace plumb {

using detail::LlamaModel;

}  // namespace plumb
