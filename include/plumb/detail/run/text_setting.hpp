// SPDX-License-Identifier: Apache-2.0
#pragma once

// Settings that are texts: one that a file may hold, and one that may be empty.

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

/// A text, or that of a file, as it is, its last line break included. A word that names a file is the
/// file's; behind `text:` it is the text. run.json has the text, so that a file that changed is
/// another setting.
struct TextSetting {
  std::string text{};

  [[nodiscard]] std::string word() const { return word_.empty() ? text : word_; }
  [[nodiscard]] Json json() const { return text.empty() ? Json() : Json(text); }
  /// The word with its file's path as `path(word)` has it.
  template <class Path>
  [[nodiscard]] std::string with_paths(Path path) const {
    return is_file_ ? path(word_) : word();
  }
  /// Throws a user error for a file that is not UTF-8, and for a word that looks like a file's name and
  /// is none.
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
                       "name one that is there, or write text:" + given + " to mean the text");
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
    if (!stream || stream->bad()) throw user_error({.file = file}, "cannot be read", "check it");
    if (first_invalid_utf8(text) < text.size()) {
      throw user_error({.file = file}, "is not UTF-8", "convert it");
    }
    return text;
  }

  std::string word_{};
  bool is_file_ = false;
};

/// A text that may be empty, which is another thing than none.
struct GivenText {
  std::optional<std::string> text{};

  [[nodiscard]] std::string word() const { return text.value_or(""); }
  [[nodiscard]] Json json() const { return text ? Json(*text) : Json(); }
  void read(const std::string& given, const std::string&) { text = given; }

  friend bool operator==(const GivenText&, const GivenText&) = default;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
