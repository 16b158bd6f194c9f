// SPDX-License-Identifier: Apache-2.0
#pragma once

// How do the shards of a job become one run folder?
//
// Each shard's journal contains some of the job's packs (shard.hpp). The merged run repeats the
// same job, but reads every pack from these journals and needs only the model's tokenizer. Its
// files are therefore the same as those of a run without shards. The times of the shards are added
// up. If a merge was killed, the same call repeats it.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/records/result_lines.hpp"
#include "plumb/detail/records/run_record.hpp"
#include "plumb/detail/run/run_folder.hpp"
#include "plumb/detail/run/work.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// All shards of a job, in order.
struct MergedShards {
  std::vector<DiskPath> folders{};
  /// The run.json of the first shard.
  Json record = Json::object();
  /// The summed times and counts of all shards.
  RunSummary before{};

  /// The shards' folders as listed in run.json.
  [[nodiscard]] Json names() const {
    Json all = Json::array();
    for (const DiskPath& folder : folders) all.push_back(folder.canonical().string());
    return all;
  }
};

/// Whether a folder contains an unfinished merge of these shards.
inline bool is_begun_merge(const DiskPath& out, const MergedShards& shards) {
  if (!is_there(out / "run.json")) return false;
  const Json run = read_json_object(out / "run.json");
  return first_string(run, "status") == "running" && run.value("shards", Json()) == shards.names();
}

/// Throws a user error if two shards are not from the same job.
inline void refuse_other_settings(const DiskPath& one, const Json& settings, const DiskPath& other,
                                  const Json& theirs) {
  std::map<std::string, Json> all;
  for (const Json* const of : {&settings, &theirs}) {
    for (const auto& [name, value] : of->items()) all[name] = value;
  }
  for (const auto& [name, _] : all) {
    const Json ours = settings.value(name, Json()), his = theirs.value(name, Json());
    if (ours == his) continue;
    throw user_error({other / "run.json", 0, name},
                     "is " + his.dump() + ", but " + ours.dump() + " in " + one.string(),
                     "merge shards of one job, data, model and version of plumb");
  }
}

/// Reads the records of shards. Throws a user error that identifies the folder if a folder is not a
/// shard or is not finished, if shards have different settings, data, models or versions, or if a
/// shard is missing or duplicated.
[[nodiscard]] inline MergedShards read_shards(const std::vector<DiskPath>& folders) {
  if (folders.empty())
    throw user_error({.field = "RUN"}, "no shards given", "specify all shards of a job");
  MergedShards made;
  Json settings;
  std::size_t count = 0;
  for (const DiskPath& folder : folders) {
    const DiskPath file = folder / "run.json";
    if (!is_there(file)) {
      throw user_error({.file = folder}, "is not a run folder (no run.json)",
                       "use a shard's folder");
    }
    const Json run = read_json_object(file);
    refuse_mixed(file, run);
    const Json shard = run.value("shard", Json());
    const bool sound = shard.is_object() && shard.value("index", Json()).is_number_unsigned() &&
                       shard.value("count", Json()).is_number_unsigned();
    if (shard.is_null() && first_string(run, "status") == "complete") {
      throw user_error({.file = folder}, "is a whole run, not a shard",
                       "there is nothing to merge: use the run itself");
    }
    if (!sound) {
      throw user_error({file, 0, "shard"}, "is missing: the folder is not a shard of a run",
                       "use folders that were created with `shard`");
    }
    if (first_string(run, "status") != "shard") {
      throw user_error({file, 0, "status"}, "the shard is not finished",
                       "resume it, then merge again");
    }
    const auto index = shard["index"].get<std::size_t>();
    if (made.folders.empty()) {
      made.record = run;
      settings = kept_settings(folder);
      count = shard["count"].get<std::size_t>();
      made.folders.resize(count);
    }
    detail::refuse_other_settings(folders.front(), settings, folder, kept_settings(folder));
    if (shard["count"].get<std::size_t>() != count) {
      throw user_error({file, 0, "shard"},
                       "is one of " + shard["count"].dump() + ", but that of " +
                           folders.front().string() + " is one of " + std::to_string(count),
                       "merge shards of the same job and the same number of shards");
    }
    if (index < 1 || index > count) {
      throw user_error({file, 0, "shard"},
                       "is not a shard number from 1 to " + std::to_string(count),
                       "the file was changed; run the shard again");
    }
    DiskPath& place = made.folders[index - 1];
    if (!place.empty()) {
      throw user_error({.file = folder},
                       "is shard " + std::to_string(index) + " of " + std::to_string(count) +
                           ", and so is " + place.string(),
                       "specify each shard once");
    }
    place = folder;
    made.before.seconds_model += run.value("seconds_model", 0.0);
    made.before.fresh_statements += run.value("statements_scored_now", std::size_t{0});
    const Json by_part = run.value("seconds_by_part", Json::object());
    for (const auto& [part, seconds] : by_part.items()) {
      made.before.seconds_by_part[part] += seconds.get<double>();
    }
  }
  std::string missing;
  for (std::size_t i = 0; i < count; ++i) {
    if (!made.folders[i].empty()) continue;
    add_to_list(missing, std::to_string(i + 1));
  }
  if (missing.empty()) return made;
  throw user_error({.file = folders.front()},
                   "is a shard of " + std::to_string(count) + ", and these are missing: " + missing,
                   "specify all of the job's folders");
}

/// Creates the folder to merge the shards into, or finds an unfinished merge of them there. The job
/// is then resumed in this folder, with the shards' folders and their summed cost in its
/// WorkOptions. Throws a user error if the folder contains anything else.
inline void begin_merge(const DiskPath& out, const MergedShards& shards) {
  if (detail::is_begun_merge(out, shards)) return;
  const RunFolder folder(out, shards.record.at("settings"), RunFolder::Claim::fresh);
  folder.write_run({{"shards", shards.names()}}, "running");
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
