// SPDX-License-Identifier: Apache-2.0

// How do I convert a model to another weight type?
//
//   requantize IN.gguf OUT.gguf F32|F16|BF16|Q8_0
//
// Rewrites every matrix; vectors (norms, biases) stay in F32. For a model in several parts, pass
// the first part; the output is one file. Scores of quantised weights are noisy, because their
// kernels also round the activations. For a comparison with PyTorch, use the F32 rewrite.

#include <ggml.h>

#include <iostream>
#include <map>
#include <string>

#include "plumb/detail/backend/llama_file.hpp"
#include "plumb/detail/backend/llama_rewrite.hpp"
#include "plumb/detail/core/error.hpp"

namespace {

const std::map<std::string, plumb::detail::GgufTarget> targets{{"F32", {GGML_TYPE_F32, 0}},
                                                               {"F16", {GGML_TYPE_F16, 1}},
                                                               {"BF16", {GGML_TYPE_BF16, 32}},
                                                               {"Q8_0", {GGML_TYPE_Q8_0, 7}}};

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 4 || !targets.contains(argv[3])) {
      throw plumb::detail::user_error({}, "usage: requantize IN.gguf OUT.gguf F32|F16|BF16|Q8_0");
    }
    const plumb::detail::GgufModel model(argv[1]);
    plumb::detail::GgufRewrite(model, targets.at(argv[3])).write(argv[2]);
    return 0;
  } catch (const plumb::detail::Error& error) {
    std::cerr << "requantize: " << error.what() << std::endl;
    return error.fault() == plumb::detail::Fault::user ? 2 : 1;
  }
}
