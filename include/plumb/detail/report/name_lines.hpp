// SPDX-License-Identifier: Apache-2.0
#pragma once

// Long names in pictures.
//
// Names are broken into lines here, because SVG does not wrap text. A name is never truncated,
// because the names of two models may differ only at the end.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/report/html.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A length with at most two decimals, without trailing zeros.
inline std::string short_length(double value) {
  std::string text = with_decimals(value, 2);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

/// Splits a name into lines of at most `characters`, breaking at spaces and after "-", "_" and "/"
/// where possible.
inline std::vector<std::string> name_lines(std::string_view name, std::size_t characters) {
  std::vector<std::string> lines;
  std::string line;
  std::size_t used = 0, break_at = 0;  // in characters and in bytes, respectively
  for (std::size_t at = 0; at < name.size();) {
    std::size_t end = at + 1;
    while (end < name.size() && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) ++end;
    line += name.substr(at, end - at);
    ++used;
    if (std::string_view(" -_/").find(name[at]) != std::string_view::npos) break_at = line.size();
    at = end;
    if (used < characters || at == name.size()) continue;
    const std::size_t cut = break_at > 0 ? break_at : line.size();
    lines.push_back(line.substr(0, cut));
    line.erase(0, cut);
    used = count_code_points(line);
    break_at = 0;
  }
  if (!line.empty() || lines.empty()) lines.push_back(line);
  return lines;
}

/// SVG elements for the lines, centred vertically at `middle`; each element has `attributes`.
[[nodiscard]] inline std::string text_lines(const std::vector<std::string>& lines,
                                            std::string_view attributes, double x, double middle,
                                            double line_height = 14) {
  std::string svg;
  double y = middle - line_height * (static_cast<double>(lines.size()) - 1) / 2 + 4;
  for (const std::string& line : lines) {
    svg += "<text " + std::string(attributes) + " x=\"" + with_decimals(x, 1) + "\" y=\"" +
           with_decimals(y, 1) + "\">" + escape_html(line) + "</text>";
    y += line_height;
  }
  return svg;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
