// SPDX-License-Identifier: Apache-2.0
#pragma once

// plumb probe: how much of a dataset does a model know?
//
// Reads the dataset, scores every statement with the model, keeps the scores in a run folder and
// shows the result. Generic over the backend: `make_model(ModelOptions)` gives a CausalLm.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "plumb/cli/file_hash.hpp"
#include "plumb/cli/probe_options.hpp"
#include "plumb/core/version.hpp"
#include "plumb/prompt/statement.hpp"
#include "plumb/report/probe_report.hpp"
#include "plumb/run/progress.hpp"
#include "plumb/run/runner.hpp"
#include "plumb/score/causal_scorer.hpp"

namespace plumb {
namespace detail {

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
    const auto check = [&](const std::string& option, std::size_t line) {
      if (!model.tokenize(option).tokens.empty()) return;
      throw user_error({line > 0 ? relation.file : "", line, relation.code},
                       "option '" + option + "' tokenises to nothing with this model",
                       "remove it or give it a label the tokenizer knows");
    };
    for (const std::string& option : relation.options) check(option, 0);
    for (const Fact& fact : relation.facts) {
      for (const std::string& choice : fact.choices) check(choice, fact.line);
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
          {"template_file", string_or_null(arguments.template_file.filename().string())},
          {"inject",
           name_of(arguments.injection) == "none" ? Json() : Json(name_of(arguments.injection))},
          {"limit", arguments.limit},
          {"seed", arguments.seed},
          {"relations", codes}};
}

/// The words the program was called with.
inline Json command_line_of(const Console& console, const char* command) {
  Json words = {"plumb", command};
  for (const std::string& word : console.arguments) words.push_back(word);
  return words;
}

inline Json run_facts(const Json& command_line, const ProbeArguments& arguments,
                      const RunSummary& summary, double seconds_total) {
  return {{"command_line", command_line},
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

/// What a probe found, and in words what it cost.
struct Probed {
  ProbeReport report;
  std::string cost;
};

/// Probes the chosen dataset into the run folder `arguments.out`: scores, metrics and page.
template <class MakeModel>
Probed probe(Console& console, const ProbeArguments& arguments, const Dataset& dataset,
             const Json& command_line, MakeModel& make_model) {
  const double start = Progress::monotonic_seconds();
  const std::size_t total = count_statements(dataset, arguments.templates);

  auto model = make_model(arguments.model);
  CausalScorer scorer(model, arguments.bos);
  refuse_empty_options(model, dataset);
  const ModelDescription description = describe_model(model);
  const RunFolder folder(arguments.out, probe_settings(arguments, dataset, description),
                         arguments.resume);

  Progress progress(console.err, total, "statements", console.err_is_terminal);
  RunOptions options{arguments.templates, arguments.scoring, {}};
  options.on_progress = [&](const RunState& state) {
    progress.update(state.statements, state.fresh, state.relation);
  };
  const Statement builder;
  const RunSummary summary = Runner(builder, scorer, folder, options).run(dataset);

  Json metadata = Json::object();
  const RecordedRun run{arguments.model.model.filename().string(), dataset.name, arguments.scoring,
                        arguments.bos};
  for (const Relation& relation : dataset.relations) {
    metadata[relation.code] =
        recorded_metadata(relation, templates_of(relation, arguments.templates), run);
  }
  write_atomically(folder.file("metadata_results.json"), metadata.dump(2) + "\n");
  ProbeReport report(folder.path(), {.seed = arguments.seed});
  report.write(folder.path());
  folder.write_run(
      run_facts(command_line, arguments, summary, Progress::monotonic_seconds() - start),
      "complete");

  const double saved = static_cast<double>(summary.cost.tokens_one_by_one) /
                       static_cast<double>(std::max<std::uint64_t>(1, summary.cost.tokens_fed));
  std::string cost = std::to_string(summary.cost.statements) + " statements, " +
                     std::to_string(summary.cost.tokens_fed) + " tokens fed (" + fixed(saved, 2) +
                     " times fewer than one by one)\n";
  if (description.quantized) {
    cost += "Quantised weights (" + description.weights +
            "): scores differ from F32 by tenths of a nat.\n";
  }
  return {std::move(report), std::move(cost)};
}

}  // namespace detail

/// Runs the subcommand; returns the exit code 0. Throws Error for everything that goes wrong.
template <class MakeModel>
int run_probe_command(Console& console, MakeModel make_model) {
  detail::ProbeOptions words;
  detail::options::options_description list;
  words.describe_common(list);
  words.describe_scoring(list, false);
  const auto values = detail::parse_arguments(
      console, "plumb probe --data DIR --model FILE --out RUN [options]", list);
  if (!values) return 0;
  const detail::ProbeArguments arguments = words.parse(*values, "plumb probe");
  if (!arguments.resume) refuse_used(arguments.out);  // said before a large model is loaded
  const auto [report, cost] = detail::probe(console, arguments, detail::chosen_dataset(arguments),
                                            detail::command_line_of(console, "probe"), make_model);
  for (const std::string& note : report.notes()) console.out << note << "\n";
  console.out << report.table() << "\n"
              << cost << "report: " << (arguments.out / "report.html").string() << "\n";
  return 0;
}

}  // namespace plumb
