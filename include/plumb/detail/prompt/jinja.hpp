// SPDX-License-Identifier: Apache-2.0
#pragma once

// Chat templates run by llama.cpp's Jinja engine, in the component plumb::chat (cmake/chat.cpp).

#include "plumb/detail/core/chat.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Texts as transformers' apply_chat_template writes them. `strftime_now` is 26 July 2024, the date that
/// Llama 3's templates write without a clock, so that a run gives the same bytes on any day.
[[nodiscard]] ChatRenderer jinja_renderer();

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
