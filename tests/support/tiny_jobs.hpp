// SPDX-License-Identifier: Apache-2.0
#pragma once

// Every job of the command, on inputs so small that each job takes only milliseconds, with models
// that need no file. Tests of faults, kills and determinism use these jobs.

#include <filesystem>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/cli/command_line.hpp"
#include "support/bear_folder.hpp"
#include "support/generate_console.hpp"
#include "support/small_graph.hpp"
#include "support/small_kamel.hpp"
#include "support/small_many_shot.hpp"
#include "support/small_multi_prompt.hpp"
#include "support/small_run.hpp"
#include "support/word_mask_model.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// Models selected by the name of a file, which is hashed but not read.
struct TinyModels {
  /// Called before each evaluation of the causal models, so that a test may slow them down.
  std::function<void()> on_work{};
  /// Called with each text that is tokenised for the causal models.
  std::function<void(std::string_view)> on_text{};

  [[nodiscard]] ModelKind kind(const ModelOptions& options) const {
    return options.model.stem() == "masked" ? ModelKind::masked : ModelKind::causal;
  }
  [[nodiscard]] AnyModel operator()(const ModelOptions& options) const {
    const std::string name = options.model.stem();
    if (name == "masked") {
      return AnyModel::made_by([] { return WordMaskModel(elements_many()); });
    }
    return AnyModel::made_by([&] {
      HookedModel model(causal(name));
      model.on_work = on_work;
      if (on_text) {
        // If a model does not list its BOS as a special token, each text is checked for a BOS at
        // its beginning.
        model.special = {{"<bos>", *model.bos()}};
        model.on_tokens = [tell = on_text](std::string_view text, Tokenization&) { tell(text); };
      }
      return model;
    });
  }

 private:
  static NgramTreeModel causal(const std::string& name) {
    if (name == "births") return reader_of_births();
    if (name == "elements") return reader_of_elements();
    if (name == "prompts") return reader_of_prompts();
    if (name == "lists") return reader_of_lists();
    NgramTreeModel model = small_model();
    model.limits = {96, 4, 16};
    return model;
  }
};

/// A command invocation that writes a folder. In its arguments, IN stands for the input folder and
/// OUT for the output folder.
struct TinyJob {
  std::string name;
  std::vector<std::string> words;
  /// The arguments added to resume after a kill. A measurement is simply repeated, without
  /// additional arguments.
  std::vector<std::string> redo{"--resume"};
  /// An invocation that creates the folder OUT before the job begins.
  std::vector<std::string> before{};
  /// A file that exists only in a complete folder; if empty, run.json contains "complete" instead.
  std::string last_file{};
  /// Whether the job rejects its own folder when it is repeated, so that only its errors can be
  /// tested.
  bool refuses_its_own = false;
};

[[nodiscard]] inline std::vector<TinyJob> tiny_jobs() {
  using Words = std::vector<std::string>;
  const auto job = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const Words probe{"probe", "--data", "IN/small",    "--model", "IN/models/small.bin",
                    "--out", "OUT",    "--templates", "all"};
  const Words many{"many-shot", "--data",    "IN/births", "--model", "IN/models/births.bin",
                   "--out",     "OUT",       "--shots",   "1,4",     "--seeds",
                   "2",         "--choices", "5",         "--train", "12",
                   "--limit",   "6"};
  const Words rank{"rank",  "--data", "IN/elements", "--model", "IN/models/elements.bin",
                   "--out", "OUT",    "--shots",     "2",       "--limit",
                   "6"};
  const Words generate{"generate",
                       "--data",
                       "IN/many",
                       "--model",
                       "IN/models/prompts.bin",
                       "--out",
                       "OUT",
                       "--max-new-tokens",
                       "12",
                       "--samplings",
                       "50",
                       "--wordnet",
                       "none",
                       "--samples",
                       "3",
                       "--confidence-prompts",
                       "4",
                       "--limit",
                       "2"};
  const Words fill{"generate", "--data", "IN/many",     "--model", "IN/models/masked.bin",
                   "--out",    "OUT",    "--samplings", "50"};
  return {
      {"probe", probe},
      {"probe of a masked model",
       {"probe", "--data", "IN/closed", "--model", "IN/models/masked.bin", "--out", "OUT",
        "--limit", "3", "--pll", "original"}},
      {"probe that overwrites", job(probe, {"--overwrite"}), {}, job(probe, {"--limit", "1"})},
      {"many-shot", job(many, {"--generate", "4"})},
      {"many-shot --fixed",
       {"many-shot", "--fixed", "IN/study.json", "--model", "IN/models/births.bin", "--out",
        "OUT"}},
      {"rank", job(rank, {"--method", "deer,likelihood,lm-head", "--nearest", "2"})},
      {"rank --cache-vectors", job(rank, {"--cache-vectors"})},
      {"rank --fixed",
       {"rank", "--fixed", "IN/ranking.json", "--data", "IN/elements", "--model",
        "IN/models/elements.bin", "--out", "OUT"}},
      {"generate", generate},
      {"generate of a masked model", job(fill, {"--limit", "2"})},
      {"generate --form kamel",
       {"generate", "--data", "IN/KAMEL", "--model", "IN/models/lists.bin", "--out", "OUT",
        "--form", "kamel", "--shots", "2"}},
      {"calibrate a model",
       {"calibrate", "--data", "IN/small", "--model", "IN/models/small.bin", "--out", "OUT",
        "--bins", "2", "--resamples", "20"}},
      {"calibrate folders",
       {"calibrate", "IN/runs/one", "--out", "OUT", "--bins", "2", "--resamples", "20"},
       {}},
      {"compare", {"compare", "IN/runs/one", "IN/runs/two", "--out", "OUT"}, {}},
      {"report", {"report", "IN/runs/one", "--out", "OUT"}, {}, {}, "report.html"},
      {"report in place", {"report", "OUT"}, {}, probe, "report.html"},
      {"data convert",
       {"data", "convert", "IN/small", "--out", "OUT"},
       {},
       {},
       "facts.jsonl",
       true},
      {"data convert --to choices",
       {"data", "convert", "IN/births", "--out", "OUT", "--to", "choices", "--min-facts", "10",
        "--min-objects", "5"},
       {},
       {},
       "birth.jsonl",
       true},
  };
}

