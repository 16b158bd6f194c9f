// SPDX-License-Identifier: Apache-2.0
#pragma once

// plumb report: generates the page and tables from a results folder.
//
// The folder may come from plumb or from lm-pub-quiz; nothing is scored again. By default the page
// is written next to the results. With --out it is written elsewhere, and the results folder does
// not change. A non-empty --out is rejected unless it contains a report of the same run or
// --overwrite is specified.

#include <filesystem>

#include "plumb/detail/cli/job_console.hpp"
#include "plumb/detail/run/finished_report.hpp"
#include "plumb/detail/run/report_place.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Runs the subcommand; returns the exit code 0. Throws an Error for every failure.
inline int run_report_command(Console& console) {
  ReportSettings settings;
  detail::options::options_description list;
  detail::describe_settings(list, settings, console);
  detail::add_config(list);
  const auto values =
      detail::parse_arguments(console, "plumb report RUN [--out DIR]", list, {{"run", 1}});
  if (!values) return 0;
  if (values->contains("run")) {
    settings.measuring = recorded_measuring((*values)["run"].as<std::string>());
  }
  detail::read_settings(*values, console, settings);
  (detail::require)(settings.run, "RUN", "plumb report");
  const DiskPath target = settings.target();
  const Report report = finished_report(settings);
  write_report(report, settings.run, target, settings.overwrite);
  detail::show_report(console, report, target / "report.html");
  return 0;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
