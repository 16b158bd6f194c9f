// SPDX-License-Identifier: Apache-2.0
#pragma once

// What did the user ask for?
//
// The options that several subcommands share, and how an argument becomes a value. Anything that is
// not understood is a user error that names the option; nothing is ignored.

#include <array>
#include <boost/program_options.hpp>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/cli/config_file.hpp"
#include "plumb/detail/cli/console.hpp"
#include "plumb/detail/cli/shown_output.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/suggestion.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

namespace options = boost::program_options;

/// Throws where an option is given, and is empty: a variable of a script that is not set says so, and
/// nothing was meant by that, or something else. Separators may be empty.
inline void refuse_empty_values(const options::variables_map& values,
                                const options::options_description& description) {
  for (const auto& [option, value] : values) {
    const auto* const text = boost::any_cast<std::string>(&value.value());
    if (text == nullptr || !text->empty() || value.defaulted()) continue;
    if (description.find(option, false).semantic()->max_tokens() == 0) continue;  // a switch
    if (option.ends_with("-separator")) continue;
    throw user_error({.field = "--" + option}, "names nothing", "give it a value, or leave it out");
  }
}

/// Names of options that words without an option's name are values of, one after another, and how many
/// words each takes; -1 takes all.
using Positional = std::vector<std::pair<const char*, int>>;

[[nodiscard]] inline CommandHelp help_of(const std::string& usage,
                                         const options::options_description& description) {
  CommandHelp help{usage, {}};
  for (const auto& option : description.options()) {
    const bool is_switch = option->semantic()->max_tokens() == 0;
    const std::string value = is_switch ? "" : option->semantic()->name();  // "N (=0)"
    const std::size_t at = value.find(" (=");
    const std::string standard =
        at == value.npos ? "" : value.substr(at + 3, value.size() - at - 4);
    help.options.push_back(
        {option->long_name(), value.substr(0, at), standard, option->description()});
  }
  return help;
}

/// The error of an option that is none of the list's, with the one that may be meant.
/// `command` is "plumb probe ".
[[nodiscard]] inline Error unknown_option(const std::string& option, const std::string& command,
                                          const options::options_description& description) {
  std::vector<std::string> known;
  for (const auto& one : description.options()) known.push_back(one->long_name());
  const std::string name = option.substr(0, option.find('='));
  return user_error({.field = option}, "unknown option",
                    (name.starts_with("--") ? did_you_mean(name.substr(2), known, "--") : "") +
                        "`" + command + "--help` lists what there is");
}

/// For the commands whose options are settings.
inline void add_config(options::options_description& list) {
  add_output(list);
  list.add_options()(
      "config", options::value<std::string>()->value_name("FILE"),
      "take options that are not given from JSON of their names, or from the run.json "
      "of a run that is to be done again");
}

/// Whether a word holds what Boost's messages have for a word of the command line: with it in that
/// place Boost 1.74 puts it there again without end (error_with_option_name::what).
[[nodiscard]] inline bool holds_placeholder(std::string_view word) {
  return ranges::any_of(std::array<std::string_view, 5>{"%value%", "%option%", "%canonical_option%",
                                                        "%original_token%", "%prefix%"},
                        [&](std::string_view one) { return word.find(one) != word.npos; });
}

/// Parses a subcommand's words, and the file of --config where that is an option. Returns nothing
/// after printing help.
inline std::optional<options::variables_map> parse_arguments(
    Console& console, const std::string& usage, options::options_description description,
    const Positional& unnamed = {}) {
  const std::string command = usage.substr(0, usage.find(' ', usage.find(' ') + 1) + 1);
  description.add_options()("help,h", "print this and end");
  options::positional_options_description positional;
  for (const auto& [name, count] : unnamed) positional.add(name, count);
  try {
    options::variables_map values;
    options::store(options::command_line_parser(console.arguments)
                       .options(description)
                       .positional(positional)
                       .style(options::command_line_style::default_style &
                              ~options::command_line_style::allow_guessing)
                       .run(),
                   values);
    if (values.contains("config") && !values.contains("help")) {
      constexpr std::string_view lead = "plumb ";
      take_config(console, command.substr(lead.size(), command.size() - lead.size() - 1),
                  description, values);
    }
    if (values.contains("help") && console.on_help) {
      console.on_help(help_of(usage, description));
      return std::nullopt;
    }
    if (values.contains("help")) {
      console.out << "Usage: " << usage << "\n\nOptions:\n" << description;
      return std::nullopt;
    }
    options::notify(values);
    refuse_empty_values(values, description);
    read_output(values, console);
    return values;
  } catch (const options::unknown_option& error) {
    throw unknown_option(error.get_option_name(), command, description);
  } catch (const options::error& error) {
    const auto word = ranges::find_if(console.arguments, holds_placeholder);
    const std::string said = word == console.arguments.end()
                                 ? error.what()
                                 : "an option is not what this command takes; '" + *word +
                                       "' keeps Boost from saying which";
    throw user_error({}, said, "`" + command + "--help` tells more");
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
