// SPDX-License-Identifier: Apache-2.0
#pragma once

// A measurement from finished results folders to a folder of its own: numbers, page and run.json.
//
// A measurement asks no model: it reads what jobs left (job.hpp), takes seconds, and is made again
// rather than resumed. So its folder may be written over by the same measurement of the same folders,
// and by nothing else.

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

/// What a measurement found: its report, and the settings that run.json is to have.
struct Measured {
  Report report;
  Json settings;
};

/// Requires:
///   1. `m.identity()`: of its settings those that make it this measurement and no other, as a JSON
///      object ({"command": "calibrate"});
///   2. `m.folders()`: the results folders it reads;
///   3. `m.measure()`: reads them. What it returns depends on them and on the settings alone.
template <class M>
concept Measurement = requires(const M& m) {
  { m.identity() } -> std::convertible_to<Json>;
  { m.folders() } -> std::convertible_to<const ResultFolders&>;
  { m.measure() } -> std::same_as<Measured>;
};

/// Whether a folder holds a measurement of that identity.
[[nodiscard]] inline bool holds_measurement(const DiskPath& folder, const Json& identity) {
  const Json settings = kept_settings(folder);
  if (settings.empty()) return false;
  for (const auto& [name, ours] : identity.items()) {
    if (settings.value(name, Json()) != ours) return false;
  }
  return true;
}

/// Whether all that a folder holds are folders that are read, and what is left of a measurement that
/// was killed before its first run.json stood.
[[nodiscard]] inline bool holds_only(const DiskPath& out, const ResultFolders& folders) {
  if (!out.is_folder()) return false;
  return ranges::all_of(out.list(), [&](const DiskPath& entry) {
    return entry.name() == "run.json.part" ||
           ranges::any_of(folders.list, [&](const ResultFolder& one) {
             return entry.canonical().path() == one.path.canonical().path();
           });
  });
}

/// Throws a user error for a folder that holds anything else than an earlier measurement of the same
/// results folders, or those themselves.
inline void refuse_other_measurements(const DiskPath& out, const Json& identity,
                                      const ResultFolders& folders) {
  if (is_unused(out) || holds_only(out, folders)) return;
  if (holds_measurement(out, identity) &&
      read_json_object(out / "run.json").value("folders", Json()) == folders.json()) {
    return;
  }
  throw user_error({.file = out},
                   "holds something else than plumb " + identity.at("command").get<std::string>() +
                       " made of the same folders",
                   "choose another folder (`out`)");
}

/// Carries a measurement out and writes its folder. `facts` is what run.json says beside settings,
/// folders and time. Throws a user error for a folder that is not its own, for results that are not
/// what their run wrote, and whatever the measurement throws; nothing is then written.
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
