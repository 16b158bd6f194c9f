// SPDX-License-Identifier: Apache-2.0
#pragma once

// What console_run.hpp declares, for the files that compile it for one model type each.

#include <sstream>

#include "plumb/cli/command_line.hpp"
#include "support/console_run.hpp"

namespace plumb::test {

template <class Model>
ConsoleRun run_over(std::vector<std::string> words, const MakeModel<Model>& make_model) {
  const std::string command = words.empty() ? "" : words.front();
  if (!words.empty()) words.erase(words.begin());
  std::ostringstream out, err;
  Console console{words, out, err};
  const int code = run_command_line(command, console, make_model);
  return {code, out.str(), err.str()};
}

}  // namespace plumb::test
