// SPDX-License-Identifier: Apache-2.0

// plumb's own networks, for Hugging Face folders and GGUF files. Only this file of the module
// computes, so only this file is optimised.

#ifdef _OPENMP
#include <omp.h>
#endif

#include "model.hpp"
#include "plumb/huggingface.hpp"
#ifdef PLUMB_WITH_LLAMA
#include "plumb/detail/huggingface/native_gguf_model.hpp"
#endif

namespace plumb_python {
namespace {

void set_threads([[maybe_unused]] int threads) {
#ifdef _OPENMP
  if (threads > 0) omp_set_num_threads(threads);
#endif
}

}  // namespace

AnyModel folder_model(const std::string& folder, int threads, bool parse_special_tokens) {
  set_threads(threads);
  if (is_masked_folder(folder)) {
    return AnyModel::made_by([&] { return HuggingFaceMaskedModel(folder, parse_special_tokens); });
  }
  return AnyModel::made_by([&] { return HuggingFaceCausalModel(folder, parse_special_tokens); });
}

#ifdef PLUMB_WITH_LLAMA
AnyModel native_gguf_model(const std::string& file, int threads, bool parse_special_tokens) {
  if (!NativeGgufModel::refusal(file).empty()) {
    return llama_model(file, threads, parse_special_tokens, true);
  }
  set_threads(threads);
  return AnyModel::made_by([&] { return NativeGgufModel(file, parse_special_tokens); });
}
#endif

}  // namespace plumb_python
