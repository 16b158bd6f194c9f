// SPDX-License-Identifier: Apache-2.0
#pragma once

// How wide may a table on stdout be?
//
// The variable COLUMNS sets the width. If COLUMNS is not set, the terminal's width is used. If the
// output goes to a file or to another program, the width is not limited.

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The line length, in characters, of the terminal on a file descriptor; 80 if the terminal does
/// not report it; nullopt if the descriptor is not a terminal.
[[nodiscard]] inline std::optional<std::size_t> terminal_width(int stream) {
  if (isatty(stream) == 0) return std::nullopt;
  winsize size{};
  if (ioctl(stream, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

/// The maximum length of a table's lines, in characters; 0 means unlimited. `columns` is the value
/// of COLUMNS, or null if it is not set. A value that is not a whole number of at least 1 is
/// ignored.
[[nodiscard]] inline std::size_t table_width(const char* columns,
                                             std::optional<std::size_t> terminal) {
  const std::string_view text = columns == nullptr ? "" : columns;
  std::size_t stated = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), stated);
  if (wrong == std::errc() && end == text.data() + text.size() && stated > 0) return stated;
  return terminal.value_or(0);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
