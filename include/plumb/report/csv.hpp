// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a table written as CSV?
//
// RFC 4180: comma, quotes where needed and doubled inside, lines end in a newline (not CRLF, as
// spreadsheets and pandas both read it).

#include <string>
#include <string_view>
#include <vector>

namespace plumb {

/// One line, newline included.
[[nodiscard]] inline std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += ',';
    if (cells[i].find_first_of(",\"\r\n") == std::string::npos) {
      line += cells[i];
      continue;
    }
    line += '"';
    for (const char c : cells[i]) {
      if (c == '"') line += '"';
      line += c;
    }
    line += '"';
  }
  line += '\n';
  return line;
}

}  // namespace plumb
