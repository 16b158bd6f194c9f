// SPDX-License-Identifier: Apache-2.0
#pragma once

// The settings of jobs. Each setting's name, member, text form and value in run.json are declared
// once.
//
// A job's settings are a struct with a function that passes them one by one to a visitor:
//   template <class Self, class Visitor>
//   static void visit(Self& self, Visitor& visitor) {
//     visitor("shots", self.shots, {.value = "N", .help = "training triples before a query"});
//   }
// The command line turns each setting into an option. run.json records the settings that decide the
// results. A program that embeds the library sets the members.

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/data/tsv.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The help text for the setting `group-by`, which several jobs share.
inline constexpr const char* group_by_help =
    "also show numbers by a column of the facts (popularity, year; numbers are binned), by domain, "
    "or by valid (years)";

/// The description of a setting, apart from its name and its member.
struct SettingInfo {
  /// The placeholder for the setting's value in the help text. Empty for a switch, which takes no
  /// value.
  const char* value = "";
  const char* help = "";
  /// Numbers outside this range are refused.
  std::uint64_t least = 0, most = (std::numeric_limits<std::uint64_t>::max)();
  /// The remedy for a number outside the range.
  const char* remedy = "";
  /// Why the other settings leave this setting without effect, and what to do about it ("without
  /// `shots`; set how many"). Empty if the setting has an effect.
  std::string idle{};
  /// The setting's name in run.json if that differs; "-" if run.json does not record the setting.
  const char* recorded = "";
  /// The environment variable that a command reads if the option is not given. The library itself
  /// reads no environment variables.
  const char* variable = "";
  /// Whether the engine implements the setting. A command has an option for an engine setting only
  /// if the program's engine supports it.
  bool of_engine = false;
};

/// Which settings have no effect in combination with others: a table of conditions, reasons and
/// names. For each name, the first rule with a true condition applies.
class IdleRules {
 public:
  void when(bool holds, std::string reason, std::initializer_list<std::string_view> names) {
    if (holds) rules_.push_back({std::move(reason), {names.begin(), names.end()}});
  }
  [[nodiscard]] std::string reason(std::string_view name) const {
    for (const Rule& rule : rules_) {
      if (ranges::find(rule.names, name) != rule.names.end()) return rule.reason;
    }
    return "";
  }
  /// Returns a visitor that passes settings on to `visitor`, each with the reason why it has no
  /// effect. `visitor` and this object must outlive the returned visitor.
  template <class Visitor>
  [[nodiscard]] auto around(Visitor& visitor) const {
    return [this, &visitor](const char* name, auto& value, SettingInfo info) {
      if (info.idle.empty()) info.idle = reason(name);
      visitor(name, value, std::move(info));
    };
  }

 private:
  struct Rule {
    std::string reason;
    std::vector<std::string_view> names;
  };
  std::vector<Rule> rules_;
};

/// Passes settings on to a visitor and marks them as settings of the engine. The visitor must
/// outlive this object. Not thread-safe.
template <class Visitor>
class EngineVisitor {
 public:
  explicit EngineVisitor(Visitor& visitor) : visitor_(visitor) {}
  template <class Value>
  void operator()(const char* name, Value& value, SettingInfo info) const {
    info.of_engine = true;
    visitor_(name, value, info);
  }

 private:
  Visitor& visitor_;
};

/// An enumeration whose values have names. `every(E{})` lists the values; `name_of(e)` is the name
/// of the value e.
template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E e) {
  every(e);
  { name_of(e) } -> std::convertible_to<std::string_view>;
};

/// Converts between setting values, their text forms on a command line, and JSON. When reading,
/// throws a user error about the setting `name` if the text is invalid.
namespace setting {

[[nodiscard]] inline Error no_choice(const std::string& name, const std::string& word,
                                     const std::vector<std::string>& choices) {
  return user_error({.setting = name}, "'" + word + "' is not a valid choice",
                    "use " + text_list(choices, {}, ", ", " or "));
}

inline std::string to_word(bool value) {
  return value ? "yes" : "no";
}
inline Json to_json(bool value) {
  return to_word(value);
}
inline void read(const std::string& word, const std::string& name, bool& value) {
  if (word != "yes" && word != "no") throw no_choice(name, word, {"yes", "no"});
  value = word == "yes";
}

/// A non-negative integer.
template <std::unsigned_integral Number>
requires(!std::same_as<Number, bool>) std::string to_word(Number value) {
  return std::to_string(value);
}
template <std::unsigned_integral Number>
requires(!std::same_as<Number, bool>) Json to_json(Number value) {
  return value;
}
template <std::unsigned_integral Number>
requires(!std::same_as<Number, bool>) void read(const std::string& word, const std::string& name,
                                                Number& value) {
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failed == std::errc() && end == word.data() + word.size()) return;
  if (failed == std::errc::result_out_of_range && end == word.data() + word.size()) {
    throw user_error({.setting = name}, word + " is too large",
                     "use at most " + std::to_string((std::numeric_limits<Number>::max)()));
  }
  throw user_error({.setting = name}, "'" + word + "' is not a non-negative whole number",
                   "write digits only, such as 5");
}

inline std::string to_word(const std::string& value) {
  return value;
}
inline Json to_json(const std::string& value) {
  return value.empty() ? Json() : Json(value);
}
inline void read(const std::string& word, const std::string&, std::string& value) {
  value = word;
}

