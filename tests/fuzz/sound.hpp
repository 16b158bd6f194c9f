// SPDX-License-Identifier: Apache-2.0
#pragma once

// Checks what a reader does with arbitrary bytes. It must either succeed or throw a plumb::Error
// whose message is a single line that states where the error is. Anything else is a finding and
// ends the program.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::fuzz {

/// Ends the program, so that the fuzzer stores the input.
[[noreturn]] inline void found(const std::string& what) {
  std::fprintf(stderr, "finding: %s\n", what.c_str());
  std::abort();
}

/// Checks that an error's text is a single line without raw control characters, and that it states
/// either a setting or a location.
inline void check_message(std::string_view text, std::string_view place) {
  if (text.find_first_of("\r\n") != text.npos) {
    found("a message of several lines: " + std::string(text));
  }
  std::string named = user_error({.file = std::string(place)}, "", "").what();
  named.resize(named.size() - 2);  // ": "
  if (text.find(named) == text.npos && text.find('`') == text.npos) {
    found("a message that names no file: " + std::string(text));
  }
}

/// Returns whether `read` succeeds. An error must contain either `place`, as the prefix of a file's
/// path, or the name of a setting.
template <class Read>
bool is_read(std::string_view place, Read read) {
  try {
    read();
    return true;
  } catch (const Error& error) {
    check_message(error.what(), place);
  } catch (const std::exception& error) {
    found("another exception than plumb::Error: " + std::string(error.what()));
  }
  return false;
}

/// Reports a finding if `read` rejects input that was accepted before.
template <class Read>
void must_read(std::string_view what, Read read) {
  try {
    read();
  } catch (const std::exception& error) {
    found(std::string(what) + ": " + error.what());
  }
}

inline void require(bool holds, std::string_view what) {
  if (!holds) found(std::string(what));
}

/// The files in an input, by name. A line "=== NAME" begins each file. Names that lead out of the
/// folder or are invalid file names are skipped, as are files after the sixteenth.
[[nodiscard]] inline std::vector<std::pair<std::string, std::string>> files_of(
    std::string_view input) {
  constexpr std::string_view mark = "=== ";
  std::vector<std::pair<std::string, std::string>> files;
  std::size_t at = input.starts_with(mark) ? 0 : input.npos;
  while (at != input.npos && files.size() < 16) {
    const std::size_t end = std::min(input.find('\n', at), input.size());
    const std::string name(input.substr(at + mark.size(), end - at - mark.size()));
    const std::size_t next = input.find("\n=== ", end);
    const std::string_view rest = input.substr(std::min(end + 1, input.size()));
    const std::size_t begin = input.size() - rest.size();
    const std::string text(next == input.npos ? rest : input.substr(begin, next + 1 - begin));
    const auto path = std::filesystem::path(name).lexically_normal();
    const bool inside = !path.empty() && path.is_relative() && path.has_filename() &&
                        *path.begin() != ".." && name.find('\0') == name.npos && name.size() < 100;
    if (inside && next != end) files.emplace_back(path.string(), text);
    if (inside && next == end) files.emplace_back(path.string(), "");
    at = next == input.npos ? next : next + 1;
  }
  return files;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::fuzz
