// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which options does the --config file set?
//
// The file is a JSON object whose keys are option names: {"limit": 20, "relations": ["P36", "P30"],
// "bos": "no"}. Names may have - or _ between words, a list has one item for each argument, and a
// switch is true or false. The file may also be a run.json, which contains the options under
// "options". Options on the command line take precedence.

#include <boost/program_options.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/cli/console.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/suggestion.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/data/json_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

namespace options = boost::program_options;

struct ConfigFile {
  DiskPath file;
  Json options;
  /// Whether the file is the run.json of an earlier run.
  bool of_run = false;
};

/// Throws a user error for a file that is not a JSON object, and for a run.json that has no options
/// or belongs to a command other than `command` ("probe").
[[nodiscard]] inline ConfigFile read_config(const DiskPath& file, const std::string& command) {
  Json object = read_json_object(file);
  const bool of_run = object.contains("status") && object.contains("settings");
  if (!of_run) return {file, std::move(object), false};
  const auto called = string_list(object, "command_line").value_or(std::vector<std::string>{});
  if (called.size() < 2 || called[1] != command) {
    throw user_error({file, 0, "command_line"},
                     "the run was made by plumb " + (called.size() < 2 ? "?" : called[1]),
                     "use it with that command");
  }
  const Json given = object.value("options", Json());
  if (!given.is_object()) {
    throw user_error({file, 0, "options"},
                     "is missing: an earlier version of plumb did not record it",
                     "pass the options of its command_line");
  }
  return {file, given, true};
}

/// A JSON value as a command-line argument. Throws a user error for an object or a list.
[[nodiscard]] inline std::string config_word(const ConfigFile& config, const std::string& key,
                                             const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number()) return value.dump();
  throw user_error({config.file, 0, key}, "is not a string, a number or a list of these",
                   "write it as on the command line");
}

/// The file's options in Boost's parsed form, except nulls and switches set to false. Throws a user
/// error for a key that is not an option of the command, and for a value whose type no option
/// accepts.
[[nodiscard]] inline options::parsed_options config_options(
    const ConfigFile& config, const std::string& command,
    const options::options_description& description) {
  options::parsed_options parsed(&description);
  for (const auto& [key, value] : config.options.items()) {
    options::option one;
    one.string_key = key;
    for (char& c : one.string_key) c = c == '_' ? '-' : c;
    const auto* const known = description.find_nothrow(one.string_key, false);
    if (known == nullptr || one.string_key == "config" || one.string_key == "help") {
      std::vector<std::string> names;
      for (const auto& option : description.options()) names.push_back(option->long_name());
      throw user_error(
          {config.file, 0, key}, "unknown option",
          did_you_mean(one.string_key, names) + "`plumb " + command + " --help` lists the options");
    }
    if (value.is_null()) continue;
    const auto semantic = known->semantic();
    using Several = options::typed_value<std::vector<std::string>>;
    if (semantic->max_tokens() == 0) {
      const std::string word = config_word(config, key, value);
      if (word != "yes" && word != "no") {
        throw user_error({config.file, 0, key}, "is a switch", "write true or false");
      }
      if (word == "no") continue;
    } else if (!value.is_array()) {
      one.value = {config_word(config, key, value)};
    } else if (dynamic_cast<const Several*>(semantic.get()) != nullptr) {
      for (const Json& item : value) one.value.push_back(config_word(config, key, item));
      if (one.value.empty()) continue;
    } else {
      std::string words;
      for (const Json& item : value) {
        add_to_list(words, config_word(config, key, item), ",");
      }
      one.value = {words};
    }
    parsed.options.push_back(std::move(one));
  }
  return parsed;
}

/// Adds the options of the --config file to the parsed arguments, and records them in the console.
/// Throws the same errors as the functions above.
inline void take_config(Console& console, const std::string& command,
                        const options::options_description& description,
                        options::variables_map& values) {
  const ConfigFile config = read_config(values["config"].as<std::string>(), command);
  const auto parsed = config_options(config, command, description);
  console.asked.config = config.file.string();
  if (config.of_run) console.asked.record = config.file.string();
  for (const options::option& one : parsed.options) {
    const auto found = values.find(one.string_key);
    if (found != values.end() && !found->second.defaulted()) continue;
    console.asked.of_config.push_back(one.string_key);
  }
  options::store(parsed, values);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
