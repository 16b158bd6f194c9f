// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is text inserted into a page without breaking the markup?
//
// A page is one file: it contains its style, script, data and pictures, and fetches nothing. Labels
// come from datasets and may contain any characters, so every label is escaped here.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/printable.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/json_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Escapes text for element content and quoted attributes. This function does not isolate
/// right-to-left text; the page uses dir attributes and bdi elements for that. Control characters,
/// and characters that would reverse the direction of the text after them, are escaped as on a
/// terminal (core/printable.hpp).
[[nodiscard]] inline std::string escape_html(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : printable(text, "\n\t")) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// A label with its own text direction.
[[nodiscard]] inline std::string label(std::string_view text) {
  return "<bdi>" + escape_html(text) + "</bdi>";
}

/// The attribute that links an element to its model, so that a page can show or hide it; empty for
/// an empty name.
[[nodiscard]] inline std::string model_attribute(std::string_view model) {
  return model.empty() ? "" : " data-model=\"" + escape_html(model) + "\"";
}

/// The start of a chart: its size as text, and its title and description for screen readers. If
/// `keeps_width` is set, the page does not stretch the chart beyond `width`.
[[nodiscard]] inline std::string chart_begin(std::string_view classes, std::string_view width,
                                             std::string_view height, std::string_view title,
                                             std::string_view description, bool keeps_width) {
  const std::string wide(width), called = escape_html(title);
  return "<svg class=\"" + std::string(classes) + "\" role=\"img\" aria-label=\"" + called +
         "\" viewBox=\"0 0 " + wide + " " + std::string(height) + "\"" +
         (keeps_width ? " style=\"max-width:" + wide + "px\"" : "") + ">\n<title>" + called +
         "</title><desc>" + escape_html(description) + "</desc>\n";
}

/// Makes an id or a file name from an HTML heading: its ASCII letters and digits in lower case,
/// with words joined by "-". Returns `fallback` if the heading has none.
[[nodiscard]] inline std::string slug_of(std::string_view html, std::string_view fallback) {
  std::string slug;
  bool is_tag = false, is_entity = false, is_new_word = false;
  for (const char c : html) {
    if (c == '<') is_tag = true;
    if (c == '&') is_entity = true;
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (!is_tag && !is_entity && ((lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9'))) {
      if (is_new_word && !slug.empty()) slug += '-';
      slug += lower;
      is_new_word = false;
    } else if (!is_tag) {
      is_new_word = true;
    }
    if (c == '>') is_tag = false;
    if (c == ';') is_entity = false;
  }
  return slug.empty() ? std::string(fallback) : slug.substr(0, 80);
}

/// The slug, with a number appended if it is already in `taken`; adds the result to `taken`.
[[nodiscard]] inline std::string free_slug(std::vector<std::string>& taken,
                                           const std::string& slug) {
  std::string free = slug;
  for (int n = 2; ranges::find(taken, free) != taken.end(); ++n)
    free = slug + "-" + std::to_string(n);
  taken.push_back(free);
  return free;
}

/// JSON for a script element, in which no "</script>" or "<!--" can end the element early.
[[nodiscard]] inline std::string script_json(const Json& value) {
  std::string out;
  for (const char c : value.dump()) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

/// Base64 of 16-bit little-endian numbers.
[[nodiscard]] inline std::string base64(std::span<const std::uint16_t> values) {
  static constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return i < values.size() * 2 ? (values[i / 2] >> (8 * (i % 2))) & 0xFFU : 0U;
  };
  std::string out;
  const std::size_t bytes = values.size() * 2;
  for (std::size_t i = 0; i < bytes; i += 3) {
    const std::uint32_t bits = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    out += digits[bits >> 18];
    out += digits[(bits >> 12) & 63];
    out += i + 1 < bytes ? digits[(bits >> 6) & 63] : '=';
    out += i + 2 < bytes ? digits[bits & 63] : '=';
  }
  return out;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
