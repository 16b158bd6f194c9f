// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every subcommand is given: where its words come from, where its output goes, and how a model
// is made.

#include <filesystem>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "plumb/backend/any_model.hpp"

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

/// Makes the model that a subcommand asks.
using ModelMaker = std::function<AnyModel(const ModelOptions&)>;

}  // namespace plumb
