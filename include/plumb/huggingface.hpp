// SPDX-License-Identifier: Apache-2.0
#pragma once

// How do I run a model in a Hugging Face folder without llama.cpp or Python?
//
//   plumb::HuggingFaceCausalModel model("folder");
//   plumb::HuggingFaceMaskedModel model("folder");
//
// Link the component plumb::huggingface. Run: examples/hugging_face_folder.cpp.

#include "plumb/detail/huggingface/folder_model.hpp"
#include "plumb/detail/huggingface/network_kind.hpp"

namespace plumb {

using detail::HuggingFaceCausalModel;
using detail::HuggingFaceMaskedModel;
using detail::is_masked_folder;

}  // namespace plumb
