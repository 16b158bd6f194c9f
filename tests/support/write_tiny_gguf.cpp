// SPDX-License-Identifier: Apache-2.0

// Writes a tiny random transformer for tests of the whole command.
//
//   write_tiny_gguf OUT.gguf [no-bos | VOCABULARY.gguf]
//   write_tiny_gguf OUT.gguf lora     an adapter for one

#include <string_view>

#include "support/tiny_gguf.hpp"

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  if (argc > 2 && std::string_view(argv[2]) == "lora") {
    plumb::test::TinyLora().write(argv[1]);
    return 0;
  }
  plumb::test::TinyOptions options;
  if (argc > 2) {
    options.with_bos = std::string_view(argv[2]) != "no-bos";
    if (options.with_bos) {
      options.vocabulary = argv[2];
      options.context = 2048;
    }
  }
  plumb::test::TinyGguf(options).write(argv[1]);
}
