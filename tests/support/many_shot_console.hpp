// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs `plumb many-shot` with the given arguments, using a model trained on some births.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "support/console_run.hpp"
#include "support/small_many_shot.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// A job's files; "data" contains tables of births.
struct ManyShotFiles : JobFiles {
  ManyShotFiles() { table("birth", 30, 8); }

  void table(const std::string& code, std::size_t facts, std::size_t years) const {
    folder.write("data/" + code + ".jsonl", as_table(births(facts, years, code)));
  }

  /// Options for few shots and few facts, so that a run is fast. Options passed by the caller
  /// override these.
  [[nodiscard]] std::vector<std::string> words(const std::vector<std::string>& options = {},
                                               const std::string& run = "run") const {
    return words_of("many-shot", "data", run, options,
                    {{"--shots", "1,4"},
                     {"--seeds", "2"},
                     {"--choices", "5"},
                     {"--train", "12"},
                     {"--limit", "6"}});
  }

  [[nodiscard]] ConsoleRun many_shot(const std::vector<std::string>& options = {},
                                     const std::string& run = "run") const {
    return run_words(words(options, run), [](const ModelOptions&) { return reader_of_births(); });
  }

  /// The files that must not depend on when a run was created, how often it was resumed or how it
  /// was divided into packs.
  [[nodiscard]] std::map<std::string, std::string> comparable(const std::string& run) const {
    return JobFiles::comparable(run, {"run.json", "journal.jsonl"});
  }
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
