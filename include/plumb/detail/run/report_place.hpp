// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where may the report of a finished run be written?
//
// It may be written into the run's own folder, a new folder, or a folder that contains a report of
// the same run. report.json identifies the run by its folder and a hash of its settings. Other
// folders may contain another run's results or unrelated files, so they are overwritten only on
// request. The folder of another run is never overwritten.

#include <memory>
#include <string>
#include <string_view>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/hash.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/version.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/records/atomic_file.hpp"
#include "plumb/detail/records/run_record.hpp"
#include "plumb/detail/report/report.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline constexpr const char* report_record = "report.json";

[[nodiscard]] inline bool is_same_folder(const DiskPath& a, const DiskPath& b) {
  return a.is_folder() && a.canonical() == b.canonical();
}

/// Identifies the run that a report is about.
[[nodiscard]] inline Json report_identity(const DiskPath& run) {
  return {{"run", run.canonical().string()},
          {"settings_fnv1a", fnv1a_hex(kept_settings(run).dump())}};
}

[[nodiscard]] inline bool holds_report_of(const DiskPath& run, const DiskPath& out) {
  const DiskPath file = out / report_record;
  if (!file.exists()) return false;
  const Json record = read_json_object(file), identity = report_identity(run);
  for (const auto& [name, ours] : identity.items()) {
    if (record.value(name, Json()) != ours) return false;
  }
  return true;
}

/// Throws a user error if the folder contains anything other than a report of `run`, unless
/// `overwrite` is set; always throws for the folder of another run.
inline void refuse_other_than_report(const DiskPath& run, const DiskPath& out, bool overwrite) {
  if (!out.exists()) return;
  if (!out.is_folder()) {
    throw user_error({.file = out}, "is not a folder", "choose another folder (`out`)");
  }
  const bool holds_run = (out / "run.json").exists();
  const bool is_own = detail::is_same_folder(out, run);
  if (is_own && holds_run) return;
  // left behind by a report process that was killed just after it started
  const auto is_left = [](const DiskPath& entry) {
    return entry.name() == std::string(detail::report_record) + ".part";
  };
  if (ranges::all_of(out.list(), is_left) || detail::holds_report_of(run, out)) return;
  if (holds_run) {
    throw user_error({.file = out},
                     "is the folder of another run, and reports never overwrite runs",
                     "choose another folder (`out`)");
  }
  if (overwrite) return;
  throw user_error({.file = out},
                   "contains something other than a report of " + run.canonical().string(),
                   "choose another folder (`out`), or overwrite this one with `overwrite`");
}

/// Writes a report into a folder, creating the folder if needed. Throws the errors of
/// refuse_other_than_report, a user error if another process is using the folder, and an internal
/// error if writing fails. After an error, the same report can be written again.
inline void write_report(const Report& report, const DiskPath& run, const DiskPath& out,
                         bool overwrite) {
  refuse_other_than_report(run, out, overwrite);
  make_folders(out);
  std::unique_ptr<FolderLock> lock;
  if (out.disk().lock(out, lock)) {
    throw user_error({.file = out}, "another plumb process is writing here",
                     "wait for it, or choose another folder (`out`)");
  }
  if (detail::is_same_folder(out, run)) return report.write(out);
  const auto write_record = [&](std::string_view status) {
    Json record = {{"status", status}, {"plumb_version", PLUMB_VERSION}};
    record.update(detail::report_identity(run));
    write_atomically(out / detail::report_record, record.dump(2) + "\n");
  };
  write_record("running");
  report.write(out);
  write_record("complete");
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
