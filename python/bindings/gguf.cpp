// SPDX-License-Identifier: Apache-2.0

// GGUF files by llama.cpp.

#include <ggml-backend.h>
#include <nanobind/stl/string.h>

#include "model.hpp"
#include "plumb/llama.hpp"

namespace plumb_python {

AnyModel llama_model(const std::string& file, int threads, bool parse_special_tokens, bool exact) {
  return AnyModel::made_by([&] {
    return LlamaModel({.model = file,
                       .precision = exact ? Precision::exact : Precision::fast,
                       .threads = threads,
                       .parse_special_tokens = parse_special_tokens});
  });
}

void bind_gguf(nb::module_& module) {
  module.def("load_llama_kernels", [](const std::string& folder) {
    const LlamaLog unheard;  // nobody needs to read which library it took
    ggml_backend_load_all_from_path(folder.c_str());
  });
}

}  // namespace plumb_python
