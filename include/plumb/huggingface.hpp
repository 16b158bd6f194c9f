// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a model in a Hugging Face folder asked, without llama.cpp and without Python?
//
//   plumb::HuggingFaceCausalModel model("folder");
//   plumb::HuggingFaceMaskedModel model("folder");
//
// The component plumb::huggingface. Run: examples/hugging_face_folder.cpp.

#include "plumb/huggingface/folder_model.hpp"
