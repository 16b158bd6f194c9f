// SPDX-License-Identifier: Apache-2.0
#pragma once

// An error that a test expects: its fault and its message.

#include <string>

#include "plumb/detail/core/error.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// A predicate for BOOST_CHECK_EXCEPTION.
inline auto says(Fault fault, std::string words) {
  return [fault, words = std::move(words)](const Error& error) {
    const std::string text = error.what();
    return error.fault() == fault && text.find(words) != std::string::npos &&
           text.find('\n') == std::string::npos;
  };
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
