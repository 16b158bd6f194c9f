// SPDX-License-Identifier: Apache-2.0

// Can I use the whole plumb command with my own engine?
//
// Yes, with the last lines of main below: `own_command probe --data DIR --model FILE --out RUN`,
// and every other subcommand. MyModel's constructor decides what --model means. Each run starts by
// comparing the engine's different forms of evaluation on a few short prompts. `own_command verify`
// compares them on your own texts, and reports the first position where two forms differ.

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/command.hpp"
#include "plumb/model.hpp"

/// A stand-in for your engine: it has read one sentence, regardless of --model.
struct MyModel : plumb::NgramTreeModel {
  explicit MyModel(const plumb::ModelOptions&)
      : NgramTreeModel("The capital of France is Paris. ", 12) {}
};

int verify() {
  MyModel model({});
  const std::vector<std::string> texts{"The capital of France is Paris.", "The capital of Rome"};
  const auto made = plumb::verify_model(model, texts, 1e-3);
  for (const std::string& form : made.compared) std::printf("compared: %s\n", form.c_str());
  std::printf("%s\n", made.agrees() ? "all agree" : made.first->description().c_str());
  return made.agrees() ? 0 : 1;
}

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "verify") return verify();
  return plumb::run_command_line(
      argc, argv, [](const plumb::ModelOptions& options) { return MyModel(options); });
}
