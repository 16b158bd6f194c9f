// SPDX-License-Identifier: Apache-2.0
#pragma once

// plumb many-shot: what does a model know that it is only shown examples of?
//
// Splits a dataset into shots and test facts, scores the choices of every test fact behind the
// shots, keeps the scores in a run folder and shows the result; or replays a fixed study. Generic
// over the backend: `make_model(ModelOptions)` gives a CausalLm.

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/cli/job.hpp"
#include "plumb/cli/many_shot_options.hpp"
#include "plumb/core/over.hpp"
#include "plumb/data/dataset_texts.hpp"
#include "plumb/data/load.hpp"
#include "plumb/measure/ties.hpp"
#include "plumb/report/many_shot_report.hpp"
#include "plumb/run/fixed_study.hpp"
#include "plumb/run/many_shot_check.hpp"
#include "plumb/run/many_shot_generation.hpp"
#include "plumb/run/many_shot_prompts.hpp"
#include "plumb/run/many_shot_run.hpp"
#include "plumb/run/progress.hpp"

namespace plumb {
namespace detail {

/// Everything that decides the results; run folders are told apart by it.
inline Json many_shot_settings(const ManyShotArguments& arguments, const Dataset& dataset,
                               const ModelDescription& model) {
  const ManyShotOptions& study = arguments.study;
  std::vector<std::string> codes;
  for (const Relation& relation : dataset.relations) codes.push_back(relation.code);
  const auto hash = [](const std::filesystem::path& file) {
    return file.empty() ? Json() : Json(hash_file(file));
  };
  Json settings = job_settings("many-shot", arguments, dataset, model);
  settings.update(Json{
      {"shots", study.shots},
      {"seeds", study.seeds},
      {"choices", study.choices},
      {"choice_seed", study.choice_seed},
      {"split_seed", study.split_seed},
      {"train", study.training},
      {"limit", study.limit},
      {"min_facts", study.least_facts},
      {"min_objects", study.least_objects},
      {"pair_separators", study.pair_separators},
      {"item_separator", study.item_separator},
      {"separators_sha256", hash(arguments.separators)},
      {"eic_paper", study.eic_paper},
      {"eic_isolated", study.eic_isolated},
      {"join", study.eic_form.join == Join::ids ? "ids" : "text"},
      {"baselines_sha256", hash(arguments.baselines)},
      {"generate", arguments.generate},
      {"injection", arguments.injection.pairs},
      {"injected", arguments.injection.slots},
      {"highlight", arguments.injection.highlight ? Json(*arguments.injection.highlight) : Json()},
      {"seed", arguments.seed},
      {"relations", codes}});
  return settings;
}

/// Refuses what a study shows the model and the model may not read.
inline void check_special_tokens(const AnyModel& model, const ManyShotArguments& arguments,
                                 const std::vector<ManyShotRelation>& relations) {
  const SpecialTokenCheck check(model, arguments.special_tokens);
  const ManyShotOptions& study = arguments.study;
  check({.field = "--item-separator"}, study.item_separator);
  check({.field = "--pair-separator"}, study.pair_separators.front());
  // Those of a file stand there without the spaces around them.
  const auto from_file = [&](const std::string& field, const std::string& separator) {
    const std::size_t begin = separator.find_first_not_of(' ');
    if (begin == std::string::npos) return;
    const std::size_t end = separator.find_last_not_of(' ') + 1;
    check({arguments.separators, 0, field}, separator.substr(begin, end - begin));
  };
  for (std::size_t i = 1; i < study.pair_separators.size(); ++i) {
    from_file("", study.pair_separators[i]);
  }
  for (const ManyShotRelation& asked : relations) {
    if (asked.skipped()) continue;
    const Relation& relation = asked.relation();
    for_each_name(relation, check);
    if (const auto own = study.relation_separators.find(relation.code);
        own != study.relation_separators.end()) {
      for (const std::string& separator : own->second) from_file(relation.code, separator);
    }
    if (const auto found = study.baselines.find(relation.code); found != study.baselines.end()) {
      const std::map<std::string, BaselineTemplates> of_relation{*found};
      for_each_text(of_relation, arguments.baselines, check);
    }
  }
}

/// The relations that are asked, and the aliases of objects in the whole dataset.
struct StudiedData {
  Dataset dataset;
  ObjectAliases aliases;
};

inline StudiedData studied_data(const ManyShotArguments& arguments) {
  StudiedData data{load_dataset(arguments.data), {}};
  data.aliases = object_aliases(data.dataset);  // whichever relations are asked
  data.dataset = select(std::move(data.dataset), arguments.relations, 0);
  return data;
}

/// What is asked of each; all that is given must outlive it.
inline std::vector<ManyShotRelation> studied_relations(const Dataset& dataset,
                                                       const ObjectAliases& aliases,
                                                       const ManyShotOptions& study) {
  std::vector<ManyShotRelation> relations;
  for (const Relation& relation : dataset.relations) {
    relations.emplace_back(relation, aliases, study);
  }
  return relations;
}

/// How the injection experiment writes its pairs.
inline ManyShot injection_form(const ManyShotOptions& study) {
  return {study.pair_separators.front(), study.item_separator, Join::text};
}

/// What metadata_many_shot.json says of a relation.
inline Json many_shot_metadata(const ManyShotRelation& asked,
                               const std::vector<RelationRemark>& notes, std::size_t beginning,
                               const ManyShotOptions& study) {
  const Relation& relation = asked.relation();
  std::size_t choices = 0;
  for (const Choices& of_fact : asked.choices()) choices += of_fact.options.size();
  // By seed: the instances of the training facts in the order in which they become shots.
  Json shots = Json::array();
  for (std::size_t seed = 0; seed < study.seeds && !asked.skipped(); ++seed) {
    shots.push_back(asked.shot_instances(seed));
  }
  Json templates = Json::object();
  if (const auto own = study.baselines.find(relation.code); own != study.baselines.end()) {
    templates = {{"hgp", own->second.hgp}, {"mmp", own->second.mmp}};
  }
  Json said = Json::array();
  for (const RelationRemark& note : notes) said.push_back(to_json(note));
  return {{"options", relation.options},
          {"option_ids", relation.option_ids},
          {"facts", relation.facts.size()},
          {"training", asked.split().training.size()},
          {"test", asked.split().test.size()},
          {"shots", std::move(shots)},
          {"templates", std::move(templates)},
          {"notes", said},
          {"skipped", asked.skipped() ? to_json(*asked.skipped()) : Json()},
          {"choices", choices},
          {"choices_beginning_another", beginning}};
}

/// The injection experiment on a relation; nothing where none is asked for or it has too few facts,
/// which is noted.
inline std::optional<InjectionDesign> chosen_injection(const ManyShotRelation& asked,
                                                       const ObjectAliases& aliases,
                                                       const InjectionOptions& injection,
                                                       std::vector<RelationRemark>& notes) {
  if (injection.pairs == 0 || asked.skipped()) return std::nullopt;
  const std::size_t facts = asked.relation().facts.size();
  if (facts < injection.pairs) {
    notes.push_back(
        {"no injection experiment, fewer than " + std::to_string(injection.pairs) + " facts",
         std::to_string(facts)});
    return std::nullopt;
  }
  return injection_design(asked.relation(), injection, aliases);
}

inline int replay(Console& console, const ManyShotArguments& arguments,
                  const ModelMaker& make_model) {
  const double start = Progress::monotonic_seconds();
  const FixedFile file = read_fixed_file(arguments.fixed);
  const std::vector<FixedStudy>& studies = file.studies;
  auto model = make_model(arguments.model);
  CausalScorer scorer(model, arguments.bos, Span::continuation);
  const ModelDescription description = model.describe();
  const ManyShotCheck check(model, arguments.bos);
  const SpecialTokenCheck special(model, arguments.special_tokens);
  for (const FixedStudy& study : studies) {
    for_each_text(study, arguments.fixed, special);
    check.refuse_long(study, arguments.fixed);
    if (const auto token = check.merged_token_of(study)) {
      console.out << "a token covers both a subject and an object: '" << *token << "'\n";
    }
  }
  Dataset dataset;
  dataset.name = arguments.fixed.filename().string();
  dataset.files = {arguments.fixed};
  const RunFolder folder(arguments.out,
                         job_settings("many-shot --fixed", arguments, dataset, description),
                         arguments.resume);
  std::size_t total = 0;
  for (const FixedStudy& study : studies) total += study.tests.size() * study.choices.size();
  Progress progress(console.err, total, "choices", console.err_is_terminal);
  PackRun packs(scorer, folder.file("journal.jsonl"), {Reduction::sum, Span::continuation},
                [&](const RunState& state) {
                  progress.update(state.statements, state.fresh, state.relation);
                });
  Json made = Json::array();
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> if_first_wins;  // a column where there is a tie
  TieCount ties;
  for (std::size_t i = 0; i < studies.size(); ++i) {
    const FixedStudy& study = studies[i];
    FixedResult result =
        run_fixed_study(study, arguments.model.model.filename().string(), i, scorer, packs);
    rows.push_back({first_string(study.source, "relation").value_or(std::to_string(i)),
                    std::to_string(study.shots.size()), std::to_string(study.tests.size()),
                    std::to_string(study.choices.size()),
                    with_interval(wilson_share(result.accuracy, study.tests.size())),
                    std::to_string(result.ties.tied),
                    result.worst_difference ? fixed(*result.worst_difference, 6) + " nats" : "–"});
    if_first_wins.push_back(
        with_interval(wilson_share(result.accuracy_first_wins, study.tests.size())));
    ties += result.ties;
    made.push_back(std::move(result.study));
  }
  std::vector<std::string> heads{
      "relation", "shots", "facts", "choices", "accuracy [95%]", "ties", "largest difference"};
  if (ties.tied > 0) heads.push_back(first_wins);
  TextTable table(heads);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (ties.tied > 0) rows[i].push_back(if_first_wins[i]);
    table.add(rows[i]);
  }
  write_atomically(folder.file("fixed.json"), (file.is_list ? made : made.front()).dump(1) + "\n");
  folder.write_run(run_facts(command_line_of(console, "many-shot"), arguments, packs.summary(),
                             Progress::monotonic_seconds() - start),
                   "complete");
  if (const auto warning = tie_warning(ties)) console.out << *warning << "\n";
  console.out << table.text() << "\n"
              << cost_in_words(packs.summary(), description)
              << "scores: " << (arguments.out / "fixed.json").string() << "\n";
  return 0;
}

}  // namespace detail

