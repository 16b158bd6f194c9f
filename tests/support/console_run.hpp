// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs the command line with the given arguments and captures its output. The model needs no file.

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <concepts>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "plumb/detail/cli/command_line.hpp"
#include "support/bear_folder.hpp"
#include "support/hooked_model.hpp"
#include "support/plain_embedder.hpp"
#include "support/small_run.hpp"
#include "support/temporary_folder.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

struct ConsoleRun {
  int code = 0;
  std::string out;
  std::string err;

  /// Whether the command failed with a single line on stderr that contains `words`, and printed
  /// nothing on stdout.
  [[nodiscard]] bool refused(const std::string& words, int with_code = 2) const {
    return code == with_code && out.empty() && err.starts_with("plumb: ") &&
           err.find(words) != std::string::npos && std::ranges::count(err, '\n') == 1 &&
           err.back() == '\n';
  }
  [[nodiscard]] bool says(const std::string& words) const {
    return out.find(words) != std::string::npos;
  }
};

inline std::ostream& operator<<(std::ostream& stream, const ConsoleRun& run) {
  return stream << "code " << run.code << "\nout: " << run.out << "\nerr: " << run.err;
}

/// The first argument is the command; `make_model(ModelOptions)` returns any CausalLm. All models
/// that evaluate trees are wrapped in a HookedModel, so that a run can be resumed with a different
/// model.
template <class Make>
ConsoleRun run_words(std::vector<std::string> words, Make make_model,
                     const std::map<std::string, std::string>& environment = {}) {
  const std::string command = words.empty() ? "" : words.front();
  if (!words.empty()) words.erase(words.begin());
  std::ostringstream out, err;
  Console console{words, out, err};
  console.environment = [&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? "" : found->second;
  };
  console.takes = [](std::string_view) { return true; };
  using Made = std::invoke_result_t<Make&, const ModelOptions&>;
  constexpr bool is_hooked = TreeCausalLm<Made> && !std::same_as<Made, AnyModel>;
  using Model = std::conditional_t<is_hooked, HookedModel, Made>;
  const int code = run_command_line(
      command, console, [&](const ModelOptions& options) -> Model { return make_model(options); });
  return {code, out.str(), err.str()};
}

inline ConsoleRun run_words(std::vector<std::string> words) {
  return run_words(std::move(words), [](const ModelOptions&) { return small_model(); });
}

/// Stands in for a model that must never be created.
inline NgramTreeModel never(const ModelOptions&) {
  BOOST_ERROR("the model was made");
  return small_model();
}

/// A model whose logits are all equal, so texts with the same number of tokens are equally likely.
[[nodiscard]] inline HookedModel level_model(NgramTreeModel with_limits = small_model()) {
  HookedModel model(std::move(with_limits));
  model.on_row = [](std::span<float> row) { std::ranges::fill(row, 0.0F); };
  return model;
}

/// A folder that contains "model.gguf", which is hashed but not read, and that can also contain a
/// job's data and runs.
struct JobFiles {
  JobFiles() { folder.write("model.gguf", "stands for a model"); }

  [[nodiscard]] std::string at(const std::string& name) const { return (folder / name).string(); }
  [[nodiscard]] Json json(const std::string& name) const {
    return Json::parse(slurp(folder / name));
  }

  /// The arguments for `command`: the usual options, except those that the caller passes, followed
  /// by the caller's options.
  [[nodiscard]] std::vector<std::string> words_of(
      const std::string& command, const std::string& data, const std::string& run,
      const std::vector<std::string>& given,
      const std::vector<std::array<std::string, 2>>& usual = {}) const {
    std::vector<std::string> words{command,          "--data", at(data), "--model",
                                   at("model.gguf"), "--out",  at(run)};
    for (const auto& [option, value] : usual) {
      if (std::ranges::find(given, option) == given.end()) {
        words.insert(words.end(), {option, value});
      }
    }
    words.insert(words.end(), given.begin(), given.end());
    return words;
  }

  /// The files that must not depend on when a run was created or how often it was resumed.
  [[nodiscard]] std::map<std::string, std::string> comparable(
      const std::string& run, const std::vector<std::string>& left_out = {"run.json"}) const {
    auto files = all_contents(folder / run);
    for (const std::string& name : left_out) files.erase(name);
    return files;
  }

  TemporaryFolder folder;
};

/// A job's files; "data" is the small dataset in the BEAR layout.
struct ConsoleFiles : JobFiles {
  ConsoleFiles() { write_bear(folder, "data", small_dataset()); }

  /// Runs `plumb probe` with the given options and writes to the folder "run".
  [[nodiscard]] ConsoleRun probe(const std::vector<std::string>& options = {},
                                 const std::string& run = "run") const {
    return run_words(probe_words(options, run));
  }
  [[nodiscard]] std::vector<std::string> probe_words(const std::vector<std::string>& options = {},
                                                     const std::string& run = "run") const {
    return words_of("probe", "data", run, options);
  }
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
