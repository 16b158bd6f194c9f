// SPDX-License-Identifier: Apache-2.0
#pragma once

// Are two names the same except for case, spaces and punctuation?

#include <string>
#include <string_view>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A name's letters and digits, with ASCII letters in lower case: "Multiple_Choices" becomes
/// "multiplechoices". Non-ASCII bytes are kept.
inline std::string bare_name(std::string_view name) {
  std::string bare;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') bare += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80) {
      bare += c;
    }
  }
  return bare;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
