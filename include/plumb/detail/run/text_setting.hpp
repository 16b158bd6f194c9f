// SPDX-License-Identifier: Apache-2.0
#pragma once

// Text settings: a text that may come from a file, and a text that may be empty.

#include <istream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/data/json_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A given text or the content of a file, verbatim, including the last line break. An argument that
/// is the path of a file stands for the file's content; an argument that begins with `text:` stands
/// for the rest of the argument. run.json records the text, so a changed file is a different
/// setting.
struct TextSetting {
  std::string text{};

  [[nodiscard]] std::string word() const { return word_.empty() ? text : word_; }
  [[nodiscard]] Json json() const { return text.empty() ? Json() : Json(text); }
  /// The argument, with a file path replaced by `path(word)`.
  template <class Path>
  [[nodiscard]] std::string with_paths(Path path) const {
    return is_file_ ? path(word_) : word();
  }
  /// Throws a user error if a file is not UTF-8, or if an argument looks like a file name but no
  /// such file exists.
  void read(const std::string& given, const std::string& name) {
    constexpr std::string_view prefix = "text:";
    word_ = given;
    is_file_ = false;
    if (given.starts_with(prefix)) return void(text = given.substr(prefix.size()));
    const DiskPath file(given);
    if (!given.empty() && file.is_file()) {
      is_file_ = true;
      text = whole_text(file);
      return;
    }
    const bool is_a_name =
        given.find_first_of(" \t\n") == std::string::npos &&
        (given.ends_with(".txt") || given.ends_with(".md") || given.find('/') != std::string::npos);
    if (is_a_name) {
      throw user_error({.setting = name}, "there is no file '" + given + "'",
                       "specify an existing file, or write text:" + given + " to mean the text");
    }
    if (first_invalid_utf8(given) < given.size()) {
      throw user_error({.setting = name}, "is not UTF-8", "write it in UTF-8");
    }
    text = given;
  }

  friend bool operator==(const TextSetting& a, const TextSetting& b) { return a.text == b.text; }

 private:
  static std::string whole_text(const DiskPath& file) {
    const auto stream = file.read();
    std::string text;
    if (stream) text.assign(std::istreambuf_iterator<char>(*stream), {});
    if (!stream || stream->bad())
      throw user_error({.file = file}, "cannot be read", "check that the file can be read");
    if (first_invalid_utf8(text) < text.size()) {
      throw user_error({.file = file}, "is not UTF-8", "convert the file to UTF-8");
    }
    return text;
  }

  std::string word_{};
  bool is_file_ = false;
};

/// A text that may be empty. An empty text is different from no text.
struct GivenText {
  std::optional<std::string> text{};

  [[nodiscard]] std::string word() const { return text.value_or(""); }
  [[nodiscard]] Json json() const { return text ? Json(*text) : Json(); }
  void read(const std::string& given, const std::string&) { text = given; }

  friend bool operator==(const GivenText&, const GivenText&) = default;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