/// run.json records a file's name without its folder.
inline std::string to_word(const std::filesystem::path& value) {
  return value.string();
}
inline Json to_json(const std::filesystem::path& value) {
  return to_json(value.filename().string());
}
inline void read(const std::string& word, const std::string&, std::filesystem::path& value) {
  value = word;
}

/// "a,b,c"; an empty string yields an empty list.
inline void read(const std::string& word, const std::string& name,
                 std::vector<std::string>& value) {
  value.clear();
  if (word.empty()) return;
  value = detail::split(word, ',');
  if (ranges::find(value, "") != value.end()) {
    throw user_error({.setting = name}, "'" + word + "' has an empty item", "write a,b,c");
  }
}

/// "0-4,7" as ascending indices, without duplicates.
inline void read(const std::string& word, const std::string& name,
                 std::vector<std::size_t>& value) {
  value.clear();
  std::vector<std::string> items;
  read(word, name, items);
  for (const std::string& item : items) {
    const auto dash = item.find('-');
    if (dash == 0 || dash + 1 == item.size()) {
      throw user_error({.setting = name}, "'" + item + "' is neither an index (from 0) nor a range",
                       "write 0-4,7");
    }
    std::size_t first = 0, last = 0;
    read(item.substr(0, dash), name, first);
    read(dash == std::string::npos ? item : item.substr(dash + 1), name, last);
    if (last < first || last - first > 9999) {
      throw user_error({.setting = name}, "'" + item + "' is not a range", "write 0-4");
    }
    for (std::size_t i = 0; i <= last - first; ++i) value.push_back(first + i);
  }
  ranges::sort_distinct(value);
}

template <NamedEnum E>
std::vector<std::string> words_of() {
  std::vector<std::string> words;
  for (const E one : every(E{})) words.emplace_back(name_of(one));
  return words;
}
template <NamedEnum E>
std::string to_word(E value) {
  return std::string(name_of(value));
}
template <NamedEnum E>
Json to_json(E value) {
  return name_of(value);
}
template <NamedEnum E>
void read(const std::string& word, const std::string& name, E& value) {
  for (const E one : every(E{})) {
    if (name_of(one) == word) return void(value = one);
  }
  throw no_choice(name, word, words_of<E>());
}
/// A list of values, without duplicates.
template <NamedEnum E>
void read(const std::string& word, const std::string& name, std::vector<E>& value) {
  std::vector<std::string> items;
  read(word, name, items);
  value.clear();
  std::vector<std::string> choices = words_of<E>();
  for (const std::string& item : items) {
    if (ranges::find(choices, item) == choices.end()) {
      choices.emplace_back("several separated by commas");
      throw no_choice(name, item, choices);
    }
    E one{};
    read(item, name, one);
    if (ranges::find(value, one) != value.end()) {
      throw user_error({.setting = name}, "lists '" + item + "' twice", "list it once");
    }
    value.push_back(one);
  }
}

/// A type can define its own conversions: `word()`, `read(word, name)` and, if its JSON differs
/// from its text form, `json()`.
template <class Value>
requires requires(const Value& value) {
  value.word();
}
std::string to_word(const Value& value) {
  return value.word();
}
template <class Value>
requires requires(const Value& value) {
  value.json();
}
Json to_json(const Value& value) {
  return value.json();
}
template <class Value>
requires(
    requires(const Value& value) { value.word(); } &&
    !requires(const Value& value) { value.json(); }) Json to_json(const Value& value) {
  return value.word();
}
template <class Value>
requires requires(Value& value, const std::string& text) {
  value.read(text, text);
}
void read(const std::string& word, const std::string& name, Value& value) {
  value.read(word, name);
}

template <class Item>
std::string to_word(const std::vector<Item>& value) {
  return text_list(
      value, [](const Item& item) { return to_word(item); }, ",");
}
template <class Item>
Json to_json(const std::vector<Item>& value) {
  Json list = Json::array();
  for (const Item& item : value) list.push_back(to_json(item));
  return list;
}

/// An empty string means no value.
template <class Value>
std::string to_word(const std::optional<Value>& value) {
  return value ? to_word(*value) : "";
}
template <class Value>
Json to_json(const std::optional<Value>& value) {
  return value ? to_json(*value) : Json();
}
template <class Value>
void read(const std::string& word, const std::string& name, std::optional<Value>& value) {
  value.reset();
  if (!word.empty()) read(word, name, value.emplace());
}

}  // namespace setting

/// The name of a setting as spelled in run.json, such as "min_facts" for "min-facts".
inline std::string recorded_name(std::string_view name, const SettingInfo& info) {
  std::string key = *info.recorded != '\0' ? info.recorded : std::string(name);
  for (char& c : key) c = c == '-' ? '_' : c;
  return key;
}

struct RecordSettings {
  template <class Value>
  void operator()(std::string_view name, const Value& value, const SettingInfo& info) {
    if (std::string_view(info.recorded) == "-") return;
    record[recorded_name(name, info)] = setting::to_json(value);
  }
  Json record = Json::object();
};

/// The settings of a job that are recorded in run.json, i.e. those that determine its results.
template <class Settings>
[[nodiscard]] Json recorded_settings(const Settings& settings) {
  detail::RecordSettings visitor;
  Settings::visit(settings, visitor);
  return std::move(visitor.record);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
