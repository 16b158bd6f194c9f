// SPDX-License-Identifier: Apache-2.0
#pragma once

// What did the user ask for?
//
// The options that several subcommands share, and how an argument becomes a value. Anything that is
// not understood is a user error that names the option; nothing is ignored.

#include <boost/program_options.hpp>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/cli/console.hpp"
#include "plumb/core/error.hpp"
#include "plumb/core/over.hpp"
#include "plumb/data/tsv.hpp"

namespace plumb {

namespace detail {

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

/// Parses a subcommand's words. Returns nothing after printing help.
inline std::optional<options::variables_map> parse_arguments(
    Console& console, const std::string& usage, options::options_description description,
    const options::positional_options_description& positional = {}) {
  const std::string command = usage.substr(0, usage.find(' ', usage.find(' ') + 1) + 1);
  description.add_options()("help,h", "print this and end");
  try {
    options::variables_map values;
    options::store(options::command_line_parser(console.arguments)
                       .options(description)
                       .positional(positional)
                       .style(options::command_line_style::default_style &
                              ~options::command_line_style::allow_guessing)
                       .run(),
                   values);
    if (values.contains("help")) {
      console.out << "Usage: " << usage << "\n\nOptions:\n" << description;
      return std::nullopt;
    }
    options::notify(values);
    refuse_empty_values(values, description);
    return values;
  } catch (const options::unknown_option& error) {
    throw user_error({.field = error.get_option_name()}, "unknown option",
                     "`" + command + "--help` lists what there is");
  } catch (const options::error& error) {
    throw user_error({}, error.what(), "`" + command + "--help` tells more");
  }
}

/// "a,b,c" as its parts; empty for an empty text. Throws on an empty part.
inline std::vector<std::string> parse_list(const std::string& text, const char* option) {
  if (text.empty()) return {};
  const auto parts = split(text, ',');
  for (const std::string& part : parts) {
    if (part.empty()) {
      throw user_error({.field = option}, "'" + text + "' has an empty item", "write a,b,c");
    }
  }
  return parts;
}

/// A whole number from 0.
inline std::uint64_t parse_count(const std::string& text, const char* option) {
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) {
    throw user_error({.field = option}, "'" + text + "' is not a whole number from 0", "");
  }
  return value;
}

/// "0-4,7" as ascending indices, each once; empty for an empty text.
inline std::vector<std::size_t> parse_indices(const std::string& text, const char* option) {
  std::vector<std::size_t> indices;
  for (const std::string& item : parse_list(text, option)) {
    const auto dash = item.find('-');
    const std::size_t first = parse_count(item.substr(0, dash), option);
    const std::size_t last =
        dash == std::string::npos ? first : parse_count(item.substr(dash + 1), option);
    if (last < first || last - first > 9999) {
      throw user_error({.field = option}, "'" + item + "' is not a range", "write 0-4");
    }
    for (std::size_t i = first; i <= last; ++i) indices.push_back(i);
  }
  over::sort_distinct(indices);
  return indices;
}

}  // namespace detail
}  // namespace plumb
