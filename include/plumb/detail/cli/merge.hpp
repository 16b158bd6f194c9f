// SPDX-License-Identifier: Apache-2.0
#pragma once

// plumb merge: the shards of one job as one run folder.
//
// The shards' job is called again with the options that they were given, over the packs in their
// journals. Of the model only its tokenizer is asked.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "plumb/detail/cli/job_target.hpp"
#include "plumb/detail/run/merge_shards.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Folders of shards, as a setting.
struct ShardFolders {
  std::vector<DiskPath> list{};

  void read(const std::vector<std::string>& words) { list.assign(words.begin(), words.end()); }
};

struct MergeArguments {
  ShardFolders runs{};
  std::filesystem::path out{}, model{}, tokenizer{};
  std::string server{};

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& visitor) {
    visitor("run", self.runs, {.value = "RUN", .help = "folder of a shard; all of a job"});
    visitor("out", self.out, {.value = "RUN", .help = "folder to write"});
    visitor("model", self.model,
            {.value = "MODEL",
             .help = "where the shards' model lies here; where it lay for the first of them by "
                     "default. Its tokenizer is asked alone"});
    visitor("server", self.server,
            {.value = "URL",
             .help = "where the server of shards that asked one answers now; where it answered the "
                     "first of them by default"});
    visitor("tokenizer", self.tokenizer,
            {.value = "PATH", .help = "where the tokenizer that such shards were given lies here"});
  }
};

/// Which command a run was made by. Throws a user error where its run.json does not say.
inline std::string command_of(const DiskPath& folder, const Json& record) {
  const auto words = string_list(record, "command_line").value_or(std::vector<std::string>{});
  if (words.size() > 1 && record.value("options", Json()).is_object()) return words[1];
  throw user_error({folder / "run.json", 0, "command_line"},
                   "does not say how the shard was called",
                   "merge in the program that made it (run/merge_shards.hpp)");
}

/// The options that the shards were given, with those of `arguments` in their place. Throws a user
/// error for a model of shards that asked a server, and the other way round.
inline Json options_of_merge(Json given, const MergeArguments& arguments) {
  const bool asks_server = given.contains("server");
  const auto replace = [&](const char* name, const std::string& word, bool fits) {
    if (word.empty()) return;
    if (!fits) {
      throw user_error({.setting = name},
                       asks_server ? "the shards asked a server, and no model here"
                                   : "the shards asked a model, and no server",
                       asks_server ? "say by `server` where it answers now"
                                   : "say by `model` where it lies here");
    }
    given[name] = word;
  };
  replace("model", arguments.model.string(), !asks_server);
  replace("server", arguments.server, asks_server);
  replace("tokenizer", arguments.tokenizer.string(), asks_server);
  return given;
}

/// Runs the subcommand, which runs the one that the shards are of. Returns the exit code of that. Throws
/// Error for everything that goes wrong.
inline int run_merge_command(Console& console) {
  detail::MergeArguments arguments;
  const auto values =
      detail::parse_settings(console, "plumb merge RUN… --out RUN [--model MODEL | --server URL]",
                             arguments, {{"run", -1}});
  if (!values) return 0;
  if (arguments.runs.list.empty()) {
    throw user_error({.field = "RUN"}, "is required but missing",
                     "`plumb merge --help` tells more");
  }
  (detail::require)(arguments.out, "--out", "plumb merge");
  const auto shards = std::make_shared<const MergedShards>(read_shards(arguments.runs.list));
  const std::string command = detail::command_of(shards->folders.front(), shards->record);
  const Json given = detail::options_of_merge(shards->record.at("options"), arguments);
  Console asking = console;
  asking.arguments = detail::words_of_given(given);
  asking.asked = {};
  asking.arguments.insert(asking.arguments.end(), {"--out", arguments.out.string(), "--resume"});
  begin_merge(arguments.out, *shards);
  asking.merged = shards;
  return console.run(command, asking);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
