// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every subcommand is given: where its words come from, where its output goes, and how a model
// is made.

#include <filesystem>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/backend/any_model.hpp"

namespace plumb {

namespace detail {

/// A text of the library with the options that its settings have here: `bos` is --bos.
inline std::string as_options(std::string_view text) {
  std::string made;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find('`', at);
    const std::size_t end = begin == text.npos ? text.npos : text.find('`', begin + 1);
    if (end == text.npos) return made.append(text.substr(at));
    const std::string_view name = text.substr(begin + 1, end - begin - 1);
    const bool is_setting =
        !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == name.npos;
    made.append(text.substr(at, begin - at));
    made.append(is_setting ? "--" + std::string(name)
                           : std::string(text.substr(begin, end - begin)));
    at = is_setting ? end + 1 : end;
  }
  return made;
}

}  // namespace detail

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

/// Makes the model that a subcommand asks.
using ModelMaker = std::function<AnyModel(const ModelOptions&)>;

}  // namespace plumb
