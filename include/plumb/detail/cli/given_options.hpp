// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which options does a command line need in order to repeat a run?
//
// They are the options that were set on the command line, in a file or in the environment, except
// --out, --resume, --overwrite and --shard. Paths are absolute. run.json stores the options under
// "options", and --config reads them from there (config_file.hpp).

#include <boost/program_options.hpp>
#include <concepts>
#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "plumb/detail/cli/console.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/records/results_kind.hpp"
#include "plumb/detail/records/run_record.hpp"
#include "plumb/detail/run/job_setting.hpp"
#include "plumb/detail/run/result_folders.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

namespace options = boost::program_options;

/// A setting that takes several arguments, each of which is a complete value.
template <class Value>
concept ReadsSeveralWords = requires(Value& value, const std::vector<std::string>& words) {
  value.read(words);
};

/// Makes the path of an existing file or folder absolute. Returns any other argument unchanged,
/// such as `none`, a name or an embedding program's own keyword.
[[nodiscard]] inline std::string whole_path(const std::string& word) {
  if (word.empty() || word == "none" || !DiskPath(word).exists()) return word;
  return std::filesystem::absolute(word).lexically_normal().string();
}

/// A visitor that records each setting that the user specified.
class RecordGiven {
 public:
  RecordGiven(const options::variables_map& values, Console& console)
      : values_(values), console_(console) {}

  template <class Value>
  void operator()(std::string_view name, const Value& value, const SettingInfo& info) {
    if (name == "out" || name == "resume" || name == "overwrite" || name == "shard") return;
    GivenOption option{std::string(name)};
    const auto found = values_.find(option.name);
    if (found == values_.end() || found->second.defaulted()) {
      const std::string word = *info.variable == '\0' ? "" : console_.variable(info.variable);
      if (word.empty()) return;
      option.words = {word};
    } else if constexpr (std::same_as<Value, ResultFolders>) {
      option.several = true;
      for (const ResultFolder& one : value.list) {
        option.words.push_back((one.name.empty() ? "" : one.name + "=") +
                               whole_path(one.path.string()));
      }
    } else if constexpr (requires { value.words_with_paths(whole_path); }) {
      option.words = value.words_with_paths(whole_path);
      option.several = option.words.size() > 1;
    } else if constexpr (ReadsSeveralWords<Value>) {
      option.several = true;
      option.words = found->second.template as<std::vector<std::string>>();
    } else if (*info.value != '\0') {
      option.words = {found->second.template as<std::string>()};
    }
    if constexpr (std::same_as<Value, std::filesystem::path>) {
      option.words.front() = whole_path(option.words.front());
    } else if constexpr (requires { value.with_paths(whole_path); }) {
      option.words.front() = value.with_paths(whole_path);
    }
    console_.asked.given.push_back(std::move(option));
  }

 private:
  const options::variables_map& values_;
  Console& console_;
};

/// The options as JSON: {"limit": "20", "heads": true, "stop": ["a", "b"]}.
[[nodiscard]] inline Json given_json(const Console& console) {
  Json all = Json::object();
  for (const GivenOption& one : console.asked.given) {
    all[one.name] = one.several         ? Json(one.words)
                    : one.words.empty() ? Json(true)
                                        : Json(one.words.front());
  }
  return all;
}

/// Converts options in the format of given_json to command-line arguments.
[[nodiscard]] inline std::vector<std::string> words_of_given(const Json& given) {
  std::vector<std::string> words;
  const auto add = [&](const std::string& name, const Json& value) {
    words.push_back("--" + name);
    if (value.is_string()) words.push_back(value.get<std::string>());
  };
  for (const auto& [name, value] : given.items()) {
    if (!value.is_array()) {
      add(name, value);
      continue;
    }
    for (const Json& one : value) add(name, one);
  }
  return words;
}

/// The name of the setting in run.json that contains the SHA-256 of an option's file.
[[nodiscard]] inline std::string hash_setting(std::string_view option) {
  return recorded_name(option == "data" || option == "fixed" ? "dataset" : option, {}) + "_sha256";
}

/// The message for a file whose hash has changed.
[[nodiscard]] inline std::string changed_since(const std::string& run, const Json& then,
                                               const Json& now) {
  return "has changed since " + run + ": its SHA-256 was " + then.dump() + " and is " + now.dump();
}

/// Throws a user error if a file whose path --config read from a run.json has changed since that
/// run. Warns on the console if that run used a different plumb version or backend. `settings` are
/// the new job's settings.
inline void refuse_changed_files(const Console& console, const Json& settings) {
  const AskedOptions& asked = console.asked;
  if (asked.record.empty()) return;
  const Json then = kept_settings(probed_folder(DiskPath(asked.record).parent()));
  for (const char* program : {"plumb_version", "backend"}) {
    const auto theirs = first_string(then, program), ours = first_string(settings, program);
    if (!theirs || !ours || *theirs == *ours) continue;
    console.err << asked.record << ": the run was made by "
                << (program == std::string_view("backend") ? "" : "plumb ") << *theirs
                << "; this is " << *ours << ", so numbers may differ\n";
  }
  const auto taken = [&](const std::string& option) {
    return ranges::find(asked.of_config, option) != asked.of_config.end();
  };
  const auto given = [&](const std::string& option) {
    return ranges::find(asked.given, option, &GivenOption::name);
  };
  // The dataset is compared last because its hash may also cover the other files.
  for (const char* option : {"model", "lora", "tokenizer", "template-file", "separators",
                             "baselines", "entities", "vocabulary", "fixed", "data"}) {
    const std::string of = option;
    const std::string name = hash_setting(of);
    const Json theirs = then.value(name, Json()), ours = settings.value(name, Json());
    if (!taken(of) || theirs.is_null() || theirs == ours) continue;
    const auto other = [&](const char* beside) {
      return given(beside) != asked.given.end() && !taken(beside);
    };
    if (name == "dataset_sha256" && (other("template-file") || other("fixed") || other("data"))) {
      continue;
    }
    throw user_error({.file = given(of)->words.front()},
                     changed_since("the run of " + asked.record, theirs, ours),
                     "restore the file, or pass another with --" + of);
  }
  for (const char* option : {"prefix", "system", "chat-template"}) {  // run.json has their texts
    const std::string of = option;
    const std::string name = recorded_name(of, {});
    const Json theirs = then.value(name, Json()), ours = settings.value(name, Json());
    if (!taken(of) || theirs.is_null() || theirs == ours) continue;
    throw user_error({.file = given(of)->words.front()},
                     "has changed since the run of " + asked.record,
                     "restore the file, or pass another with --" + of);
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
