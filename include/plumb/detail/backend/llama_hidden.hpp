// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are hidden vectors read from llama.cpp before the LM head?
//
// llama.cpp passes every tensor of a step to a callback. In all architectures, the final norm's
// tensor is named "result_norm". It has a row for each token whose output was requested, in the
// order of the batch. The step is aborted once the tensor has been copied, so the LM head is never
// computed.

#include <ggml-backend.h>
#include <ggml.h>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "plumb/detail/core/error.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Not thread-safe. There is one object for each llama.cpp context; its address must not change.
class LlamaHidden {
 public:
  /// While this object exists, steps end at the hidden vectors.
  class Reading {
   public:
    explicit Reading(LlamaHidden& hidden) : hidden_(hidden) { hidden_.is_read_ = true; }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;
    ~Reading() { hidden_.is_read_ = false; }

   private:
    LlamaHidden& hidden_;
  };

  [[nodiscard]] bool is_read() const noexcept { return is_read_; }

  /// Row i of the last step. Throws an internal error if the step produced no vectors.
  [[nodiscard]] std::span<const float> row(std::size_t i, std::size_t dimension) const {
    if ((i + 1) * dimension > values_.size()) {
      throw internal_error({}, "llama.cpp has no tensor result_norm for this kind of model");
    }
    return std::span(values_).subspan(i * dimension, dimension);
  }

  /// The callback (`ggml_backend_sched_eval_callback`). Called before a tensor is computed, it
  /// returns whether the tensor is needed; called afterwards, it returns whether to continue.
  static bool watch(ggml_tensor* tensor, bool ask, void* self) {
    auto& hidden = *static_cast<LlamaHidden*>(self);
    if (!hidden.is_read_ || std::string_view(tensor->name) != "result_norm") return !ask;
    if (ask) return true;
    hidden.values_.resize(static_cast<std::size_t>(ggml_nelements(tensor)));
    ggml_backend_tensor_get(tensor, hidden.values_.data(), 0, ggml_nbytes(tensor));
    return false;
  }

 private:
  bool is_read_ = false;
  std::vector<float> values_;  // [outputs, dimension]
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
