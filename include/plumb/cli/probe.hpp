// SPDX-License-Identifier: Apache-2.0
#pragma once

// plumb probe: how much of a dataset does a model know?
//
// Reads the dataset, scores every statement with the model, keeps the scores in a run folder and
// shows the result.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/cli/job.hpp"
#include "plumb/cli/probe_options.hpp"
#include "plumb/data/dataset_texts.hpp"
#include "plumb/prompt/statement.hpp"
#include "plumb/report/probe_report.hpp"
#include "plumb/run/progress.hpp"
#include "plumb/run/runner.hpp"
#include "plumb/run/statement_prompts.hpp"
#include "plumb/score/causal_scorer.hpp"

namespace plumb {
namespace detail {

/// Everything that decides the results; run folders are told apart by it.
inline Json probe_settings(const ProbeArguments& arguments, const Dataset& dataset,
                           const ModelDescription& model) {
  std::vector<std::string> codes;
  for (const Relation& relation : dataset.relations) codes.push_back(relation.code);
  Json settings = job_settings("probe", arguments, dataset, model);
  settings.update(
      Json{{"reduction", name_of(arguments.scoring.reduction)},
           {"span", name_of(arguments.scoring.span)},
           {"templates", arguments.templates.empty() ? Json("all") : Json(arguments.templates)},
           {"template_file", string_or_null(arguments.template_file.filename().string())},
           {"template_file_sha256",
            arguments.template_file.empty() ? Json() : Json(hash_file(arguments.template_file))},
           {"inject",
            name_of(arguments.injection) == "none" ? Json() : Json(name_of(arguments.injection))},
           {"limit", arguments.limit},
           {"seed", arguments.seed},
           {"relations", codes}});
  return settings;
}

/// What a probe found, and in words what it cost.
struct Probed {
  ProbeReport report;
  std::string cost;
};

/// Probes the chosen dataset into the run folder `arguments.out`: scores, metrics and page.
inline Probed probe(Console& console, const ProbeArguments& arguments, const Dataset& dataset,
                    const Json& command_line, const ModelMaker& make_model) {
  const double start = Progress::monotonic_seconds();
  const std::size_t total = count_statements(dataset, arguments.templates);

  auto model = make_model(arguments.model);
  CausalScorer scorer(model, arguments.bos);
  refuse_empty_options(model, dataset);
  for_each_text(dataset, arguments.templates, SpecialTokenCheck(model, arguments.special_tokens));
  const ModelDescription description = model.describe();
  const RunFolder folder(arguments.out, probe_settings(arguments, dataset, description),
                         arguments.resume);

  Progress progress(console.err, total, "statements", console.err_is_terminal);
  RunOptions options{arguments.templates, arguments.scoring, {}};
  options.on_progress = [&](const RunState& state) {
    progress.update(state.statements, state.fresh, state.relation);
  };
  const Statement builder;
  ExamplePrompts examples;
  for_each_statement_prompt(dataset, builder, arguments.templates, arguments.bos, {},
                            std::ref(examples));
  examples.write(folder);
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

  return {std::move(report), cost_in_words(summary, description)};
}

}  // namespace detail

/// Runs the subcommand; returns the exit code 0. Throws Error for everything that goes wrong.
inline int run_probe_command(Console& console, const ModelMaker& make_model) {
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
