// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does a command print?
//
// Without options, it prints tables and the cost of a run in human-readable form. With --format, it
// prints only the tables, for another program or a paper; with --json, metrics.json; with --quiet,
// only errors. If the output is for a program, notes and progress go to stderr.

#include <array>
#include <boost/program_options.hpp>
#include <ostream>
#include <string>

#include "plumb/detail/cli/console.hpp"
#include "plumb/detail/core/error.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline void add_output(boost::program_options::options_description& list) {
  namespace options = boost::program_options;
  list.add_options()("format", options::value<std::string>()->value_name("FORMAT"),
                     "print only the tables, as csv, json, latex or markdown")(
      "json", "print metrics.json instead of the tables")("quiet", "print errors only");
}

/// Reads the output options, if the command has any. Throws a user error for an unknown format, and
/// if two of these options are specified together.
inline void read_output(const boost::program_options::variables_map& values, Console& console) {
  ShownOutput& shown = console.shown;
  std::string given;
  for (const char* option : {"format", "json", "quiet"}) {
    if (!values.contains(option)) continue;
    if (!given.empty()) {
      throw user_error({.setting = option}, "conflicts with `" + given + "`",
                       "use only one of them");
    }
    given = option;
  }
  if (given.empty()) return;
  shown = {.quiet = given == "quiet", .json = given == "json"};
  if (given != "format") return;
  const std::string word = values["format"].as<std::string>();
  constexpr std::array names{"terminal", "csv", "json", "latex", "markdown"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (word != names[i]) continue;
    shown.format = static_cast<TableFormat>(i);
    return;
  }
  throw user_error({.setting = "format"}, "'" + word + "' is not a format",
                   "use csv, json, latex, markdown or terminal");
}

/// The stream for human-readable text: stdout, or stderr if stdout is for a program; with --quiet,
/// the text is discarded.
[[nodiscard]] inline std::ostream& for_people(Console& console) {
  static std::ostream nowhere(nullptr);
  if (console.shown.quiet) return nowhere;
  return console.shown.is_for_people() ? console.out : console.err;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
