// SPDX-License-Identifier: Apache-2.0
#pragma once

// What did the user ask for?
//
// Declares the options that several subcommands share, and converts arguments to values. An
// argument that cannot be parsed causes a user error that identifies the option; nothing is
// ignored.

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
#include "plumb/detail/cli/help.hpp"
#include "plumb/detail/cli/shown_output.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/suggestion.hpp"
#include "plumb/detail/core/utf8.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

namespace options = boost::program_options;

/// Throws a user error for an option with an empty value, which usually comes from an unset
/// variable in a script. Only separator options may be empty.
inline void refuse_empty_values(const options::variables_map& values,
                                const options::options_description& description) {
  for (const auto& [option, value] : values) {
    const auto* const text = boost::any_cast<std::string>(&value.value());
    if (text == nullptr || !text->empty() || value.defaulted()) continue;
    if (description.find(option, false).semantic()->max_tokens() == 0) continue;  // a switch
    if (option.ends_with("-separator")) continue;
    throw user_error({.field = "--" + option}, "has an empty value",
                     "give it a value, or remove it");
  }
}

/// The options to which positional arguments are assigned, in order, and the number of arguments
/// that each option takes; -1 means all remaining arguments.
using Positional = std::vector<std::pair<const char*, int>>;

[[nodiscard]] inline CommandHelp help_of(const std::string& usage,
                                         const options::options_description& description) {
  CommandHelp help{usage, {}};
  for (const auto& option : description.options()) {
    const bool is_switch = option->semantic()->max_tokens() == 0;
    const std::string value = is_switch ? "" : option->semantic()->name();  // "N (=0)"
    const std::size_t at = value.find(" (=");
    std::string standard = at == value.npos ? "" : value.substr(at + 3, value.size() - at - 4);
    if (standard == " ") standard = "a space";
    if (standard == "\n") standard = "a line break";
    help.options.push_back(
        {option->long_name(), value.substr(0, at), standard, option->description()});
  }
  return help;
}

/// The error for an option that is not in the list, with a suggestion. `command` is, for example,
/// "plumb probe ".
[[nodiscard]] inline Error unknown_option(const std::string& option, const std::string& command,
                                          const options::options_description& description) {
  std::vector<std::string> known;
  for (const auto& one : description.options()) known.push_back(one->long_name());
  const std::string name = option.substr(0, option.find('='));
  return user_error({.field = option}, "unknown option",
                    (name.starts_with("--") ? did_you_mean(name.substr(2), known, "--") : "") +
                        "`" + command + "--help` lists the options");
}

/// Adds --config, for the commands whose options are settings.
inline void add_config(options::options_description& list) {
  add_output(list);
  list.add_options()(
      "config", options::value<std::string>()->value_name("FILE"),
      "read options that are not on the command line from a JSON file, or from the run.json "
      "of a run to repeat");
}

/// Whether an argument contains a placeholder used in Boost's messages. Boost 1.74 replaces a
/// placeholder with the user's argument, and loops forever if that argument contains the
/// placeholder (error_with_option_name::what).
[[nodiscard]] inline bool holds_placeholder(std::string_view word) {
  return ranges::any_of(std::array<std::string_view, 5>{"%value%", "%option%", "%canonical_option%",
                                                        "%original_token%", "%prefix%"},
                        [&](std::string_view one) { return word.find(one) != word.npos; });
}

/// Removes the "all" in `--help all`. Returns whether it was present.
inline bool take_all_after_help(std::vector<std::string>& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] != "all" || (words[i - 1] != "--help" && words[i - 1] != "-h")) continue;
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  }
  return false;
}

/// Boost's usual syntax, without abbreviated option names.
inline constexpr int whole_option_names =
    options::command_line_style::default_style & ~options::command_line_style::allow_guessing;

/// The error for a positional argument that the command does not accept.
[[nodiscard]] inline Error unexpected_argument(const std::vector<std::string>& arguments,
                                               const Positional& unnamed,
                                               const std::string& command,
                                               const options::options_description& description) {
  int accepted = 0;
  for (const auto& [name, count] : unnamed) accepted += count;
  const auto parsed =
      options::command_line_parser(arguments).options(description).style(whole_option_names).run();
  for (const options::option& one : parsed.options) {
    if (one.position_key < accepted) continue;  // -1 for options
    return user_error({}, "unexpected argument '" + one.value.front() + "'",
                      "give each option before it a value, or remove it; `" + command +
                          "--help` lists the options");
  }
  return user_error({}, "too many arguments", "`" + command + "--help` lists the options");
}

/// Throws a user error for an option's value that is not UTF-8. Results, tables and messages contain
/// these values, and all of them are UTF-8.
inline void refuse_non_utf8(const std::string& setting, std::string_view value) {
  if (first_invalid_utf8(value) == std::string::npos) return;
  throw user_error({.setting = setting}, "is not UTF-8",
                   "write it in UTF-8; rename a file or folder whose name is not UTF-8");
}

inline void refuse_non_utf8_arguments(const std::vector<options::option>& given) {
  for (const options::option& one : given) {
    for (const std::string& value : one.value) refuse_non_utf8(one.string_key, value);
  }
}

/// Parses a subcommand's arguments and, if it has the option, the --config file. Returns nullopt
/// after printing help.
inline std::optional<options::variables_map> parse_arguments(
    Console& console, const std::string& usage, options::options_description description,
    const Positional& unnamed = {}) {
  const std::string command = usage.substr(0, usage.find(' ', usage.find(' ') + 1) + 1);
  description.add_options()("help,h", "print this and exit; `--help all` prints all options");
  options::positional_options_description positional;
  for (const auto& [name, count] : unnamed) positional.add(name, count);
  const bool wants_all = take_all_after_help(console.arguments);
  try {
    options::variables_map values;
    const auto parsed = options::command_line_parser(console.arguments)
                            .options(description)
                            .positional(positional)
                            .style(whole_option_names)
                            .run();
    refuse_non_utf8_arguments(parsed.options);
    options::store(parsed, values);
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
      console.out << help_page(command_of(usage), help_of(usage, description), wants_all);
      return std::nullopt;
    }
    options::notify(values);
    refuse_empty_values(values, description);
    read_output(values, console);
    return values;
  } catch (const options::too_many_positional_options_error&) {
    throw unexpected_argument(console.arguments, unnamed, command, description);
  } catch (const options::unknown_option& error) {
    throw unknown_option(error.get_option_name(), command, description);
  } catch (const options::error& error) {
    const auto word = ranges::find_if(console.arguments, holds_placeholder);
    const std::string stated = word == console.arguments.end()
                                   ? error.what()
                                   : "an option is invalid; because of the word '" + *word +
                                         "', Boost cannot report which one";
    throw user_error({}, stated, "`" + command + "--help` lists the options");
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
