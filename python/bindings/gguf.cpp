// SPDX-License-Identifier: Apache-2.0

// GGUF files by llama.cpp.

#include <ggml-backend.h>
#include <nanobind/stl/string.h>

#include <mutex>

#include "model.hpp"
#include "plumb/llama.hpp"

namespace plumb_python {

namespace {

std::string kernel_folder;

/// Loads ggml's library for this CPU, if llama.cpp has a folder with one library per kind of CPU.
void load_kernels() {
  static std::once_flag is_done;
  std::call_once(is_done, [] {
    if (kernel_folder.empty()) return;
    const LlamaLog unheard;  // which library was loaded is not worth a message
    ggml_backend_load_all_from_path(kernel_folder.c_str());
  });
}

}  // namespace

AnyModel llama_model(const std::string& file, int threads, bool parse_special_tokens, bool exact) {
  load_kernels();
  return AnyModel::made_by([&] {
    return LlamaModel({.model = file,
                       .precision = exact ? Precision::exact : Precision::fast,
                       .threads = threads,
                       .parse_special_tokens = parse_special_tokens});
  });
}

void bind_gguf(nb::module_& module) {
  module.def("set_llama_kernels", [](const std::string& folder) { kernel_folder = folder; });
}

}  // namespace plumb_python
