// SPDX-License-Identifier: Apache-2.0
#pragma once

// A measurement reads finished results folders and writes its own folder: numbers, page and
// run.json.
//
// A measurement does not use a model: it reads what jobs wrote (job.hpp) and takes seconds. A
// measurement cannot be resumed, only repeated. Its folder may therefore be overwritten only by the
// same measurement of the same folders.

#include <chrono>
#include <concepts>
#include <filesystem>
#include <utility>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/records/result_sums.hpp"
#include "plumb/detail/report/report.hpp"
#include "plumb/detail/run/result_folders.hpp"
#include "plumb/detail/run/run_folder.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The result of a measurement: its report, and the settings for run.json.
struct Measured {
  Report report;
  Json settings;
};

/// Requires:
///   1. `m.identity()`: the settings that distinguish this measurement from others, as a JSON
///      object ({"command": "calibrate"});
///   2. `m.folders()`: the results folders that it reads;
///   3. `m.measure()`: reads the folders. Its result depends only on the folders and the settings.
template <class M>
concept Measurement = requires(const M& m) {
  { m.identity() } -> std::convertible_to<Json>;
  { m.folders() } -> std::convertible_to<const ResultFolders&>;
  { m.measure() } -> std::same_as<Measured>;
};

/// Whether a folder contains a measurement with this identity.
[[nodiscard]] inline bool holds_measurement(const DiskPath& folder, const Json& identity) {
  const Json settings = kept_settings(folder);
  if (settings.empty()) return false;
  for (const auto& [name, ours] : identity.items()) {
    if (settings.value(name, Json()) != ours) return false;
  }
  return true;
}

/// Whether a folder contains only the folders to be read, and files left behind by a measurement
/// that was killed before its first run.json was complete.
[[nodiscard]] inline bool holds_only(const DiskPath& out, const ResultFolders& folders) {
  if (!out.is_folder()) return false;
  return ranges::all_of(out.list(), [&](const DiskPath& entry) {
    return entry.name() == "run.json.part" ||
           ranges::any_of(folders.list, [&](const ResultFolder& one) {
             return entry.canonical().path() == one.path.canonical().path();
           });
  });
}

/// Throws a user error if a folder contains anything except an earlier measurement of the same
/// results folders, or those folders themselves.
inline void refuse_other_measurements(const DiskPath& out, const Json& identity,
                                      const ResultFolders& folders) {
  if (is_unused(out) || holds_only(out, folders)) return;
  if (holds_measurement(out, identity) &&
      read_json_object(out / "run.json").value("folders", Json()) == folders.json()) {
    return;
  }
  throw user_error({.file = out},
                   "contains something other than what plumb " +
                       identity.at("command").get<std::string>() +
                       " produced from the same folders",
                   "choose another folder (`out`)");
}

/// Runs a measurement and writes its folder. `facts` is recorded in run.json in addition to the
/// settings, folders and time. Throws a user error if the folder is not this measurement's own, or
/// if results differ from what their run wrote; also throws whatever the measurement throws. If an
/// error occurs, nothing is written.
template <Measurement M>
Report run_measurement(const M& measurement, const DiskPath& out,
                       const Json& facts = Json::object()) {
  const auto start = std::chrono::steady_clock::now();
  refuse_other_measurements(out, measurement.identity(), measurement.folders());
  for (const ResultFolder& read : measurement.folders().list) refuse_changed_results(read.path);
  const Measured made = measurement.measure();
  const RunFolder folder(out, made.settings, RunFolder::Claim::replace);
  Json run = facts;
  run["folders"] = measurement.folders().json();
  folder.write_run(run, "running");
  made.report.write(folder.path());
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  run["seconds_total"] = spent.count();
  folder.write_run(run, "complete");
  return made.report;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
