// SPDX-License-Identifier: Apache-2.0
#pragma once

// `plumb many-shot` with its words given, over a model that has read of some births.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "support/console_run.hpp"
#include "support/small_many_shot.hpp"

namespace plumb::test {

/// A folder with "data", tables of births, and "model.gguf", which is hashed and not read.
struct ManyShotFiles {
  ManyShotFiles() {
    table("birth", 30, 8);
    folder.write("model.gguf", "stands for a model");
  }

  void table(const std::string& code, std::size_t facts, std::size_t years) const {
    const Relation relation = births(facts, years, code);
    std::string lines;
    for (const Fact& fact : relation.facts) {
      lines += Json{{"subject", fact.subject},
                    {"subject_id", fact.subject_id},
                    {"object", relation.options[fact.answer]}}
                   .dump() +
               "\n";
    }
    folder.write("data/" + code + ".jsonl", lines);
  }

  [[nodiscard]] std::string at(const std::string& name) const { return (folder / name).string(); }

  /// Few shots of few facts, so that a run takes no time; options given take their place.
  [[nodiscard]] std::vector<std::string> words(std::vector<std::string> options = {},
                                               const std::string& run = "run") const {
    std::vector<std::string> all{"many-shot",      "--data", at("data"), "--model",
                                 at("model.gguf"), "--out",  at(run)};
    const std::vector<std::vector<std::string>> usual{{"--shots", "1,4"},
                                                      {"--seeds", "2"},
                                                      {"--choices", "5"},
                                                      {"--train", "12"},
                                                      {"--limit", "6"}};
    for (const auto& pair : usual) {
      if (std::ranges::find(options, pair[0]) != options.end()) continue;
      all.insert(all.end(), pair.begin(), pair.end());
    }
    all.insert(all.end(), options.begin(), options.end());
    return all;
  }

  [[nodiscard]] ConsoleRun many_shot(std::vector<std::string> options = {},
                                     const std::string& run = "run") const {
    return run_words(words(std::move(options), run),
                     [](const ModelOptions&) { return reader_of_births(); });
  }

  /// All that must not depend on when and how often a run was taken up.
  [[nodiscard]] std::map<std::string, std::string> comparable(const std::string& run) const {
    auto files = contents(folder / run);
    files.erase("run.json");
    files.erase("journal.jsonl");
    return files;
  }
  [[nodiscard]] Json json(const std::string& name) const {
    return Json::parse(slurp(folder / name));
  }

  TemporaryFolder folder;
};

}  // namespace plumb::test
