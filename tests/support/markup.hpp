// SPDX-License-Identifier: Apache-2.0
#pragma once

// Are the tags of a page or a picture balanced? The check is as strict as XML, except for HTML's
// doctype and the void elements that pages use. Script and style end at their first end tag, as in
// a browser.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

[[nodiscard]] inline bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// The position of the '>' that ends the tag at `at`, or npos if the tag does not end.
[[nodiscard]] inline std::size_t tag_end(std::string_view text, std::size_t at) {
  bool quoted = false;
  for (++at; at < text.size() && text[at] != '<'; ++at) {
    if (text[at] == '"') quoted = !quoted;
    if (text[at] == '>' && !quoted) return at;
  }
  return std::string_view::npos;
}

/// The first fault, or an empty string if there is none.
[[nodiscard]] inline std::string markup_fault(std::string_view text) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < text.size();) {
    const std::string around(text.substr(at, 40));
    if (text[at] == '>') return "stray > before " + around;
    if (text[at] == '&') {
      const std::size_t end = text.substr(0, at + 7).find(';', at);
      if (end == std::string_view::npos) return "no entity: " + around;
      at = end;
    }
    if (text[at] != '<') {
      ++at;
      continue;
    }
    const std::size_t end = tag_end(text, at);
    if (end == std::string_view::npos) return "tag without end: " + around;
    const std::string tag(text.substr(at + 1, end - at - 1));
    at = end + 1;
    const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return "closes nothing: " + around;
      open.pop_back();
    } else if (name != "!DOCTYPE" && name != "meta" && name != "input" && tag.back() != '/') {
      open.push_back(name);
      if (name == "script" || name == "style") {
        at = std::min(text.size(), text.find("</" + name + ">", at));
      }
    }
  }
  return open.empty() ? "" : "never closed: " + open.back();
}

/// The contents of the element that begins with `opening`, up to the next `closing`.
[[nodiscard]] inline std::string between(const std::string& text, const std::string& opening,
                                         const std::string& closing) {
  const std::size_t begin = text.find(opening);
  if (begin == std::string::npos) return "";
  const std::size_t from = begin + opening.size();
  return text.substr(from, text.find(closing, from) - from);
}

/// Whether the parts occur in the text in this order.
[[nodiscard]] inline bool in_order(std::string_view text, const std::vector<std::string>& parts) {
  std::size_t at = 0;
  for (const std::string& part : parts) {
    at = text.find(part, at);
    if (at == std::string_view::npos) return false;
    at += part.size();
  }
  return true;
}

/// The text from a heading to the next one.
[[nodiscard]] inline std::string section(const std::string& html, const std::string& heading) {
  return between(html, "<h2>" + heading + "</h2>", "<h2>");
}

/// The cells (HTML) of the first row that begins with a label, excluding the label's cell.
[[nodiscard]] inline std::string row_of(const std::string& table, const std::string& label) {
  const std::string row = between(table, "<tr><td><bdi>" + label + "</bdi>", "</tr>");
  return row.empty() ? "" : row.substr(row.find("</td>") + 5);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
