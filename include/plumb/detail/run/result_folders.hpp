// SPDX-License-Identifier: Apache-2.0
#pragma once

// The results folders that a measurement reads, as specified by the user.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/records/probe_metadata.hpp"
#include "plumb/detail/records/results_kind.hpp"
#include "plumb/detail/records/run_record.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The model's name in a folder's metadata; empty if there is none.
[[nodiscard]] inline std::string recorded_model(const DiskPath& folder) {
  const auto kind = results_kind(folder);
  if (kind && *kind != ResultsKind::closed_set) {
    return first_string(read_metadata(folder, *kind), "model").value_or("");
  }
  const auto recorded = recorded_relations(folder);
  return recorded.empty() ? std::string() : recorded.front().model;
}

/// A results folder, and a name for its model. If the name is empty, the model's own name is used.
struct ResultFolder {
  std::string name{};
  DiskPath path{};
};

/// Reads NAME=DIR or DIR. If DIR is the folder of an earlier calibration of a model, the probe
/// folder inside it is used. Throws a user error if there is no such folder.
[[nodiscard]] inline ResultFolder result_folder(const std::string& word) {
  ResultFolder made{"", word};
  const auto equals = word.find('=');
  if (equals != std::string::npos && equals > 0 && !DiskPath(word).exists()) {
    made = {word.substr(0, equals), word.substr(equals + 1)};
  }
  if (!made.path.is_folder()) {
    throw user_error({.file = made.path, .line = 0, .field = made.path.empty() ? "DIR" : ""},
                     "is not a folder", "use a run folder or an lm-pub-quiz results folder");
  }
  made.path = probed_folder(made.path);
  refuse_without_results(made.path);
  return made;
}

/// The last component of a path, with or without a trailing slash. For the probe inside a
/// calibration, this is the name of the calibration's folder.
[[nodiscard]] inline std::string folder_name(const DiskPath& folder) {
  const DiskPath path = folder.canonical();
  const bool is_part = path.name() == "probe" &&
                       first_string(kept_settings(path.parent()), "command") == "calibrate";
  return is_part ? path.parent().name() : path.name();
}

/// Several results folders, as a setting.
struct ResultFolders {
  std::vector<ResultFolder> list{};

  void read(const std::vector<std::string>& words) {
    list.clear();
    for (const std::string& word : words) list.push_back(result_folder(word));
  }
  /// The absolute paths, as run.json records them.
  [[nodiscard]] Json json() const {
    Json paths = Json::array();
    for (const ResultFolder& one : list) {
      paths.push_back(one.path.canonical().string());
    }
    return paths;
  }
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
