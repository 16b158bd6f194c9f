// SPDX-License-Identifier: Apache-2.0
#pragma once

// How do I query a model that runs on llama-server, vLLM or SGLang?
//
//   plumb::ServerModel model({.url = "http://localhost:8000"});
//
// Link the component plumb::server, which is built on Boost.Beast. Run: the plumb command itself,
// examples/plumb/plumb.cpp.

#include "plumb/detail/server/server_model.hpp"

namespace plumb {

using detail::ServerModel;

}  // namespace plumb
