// SPDX-License-Identifier: Apache-2.0

// Writes a tiny random transformer for tests of the whole command.
//
//   write_tiny_gguf OUT.gguf [no-bos | VOCABULARY.gguf]
//   write_tiny_gguf OUT.gguf lora     an adapter for such a transformer
//   write_tiny_gguf OUT.gguf bf16     weights in BF16
//   write_tiny_gguf OUT.gguf cut      the same weights in F32
//   write_tiny_gguf OUT.gguf two-way  metadata that specifies non-causal attention
//   write_tiny_gguf OUT.gguf sliding  sliding windows; also recurrent, hybrid
//   write_tiny_gguf LEAD parts SEED   three parts, the first without weights

#include <cstdlib>
#include <string>
#include <string_view>

#include "support/tiny_gguf.hpp"

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  if (argc > 2 && std::string_view(argv[2]) == "lora") {
    plumb::detail::test::TinyLora().write(argv[1]);
    return 0;
  }
  plumb::detail::test::TinyOptions options;
  const std::string_view kind = argc > 2 ? argv[2] : "";
  if (kind == "bf16" || kind == "cut") {
    plumb::detail::test::TinyGguf(options).cut_to_bf16(kind == "bf16").write(argv[1]);
    return 0;
  }
  if (kind == "two-way") {
    plumb::detail::test::TinyGguf(options)
        .edit([](gguf_context* to) { gguf_set_val_bool(to, "llama.attention.causal", false); })
        .write(argv[1]);
    return 0;
  }
  if (kind == "sliding") options.kind = plumb::detail::test::TinyKind::sliding_window;
  if (kind == "recurrent") options.kind = plumb::detail::test::TinyKind::recurrent;
  if (kind == "hybrid") options.kind = plumb::detail::test::TinyKind::hybrid;
  if (kind == "sliding" || kind == "recurrent" || kind == "hybrid") {
    plumb::detail::test::TinyGguf(options).write(argv[1]);
    return 0;
  }
  if (kind == "parts") {
    options.seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
    plumb::detail::test::TinyGguf(options).write_parts(argv[1], 3);
    return 0;
  }
  if (argc > 2) {
    options.with_bos = std::string_view(argv[2]) != "no-bos";
    if (options.with_bos) {
      options.vocabulary = argv[2];
      options.context = 2048;
    }
  }
  plumb::detail::test::TinyGguf(options).write(argv[1]);
}
