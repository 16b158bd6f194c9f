// SPDX-License-Identifier: Apache-2.0
#pragma once

// A dataset with two relations, and a model, for runs that are fast but still have several packs.

#include <filesystem>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/prompt/statement.hpp"
#include "plumb/detail/run/probe_job.hpp"
#include "plumb/detail/score/causal_scorer.hpp"
#include "support/temporary_folder.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// "capital": three facts, three options, two templates; "river": two facts, two options, two
/// templates. The instances of "capital" have a gap, as after --limit or a filter.
[[nodiscard]] inline Dataset small_dataset() {
  Dataset dataset{"small", {}, {}};
  dataset.relations.push_back({"capital",
                               {"The capital of [X] is [Y].", "[Y] is the capital of [X]."},
                               {"Paris", "Seoul", "Cairo"},
                               {"Q90", "Q8684", "Q85"},
                               {"Geography", "Politics"},
                               {{"Q142", "France", {}, 0, 0},
                                {"Q884", "Korea", {"Hanguk"}, 1, 2},
                                {"Q79", "Egypt", {}, 2, 3}}});
  dataset.relations.push_back({"river",
                               {"[X] lies on the [Y].", "The [Y] flows through [X]."},
                               {"Nile", "Rhine"},
                               {"Q3392", "Q584"},
                               {"Geography"},
                               {{"Q85", "Cairo", {}, 0, 0}, {"Q1718", "Bonn", {}, 1, 1}}});
  return dataset;
}

/// A model that knows France, Korea and Cairo. Its limits divide even this dataset into several
/// packs.
[[nodiscard]] inline NgramTreeModel small_model() {
  NgramTreeModel model(
      "The capital of France is Paris. The capital of Korea is Seoul. Cairo lies on the Nile.", 12);
  model.limits = {48, 4, 16};
  return model;
}

/// The same model in an engine that reports only the most likely tokens and therefore omits some
/// bytes.
struct UnreportingModel : NgramLookupModel {
  explicit UnreportingModel(std::string unreported)
      : NgramLookupModel(
            "The capital of France is Paris. The capital of Korea is Seoul. Cairo lies "
            "on the Nile.",
            12),
        hidden(std::move(unreported)) {}
  void look_up(const TokenTree& tree, std::span<const TokenLookup> lookups,
               std::span<double> log_probabilities) {
    NgramLookupModel::look_up(tree, lookups, log_probabilities);
    for (std::size_t i = 0; i < lookups.size(); ++i) {
      const TokenId token = lookups[i].token;
      if (token < 256 && hidden.find(static_cast<char>(token)) != std::string::npos) {
        log_probabilities[i] = std::numeric_limits<double>::quiet_NaN();
      }
    }
  }
  std::string hidden;
};

/// The names and contents of the files whose names end in `ending`.
[[nodiscard]] inline std::map<std::string, std::string> contents(const DiskPath& folder,
                                                                 const std::string& ending = "") {
  std::map<std::string, std::string> files;
  for (const DiskPath& file : folder.list()) {
    if (file.is_file() && file.name().ends_with(ending)) files[file.name()] = read_text(file);
  }
  return files;
}

/// The names and contents of a folder's files, except those in `left_out`: run.json contains times,
/// and a journal depends on how the job was divided into packs.
[[nodiscard]] inline std::map<std::string, std::string> contents_but(
    const DiskPath& folder, const std::vector<std::string>& left_out) {
  auto files = contents(folder);
  for (const std::string& name : left_out) files.erase(name);
  return files;
}

/// The number of statements in the dataset.
inline constexpr std::size_t all_statements = 3 * 2 * 3 + 2 * 2 * 2;

/// The settings of a probe with all templates.
[[nodiscard]] inline ProbeSettings all_templates() {
  ProbeSettings settings;
  settings.templates = {};
  return settings;
}

/// Runs a probe as a new process would after a crash, with a new model, scorer, job and folder.
inline RunSummary run_once(const DiskPath& path, const ProbeSettings& settings = all_templates(),
                           ProgressCallback on_progress = {}, std::size_t block = 65'536) {
  NgramTreeModel model = small_model();
  CausalScorer scorer(model, settings.bos);
  const Dataset dataset = small_dataset();
  ProbeJob job(scorer, dataset, settings);
  job.block_statements = block;
  return run_job(job, {path, true, {std::move(on_progress), {}}}).summary;
}

/// The rows of a results file, in order.
[[nodiscard]] inline std::vector<Json> rows_of(const DiskPath& file) {
  std::vector<Json> rows;
  for_each_json_line(file, throw_problem,
                     [&](const Json& row, std::size_t) { rows.push_back(row); });
  return rows;
}

/// The files of an uninterrupted run in the folder "whole".
struct WholeRun {
  TemporaryFolder folder;
  RunSummary summary = run_once(folder / "whole");
  std::map<std::string, std::string> results = contents(folder / "whole", "_results.jsonl");
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
