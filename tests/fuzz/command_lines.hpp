// SPDX-License-Identifier: Apache-2.0
#pragma once

// The input contains the arguments of a command line and a file for --config; the command runs on a
// small dataset. No model is created, so nothing is evaluated. Arguments that could refer to a file
// elsewhere are skipped.

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/sound.hpp"
#include "plumb/detail/cli/command_line.hpp"
#include "support/bear_folder.hpp"
#include "support/small_run.hpp"
#include "support/temporary_folder.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::fuzz {

/// A folder with "data" and "config.json": the working directory of the process.
inline const test::TemporaryFolder& command_folder() {
  static const test::TemporaryFolder folder;
  static const bool is_made = [] {
    test::write_bear(folder, "data", test::small_dataset());
    std::filesystem::current_path(folder.path());
    return true;
  }();
  (void)is_made;
  return folder;
}

/// Each line is an argument; the lines after an empty line are the text of config.json.
inline void command_lines(std::string_view input) {
  const test::TemporaryFolder& folder = command_folder();
  std::vector<std::string> words;
  const std::size_t blank = std::min(input.find("\n\n"), input.size());
  std::string_view rest = input.substr(0, blank);
  while (!rest.empty() && words.size() < 40) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string word(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (word.find('/') != word.npos || word.find("..") != word.npos) continue;
    if (word.find('\0') != word.npos) continue;  // a process argument never contains a null byte
    words.push_back(std::move(word));
  }
  const std::string config(input.substr(std::min(blank + 2, input.size())));
  if (config.find('/') != config.npos || config.find("..") != config.npos) return;
  folder.write("config.json", config);
  const std::string command = words.empty() ? "" : words.front();
  if (!words.empty()) words.erase(words.begin());
  std::ostringstream out, err;
  Console console{words, out, err};
  console.takes = [](std::string_view) { return true; };
  const int code = run_command_line(command, console, [](const ModelOptions&) -> AnyModel {
    throw user_error({.setting = "model"}, "is not to be had here");
  });
  require(code == 0 || code == 2, "an exit code that says something broke: " + err.str());
  if (code == 0) return;
  const std::string text = err.str();
  const bool told = !text.empty() || !out.str().empty();
  require(told, "nothing said of what went wrong");
  if (text.empty()) return;
  require(text.starts_with("plumb: ") && text.ends_with('\n'), "not plumb's message: " + text);
  require(text.find('\n') + 1 == text.size(), "a message of several lines: " + text);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::fuzz
