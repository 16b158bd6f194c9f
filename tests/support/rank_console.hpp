// SPDX-License-Identifier: Apache-2.0
#pragma once

// `plumb rank` with its words given, over the chemical elements and a model that has read of some.

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/bear_folder.hpp"
#include "support/console_run.hpp"
#include "support/small_graph.hpp"

namespace plumb::test {

/// A folder with "elements", the graph in KG-BERT's layout, "bear", three of its relations in the
/// BEAR layout, and "model.gguf", which is hashed and not read.
struct RankFiles {
  RankFiles() {
    write_graph(folder, elements());
    write_bear(folder, "bear", elements_as_facts());
    folder.write("model.gguf", "stands for a model");
  }

  [[nodiscard]] std::string at(const std::string& name) const { return (folder / name).string(); }

  /// Two shots, so that a run takes no time; options given take their place.
  [[nodiscard]] std::vector<std::string> words(std::vector<std::string> options = {},
                                               const std::string& run = "run",
                                               const std::string& data = "elements") const {
    std::vector<std::string> all{"rank",           "--data", at(data), "--model",
                                 at("model.gguf"), "--out",  at(run)};
    if (std::ranges::find(options, "--shots") == options.end()) {
      all.insert(all.end(), {"--shots", "2"});
    }
    all.insert(all.end(), options.begin(), options.end());
    return all;
  }

  template <class Model = NgramTreeModel>
  [[nodiscard]] ConsoleRun rank(std::vector<std::string> options = {},
                                const std::string& run = "run",
                                const std::string& data = "elements") const {
    return run_words(words(std::move(options), run, data),
                     [](const ModelOptions&) { return reader_of_elements<Model>(); });
  }

  /// All that must not depend on when and how often a run was taken up.
  [[nodiscard]] std::map<std::string, std::string> comparable(const std::string& run) const {
    auto files = contents(folder / run);
    files.erase("run.json");
    return files;
  }
  [[nodiscard]] Json json(const std::string& name) const {
    return Json::parse(slurp(folder / name));
  }

  TemporaryFolder folder;
};

}  // namespace plumb::test
