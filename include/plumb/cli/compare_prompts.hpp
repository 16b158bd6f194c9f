// SPDX-License-Identifier: Apache-2.0
#pragma once

// How do ways of asking compare over many prompts?
//
// A run of `plumb generate` gives a way of asking for each of its settings, a probe's run folder (or
// lm-pub-quiz's) one: the closed set's answers under all templates that were scored. All go through
// the same measures, so masked, causal and generated answers stand side by side.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/aggregate/recorded_predictions.hpp"
#include "plumb/cli/job_target.hpp"
#include "plumb/core/over.hpp"
#include "plumb/core/version.hpp"
#include "plumb/data/prompt_template_file.hpp"
#include "plumb/report/many_prompt_report.hpp"
#include "plumb/run/generate_settings.hpp"

namespace plumb {
namespace detail {

/// Names and folders.
using NamedRuns = std::vector<std::pair<std::string, std::filesystem::path>>;

inline bool is_generation(const std::filesystem::path& folder) {
  return std::filesystem::exists(folder / "metadata_generate.json");
}
inline std::size_t generations_among(const NamedRuns& runs) {
  return static_cast<std::size_t>(
      over::count_if(runs, [](const auto& run) { return is_generation(run.second); }));
}

/// Refuses options that have no effect on this kind of comparison.
inline void refuse_idle_words(const options::variables_map& values, bool prompts,
                              const NamedRuns& runs) {
  const auto refuse = [&](std::initializer_list<const char*> names, const char* when) {
    for (const char* name : names) {
      if (values[name].defaulted()) continue;
      throw user_error({.field = std::string("--") + name}, std::string("has no effect ") + when,
                       "leave it out");
    }
  };
  if (prompts) {
    refuse({"setting", "families", "pairs"}, "over many prompts");
    const std::size_t generations = generations_among(runs);
    if (generations == 0) refuse({"wordnet"}, "on closed sets");
    if (generations == runs.size()) refuse({"templates"}, "without a closed set");
  } else {
    refuse({"templates", "wordnet", "samplings", "sample-by"}, "without --prompts");
  }
}

/// What of `known` is about all paraphrases of a relation; of others no more than their text is
/// known.
inline KnownTemplates known_of(const ModelPredictions& model, const KnownTemplates& known) {
  KnownTemplates made;
  for (const RelationPredictions& relation : model.relations) {
    const auto entry = known.find(relation.relation.code);
    if (entry == known.end()) continue;
    const auto is_known = [&](const ScoredTemplate& scored) {
      const auto& texts = relation.relation.templates;
      return scored.index < texts.size() &&
             over::find(entry->second, texts[scored.index], &PromptTemplate::text) !=
                 entry->second.end();
    };
    if (over::all_of(std::span(relation.templates).first(relation.paraphrases), is_known)) {
      made.insert(*entry);
    }
  }
  return made;
}

/// The first template that all relations of a results folder have: one must be the base of what is
/// read, and no number over many prompts goes by it.
inline std::size_t some_template(const std::filesystem::path& folder) {
  std::optional<std::set<std::size_t>> common;
  for (const RecordedRelation& recorded : recorded_relations(folder)) {
    std::set<std::size_t> templates;
    for_each_recorded_row(recorded,
                          [&](const RecordedRow& row) { templates.insert(row.template_index); });
    if (!common) common = templates;
    std::erase_if(*common, [&](std::size_t one) { return !templates.contains(one); });
  }
  return common && !common->empty() ? *common->begin() : 0;
}

/// A model file's name without what all of them end in.
inline std::string short_name(const std::string& name) {
  return name.ends_with(".gguf") ? name.substr(0, name.size() - 5) : name;
}

/// The ways of asking of all runs, and what must be said of them.
struct PromptWays {
  std::vector<ManyPromptStudy> studies;
  std::vector<std::string> remarks;
};

/// Generations come first. `templates` may be empty.
inline PromptWays read_prompt_ways(const NamedRuns& runs, const std::filesystem::path& templates,
                                   const AnswerLemmas& lemmas) {
  PromptWays ways;
  KnownTemplates known;
  if (!templates.empty()) {
    const PromptTemplateFile file(templates);
    for (const RelationTemplates& relation : file.relations()) {
      known[relation.code] = relation.templates;
    }
  }
  for (const auto& [name, folder] : runs) {
    if (!is_generation(folder)) continue;
    GenerationRun run = read_generation(folder, lemmas);
    for (ManyPromptStudy& study : run.studies) {
      // One run's settings stand apart by themselves.
      if (runs.size() > 1) study.answered.name = short_name(name) + " " + study.answered.name;
      ways.studies.push_back(std::move(study));
    }
    for (const std::string& remark : run.remarks) ways.remarks.push_back(name + ": " + remark);
    if (!templates.empty()) continue;
    for (const MultiPromptRelation& relation : run.asked.relations) {
      known.try_emplace(relation.code, relation.templates);
    }
  }
  for (const auto& [name, folder] : runs) {
    if (is_generation(folder)) continue;
    const RecordedModel model =
        read_model(name, {folder}, {.kinds = {.base = some_template(folder)}});
    ways.studies.push_back(closed_set_study(
        model.predictions, templates.empty() ? known_of(model.predictions, known) : known));
    for (const std::string& note : model.notes) ways.remarks.push_back(name + ": " + note);
  }
  return ways;
}

/// Writes the comparison into `out`; `run_json` makes run.json of its settings. `remarks` are said
/// with what the runs themselves say.
template <class RunJson>
int compare_prompts(Console& console, const NamedRuns& runs, std::vector<std::string> remarks,
                    const std::filesystem::path& templates, const MeasuringSettings& measuring,
                    std::uint64_t seed, const std::filesystem::path& out, RunJson run_json) {
  const ManyPromptOptions options = measuring.options(seed);
  const bool texts = generations_among(runs) > 0;
  const AnswerLemmas lemmas = texts ? measuring.lemmas() : AnswerLemmas();
  PromptWays ways = read_prompt_ways(runs, templates, lemmas);
  ManyPromptResults made = many_prompt_results(ways.studies, options);
  made.remarks.insert(made.remarks.begin(), remarks.begin(), remarks.end());
  made.remarks.insert(made.remarks.begin(), ways.remarks.begin(), ways.remarks.end());
  Json names = Json::array();
  for (const auto& [name, unused] : runs) names.push_back(name);
  const Json settings = {{"command", "compare"},
                         {"plumb_version", PLUMB_VERSION},
                         {"over", "prompts"},
                         {"models", names},
                         {"templates", setting::to_json(templates)},
                         {"lemmas", texts ? Json(lemmas_word(lemmas)) : Json()},
                         {"samplings", options.samplings},
                         {"sample_by", name_of(options.by)},
                         {"seed", seed}};
  const ManyPromptReport report(std::move(made), settings, "Many prompts, side by side");
  std::filesystem::create_directories(out);
  report.write(out);
  write_atomically(out / "run.json", run_json(settings).dump(2) + "\n");
  for (const std::string& note : report.notes()) console.out << note << "\n";
  console.out << "\n" << report.table() << "\nreport: " << (out / "report.html").string() << "\n";
  return 0;
}

}  // namespace detail
}  // namespace plumb
