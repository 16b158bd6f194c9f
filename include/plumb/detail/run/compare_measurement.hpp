// SPDX-License-Identifier: Apache-2.0
#pragma once

// A comparison of finished runs, as a measurement (measurement.hpp). It compares models under a
// setting that they share, rankings of entities, query forms over many prompts (prompt_ways.hpp),
// or runs against published numbers.

#include <cstddef>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/paired_prompts.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/core/version.hpp"
#include "plumb/detail/measure/aligned_instances.hpp"
#include "plumb/detail/records/many_shot_answers.hpp"
#include "plumb/detail/records/metrics_file.hpp"
#include "plumb/detail/records/probe_answers.hpp"
#include "plumb/detail/records/ranking_metadata.hpp"
#include "plumb/detail/records/ranking_rows.hpp"
#include "plumb/detail/records/results_kind.hpp"
#include "plumb/detail/records/run_changes_file.hpp"
#include "plumb/detail/report/compared_facts_section.hpp"
#include "plumb/detail/report/comparison_report.hpp"
#include "plumb/detail/report/many_prompt_report.hpp"
#include "plumb/detail/report/published_report.hpp"
#include "plumb/detail/report/rank_comparison_report.hpp"
#include "plumb/detail/run/compare_assertions.hpp"
#include "plumb/detail/run/compare_settings.hpp"
#include "plumb/detail/run/compared_questions.hpp"
#include "plumb/detail/run/measurement.hpp"
#include "plumb/detail/run/prompt_ways.hpp"
#include "plumb/detail/run/run_differences.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The model's answers in a run folder, whichever command created it. Throws a user error if the
/// folder contains no finished results.
[[nodiscard]] inline ModelAnswers read_answers(const ResultFolder& run) {
  if (results_kind(run.path) == ResultsKind::many_shot) {
    return many_shot_answers(run.path, run.name);
  }
  const std::string command = first_string(kept_settings(run.path), "command").value_or("");
  for (const char* other : {"rank", "calibrate", "compare"}) {
    if (command != other) continue;
    if (command == std::string("calibrate")) {
      throw user_error({.file = run.path}, "is a run of plumb calibrate",
                       "to compare calibrations, run `plumb calibrate` on the results it was made "
                       "from; to compare answers, run `plumb compare` on them");
    }
    throw user_error({.file = run.path},
                     "is a run of plumb " + command + ", but the other runs are not",
                     command == "rank" ? "compare rankings with rankings"
                                       : "use runs of probe, many-shot, generate or rank");
  }
  return probe_answers(run.path, run.name);
}

/// Names each unnamed run after its model. If `apart` is true and two runs have the same model
/// name, they are named after their folders instead. Results of lm-pub-quiz are named after their
/// folder, or after their model if another run has the same name.
inline void name_runs(std::vector<ResultFolder>& runs, bool apart) {
  std::vector<std::string> names;
  for (const ResultFolder& run : runs) {
    const auto model = first_string(kept_settings(run.path), "model");
    names.push_back(!run.name.empty() ? run.name : model.value_or(folder_name(run.path)));
  }
  std::vector<std::string> distinct = names;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool is_taken = runs[i].name.empty() && ranges::count(names, names[i]) > 1;
    if (!is_taken || kept_settings(runs[i].path).contains("model")) continue;
    if (std::string model = recorded_model(runs[i].path); !model.empty()) {
      distinct[i] = std::move(model);
    }
  }
  names = std::move(distinct);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i].name.empty()) continue;
    const bool is_shared = apart && ranges::count(names, names[i]) > 1;
    runs[i].name = is_shared ? folder_name(runs[i].path) : names[i];
  }
}

/// The queries of a ranking, from its run.json: "test", "500 of test" or "first 10 of test",
/// followed by relations and heads.
inline std::string asked_queries(const Json& kept) {
  const std::string part = first_string(kept, "split").value_or("");
  if (part.empty()) return "";
  const auto count = [&](const char* field) -> std::size_t {
    const auto found = kept.find(field);
    return found != kept.end() && found->is_number_unsigned() ? found->get<std::size_t>() : 0;
  };
  std::string text = part;
  if (count("sample") > 0) text = std::to_string(count("sample")) + " of " + text;
  if (count("limit") > 0) text = "first " + std::to_string(count("limit")) + " of " + text;
  if (const auto codes = string_list(kept, "relations")) {
    std::string list;
    for (const std::string& code : *codes) add_to_list(list, code);
    text += ", of " + list;
  }
  return text + (kept.value("head_queries", Json()) == true ? ", and their heads" : "");
}

