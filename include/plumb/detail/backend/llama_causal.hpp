// SPDX-License-Identifier: Apache-2.0
#pragma once

// Does a GGUF file call itself something else than a causal language model?
//
// By its own metadata and tensors, before it is loaded, not by a list of names: attention that is not
// causal, vectors pooled over all tokens, a classifier's output, an encoder's layers. llama.cpp loads
// such models too and computes no logits, or logits that go by the other texts of a step. Causal and
// accepted is pooling type `last` (embedding models made of decoders, as Qwen3-Embedding): a token sees
// those before it alone, and the last one's vector is what `rank` asks for; LlamaModel adds a warning
// for its probabilities.

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

/// Throws a user error for a file that says so of itself.
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
           ", an embedding or ranking model's");
  }
  if (pooled < -1 || pooled > 4) {  // -1 is llama.cpp's word for not said
    refuse("its " + pooling + " is " + std::to_string(pooled) + ", which no kind of pooling has");
  }
  if (model.has_tensor("enc.")) refuse("it has an encoder");
  if (model.has_tensor("cls.")) refuse("it has a classifier's output");
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
