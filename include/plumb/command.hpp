// SPDX-License-Identifier: Apache-2.0
#pragma once

// How do I build the whole plumb command around my own model?
//
//   int main(int argc, char** argv) {
//     return plumb::run_command_line(argc, argv, [](const plumb::ModelOptions& options) { … });
//   }
//
// The library plumb::command contains the compiled command. Run: examples/own_command.cpp,
// examples/own_masked_command.cpp.

#include "plumb/detail/cli/command_line.hpp"

namespace plumb {

using detail::ModelOptions;
using detail::run_command_line;

}  // namespace plumb