/// Adds the candidates and queries to the description of each number of a ranking. The LM head, and
/// the methods compared with it, rank only single-token names, regardless of the run's candidates.
inline void add_ranking_facts(RunNumbers& run, const Json& kept) {
  const std::string candidates = first_string(kept, "candidates").value_or("");
  if (first_string(kept, "command").value_or("") != "rank" || candidates.empty()) return;
  const std::string queries = asked_queries(kept);
  for (auto& [name, number] : run.numbers) {
    const bool single =
        name.find("lm-head") != std::string::npos || name.find("single-token") != std::string::npos;
    number.candidates = !single || candidates == "single-token" ? candidates
                        : candidates == "all"                   ? "single-token"
                                                                : "single-token " + candidates;
    number.queries = queries;
  }
}

/// The model's family and parameter count according to run.json: from a table of models
/// (`model_known`) or, failing that, from the model's own files.
struct KnownModel {
  std::string family{};
  std::optional<double> parameters{};
};
[[nodiscard]] inline KnownModel known_model(const DiskPath& folder) {
  DiskPath file = folder / "run.json";
  if (!file.is_file()) return {};
  const Json record = read_json_object(file);
  const Json of_table = record.value("model_known", Json::object());
  KnownModel made;
  if (of_table.is_object()) made.family = first_string(of_table, "family").value_or("");
  for (const Json* from : {&of_table, &record}) {
    const auto found = from->is_object() ? from->find("parameters") : from->end();
    if (found == from->end() || !found->is_number() || !(found->get<double>() > 0)) continue;
    made.parameters = found->get<double>();
    break;
  }
  return made;
}

inline void refuse_equal_names(const std::vector<ResultFolder>& runs) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (runs[i].name != runs[j].name) continue;
      throw user_error(
          {.file = runs[i].path},
          "has the name '" + runs[i].name + "', which is also the name of " + runs[j].path.string(),
          "give each its own name, as NAME=RUN");
    }
  }
}

/// Models a Measurement. Any number of threads may use the same object.
class CompareMeasurement {
 public:
  /// Throws a user error if there are too few runs, if two runs have the same name (except in
  /// comparisons with published numbers, where such runs are joined), or if families or pairs refer
  /// to other models.
  explicit CompareMeasurement(CompareSettings settings) : settings_(std::move(settings)) {
    auto& runs = settings_.runs.list;
    if (runs.empty() && settings_.with_published()) {
      throw user_error({.field = "RUN"}, "no run to compare", "add finished run folders");
    }
    if (runs.size() < (settings_.over_prompts() || settings_.with_published() ? 1 : 2)) {
      throw user_error(
          {.field = "RUN"},
          "names " + counted(runs.size(), "run") + ", but a comparison needs at least two",
          "add another run folder");
    }
    detail::name_runs(runs, !settings_.with_published());
    for (const ResultFolder& run : runs) names_.push_back(run.name);
    if (!settings_.with_published()) detail::refuse_equal_names(runs);
    options_ = {.setting = settings_.setting,
                .group_by = settings_.group_by,
                .bootstrap = {.seed = settings_.seed}};
    for (const ResultFolder& run : runs) {
      const KnownModel known = known_model(run.path);
      if (!known.family.empty()) options_.families[run.name] = known.family;
      if (known.parameters) options_.parameters[run.name] = *known.parameters;
    }
    if (!settings_.families.empty()) {
      options_.families = detail::read_families(settings_.families, names_);
    }
    for (const std::string& pair : settings_.pairs) {
      options_.pairs.push_back(detail::parse_pair(pair, names_));
    }
    for (const std::string& text : settings_.assertions) {
      assertions_.push_back(parse_assertion(text));
    }
    if (!assertions_.empty() && runs.size() != 2) {
      throw user_error({.setting = "assert"},
                       "needs two runs, but there are " + std::to_string(runs.size()),
                       "specify the base run and the changed run, in this order");
    }
  }

