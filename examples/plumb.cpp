// SPDX-License-Identifier: Apache-2.0

// The reference command: plumb over llama.cpp.

#include "plumb/backend/llama.hpp"
#include "plumb/cli/command_line.hpp"

int main(int argc, char** argv) {
  return plumb::run_command_line(argc, argv, [](const plumb::ModelOptions& options) {
    const auto precision = options.exact ? plumb::Precision::exact : plumb::Precision::fast;
    return plumb::LlamaModel({options.model, precision, options.threads});
  });
}
