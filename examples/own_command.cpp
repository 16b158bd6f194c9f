// SPDX-License-Identifier: Apache-2.0

// Can I have the whole plumb command over my own engine?
//
// The three lines of main below: `own_command probe --data DIR --model FILE --out RUN`, and every
// other subcommand. --model is whatever MyModel's constructor makes of it.

#include "plumb/backend/archetypes.hpp"
#include "plumb/cli/command_line.hpp"

/// Stands for an engine of yours: this one has read one sentence, whatever --model says.
struct MyModel : plumb::NgramTreeModel {
  explicit MyModel(const plumb::ModelOptions&)
      : NgramTreeModel("The capital of France is Paris. ", 12) {}
};

int main(int argc, char** argv) {
  return plumb::run_command_line(
      argc, argv, [](const plumb::ModelOptions& options) { return MyModel(options); });
}
