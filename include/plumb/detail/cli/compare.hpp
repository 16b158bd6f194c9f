// SPDX-License-Identifier: Apache-2.0
#pragma once

// plumb compare: compares finished runs of several models with each other, or with published
// numbers.

#include <filesystem>
#include <utility>

#include "plumb/detail/cli/job_console.hpp"
#include "plumb/detail/run/compare_measurement.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct CompareArguments {
  CompareSettings compare{};
  std::filesystem::path out{};

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& visitor) {
    CompareSettings::visit(self.compare, visitor);
    visitor("out", self.out, {.value = "DIR", .help = "where to write"});
  }
};

/// The exit code if a condition of --assert is false.
inline constexpr int assertion_failed = 3;

/// Runs the subcommand; returns the exit code 0, or `assertion_failed`. Throws an Error for every
/// failure.
inline int run_compare_command(Console& console) {
  detail::CompareArguments arguments;
  if (!detail::parse_settings(console, "plumb compare RUN… [NAME=RUN] --out DIR", arguments,
                              {{"runs", -1}})) {
    return 0;
  }
  (detail::require)(arguments.out, "--out", "plumb compare");
  const Report report = detail::show_measurement(
      console, "compare", CompareMeasurement(std::move(arguments.compare)), arguments.out);
  for (const std::string& line : report.failed()) {
    console.err << "plumb: condition not met: " << line << std::endl;
  }
  return report.failed().empty() ? 0 : assertion_failed;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
