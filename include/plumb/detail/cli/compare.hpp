// SPDX-License-Identifier: Apache-2.0
#pragma once

// plumb compare: what models know, side by side, from their finished runs, or beside published
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

/// Runs the subcommand; returns the exit code 0. Throws Error for everything that goes wrong.
inline int run_compare_command(Console& console) {
  detail::CompareArguments arguments;
  if (!detail::parse_settings(console, "plumb compare RUN… [NAME=RUN] --out DIR", arguments,
                              {{"runs", -1}})) {
    return 0;
  }
  (detail::require)(arguments.out, "--out", "plumb compare");
  detail::show_measurement(console, "compare", CompareMeasurement(std::move(arguments.compare)),
                           arguments.out);
  return 0;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
