// SPDX-License-Identifier: Apache-2.0

// The reference command: plumb over llama.cpp.

#include <stdlib.h>
#include <unistd.h>

#include "plumb/backend/llama.hpp"
#include "plumb/cli/command_line.hpp"

namespace {

// llama.cpp's threads (OpenMP) spin for long while they wait for each other, which costs half the
// speed or more on a machine that does anything else; going to sleep at once costs a sixth on one
// that does not. They are told to spin for a thousand rounds, a few microseconds, which is as fast
// as either. OpenMP reads its wishes before main, so the program starts itself again with them,
// unless the user has chosen.
void wait_with_little_spinning(char** argv) {
  if (getenv("OMP_WAIT_POLICY") != nullptr || getenv("GOMP_SPINCOUNT") != nullptr) return;
  if (setenv("OMP_WAIT_POLICY", "passive", 1) == 0 && setenv("GOMP_SPINCOUNT", "1000", 1) == 0) {
    execv("/proc/self/exe", argv);
  }
}

}  // namespace

int main(int argc, char** argv) {
  wait_with_little_spinning(argv);
  return plumb::run_command_line(argc, argv, [](const plumb::ModelOptions& options) {
    const auto precision = options.exact ? plumb::Precision::exact : plumb::Precision::fast;
    return plumb::LlamaModel({.model = options.model,
                              .precision = precision,
                              .threads = options.threads,
                              .parse_special_tokens = options.parse_special_tokens});
  });
}
