// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which names contain invisible mistakes, and which names look alike?
//
// The checks find characters that readers keep byte for byte, that people overlook, and that change
// a model's tokens: quotes that another program would have removed as quoting; leading, trailing or
// doubled white space; a no-break or other special space; invisible characters (zero-width space,
// byte order mark, soft hyphen); letters and marks that are not composed (NFC); full-width Latin
// letters; a replacement character from a file that was read in the wrong encoding. Each kind of
// problem is reported once per list of names, with the first affected name and the number of
// others, because most problems come from one export and affect many names.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "plumb/detail/core/composed.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/lower_case.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/core/white_space.hpp"
#include "plumb/detail/data/dataset.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Characters that are invisible in every script. Joiners and directional marks are excluded,
/// because they have an effect in some scripts.
[[nodiscard]] constexpr bool is_shapeless(char32_t c) noexcept {
  return c == 0xAD || c == 0x180E || c == 0x200B || c == 0x2060 || c == 0xFEFF;
}

[[nodiscard]] constexpr bool is_other_space(char32_t c) noexcept {
  return c > 0x7F && c != 0x3000 && is_white_space(c) && c != 0x85 && c != 0x2028 && c != 0x2029;
}

[[nodiscard]] constexpr bool is_wide_latin(char32_t c) noexcept {
  return (c >= 0xFF10 && c <= 0xFF19) || (c >= 0xFF21 && c <= 0xFF3A) ||
         (c >= 0xFF41 && c <= 0xFF5A);
}

template <class Predicate>
[[nodiscard]] bool has_character(std::string_view text, Predicate predicate) {
  while (!text.empty()) {
    const CodePoint head = first_code_point(text);
    if (head.size > 0 && predicate(head.value)) return true;
    text.remove_prefix(std::max<std::size_t>(head.size, 1));
  }
  return false;
}

/// Whether the text begins or ends with white space.
[[nodiscard]] inline bool has_space_at_an_end(std::string_view text) {
  if (leading_white_space(text) > 0) return true;
  std::size_t last = text.size();
  while (last > 0 && (static_cast<unsigned char>(text[--last]) & 0xC0U) == 0x80U) {
  }
  return leading_white_space(text.substr(last)) > 0;
}

[[nodiscard]] inline bool has_doubled_space(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint head = first_code_point(text.substr(at));
    at += std::max<std::size_t>(head.size, 1);
    if (head.size > 0 && is_white_space(head.value) && leading_white_space(text.substr(at)) > 0)
      return true;
  }
  return false;
}

inline constexpr auto quote_pairs =
    std::to_array<std::pair<std::string_view, std::string_view>>({{"\"", "\""},
                                                                  {"'", "'"},
                                                                  {"`", "`"},
                                                                  {"\u201C", "\u201D"},
                                                                  {"\u201E", "\u201C"},
                                                                  {"\u201E", "\u201D"},
                                                                  {"\u201D", "\u201D"},
                                                                  {"\u2018", "\u2019"},
                                                                  {"\u201A", "\u2018"},
                                                                  {"\u201A", "\u2019"},
                                                                  {"\u2019", "\u2019"},
                                                                  {"\u00AB", "\u00BB"},
                                                                  {"\u00BB", "\u00AB"},
                                                                  {"\u2039", "\u203A"},
                                                                  {"\u203A", "\u2039"},
                                                                  {"\u300C", "\u300D"},
                                                                  {"\u300E", "\u300F"},
                                                                  {"\uFF02", "\uFF02"}});

/// Whether a text is enclosed in quotation marks as another program or language would write them:
/// '"a"', "'a'" and the like.
[[nodiscard]] inline bool is_quoted(std::string_view text) {
  text = trimmed(text);
  return ranges::any_of(quote_pairs, [&](const auto& pair) {
    return text.size() > pair.first.size() + pair.second.size() && text.starts_with(pair.first) &&
           text.ends_with(pair.second);
  });
}

/// One kind of problem: how to detect it, its message and its remedy.
struct NameProblem {
  bool (*holds)(std::string_view);
  const char* is;
  const char* remedy;
  /// Whether the problem applies only to names: a template may end in a space or contain a quoted
  /// answer.
  bool of_names = false;
  /// Whether the problem is ignored if fewer than one in 20 names of a list have it. For example,
  /// one song title among many may legitimately be in quotes.
  bool of_some = false;
};

