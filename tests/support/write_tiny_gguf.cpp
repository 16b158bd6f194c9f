// SPDX-License-Identifier: Apache-2.0

// Writes a tiny random transformer for tests of the whole command.
//
//   write_tiny_gguf OUT.gguf [no-bos]

#include "support/tiny_gguf.hpp"

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  plumb::test::TinyGguf({.with_bos = argc == 2}).write(argv[1]);
}
