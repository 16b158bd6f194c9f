// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parses a setting's value from an argument, as the command line does.

#include <boost/test/unit_test.hpp>
#include <string>

#include "plumb/detail/run/job_setting.hpp"
#include "support/errors.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

template <class Value>
[[nodiscard]] Value read(const std::string& word) {
  Value value{};
  setting::read(word, "x", value);
  return value;
}

template <class Value>
void refused(const std::string& word, const std::string& message) {
  BOOST_CHECK_EXCEPTION((void)read<Value>(word), Error, says(Fault::user, "`x`: " + message));
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
