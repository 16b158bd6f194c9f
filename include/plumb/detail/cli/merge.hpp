// SPDX-License-Identifier: Apache-2.0
#pragma once

// plumb merge: joins the shards of a job into one run folder.
//
// Runs the shards' command again with the same options, but reads the packs from the shards'
// journals. It needs only the model's tokenizer.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "plumb/detail/cli/job_target.hpp"
#include "plumb/detail/run/merge_shards.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The folders of the shards to merge, as a setting.
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
    visitor("run", self.runs,
            {.value = "RUN", .help = "folder of a shard; pass all shards of a job"});
    visitor("out", self.out, {.value = "RUN", .help = "folder to write"});
    visitor("model", self.model,
            {.value = "MODEL",
             .help = "current path of the shards' model, of which only the tokenizer is used; "
                     "default: its path in the first shard"});
    visitor("server", self.server,
            {.value = "URL",
             .help = "current URL of the server, for shards that used one; default: its URL in the "
                     "first shard"});
    visitor(
        "tokenizer", self.tokenizer,
        {.value = "PATH", .help = "current path of the tokenizer of shards that used a server"});
  }
};

/// The command that created a run. Throws a user error if run.json does not record the command.
inline std::string command_of(const DiskPath& folder, const Json& record) {
  const auto words = string_list(record, "command_line").value_or(std::vector<std::string>{});
  if (words.size() > 1 && record.value("options", Json()).is_object()) return words[1];
  throw user_error({folder / "run.json", 0, "command_line"},
                   "does not record the command that made the shard",
                   "merge in the program that made it (run/merge_shards.hpp)");
}

/// The shards' options, overridden by the options in `arguments`. Throws a user error if
/// `arguments` specify a model but the shards used a server, or the reverse.
inline Json options_of_merge(Json given, const MergeArguments& arguments) {
  const bool asks_server = given.contains("server");
  const auto replace = [&](const char* name, const std::string& word, bool fits) {
    if (word.empty()) return;
    if (!fits) {
      throw user_error({.setting = name},
                       asks_server ? "the shards used a server, not a local model"
                                   : "the shards used a local model, not a server",
                       asks_server ? "pass the server's current URL with `server`"
                                   : "pass the model's current path with `model`");
    }
    given[name] = word;
  };
  replace("model", arguments.model.string(), !asks_server);
  replace("server", arguments.server, asks_server);
  replace("tokenizer", arguments.tokenizer.string(), asks_server);
  return given;
}

/// Runs the subcommand, which runs the shards' subcommand and returns its exit code. Throws an
/// Error for every failure.
inline int run_merge_command(Console& console) {
  detail::MergeArguments arguments;
  const auto values =
      detail::parse_settings(console, "plumb merge RUN… --out RUN [--model MODEL | --server URL]",
                             arguments, {{"run", -1}});
  if (!values) return 0;
  if (arguments.runs.list.empty()) {
    throw user_error({.field = "RUN"}, "is required but missing",
                     "`plumb merge --help` lists the options");
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
