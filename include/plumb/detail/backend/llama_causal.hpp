// SPDX-License-Identifier: Apache-2.0
#pragma once

// Does a GGUF file declare itself to be something other than a causal language model?
//
// The check reads the file's metadata and tensors before the model is loaded; it does not use a
// list of model names. It looks for non-causal attention, vectors pooled over all tokens, a
// classifier's output, and an encoder's layers. llama.cpp loads such models too, but computes no
// logits, or logits that depend on the other texts in a step. Pooling type `last`, used by
// embedding models made from decoders, such as Qwen3-Embedding, is causal and therefore accepted: a
// token sees only earlier tokens, and `rank` uses the last token's vector. LlamaModel adds a
// warning about the probabilities of such a model.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "plumb/detail/backend/llama_file.hpp"
#include "plumb/detail/core/error.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

[[nodiscard]] inline Error no_causal_model(const GgufModel& model, const std::string& why) {
  return user_error({.file = model.first().path()}, "is not a causal language model: " + why,
                    "choose a decoder-only model");
}

/// Throws a user error if a file's own metadata or tensors show that it is not a causal language
/// model.
inline void refuse_no_causal_model(const GgufModel& model) {
  const GgufFile& head = model.first();
  const auto refuse = [&](const std::string& why) { throw no_causal_model(model, why); };
  if (const auto type = head.text("general.type"); type && *type != "model") {
    refuse("its general.type is \"" + *type + "\"");
  }
  const std::string architecture = head.text("general.architecture").value_or("");
  const std::string causal = architecture + ".attention.causal";
  if (head.whole_number(causal) == 0) refuse("its " + causal + " is false");
  const std::string pooling = architecture + ".pooling_type";
  constexpr std::array names{"none", "mean", "cls", "last", "rank"};
  const std::int64_t pooled = head.whole_number(pooling).value_or(0);
  if (pooled == 1 || pooled == 2 || pooled == 4) {
    refuse("its " + pooling + " is " + names[static_cast<std::size_t>(pooled)] +
           ", as in an embedding or ranking model");
  }
  if (pooled < -1 || pooled > 4) {  // -1: llama.cpp's value for "unspecified"
    refuse("its " + pooling + " is " + std::to_string(pooled) +
           ", which is not a known pooling type");
  }
  if (model.has_tensor("enc.")) refuse("it has an encoder");
  if (model.has_tensor("cls.")) refuse("it has a classifier head");
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
