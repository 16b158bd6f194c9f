// SPDX-License-Identifier: Apache-2.0
#pragma once

// The names of the numbers in a metrics.json file.
//
// A number's name is its keys joined by dots: settings.ic/50.accuracy. An object with value, low
// and high is one number with its interval; low and high may be null if it has no interval. A list
// element is named after its strings, joined by "+" ({"methods": ["deer", "lm-head"], …} is
// deer+lm-head), or after its first number if it contains no strings. If several elements have the
// same name, "#2", "#3" and so on are appended to all but the first. Numbers below "models" belong
// to the individual models. Strings, booleans and lists of plain numbers have no name.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/measure/published_comparison.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline void add_text(std::string& label, const Json& text) {
  const std::string& one = text.get_ref<const std::string&>();
  if (!one.empty()) add_to_list(label, one, "+");
}

/// The name of a list element; empty if it contains neither strings nor numbers.
inline std::string element_label(const Json& element) {
  std::string label, number;
  for (const auto& [key, value] : element.items()) {
    if (value.is_string()) add_text(label, value);
    if (value.is_array()) {
      for (const Json& text : value) {
        if (text.is_string()) add_text(label, text);
      }
    }
    if (value.is_number() && number.empty()) number = value.dump();
  }
  return label.empty() ? number : label;
}

inline bool is_estimate(const Json& json) {
  const auto is_number = [&](const char* key, bool or_null) {
    const auto found = json.find(key);
    return found != json.end() && (found->is_number() || (or_null && found->is_null()));
  };
  return json.is_object() && is_number("value", false) && is_number("low", true) &&
         is_number("high", true);
}

/// One end of an interval; nullopt if the number has no interval.
inline std::optional<double> end_of(const Json& json) {
  return json.is_number() ? std::optional(json.get<double>()) : std::nullopt;
}

inline void add_numbers_of(const Json& json, const std::string& name,
                           std::map<std::string, RunNumber>& into) {
  const auto below = [&](const std::string& key) { return name.empty() ? key : name + "." + key; };
  if (json.is_number()) {
    into[name] = {json.get<double>(), {}, {}, 0};
  } else if (is_estimate(json)) {
    const Json count = json.value("count", Json());
    into[name] = {json["value"].get<double>(), end_of(json["low"]), end_of(json["high"]),
                  count.is_number_unsigned() ? count.get<std::size_t>() : 0};
  } else if (json.is_object()) {
    for (const auto& [key, value] : json.items()) add_numbers_of(value, below(key), into);
  } else if (json.is_array()) {
    std::map<std::string, std::size_t> met;
    for (const Json& element : json) {
      if (!element.is_object()) continue;
      const std::string label = element_label(element);
      const std::size_t nth = ++met[label];
      add_numbers_of(element, below(label + (nth == 1 ? "" : "#" + std::to_string(nth))), into);
    }
  }
}

/// All numbers of a JSON value, by name.
[[nodiscard]] inline std::map<std::string, RunNumber> named_numbers(const Json& json) {
  std::map<std::string, RunNumber> numbers;
  detail::add_numbers_of(json, "", numbers);
  return numbers;
}

/// The numbers of a run folder whose model is named `model`: those in its metrics.json and, if the
/// run was calibrated, those in the calibration's metrics.json, which may be in a subfolder or in
/// the parent folder. If a file contains several models, each is returned separately under its name
/// in that file. Throws a user error if the folder has no metrics.json or if a file is not a JSON
/// object.
[[nodiscard]] inline std::vector<RunNumbers> read_run_numbers(const DiskPath& folder,
                                                              const std::string& model,
                                                              const std::string& dataset) {
  std::vector<DiskPath> files{folder / "metrics.json", folder / "calibration" / "metrics.json"};
  if (folder.name() == "probe") files.push_back(folder.parent() / "metrics.json");
  std::erase_if(files, [](const DiskPath& file) { return !file.is_file(); });
  if (files.empty()) {
    throw user_error({.file = folder}, "has no metrics.json",
                     "finish the run, or create the file with `plumb report`");
  }
  std::vector<RunNumbers> made{{model, dataset, {}}};
  for (const DiskPath& file : files) {
    Json metrics = read_json_object(file);
    Json models = metrics.value("models", Json());
    if (!models.is_object()) models = Json::object();
    metrics.erase("models");
    made.front().numbers.merge(named_numbers(metrics));
    for (const auto& [name, numbers] : models.items()) {
      if (models.size() == 1) {
        made.front().numbers.merge(named_numbers(numbers));
      } else {
        const std::string theirs = first_string(numbers, "dataset").value_or(dataset);
        made.push_back({name, theirs, named_numbers(numbers), model});
      }
    }
  }
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
