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
#include <initializer_list>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/core/error.hpp"
#include "plumb/core/over.hpp"
#include "plumb/data/tsv.hpp"

namespace plumb {

/// Where a command reads its words and writes its output, so that a test or an embedder can look
/// on.
struct Console {
  std::vector<std::string> arguments;  // after the subcommand
  std::ostream& out;
  std::ostream& err;
  /// Whether `err` is a terminal, for the progress bar.
  bool err_is_terminal = false;
};

/// What a backend is made from; see `run_command_line`.
struct ModelOptions {
  std::filesystem::path model;
  bool exact = true;
  int threads = 0;
  /// Whether the text of a special token is to be the token: only where the model lists its special
  /// tokens (ListsSpecialTokens) is it ever asked for.
  bool parse_special_tokens = false;
};

namespace detail {

namespace options = boost::program_options;

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
    return values;
  } catch (const options::unknown_option& error) {
    throw user_error({.field = error.get_option_name()}, "unknown option",
                     "`" + command + "--help` lists what there is");
  } catch (const options::error& error) {
    throw user_error({}, error.what(), "`" + command + "--help` tells more");
  }
}

/// Throws where a list option is given, and is empty.
inline void refuse_empty_list(const options::variables_map& values, const std::string& option,
                              const std::string& text) {
  if (!text.empty() || !values.contains(option) || values[option].defaulted()) return;
  throw user_error({.field = "--" + option}, "names nothing", "write a,b,c, or leave it out");
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

/// The items of a list option that stands for all, or for what is usual, where it is not given.
/// Throws where it is given empty: nothing was meant by that, or something else.
inline std::vector<std::string> parse_named(const options::variables_map& values,
                                            const std::string& option, const std::string& text) {
  refuse_empty_list(values, option, text);
  return parse_list(text, ("--" + option).c_str());
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

/// One of two words, as whether it is the first.
inline bool parse_choice(const std::string& text, const char* option, const std::string& first,
                         const std::string& second) {
  if (text == first) return true;
  if (text == second) return false;
  throw user_error({.field = option}, "'" + text + "' is not a choice",
                   "say " + first + " or " + second);
}

/// What one of several words stands for.
template <class Value>
Value one_of(const std::string& word, const char* option,
             std::initializer_list<std::pair<const char*, Value>> choices) {
  std::string known;
  for (const auto& [name, value] : choices) {
    if (word == name) return value;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  throw user_error({.field = option}, "'" + word + "' is not a choice", "say one of " + known);
}

}  // namespace detail
}  // namespace plumb