  [[nodiscard]] Json identity() const { return {{"command", "compare"}, {"over", kind()}}; }
  [[nodiscard]] const ResultFolders& folders() const noexcept { return settings_.runs; }

  [[nodiscard]] Measured measure() const {
    if (settings_.with_published()) return with_published();
    if (settings_.over_rankings()) return over_rankings();
    return settings_.over_prompts() ? over_prompts() : under_one_setting();
  }

 private:
  [[nodiscard]] Json kind() const {
    if (settings_.with_published()) return "published";
    if (settings_.over_rankings()) return "rankings";
    return settings_.over_prompts() ? Json("prompts") : Json();
  }

  [[nodiscard]] Measured under_one_setting() const {
    std::vector<ModelAnswers> models;
    for (const ResultFolder& run : settings_.runs.list) models.push_back(read_answers(run));
    const std::vector<std::string> renumbered = align_instances(models);
    Comparison made = compare_answers(models, options_);
    if (!renumbered.empty()) {
      made.remarks.push_back("The runs number the facts of " + text_list(renumbered) +
                             " differently, so facts were matched by subject and right answer.");
    }
    for (std::string& remark : detail::run_differences(settings_.runs.list, false)) {
      made.remarks.push_back(std::move(remark));
    }
    for (std::string& remark : question_remarks(settings_.runs.list)) {
      made.remarks.push_back(std::move(remark));
    }
    for (std::string& text : model_warnings_of(settings_.runs.list)) {
      made.remarks.push_back(std::move(text));
    }
    std::vector<AssertedChange> changes;
    if (compares_scores(settings_.runs.list) || !assertions_.empty()) {
      for (std::size_t run = 1; run < settings_.runs.list.size(); ++run) {
        changes.push_back(change_to(run, made));
      }
      made.changes = changes_of(made, changes);
    }
    made.draws = draws_of(made);
    AssertedConditions asserted;
    if (!assertions_.empty()) asserted = asserted_of(made, changes.front());
    Json record = {{"command", "compare"},
                   {"plumb_version", PLUMB_VERSION},
                   {"models", made.table.models},
                   {"setting", setting_name(made.table.group)},
                   {"families", setting::to_json(settings_.families)},
                   {"pairs", settings_.pairs.empty() ? Json() : Json(settings_.pairs)},
                   {"resamples", options_.bootstrap.resamples},
                   {"seed", settings_.seed}};
    if (!settings_.group_by.empty()) record["group_by"] = settings_.group_by;
    if (!assertions_.empty()) record["assert"] = settings_.assertions;
    return {comparison_report(std::move(made), record, std::move(asserted)), record};
  }

  /// The changes from the first run to another run. Includes scores if both runs are closed sets
  /// with the same scoring.
  [[nodiscard]] AssertedChange change_to(std::size_t run, const Comparison& made) const {
    AssertedChange change;
    // The models and the pairs of a comparison are in the order of the runs.
    change.accuracy = made.paired[run - 1];
    for (const ComparedFact& fact : made.facts) {
      const std::string way = change_of(fact, 0, run);
      if (way.empty()) continue;
      (way == "lost" ? change.lost : change.gained)
          .push_back(fact.relation + " '" + fact.subject + "' (" + fact.models[0]->text + " → " +
                     fact.models[run]->text + ")");
    }
    const DiskPath& base = settings_.runs.list[0].path;
    const DiskPath& changed = settings_.runs.list[run].path;
    if (results_kind(base) == ResultsKind::closed_set &&
        results_kind(changed) == ResultsKind::closed_set) {
      change.take_scores(read_run_changes(base, changed), options_.bootstrap);
    }
    return change;
  }