inline constexpr auto name_problems = std::to_array<NameProblem>({
    {is_quoted, "is in quotes",
     "remove them unless they belong to the name; plumb treats them as part of it", true, true},
    {has_space_at_an_end, "begins or ends with white space", "remove it", true},
    {has_doubled_space, "has two consecutive white-space characters", "write one space"},
    {[](std::string_view text) { return has_character(text, is_other_space); },
     "contains a no-break or other special space", "write a plain space"},
    {[](std::string_view text) { return has_character(text, is_shapeless); },
     "contains an invisible character (zero-width space, byte order mark or soft hyphen)",
     "remove it"},
    {[](std::string_view text) { return !is_composed(text); },
     "is not in Unicode's composed form, NFC",
     "convert it to NFC; most models tokenize other forms differently"},
    {[](std::string_view text) { return has_character(text, is_wide_latin); },
     "contains full-width Latin letters or digits", "use ordinary ones"},
    {[](std::string_view text) {
       return has_character(text, [](char32_t c) { return c == 0xFFFD; });
     },
     "contains the replacement character U+FFFD", "convert the original file to UTF-8 again"},
});

/// Collects the names of one list, such as a relation's subjects. Not thread-safe.
class NameCheck {
 public:
  /// `what`: the word used in messages for a name in the list, such as "subject".
  explicit NameCheck(std::string what, bool are_names = true)
      : what_(std::move(what)), are_names_(are_names) {}

  /// Ignores duplicates and names that are only white space.
  void add(const std::string& name, const Site& site) {
    if (leading_white_space(name) == name.size()) return;
    if (!known_.insert(name).second) return;
    for (std::size_t i = 0; i < name_problems.size(); ++i) {
      const NameProblem& oddity = name_problems[i];
      if ((oddity.of_names && !are_names_) || !oddity.holds(name)) continue;
      Found& found = found_[i];
      if (found.count++ == 0) found.first = {name, site};
    }
  }

  void report(const ProblemSink& report) const {
    for (std::size_t i = 0; i < name_problems.size(); ++i) {
      const Found& found = found_[i];
      if (found.count == 0) continue;
      if (name_problems[i].of_some && 20 * found.count < known_.size()) continue;
      const std::string more =
          found.count == 1 ? "" : " (and " + counted(found.count - 1, what_) + " more)";
      report(user_error(found.first.second,
                        what_ + " '" + found.first.first + "' " + name_problems[i].is + more,
                        name_problems[i].remedy));
    }
  }

 private:
  struct Found {
    std::size_t count = 0;
    std::pair<std::string, Site> first{};
  };

  std::string what_;
  bool are_names_;
  std::unordered_set<std::string> known_;
  std::array<Found, name_problems.size()> found_{};
};

/// The text in lower case, without white space at its ends and with each other run of white space
/// replaced by a single space. Texts that differ only in case and spaces yield the same result.
inline std::string without_case_and_spaces(std::string_view text) {
  std::string made;
  bool space = false;
  while (!text.empty()) {
    const CodePoint head = first_code_point(text);
    const std::size_t size = std::max<std::size_t>(head.size, 1);
    if (head.size > 0 && is_white_space(head.value)) {
      space = !made.empty();
    } else {
      if (space) made += ' ';
      space = false;
      made += lower_case(text.substr(0, size));
    }
    text.remove_prefix(size);
  }
  return made;
}

/// The ASCII character that corresponds to a curly quote, a dash or a full-width form; other
/// characters are returned unchanged.
[[nodiscard]] constexpr char32_t plain_character(char32_t c) noexcept {
  if (c >= 0xFF01 && c <= 0xFF5E) return c - 0xFEE0;
  if ((c >= 0x2018 && c <= 0x201B) || c == 0x2032 || c == 0x2BC || c == 0xB4 || c == 0x60)
    return '\'';
  if ((c >= 0x201C && c <= 0x201F) || c == 0x2033) return '"';
  if ((c >= 0x2010 && c <= 0x2015) || c == 0x2212) return '-';
  return c;
}

/// Converts a text to a form that is the same for all texts that look alike: composed, with plain
/// quotes, dashes and letters, and without invisible characters.
inline std::string appearance_key(std::string_view text) {
  const std::string whole = composed(text);
  text = whole;
  std::string made;
  while (!text.empty()) {
    const CodePoint head = first_code_point(text);
    const bool is_mark_of_direction = head.value >= 0x200C && head.value <= 0x200F;
    if (head.size > 0 && !is_shapeless(head.value) && !is_mark_of_direction) {
      append_utf8(made, plain_character(head.value));
    }
    text.remove_prefix(std::max<std::size_t>(head.size, 1));
  }
  return without_case_and_spaces(made);
}

/// How two texts with the same `appearance_key` result differ.
[[nodiscard]] inline const char* difference_in_looks(const std::string& one,
                                                     const std::string& other) {
  if (without_case_and_spaces(one) == without_case_and_spaces(other)) return "case or white space";
  if (composed(one) == composed(other)) return "Unicode normal form";
  return "appearance (quotes, dashes, width, normal form, case, white space or invisible "
         "characters)";
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
