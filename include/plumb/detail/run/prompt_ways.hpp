// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads the answers to many prompts from finished runs, grouped by query form.
//
// A `plumb generate` run contains one query form per setting. A run folder from a probe or from
// lm-pub-quiz contains a single query form: the closed set, with the answers under all scored
// templates. The same measures apply to every query form, so masked, causal and generated answers
// can be compared.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/prompt_template_file.hpp"
#include "plumb/detail/measure/answer_lemmas.hpp"
#include "plumb/detail/records/generation_folder.hpp"
#include "plumb/detail/records/probe_predictions.hpp"
#include "plumb/detail/records/results_kind.hpp"
#include "plumb/detail/run/compare_settings.hpp"
#include "plumb/detail/run/result_folders.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The entries of `known` for those relations whose paraphrases are all in `known`. For other
/// relations, only the text of a template is known.
inline KnownTemplates known_of(const ModelPredictions& model, const KnownTemplates& known) {
  KnownTemplates made;
  for (const RelationPredictions& relation : model.relations) {
    const auto entry = known.find(relation.relation.code);
    if (entry == known.end()) continue;
    const auto is_known = [&](const Setting& asked) {
      const auto& texts = relation.relation.templates;
      return asked.variant < texts.size() &&
             ranges::find(entry->second, texts[asked.variant], &PromptTemplate::text) !=
                 entry->second.end();
    };
    if (ranges::all_of(std::span(relation.settings).first(relation.paraphrases), is_known)) {
      made.insert(*entry);
    }
  }
  return made;
}

/// The first template index that all relations of a results folder share. Reading a folder requires
/// a base template, but the choice does not affect any multi-prompt result.
inline std::size_t some_template(const DiskPath& folder) {
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

/// The name of a model file without the extension ".gguf".
inline std::string short_name(const std::string& name) {
  return name.ends_with(".gguf") ? name.substr(0, name.size() - 5) : name;
}

/// The query forms of all runs, with remarks.
struct PromptWays {
  std::vector<ManyPromptStudy> studies;
  std::vector<std::string> remarks;
};

/// Reads all runs; each must have a name. Generations come first. `templates` is the path of a file
/// and may be empty. Throws a user error for runs and files that cannot be read.
[[nodiscard]] inline PromptWays read_prompt_ways(const std::vector<ResultFolder>& runs,
                                                 const std::filesystem::path& templates,
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
    ManyPromptAnswers run = read_generation(folder, lemmas);
    for (ManyPromptStudy& study : run.studies) {
      // If there is only one run, the settings' names are distinct even without the run's name.
      if (runs.size() > 1)
        study.answered.name = detail::short_name(name) + " " + study.answered.name;
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
    const ScoredModel model =
        read_model(name, {folder}, {.kinds = {.base = detail::some_template(folder)}});
    ways.studies.push_back(closed_set_study(
        model.predictions, templates.empty() ? detail::known_of(model.predictions, known) : known));
    for (const std::string& note : model.notes) ways.remarks.push_back(name + ": " + note);
  }
  return ways;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