  /// Groups of runs that differ only in the seed of their shots, in the order of each group's first
  /// run.
  [[nodiscard]] std::vector<DrawSpread> draws_of(const Comparison& made) const {
    struct Group {
      Json settings;
      std::vector<Json> seeds{};
      std::string runs{};
      std::vector<double> accuracies{};
    };
    std::vector<Group> groups;
    const auto& runs = settings_.runs.list;
    for (std::size_t run = 0; run < runs.size(); ++run) {
      Json settings = kept_settings(runs[run].path);
      if (!settings.contains("shots") || settings["shots"] == 0 || !settings.contains("shot_seed"))
        continue;
      const Json seed = settings["shot_seed"];
      settings.erase("shot_seed");
      if (!settings.value("model_sha256", Json()).is_null())
        settings.erase("model");  // the hash identifies the model
      const auto standing = ranges::find(made.models, run, &ModelStanding::model);
      if (standing == made.models.end() || !standing->spread.overall.accuracy.exists()) continue;
      auto group = ranges::find(groups, settings, &Group::settings);
      if (group == groups.end()) {
        groups.push_back({.settings = std::move(settings)});
        group = std::prev(groups.end());
      }
      // The same run given twice, or the same model under a different name, does not count as
      // another draw.
      if (ranges::find(group->seeds, seed) != group->seeds.end()) continue;
      group->seeds.push_back(seed);
      add_to_list(group->runs, made.table.models[run]);
      group->accuracies.push_back(standing->spread.overall.accuracy.value);
    }
    std::vector<DrawSpread> spreads;
    for (const Group& group : groups) {
      if (group.seeds.size() > 1) spreads.push_back(draw_spread(group.runs, group.accuracies));
    }
    return spreads;
  }

  /// All quantities that can be used in conditions, for each run except the first.
  [[nodiscard]] std::vector<ModelChanges> changes_of(const Comparison& made,
                                                     const std::vector<AssertedChange>& all) const {
    std::vector<ModelChanges> changes;
    for (std::size_t i = 0; i < all.size(); ++i) {
      ModelChanges& one = changes.emplace_back(ModelChanges{made.table.models[i + 1], {}});
      for (const AssertedQuantity& quantity : asserted_quantities()) {
        one.values.push_back({quantity.name, quantity.meaning, quantity.value(all[i])});
      }
    }
    return changes;
  }

  /// Evaluates the conditions and adds a remark for each.
  [[nodiscard]] AssertedConditions asserted_of(Comparison& made,
                                               const AssertedChange& change) const {
    AssertedConditions asserted;
    if (assertions_.empty()) return asserted;
    asserted.json = Json::array();
    for (const Assertion& assertion : assertions_) {
      const AssertedResult result = evaluate(assertion, change);
      asserted.json.push_back(to_json(result));
      if (!result.passed) asserted.failed.push_back(description_of(result));
      made.remarks.push_back((result.passed ? "Passed: " : "Failed: ") + description_of(result));
    }
    return asserted;
  }

  [[nodiscard]] Measured over_prompts() const {
    const auto& runs = settings_.runs.list;
    const ManyPromptOptions options = settings_.measuring.options(settings_.seed);
    const bool texts = settings_.generations() > 0;
    const AnswerLemmas lemmas = texts ? settings_.measuring.lemmas() : AnswerLemmas();
    PromptWays ways = read_prompt_ways(runs, settings_.templates, lemmas);
    ManyPromptResults made = many_prompt_results(ways.studies, options);
    if (runs.size() > 1) {
      std::vector<NamedOutcomes> outcomes;
      for (std::size_t i = 0; i < ways.studies.size(); ++i) {
        outcomes.push_back({made.ways[i].name, &ways.studies[i].answered.outcomes});
      }
      made.paired = paired_by_prompts(outcomes, options.bootstrap);
    }
    const auto remarks = detail::run_differences(runs, true);
    made.remarks.insert(made.remarks.begin(), remarks.begin(), remarks.end());
    made.remarks.insert(made.remarks.begin(), ways.remarks.begin(), ways.remarks.end());
    for (std::string& text : model_warnings_of(runs)) made.remarks.push_back(std::move(text));
    Json record = {{"command", "compare"},
                   {"plumb_version", PLUMB_VERSION},
                   {"over", "prompts"},
                   {"models", names_},
                   {"templates", setting::to_json(settings_.templates)},
                   {"lemmas", texts ? Json(detail::lemmas_word(lemmas)) : Json()},
                   {"samplings", options.samplings},
                   {"sample_by", name_of(options.by)},
                   {"seed", settings_.seed}};
    return {many_prompt_report(std::move(made), {.settings = record}, "Many prompts, side by side"),
            record};
  }

