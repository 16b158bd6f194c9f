// SPDX-License-Identifier: Apache-2.0
#pragma once

// plumb report: pages and tables from a results folder.
//
// The folder may be plumb's own or lm-pub-quiz's; nothing is scored again. By default the page is
// written beside the results; --out puts it elsewhere and leaves the folder as it is.

#include <cstdint>
#include <filesystem>
#include <string>

#include "plumb/cli/arguments.hpp"
#include "plumb/report/probe_report.hpp"

namespace plumb {

namespace detail {

/// The seed the run's intervals were drawn with; 0 for a folder that names none.
inline std::uint64_t recorded_seed(const std::filesystem::path& folder) {
  const auto file = folder / "run.json";
  if (!std::filesystem::exists(file)) return 0;
  return read_json_object(file).value("settings", Json::object()).value("seed", std::uint64_t{0});
}

}  // namespace detail

inline int run_report_command(Console& console) {
  std::string run, out, seed;
  detail::options::options_description list;
  list.add_options()  //
      ("run", detail::options::value(&run)->required(),
       "run folder or lm-pub-quiz results folder")  //
      ("out", detail::options::value(&out)->value_name("DIR"),
       "where to write; the run folder by default")  //
      ("seed", detail::options::value(&seed)->value_name("N"),
       "of the bootstrap intervals; the run's own by default");
  detail::options::positional_options_description positional;
  positional.add("run", 1);
  if (!detail::parse_arguments(console, "plumb report RUN [--out DIR]", list, positional)) return 0;
  const std::filesystem::path target = out.empty() ? run : out;
  const ProbeReport report(run, {.seed = seed.empty() ? detail::recorded_seed(run)
                                                      : detail::parse_count(seed, "--seed")});
  std::filesystem::create_directories(target);
  report.write(target);
  console.out << report.table() << "\nreport: " << (target / "report.html").string() << "\n";
  return 0;
}

}  // namespace plumb
