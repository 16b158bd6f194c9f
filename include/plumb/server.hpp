// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a model asked that a llama-server, vLLM or SGLang runs?
//
//   plumb::ServerModel model({.url = "http://localhost:8000"});
//
// The component plumb::server, over Boost's Beast. Run: the command itself, examples/plumb/plumb.cpp.

#include "plumb/detail/server/server_model.hpp"

namespace plumb {

using detail::ServerModel;

}  // namespace plumb