  [[nodiscard]] Measured over_rankings() const {
    const auto& runs = settings_.runs.list;
    const Bootstrap bootstrap{.seed = settings_.seed};
    std::vector<RankedModel> models;
    for (const ResultFolder& run : runs) {
      if (!is_ranking(run.path)) {
        throw user_error({.file = run.path}, "is not a ranking, but other runs are",
                         "compare rankings with rankings");
      }
      const RankingMetadata metadata = read_ranking_metadata(run.path);
      RankResults results = rank_results(
          read_ranked_methods(run.path, metadata.methods, metadata.narrowed), bootstrap);
      const auto find = [&](const auto& known) { return known.find(run.name); };
      const auto family = find(options_.families);
      const auto parameters = find(options_.parameters);
      models.push_back({.name = run.name,
                        .methods = std::move(results.methods),
                        .agreements = std::move(results.agreements),
                        .family = family == options_.families.end() ? "" : family->second,
                        .parameters = parameters == options_.parameters.end()
                                          ? std::nullopt
                                          : std::optional<double>(parameters->second)});
    }
    RankComparison made = compare_ranks(std::move(models), bootstrap);
    for (std::string& remark : detail::run_differences(runs, false)) {
      made.remarks.push_back(std::move(remark));
    }
    for (std::string& text : model_warnings_of(runs)) made.remarks.push_back(std::move(text));
    Json record = {
        {"command", "compare"}, {"plumb_version", PLUMB_VERSION},   {"over", kind()},
        {"models", names_},     {"resamples", bootstrap.resamples}, {"seed", settings_.seed}};
    return {rank_comparison_report(std::move(made), record), record};
  }

  [[nodiscard]] Measured with_published() const {
    const auto numbers = read_published_numbers(settings_.published);
    std::vector<RunNumbers> runs;
    for (const ResultFolder& run : settings_.runs.list) {
      const Json kept = kept_settings(run.path);
      const std::string dataset = first_string(kept, "dataset").value_or("");
      for (RunNumbers& of : read_run_numbers(run.path, run.name, dataset)) {
        detail::add_ranking_facts(of, kept);
        const auto known = ranges::find(runs, of.model, &RunNumbers::model);
        if (known == runs.end()) {
          runs.push_back(std::move(of));
        } else {
          join_numbers(*known, std::move(of), numbers, run.path);
        }
      }
    }
    PublishedComparison made = compare_with_published(numbers, runs);
    for (std::string& text : model_warnings_of(settings_.runs.list)) {
      made.remarks.push_back(std::move(text));
    }
    Json record = {{"command", "compare"},
                   {"plumb_version", PLUMB_VERSION},
                   {"over", kind()},
                   {"models", made.runs},
                   {"published", setting::to_json(settings_.published)}};
    return {published_report(std::move(made), record), record};
  }

  /// Joins the numbers of several runs of one model. Throws a user error if two runs have different
  /// values for the same published number.
  static void join_numbers(RunNumbers& known, RunNumbers more,
                           const std::vector<PublishedNumber>& published, const DiskPath& folder) {
    for (const PublishedNumber& one : published) {
      const auto ours = known.numbers.find(one.name);
      const auto theirs = more.numbers.find(one.name);
      if (ours == known.numbers.end() || theirs == more.numbers.end()) continue;
      if (ours->second.value == theirs->second.value) continue;
      throw user_error({.file = folder},
                       "has " + one.name + " of '" + known.model + "', and so does another run",
                       "give each its own name, as NAME=RUN, or compare each separately");
    }
    known.numbers.merge(std::move(more.numbers));
  }

  CompareSettings settings_;
  std::vector<std::string> names_;
  std::vector<Assertion> assertions_;
  ComparisonOptions options_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
