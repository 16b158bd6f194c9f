// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which texts can a model embed?
//
// A model can embed texts that have at least one token and fit into its context. Plans check this
// before any text is embedded, so that a job does not fail halfway.

#include <cstddef>
#include <string>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/utf8.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Throws a user error if a text has no tokens or more than `context` tokens. If a BOS token is
/// fed, it is counted too.
inline void refuse_text_length(const std::string& text, std::size_t tokens, std::size_t context) {
  if (tokens == 0) {
    throw user_error({.field = "text"}, "'" + text + "' has no tokens", "set `bos` to yes");
  }
  if (tokens <= context) return;
  throw user_error({.field = "text"},
                   "'" + shortened(text) + "' has " + counted(tokens, "token") +
                       "; the model's limit is " + std::to_string(context),
                   "shorten the name or description");
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
