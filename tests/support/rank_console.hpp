// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs `plumb rank` with the given arguments on the chemical elements, using a model trained on
// some of them.

#include <string>
#include <vector>

#include "support/bear_folder.hpp"
#include "support/console_run.hpp"
#include "support/small_graph.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// A folder with "elements" (the graph in KG-BERT's layout), "bear" (three of its relations in the
/// BEAR layout) and "model.gguf", which is hashed but not read.
struct RankFiles : JobFiles {
  RankFiles() {
    write_graph(folder, elements());
    write_bear(folder, "bear", elements_as_facts());
  }

  /// Options for two shots, so that a run is fast. Options passed by the caller override these.
  [[nodiscard]] std::vector<std::string> words(const std::vector<std::string>& options = {},
                                               const std::string& run = "run",
                                               const std::string& data = "elements") const {
    return words_of("rank", data, run, options, {{"--shots", "2"}});
  }

  template <class Model = NgramTreeModel>
  [[nodiscard]] ConsoleRun rank(const std::vector<std::string>& options = {},
                                const std::string& run = "run",
                                const std::string& data = "elements") const {
    return run_words(words(options, run, data),
                     [](const ModelOptions&) { return reader_of_elements<Model>(); });
  }
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
