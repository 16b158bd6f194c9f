// SPDX-License-Identifier: Apache-2.0

// Hugging Face folders: the one file of the module that computes, and is optimised.

#ifdef _OPENMP
#include <omp.h>
#endif

#include "model.hpp"
#include "plumb/huggingface.hpp"

namespace plumb_python {

AnyModel folder_model(const std::string& folder, [[maybe_unused]] int threads,
                      bool parse_special_tokens) {
#ifdef _OPENMP
  if (threads > 0) omp_set_num_threads(threads);
#endif
  if (is_masked_folder(folder)) {
    return AnyModel::made_by([&] { return HuggingFaceMaskedModel(folder, parse_special_tokens); });
  }
  return AnyModel::made_by([&] { return HuggingFaceCausalModel(folder, parse_special_tokens); });
}

}  // namespace plumb_python
