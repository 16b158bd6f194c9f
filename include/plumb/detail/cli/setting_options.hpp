// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are settings that are declared once (run/job_setting.hpp) turned into command-line options?

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/cli/arguments.hpp"
#include "plumb/detail/cli/console.hpp"
#include "plumb/detail/cli/given_options.hpp"
#include "plumb/detail/run/job_setting.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A visitor that adds an option for each setting, except engine options that the console's engine
/// does not support. The members' values are the defaults.
class DescribeOptions {
 public:
  DescribeOptions(options::options_description& list, const Console& console)
      : list_(list), console_(console) {}

  template <class Value>
  void operator()(std::string_view name, const Value& value, const SettingInfo& info) {
    const std::string option(name);
    if (info.of_engine && !console_.engine_takes(name)) return;
    std::string help = as_options(info.help);
    if (*info.variable != '\0') help += std::string(" (") + info.variable + " if not given)";
    if (*info.value == '\0') {
      list_.add_options()(option.c_str(), help.c_str());
      return;
    }
    if constexpr (ReadsSeveralWords<Value>) {
      auto* const several = options::value<std::vector<std::string>>()->value_name(info.value);
      list_.add_options()(option.c_str(), several, help.c_str());
      return;
    } else {
      auto* const semantic = options::value<std::string>()->value_name(info.value);
      if (const std::string word = default_word(value); !word.empty())
        semantic->default_value(word);
      list_.add_options()(option.c_str(), semantic, help.c_str());
    }
  }

 private:
  template <class Value>
  static std::string default_word(const Value& value) {
    if constexpr (NamedEnum<Value>) {
      const auto known = every(value);
      if (ranges::find(known, value) == known.end()) return "";
    }
    return setting::to_word(value);
  }

  options::options_description& list_;
  const Console& console_;
};

/// A visitor that reads each setting from the command line or, failing that, from its environment
/// variable; a setting that is in neither keeps its value. Throws a user error for an argument that
/// the setting does not accept.
class ReadOptions {
 public:
  ReadOptions(const options::variables_map& values, const Console& console)
      : values_(values), console_(console) {}

  template <class Value>
  void operator()(std::string_view name, Value& value, const SettingInfo& info) {
    if (!is_given(name)) return read_variable(value, info);
    if constexpr (std::same_as<Value, bool>) {
      if (*info.value == '\0') return void(value = true);
    }
    const options::variable_value& given = values_[std::string(name)];
    if constexpr (ReadsSeveralWords<Value>) {
      value.read(given.as<std::vector<std::string>>());
    } else {
      setting::read(given.as<std::string>(), std::string(name), value);
    }
    refuse_outside(std::string(name), value, info);
  }

 private:
  template <class Value>
  void read_variable(Value& value, const SettingInfo& info) {
    const std::string word = *info.variable == '\0' ? "" : console_.variable(info.variable);
    if (word.empty()) return;
    refuse_non_utf8(info.variable, word);
    if constexpr (ReadsSeveralWords<Value>) {
      value.read({word});
    } else {
      setting::read(word, info.variable, value);
      refuse_outside(info.variable, value, info);
    }
  }

  template <class Value>
  static void refuse_outside(const std::string& name, const Value& value, const SettingInfo& info) {
    if constexpr (std::unsigned_integral<Value>) {
      if (value >= info.least && value <= info.most) return;
      const bool no_most = info.most == (std::numeric_limits<std::uint64_t>::max)();
      const std::string words =
          no_most           ? "less than " + grouped(info.least)
          : info.least == 0 ? "more than " + grouped(info.most)
                            : "not between " + grouped(info.least) + " and " + grouped(info.most);
      throw user_error({.setting = name}, grouped(value) + " is " + words, info.remedy);
    }
  }

  template <class Number>
  static void refuse_outside(const std::string& name, const std::optional<Number>& value,
                             const SettingInfo& info) {
    if (value) refuse_outside(name, *value, info);
  }

  /// "10,000", and "1000".
  static std::string grouped(std::uint64_t number) {
    std::string digits = std::to_string(number);
    for (std::size_t at = digits.size(); digits.size() > 4 && at > 3;) {
      at -= 3;
      digits.insert(at, ",");
    }
    return digits;
  }

  [[nodiscard]] bool is_given(std::string_view name) const {
    const auto found = values_.find(std::string(name));
    return found != values_.end() && !found->second.defaulted();
  }

  const options::variables_map& values_;
  const Console& console_;
};

/// A visitor that throws a user error for a setting that was specified but has no effect in
/// combination with the other settings. Used after all settings have been read.
class RefuseIdleOptions {
 public:
  explicit RefuseIdleOptions(const options::variables_map& values) : values_(values) {}

  template <class Value>
  void operator()(std::string_view name, const Value&, const SettingInfo& info) const {
    const auto found = values_.find(std::string(name));
    if (info.idle.empty() || found == values_.end() || found->second.defaulted()) return;
    throw user_error({.setting = std::string(name)}, "has no effect " + info.idle);
  }

 private:
  const options::variables_map& values_;
};

/// All settings of a struct as options, with its members' values as defaults.
template <class Settings>
void describe_settings(options::options_description& list, const Settings& defaults,
                       const Console& console) {
  DescribeOptions visitor(list, console);
  Settings::visit(defaults, visitor);
}

/// Reads settings, and records in the console which of them were specified. Throws the same errors
/// as ReadOptions and RefuseIdleOptions.
template <class Settings>
void read_settings(const options::variables_map& values, Console& console, Settings& settings) {
  ReadOptions reader(values, console);
  Settings::visit(settings, reader);
  const RefuseIdleOptions refuse(values);
  Settings::visit(std::as_const(settings), refuse);
  RecordGiven record(values, console);
  Settings::visit(std::as_const(settings), record);
}

/// Reads a subcommand's arguments into its settings. Returns nullopt after printing help; otherwise
/// returns the parsed arguments, from which callers can see which options were specified.
template <class Settings>
std::optional<options::variables_map> parse_settings(Console& console, const std::string& called,
                                                     Settings& settings,
                                                     const Positional& unnamed = {}) {
  options::options_description list;
  describe_settings(list, settings, console);
  add_config(list);
  auto values = parse_arguments(console, called, list, unnamed);
  if (values) read_settings(*values, console, settings);
  return values;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
