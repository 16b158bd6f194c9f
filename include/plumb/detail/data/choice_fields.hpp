// SPDX-License-Identifier: Apache-2.0
#pragma once

// Does an unread field contain a question's choices?
//
// If a table has its own choices but the model is given different ones, the numbers are silently
// wrong. Such a field is therefore rejected wherever unknown fields are otherwise ignored. A field
// that contains a text or a list is recognised by its name: choices, options, candidates,
// distractors or alternatives, in any case and spelling, even as part of a longer name
// ("answer_choices", "OptionA"). A field is also recognised by its value if the value is a list or
// a string that contains a list ("['a', 'b']").

#include <array>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "plumb/detail/core/bare_name.hpp"
#include "plumb/detail/core/decimal_number.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_file.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/data/python_list.hpp"
#include "plumb/detail/data/triple_header.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline constexpr auto choice_words = std::to_array<std::string_view>(
    {"choice", "option", "candidate", "distractor", "distracter", "alternative", "foil",
     "wronganswer", "wrongobject", "incorrectanswer", "incorrectobject", "falseanswer",
     "negativeobject"});

/// Whether a field's name suggests choices: true for "Multiple Choices", "answer_options" and
/// "optionA", false for "optional".
[[nodiscard]] inline bool names_choices(std::string_view name) {
  const std::string bare = bare_name(name);
  return ranges::any_of(choice_words, [&](const std::string_view word) {
    const std::size_t at = bare.find(word);
    return at != std::string::npos && !std::string_view(bare).substr(at).starts_with("optional") &&
           !std::string_view(bare).substr(at).starts_with("foiled");
  });
}

/// Whether a string contains a non-empty list, whatever the type of its elements.
[[nodiscard]] inline bool holds_written_list(const std::string& text) {
  if (!has_brackets(text)) return false;
  Json json;
  if (!parse_json(trimmed(text), json)) return json.is_array() && !json.empty();
  const WrittenList list = read_written_list(text);
  return list.wrong.empty() && !list.texts.empty();
}

/// Whether an unread field looks like choices.
[[nodiscard]] inline bool looks_like_choices(std::string_view name, const Json& value) {
  if (value.is_array()) return !value.empty();
  if (value.is_object()) return !value.empty() && names_choices(name);
  if (!value.is_string()) return false;
  const std::string& text = value.get_ref<const std::string&>();
  if (is_blank(text) || finite_number(trimmed(text))) return false;
  return names_choices(name) || holds_written_list(text);
}

/// Reports unread fields of a file that look like choices, once each. Not thread-safe.
class UnreadChoices {
 public:
  explicit UnreadChoices(const ProblemSink& report) : report_(report) {}

  void look_at(const std::string& name, const Json& value, Site site) {
    if (!looks_like_choices(name, value) || !said_.insert(name).second) return;
    say(name, std::move(site));
  }
  /// Reports a second field with the same meaning as an earlier one.
  void report_duplicate_column(const std::string& name, const std::string& first, Site site) {
    if (!said_.insert(name).second) return;
    site.field = name;
    report_(user_error(std::move(site), "appears twice, as '" + first + "' and '" + name + "'",
                       "keep one of them, or rename the other"));
  }
  /// Checks only the names. Used for a row whose `choices` are read and whose other fields may be
  /// lists.
  void check_names(const Json& row, const Site& site) {
    for (const auto& [name, value] : row.items()) {
      if (name == "choices" || !(value.is_string() || value.is_structured()) || value.empty())
        continue;
      if (names_choices(name) && said_.insert(name).second) say(name, site);
    }
  }

 private:
  void say(const std::string& name, Site site) {
    site.field = name;
    report_(user_error(
        std::move(site), "looks like a question's choices, but is not read",
        "rename it to choices, in a table whose facts have a subject and an object, or remove it"));
  }

  const ProblemSink& report_;
  std::set<std::string> said_;
};

/// Throws a user error for a .tsv whose first line contains a column name for choices, or a list in
/// addition to a fact's three fields. The .tsv format does not support choices.
inline void refuse_choices_in_tsv(const DiskPath& table) {
  const std::string line = first_line(table);
  const auto fields = ranges::count(line, '\t') + 1;
  std::istringstream rest(line);
  for (std::string field; std::getline(rest, field, '\t');) {
    const std::string bare = bare_name(field);
    const bool is_named = bare == "choices" || bare == "multiplechoices";
    if (!is_named && (fields == 3 || !holds_written_list(field))) continue;
    throw user_error({table, 1}, "has choices, which a .tsv does not support",
                     "save the table as .csv or .jsonl, with subject, object and choices");
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
