// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads a string that contains a list of strings.
//
//   ['19 July 1947', "O'Brien", 'a "b"'] Python's repr of a list or a tuple ['19 July 1947'
//   "O'Brien"\n 'a'] numpy's form of an array, as pandas writes it ["19 July 1947", "O\u2019Brien"]
//   JSON Tables saved by pandas or by Hugging Face's datasets library contain such fields
//   (T-REx-MC's "Multiple Choices"). Strings may contain any Python escape except \N{…}. If the
//   list contains no commas, adjacent strings are separate elements. If it contains commas,
//   adjacent strings are rejected, because Python would join them. An array that numpy abbreviated
//   with "..." is rejected too. Non-goals: nested
// lists, numbers, None.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/core/white_space.hpp"
#include "plumb/detail/data/json_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The strings in a list, or the problem with the list.
struct WrittenList {
  std::vector<std::string> texts{};
  /// Empty for a valid list.
  std::string wrong{};
};

/// Reads one list from its opening bracket to its end. Not thread-safe.
class WrittenListReader {
 public:
  explicit WrittenListReader(std::string_view text) : text_(text) {}

  [[nodiscard]] WrittenList read() {
    const char closing = text_[at_++] == '[' ? ']' : ')';
    bool has_comma = false, has_gap = false;  // between strings, as in "a", "b" and in "a" "b"
    for (bool separated = true;;) {
      const std::size_t before = at_;
      skip_space();
      if (at_ >= text_.size()) return fail("has no closing bracket");
      const char c = text_[at_];
      if (c == closing) break;
      if (c == ',') {
        if (separated) return fail("has a comma without a string before it");
        separated = has_comma = true;
        ++at_;
        continue;
      }
      if (!separated) {
        if (at_ == before) return fail("has no comma between two strings");
        has_gap = true;
      }
      if (!read_element()) return fail(wrong_);
      separated = false;
    }
    ++at_;
    skip_space();
    if (at_ < text_.size()) return fail("continues after its closing bracket");
    if (has_gap && has_comma)
      return fail("has a comma between some strings and none between others");
    return {std::move(texts_), {}};
  }

 private:
  [[nodiscard]] WrittenList fail(const std::string& wrong) const {
    return {{}, wrong + " (byte " + std::to_string(at_ + 1) + ")"};
  }
  void skip_space() {
    while (at_ < text_.size() && white_space.find(text_[at_]) != std::string_view::npos) ++at_;
  }

  bool read_element() {
    if (text_[at_] == 'u' && at_ + 1 < text_.size() && is_quote(text_[at_ + 1]))
      ++at_;  // Python 2's u prefix
    if (is_quote(text_[at_])) return read_string();
    const std::size_t end = text_.find_first_of(",] )\n", at_);
    const std::string word(text_.substr(at_, end - at_));
    wrong_ = word.starts_with("...") ? "was shortened with '...' by the program that wrote it"
                                     : "contains " + word.substr(0, 40) + ", which is not a string";
    return false;
  }

  bool read_string() {
    const char quote = text_[at_++];
    std::string made;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] != '\\') {
        made += text_[at_++];
      } else if (++at_ >= text_.size() || !read_escape(made)) {
        if (wrong_.empty()) wrong_ = "ends inside an escape";
        return false;
      }
    }
    if (at_ >= text_.size()) {
      wrong_ = "has no closing quote";
      return false;
    }
    ++at_;
    texts_.push_back(std::move(made));
    return true;
  }

  /// Reads an escape after its backslash. Escapes that Python does not recognise are left
  /// unchanged.
  bool read_escape(std::string& made) {
    static constexpr std::string_view letters = "abfnrtv\\'\"", meanings = "\a\b\f\n\r\t\v\\'\"";
    const char c = text_[at_++];
    if (const auto known = letters.find(c); known != std::string_view::npos) {
      made += meanings[known];
    } else if (c == '\n') {
      // The line continues.
    } else if (c >= '0' && c <= '7') {
      --at_;
      append_utf8(made, number(8, 1, 3));
    } else if (c == 'x' || c == 'u' || c == 'U') {
      const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : 8;
      const char32_t value = number(16, digits, digits);
      if (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
        wrong_ = std::string("contains \\") + c + " without a valid code point";
        return false;
      }
      append_utf8(made, value);
    } else if (c == 'N') {
      wrong_ = "contains the escape \\N, which is not supported";
      return false;
    } else {
      made += '\\';
      made += c;
    }
    return true;
  }

  /// Reads a number of `least` to `most` digits. Returns 0x110000, which is not a character, if
  /// there are fewer than `least`.
  char32_t number(unsigned base, std::size_t least, std::size_t most) {
    char32_t value = 0;
    std::size_t count = 0;
    for (; count < most && at_ < text_.size(); ++count, ++at_) {
      const char c = text_[at_];
      const unsigned digit = c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
                             : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a') + 10
                             : c >= 'A' && c <= 'F' ? static_cast<unsigned>(c - 'A') + 10
                                                    : base;
      if (digit >= base) break;
      value = value * base + digit;
    }
    return count < least ? 0x110000 : value;
  }

  static bool is_quote(char c) { return c == '\'' || c == '"'; }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string> texts_;
  std::string wrong_;
};

/// Whether a text is enclosed in brackets, as a list is.
[[nodiscard]] inline bool has_brackets(std::string_view text) {
  text = trimmed(text);
  return text.size() > 1 && ((text.front() == '[' && text.back() == ']') ||
                             (text.front() == '(' && text.back() == ')'));
}

/// The strings in a list that is written as a UTF-8 string.
[[nodiscard]] inline WrittenList read_written_list(std::string_view text) {
  text = trimmed(text);
  if (!text.starts_with('[') && !text.starts_with('(')) {
    return {{}, "does not begin with a bracket"};
  }
  Json json;
  if (!parse_json(text, json) &&
      json.is_array()) {  // JSON's escapes differ from Python's: \/, surrogate pairs
    WrittenList made;
    for (const Json& one : json) {
      if (!one.is_string())
        return {{}, "contains " + one.dump().substr(0, 40) + ", which is not a string"};
      made.texts.push_back(one.get<std::string>());
    }
    return made;
  }
  return WrittenListReader(text).read();
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