/// Runs the subcommand; returns the exit code 0. Throws Error for everything that goes wrong.
inline int run_many_shot_command(Console& console, const ModelMaker& make_model) {
  detail::ManyShotWords words;
  detail::options::options_description list;
  words.describe(list);
  const auto values = detail::parse_arguments(
      console, "plumb many-shot --data DIR --model FILE --out RUN [options]", list);
  if (!values) return 0;
  const detail::ManyShotArguments arguments = words.parse(*values);
  if (!arguments.resume) refuse_used(arguments.out);  // said before a large model is loaded
  if (!arguments.fixed.empty()) return detail::replay(console, arguments, make_model);

  const double start = Progress::monotonic_seconds();
  const auto [dataset, aliases] = detail::studied_data(arguments);
  const std::vector<ManyShotRelation> relations =
      detail::studied_relations(dataset, aliases, arguments.study);
  if (over::none_of(relations, [](const auto& asked) { return !asked.skipped(); })) {
    throw user_error(
        {.file = arguments.data},
        "every relation is " + relations.front().skipped()->what + " (" +
            relations.front().relation().code + " has " + relations.front().skipped()->detail + ")",
        "ask for fewer shots, lower --min-facts and --min-objects, or give more facts");
  }

  auto model = make_model(arguments.model);
  detail::refuse_empty_options(model, dataset);
  detail::check_special_tokens(model, arguments, relations);
  const ModelDescription description = model.describe();
  const ManyShot form = detail::injection_form(arguments.study);
  Json metadata = {{"model", arguments.model.model.filename().string()},
                   {"dataset", dataset.name},
                   {"relations", Json::object()}};
  std::size_t total = 0;
  std::vector<InjectionDesign> designs;
  const ManyShotCheck check(model, arguments.bos);
  for (const ManyShotRelation& asked : relations) {
    std::vector<RelationRemark> notes = asked.notes();
    for (RelationRemark& note : check.notes(asked)) notes.push_back(std::move(note));
    if (const auto left = arguments.without_separator.find(asked.relation().code);
        left != arguments.without_separator.end()) {
      notes.push_back({"templates that do not begin with the subject give no separator",
                       std::to_string(left->second)});
    }
    if (arguments.generate > 0) check.refuse_long_generation(asked, arguments.generate);
    total += asked.statements();
    if (auto design = detail::chosen_injection(asked, aliases, arguments.injection, notes)) {
      check.refuse_long(*design, form);
      total += design->panels.size() * arguments.injection.pairs;
      designs.push_back(std::move(*design));
    }
    metadata["relations"][asked.relation().code] = detail::many_shot_metadata(
        asked, notes, check.choices_beginning_another(asked), arguments.study);
  }
  if (total == 0) {
    throw user_error(
        {.file = arguments.data}, "no relation is asked anything",
        "give --shots numbers, or facts and templates that --eic and --baselines take");
  }
  if (arguments.injection.pairs > 0 && designs.empty()) {
    throw user_error({.field = "--injection"},
                     "no relation has " + std::to_string(arguments.injection.pairs) + " facts",
                     "ask for fewer pairs");
  }
  const RunFolder folder(arguments.out, detail::many_shot_settings(arguments, dataset, description),
                         arguments.resume);
  ExamplePrompts examples;
  for_each_many_shot_prompt(relations, designs, form, arguments.generate > 0, arguments.bos, {},
                            std::ref(examples));
  examples.write(folder);
  Progress progress(console.err, total, "choices", console.err_is_terminal);
  RunSummary summary;
  std::optional<TokenId> bos;
  {
    ManyShotRun run(model, arguments.bos, folder, [&](const RunState& state) {
      progress.update(state.statements, state.fresh, state.relation);
    });
    bos = run.bos();
    run.run(relations);
    for (const InjectionDesign& design : designs) run.inject(design, form);
    summary = run.summary();
  }
  if (arguments.generate > 0) {
    std::size_t texts = 0, written = 0;
    for (const ManyShotRelation& asked : relations) texts += generated_texts(asked);
    Progress writing(console.err, texts, "texts", console.err_is_terminal);
    for (const ManyShotRelation& asked : relations) {
      generate_many_shot(model, bos, asked, aliases, arguments.generate, folder,
                         [&](std::size_t more) {
                           written += more;
                           writing.update(written, written, asked.relation().code);
                         });
    }
  }
  write_atomically(folder.file("metadata_many_shot.json"), metadata.dump(2) + "\n");
  const ManyShotReport report(folder.path(), {.seed = arguments.seed});
  report.write(folder.path());
  folder.write_run(detail::run_facts(detail::command_line_of(console, "many-shot"), arguments,
                                     summary, Progress::monotonic_seconds() - start),
                   "complete");
  for (const std::string& note : report.notes()) console.out << note << "\n";
  console.out << "\n"
              << report.table() << "\n"
              << detail::cost_in_words(summary, description)
              << "report: " << (arguments.out / "report.html").string() << "\n";
  return 0;
}

}  // namespace plumb
