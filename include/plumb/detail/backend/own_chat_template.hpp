// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which chat template comes with a model?

#include <optional>

#include "plumb/detail/core/chat.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The model's own template; nullopt, or a template without a text, if it has none. A model may
/// return its template from a member `chat_template()`, optional for every backend, as a
/// ChatTemplate or as an optional ChatTemplate.
template <class Model>
[[nodiscard]] std::optional<ChatTemplate> own_chat_template(const Model& model) {
  if constexpr (requires { model.chat_template(); }) return model.chat_template();
  return std::nullopt;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