/// The arguments, with the folders inserted.
[[nodiscard]] inline std::vector<std::string> placed(std::vector<std::string> words,
                                                     const std::filesystem::path& in,
                                                     const std::filesystem::path& out) {
  for (std::string& word : words) {
    if (word == "OUT") word = out.string();
    if (word == "IN" || word.starts_with("IN/")) word.replace(0, 2, in.string());
  }
  return words;
}

/// The result of a call.
struct TinyRun {
  int code = 0;
  std::string out, err;
};

/// Calls the command in this process; `cache` is the folder for cached vectors.
inline TinyRun run_tiny(std::vector<std::string> words, const std::filesystem::path& cache,
                        const TinyModels& models = {}) {
  const std::string command = words.front();
  words.erase(words.begin());
  std::ostringstream out, err;
  Console console{std::move(words), out, err};
  console.takes = [](std::string_view) { return true; };
  console.environment = [&](const char* name) {
    return std::string(name) == "PLUMB_CACHE" ? cache.string() : "";
  };
  const int code = run_command_line(command, console, models);
  return {code, out.str(), err.str()};
}

/// Writes all inputs of the jobs into an empty folder.
inline void write_tiny_inputs(const TemporaryFolder& folder, const std::string& name) {
  const auto at = [&](const std::string& file) { return name + "/" + file; };
  for (const char* model : {"small", "other", "births", "elements", "prompts", "lists", "masked"}) {
    folder.write(at(std::string("models/") + model + ".bin"), std::string("stands for ") + model);
  }
  write_bear(folder, at("small"), small_dataset());
  write_bear(folder, at("closed"), elements_closed());
  KnowledgeGraph graph = elements();
  graph.name = at("elements");
  write_graph(folder, graph);
  folder.write(at("many/facts.jsonl"), facts_jsonl(elements_many()));
  folder.write(at("many/templates.jsonl"), templates_jsonl(elements_many()));
  write_kamel(folder, at("KAMEL"));
  for (const std::string code : {"birth", "origin"}) {
    folder.write(at("births/" + code + ".jsonl"), as_table(births(30, 8, code)));
  }
  folder.write(at("study.json"), R"({"relation": "birth", "separator": " ",
    "shots": [["Person Ae", "1804"], ["Person Af", "1805"]], "choices": ["1800", "1801"],
    "test": [{"subject": "Person Aa", "answer": "1800"},
             {"subject": "Person Ab", "answer": "1801"}]})");
  folder.write(at("ranking.json"), R"({"shots": [["e8", "symbol", "s8"]],
    "entities": ["e2", "s10", "p2"],
    "queries": [["e10", "in", "p2"], ["e10", "symbol", "s10"]]})");
  const auto in = folder / name;
  for (const auto& [run, model] : {std::pair{"one", "small"}, {"two", "other"}}) {
    const TinyRun made = run_tiny(placed({"probe", "--data", "IN/small", "--model",
                                          std::string("IN/models/") + model + ".bin", "--out",
                                          (in / "runs" / run).string(), "--templates", "all"},
                                         in, {}),
                                  folder / "cache");
    if (made.code != 0) throw std::runtime_error(made.err);
  }
}

/// All files of a job, by path below its folder. From run.json, only the fields that are the same
/// in every call are included; the costs are omitted, because they are lower with cached vectors.
/// The journal is omitted, because it also records repeated work.
[[nodiscard]] inline std::map<std::string, std::string> lasting_files(
    const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  if (std::filesystem::is_directory(folder)) files = all_contents(folder);
  for (auto& [name, text] : files) {
    if (std::filesystem::path(name).filename() != "run.json") continue;
    Json run = Json::parse(text, nullptr, false);
    if (!run.is_object()) continue;
    for (const char* changing :
         {"seconds_model", "seconds_total", "seconds_by_part", "seconds_ranking",
          "statements_scored_now", "command_line", "options", "statements", "tree_nodes",
          "tokens_fed", "tokens_one_by_one"}) {
      run.erase(changing);
    }
    text = run.dump();
  }
  std::erase_if(files, [](const auto& file) {
    return std::filesystem::path(file.first).filename() == "journal.jsonl";
  });
  return files;
}

/// Whether a folder is marked as complete.
[[nodiscard]] inline bool looks_complete(const TinyJob& job, const std::filesystem::path& folder) {
  if (!job.last_file.empty()) {
    // A report in its own folder records in report.json whether it is complete.
    const auto record = folder / "report.json";
    const Json said = std::filesystem::exists(record) ? Json::parse(slurp(record), nullptr, false)
                                                      : Json{{"status", "complete"}};
    return std::filesystem::exists(folder / job.last_file) && said.is_object() &&
           said.value("status", "") == "complete";
  }
  const Json run = Json::parse(slurp(folder / "run.json"), nullptr, false);
  return run.is_object() && run.value("status", "") == "complete";
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
