// SPDX-License-Identifier: Apache-2.0

// GGUF files, by llama.cpp.

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

}  // namespace plumb_python
