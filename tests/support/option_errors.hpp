// SPDX-License-Identifier: Apache-2.0
#pragma once

// An error that a test expects, as the command line shows it.

#include <string>
#include <utility>

#include "plumb/detail/cli/console.hpp"
#include "support/errors.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// A predicate for BOOST_CHECK_EXCEPTION, like `says`, but with settings written as options.
inline auto shows(Fault fault, std::string words) {
  return [fault, words = std::move(words)](const Error& error) {
    return says(fault, words)(Error(error.fault(), {}, as_options(error.what())));
  };
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
