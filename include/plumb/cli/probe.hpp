// SPDX-License-Identifier: Apache-2.0
#pragma once

// plumb probe: how much of a dataset does a model know?
//
// Reads the dataset, scores every statement with the model, keeps the scores in a run folder and
// shows the result. Generic over the backend: `make_model(ModelOptions)` gives a CausalLm.

#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "plumb/cli/arguments.hpp"
#include "plumb/cli/file_hash.hpp"
#include "plumb/core/version.hpp"
#include "plumb/data/load.hpp"
#include "plumb/prompt/statement.hpp"
#include "plumb/report/probe_report.hpp"
#include "plumb/run/progress.hpp"
#include "plumb/run/runner.hpp"
#include "plumb/score/causal_scorer.hpp"

namespace plumb {
namespace detail {

struct ProbeArguments {
  std::filesystem::path data, out;
  ModelOptions model;
  std::vector<std::string> relations;
  std::vector<std::size_t> templates;  // empty: all
  std::size_t limit = 0;
  bool bos = true;
  Scoring scoring;
  std::uint64_t seed = 0;
  bool resume = false;
};

inline std::optional<ProbeArguments> parse_probe(Console& console) {
  using options::value;
  ProbeArguments parsed;
  std::string data, model, out, relations, templates, limit, bos, reduction, span, precision,
      threads, seed;
  options::options_description list;
  const auto text = [](std::string& target, const char* fallback) {
    return value(&target)->default_value(fallback);
  };
  list.add_options()  //
      ("data", value(&data)->value_name("DIR")->required(),
       "dataset: a BEAR, LAMA or PARAREL folder, or a .tsv file")                          //
      ("model", value(&model)->value_name("FILE")->required(), "the model, a .gguf file")  //
      ("out", value(&out)->value_name("RUN")->required(), "run folder to write")           //
      ("relations", text(relations, "")->value_name("A,B"), "only these relations")        //
      ("templates", text(templates, "0")->value_name("0,1|all"), "template indices")       //
      ("limit", text(limit, "0")->value_name("N"),
       "first N facts of each relation; 0 takes all")                                             //
      ("bos", text(bos, "yes")->value_name("yes|no"), "start each statement with the BOS token")  //
      ("reduction", text(reduction, "sum")->value_name("sum|mean"), "over a statement's tokens")  //
      ("span", text(span, "statement")->value_name("statement|answer"), "which tokens count")     //
      ("precision", text(precision, "exact")->value_name("exact|fast"),
       "exact: F32 cache, no flash attention; fast: neither, and less exact")        //
      ("threads", text(threads, "0")->value_name("N"), "0 takes one for each core")  //
      ("seed", text(seed, "0")->value_name("N"), "of the bootstrap intervals")       //
      ("resume", "go on with the run that --out holds");
  const auto values =
      parse_arguments(console, "plumb probe --data DIR --model FILE --out RUN [options]", list);
  if (!values) return std::nullopt;
  parsed.data = data;
  parsed.out = out;
  const std::uint64_t thread_count = parse_count(threads, "--threads");
  if (thread_count > 1024)
    throw user_error({.field = "--threads"}, "is more than 1024", "0 takes one for each core");
  parsed.model = {model, parse_choice(precision, "--precision", "exact", "fast"),
                  static_cast<int>(thread_count)};
  if (parsed.model.threads == 0) {
    parsed.model.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  }
  parsed.relations = parse_list(relations, "--relations");
  if (templates != "all") {
    for (const auto& item : parse_list(templates, "--templates")) {
      parsed.templates.push_back(parse_count(item, "--templates"));
    }
    std::ranges::sort(parsed.templates);
    const auto [first, last] = std::ranges::unique(parsed.templates);
    parsed.templates.erase(first, last);
    if (parsed.templates.empty())
      throw user_error({.field = "--templates"}, "names none", "say 0 or all");
  }
  parsed.limit = parse_count(limit, "--limit");
  parsed.bos = parse_choice(bos, "--bos", "yes", "no");
  parsed.scoring.reduction =
      parse_choice(reduction, "--reduction", "sum", "mean") ? Reduction::sum : Reduction::mean;
  parsed.scoring.span =
      parse_choice(span, "--span", "statement", "answer") ? Span::statement : Span::answer;
  parsed.seed = parse_count(seed, "--seed");
  parsed.resume = values->contains("resume");
  return parsed;
}

/// What the model says of itself, if it does.
template <class Model>
ModelDescription describe_model(const Model& model) {
  if constexpr (requires { model.describe(); }) {
    return model.describe();
  } else {
    return {"own backend", "", false};
  }
}

/// Refuses an option that the model cannot see, by name.
template <CausalLm Model>
void refuse_empty_options(Model& model, const Dataset& dataset) {
  for (const Relation& relation : dataset.relations) {
    for (const std::string& option : relation.options) {
      if (!model.tokenize(option).tokens.empty()) continue;
      throw user_error({.field = relation.code},
                       "option '" + option + "' tokenises to nothing with this model",
                       "remove it or give it a label the tokenizer knows");
    }
  }
}

inline Json string_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

/// Everything that decides the results; run folders are told apart by it.
inline Json probe_settings(const ProbeArguments& arguments, const Dataset& dataset,
                           const ModelDescription& model) {
  std::vector<std::string> codes;
  for (const Relation& relation : dataset.relations) codes.push_back(relation.code);
  return {{"command", "probe"},
          {"plumb_version", PLUMB_VERSION},
          {"dataset", dataset.name},
          {"dataset_sha256", hash_files(dataset.files)},
          {"model", arguments.model.model.filename().string()},
          // An embedder's model need not be a file.
          {"model_sha256", std::filesystem::is_regular_file(arguments.model.model)
                               ? Json(hash_file(arguments.model.model))
                               : Json()},
          {"backend", model.backend},
          {"weights", string_or_null(model.weights)},
          {"quantized", model.quantized},
          {"precision", arguments.model.exact ? "exact" : "fast"},
          {"bos", arguments.bos ? "yes" : "no"},
          {"reduction", name_of(arguments.scoring.reduction)},
          {"span", name_of(arguments.scoring.span)},
          {"templates", arguments.templates.empty() ? Json("all") : Json(arguments.templates)},
          {"limit", arguments.limit},
          {"seed", arguments.seed},
          {"relations", codes}};
}

inline Json run_facts(const Console& console, const ProbeArguments& arguments,
                      const RunSummary& summary, double seconds_total) {
  Json words = {"plumb", "probe"};
  for (const std::string& word : console.arguments) words.push_back(word);
  return {{"command_line", words},
          {"model_path", std::filesystem::absolute(arguments.model.model).string()},
          {"dataset_path", std::filesystem::absolute(arguments.data).string()},
          {"threads", arguments.model.threads},
          {"statements", summary.cost.statements},
          {"tokens_one_by_one", summary.cost.tokens_one_by_one},
          {"tree_nodes", summary.cost.tree_nodes},
          {"tokens_fed", summary.cost.tokens_fed},
          {"statements_scored_now", summary.fresh_statements},
          {"seconds_model", summary.seconds_model},
          {"seconds_total", seconds_total}};
}

}  // namespace detail

/// Runs the subcommand; returns the exit code 0. Throws Error for everything that goes wrong.
template <class MakeModel>
int run_probe_command(Console& console, MakeModel make_model) {
  const double start = Progress::monotonic_seconds();
  const auto parsed = detail::parse_probe(console);
  if (!parsed) return 0;
  if (!parsed->resume) refuse_used(parsed->out);  // said before a large model is loaded
  Dataset dataset = load_dataset(parsed->data);
  dataset = select(std::move(dataset), parsed->relations, parsed->limit);
  const std::size_t total = count_statements(dataset, parsed->templates);

  auto model = make_model(parsed->model);
  CausalScorer scorer(model, parsed->bos);
  detail::refuse_empty_options(model, dataset);
  const ModelDescription description = detail::describe_model(model);
  const RunFolder folder(parsed->out, detail::probe_settings(*parsed, dataset, description),
                         parsed->resume);

  Progress progress(console.err, total, "statements", console.err_is_terminal);
  RunOptions options{parsed->templates, parsed->scoring, {}};
  options.on_progress = [&](const RunState& state) {
    progress.update(state.statements, state.fresh, state.relation);
  };
  const Statement builder;
  const RunSummary summary = Runner(builder, scorer, folder, options).run(dataset);

  Json metadata = Json::object();
  const RecordedRun run{parsed->model.model.filename().string(), dataset.name, parsed->scoring,
                        parsed->bos};
  for (const Relation& relation : dataset.relations) {
    metadata[relation.code] =
        recorded_metadata(relation, templates_of(relation, parsed->templates), run);
  }
  write_atomically(folder.file("metadata_results.json"), metadata.dump(2) + "\n");
  const ProbeReport report(folder.path(), {.seed = parsed->seed});
  report.write(folder.path());
  folder.write_run(
      detail::run_facts(console, *parsed, summary, Progress::monotonic_seconds() - start),
      "complete");

  console.out << report.table() << "\n";
  const double saved = static_cast<double>(summary.cost.tokens_one_by_one) /
                       static_cast<double>(std::max<std::uint64_t>(1, summary.cost.tokens_fed));
  console.out << summary.cost.statements << " statements, " << summary.cost.tokens_fed
              << " tokens fed (" << fixed(saved, 2) << " times fewer than one by one)\n";
  if (description.quantized) {
    console.out << "Quantised weights (" << description.weights
                << "): scores differ from F32 by tenths of a nat.\n";
  }
  console.out << "report: " << folder.file("report.html").string() << "\n";
  return 0;
}

}  // namespace plumb
