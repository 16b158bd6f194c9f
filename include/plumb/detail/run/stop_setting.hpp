// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stop texts (backend/stop_text.hpp), as a setting that can be specified several times.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/json_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct StopTexts {
  std::vector<std::string> texts{};

  /// Each argument is a stop text. \n stands for a line break, \t for a tab, \r for a carriage
  /// return, and a double backslash for a single one. A single empty argument means no stop text.
  /// Throws a user error if one of several arguments is empty, or if a backslash is not followed by
  /// one of these characters.
  void read(const std::vector<std::string>& words) {
    texts.clear();
    if (words == std::vector<std::string>{""}) return;
    for (const std::string& word : words) {
      std::string text = unescaped(word);
      if (text.empty()) {
        throw user_error({.setting = "stop"}, "combines an empty text with another text",
                         "remove it, or set only the empty text for no stop text");
      }
      if (ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
    }
  }
  [[nodiscard]] Json json() const { return texts; }

 private:
  static std::string unescaped(const std::string& word) {
    std::string text;
    for (std::size_t i = 0; i < word.size(); ++i) {
      if (word[i] != '\\') {
        text += word[i];
        continue;
      }
      const char letter = ++i < word.size() ? word[i] : '\0';
      const std::string known = "ntr\\", meant = "\n\t\r\\";
      const std::size_t place = known.find(letter);
      if (letter == '\0' || place == std::string::npos) {
        throw user_error({.setting = "stop"},
                         "'" + word + "' contains a backslash that is not followed by n, t or r",
                         "write \\\\ for a backslash");
      }
      text += meant[place];
    }
    return text;
  }
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
