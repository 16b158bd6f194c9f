// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does a command print?
//
// Without options, tables and what a run cost, for people. With --format, the tables alone, for another
// program or a paper; with --json, metrics.json; with --quiet, errors alone. Where the output is for a
// program, notes and progress go to stderr.

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
                     "print the tables as csv, json, latex or markdown, and nothing else")(
      "json", "print metrics.json in place of the tables")("quiet", "print errors only");
}

/// Reads them, where the command has them. Throws a user error for a format that is not known, and for two
/// options at once.
inline void read_output(const boost::program_options::variables_map& values, Console& console) {
  ShownOutput& shown = console.shown;
  std::string given;
  for (const char* option : {"format", "json", "quiet"}) {
    if (!values.contains(option)) continue;
    if (!given.empty()) {
      throw user_error({.setting = option}, "is given with `" + given + "`", "give one of them");
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
                   "say csv, json, latex, markdown or terminal");
}

/// Where words for people go: stdout, stderr where stdout is for a program, and nowhere with --quiet.
[[nodiscard]] inline std::ostream& for_people(Console& console) {
  static std::ostream nowhere(nullptr);
  if (console.shown.quiet) return nowhere;
  return console.shown.is_for_people() ? console.out : console.err;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
