// SPDX-License-Identifier: Apache-2.0
#pragma once

// Settings of a calibration: which results it reads, how, and what it measures.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "plumb/detail/calibrate/calibration_study.hpp"
#include "plumb/detail/measure/answer_lemmas.hpp"
#include "plumb/detail/records/probe_predictions.hpp"
#include "plumb/detail/run/job_setting.hpp"
#include "plumb/detail/run/result_folders.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct CalibrateSettings {
  /// Those of one model join.
  ResultFolders folders{};
  /// The dataset that was probed, where the folders do not describe its relations; may be empty.
  std::filesystem::path data{};
  std::vector<std::string> relations{};
  /// The number that stands for a statement; the folders' own where neither is given.
  std::optional<Reduction> reduction{};
  std::optional<Span> span{};
  std::size_t bins = 20;
  std::size_t resamples = 1000;
  /// All that the results allow when empty.
  std::vector<std::string> estimators{};
  TemplateKinds kinds{};
  /// Names of masked models; those whose folders say so where not given.
  std::optional<std::vector<std::string>> masked{};
  std::uint64_t seed = 0;
  /// A column of the facts' table, whose values are also measured apart; empty: none.
  std::string group_by{};
  /// Where the lemmas come from that generated answers are compared by; "none": words as they are.
  std::filesystem::path wordnet = "/usr/share/wordnet";

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& visitor) {
    visitor("folders", self.folders,
            {.value = "DIR",
             .help = "results folders, or NAME=DIR; those of one model join",
             .recorded = "-"});
    visitor("bins", self.bins,
            {.value = "N",
             .help = "of the calibration errors and curves",
             .least = 2,
             .most = 1000,
             .remedy = "the paper has 20"});
    visitor("resamples", self.resamples,
            {.value = "N",
             .help = "of the bootstrap",
             .least = 20,
             .most = 100'000,
             .remedy = "1000 is usual"});
    visitor("estimators", self.estimators,
            {.value = "A,B", .help = "only these, e.g. base,average_min", .recorded = "-"});
    visitor("base-template", self.kinds.base, {.value = "N", .help = "which Base and Margin use"});
    visitor("paraphrases", self.kinds.paraphrases,
            {.value = "0-4", .help = "template indices by kind, where their text does not tell"});
    visitor("verbalized", self.kinds.verbalized,
            {.value = "5,6", .help = "likewise", .recorded = "-"});
    visitor("numerical", self.kinds.numerical,
            {.value = "7-11", .help = "likewise", .recorded = "-"});
    visitor(
        "masked", self.masked,
        {.value = "A,B",
         .help = "names of masked models, for folders that do not say (lm-pub-quiz before 0.3)"});
    visitor("data", self.data,
            {.value = "DIR",
             .help = "the dataset that was probed, or is to be",
             .recorded = "described-by"});
    visitor("relations", self.relations,
            {.value = "A,B", .help = "only these relations", .recorded = "-"});
    visitor("seed", self.seed, {.value = "N", .help = "of the bootstrap intervals"});
    visitor("group-by", self.group_by, {.value = "COLUMN", .help = group_by_help, .recorded = "-"});
    visitor("wordnet", self.wordnet,
            {.value = "DIR",
             .help = "where lemmas of generated answers come from; none compares words as they are",
             .recorded = "-"});
    visitor("reduction", self.reduction,
            {.value = "KIND",
             .help = "sum, mean, bytes or pmi of a statement; by default the folders' own, or sum; "
                     "pmi of folders that were probed so",
             .recorded = "-"});
    visitor("span", self.span,
            {.value = "KIND",
             .help = "which tokens count: statement, answer or continuation; by default the "
                     "folders' own, or statement",
             .recorded = "-"});
  }

  /// Throws a user error for settings that contradict one another.
  void(check)() const {
    if (!kinds.paraphrases && (!kinds.verbalized.empty() || !kinds.numerical.empty())) {
      throw user_error({.setting = "paraphrases"}, "is missing",
                       "say which templates are plain ones");
    }
  }

  /// How the folders are read.
  [[nodiscard]] ReadingOptions reading() const {
    ReadingOptions made{.kinds = kinds, .scoring = {}, .relations = relations};
    if (reduction || span) made.scoring = scoring();
    return made;
  }
  /// The number that stands for a statement of a model that is probed.
  [[nodiscard]] Scoring scoring() const {
    return {reduction.value_or(Reduction::sum), span.value_or(Span::statement)};
  }
  /// Throws a user error when the folder holds no WordNet.
  [[nodiscard]] AnswerLemmas lemmas() const { return lemmas_of(wordnet); }
  [[nodiscard]] StudyOptions study() const {
    return {bins, {seed, resamples}, estimators, group_by};
  }
};

/// What run.json says of a calibration's settings; `models` are the models it found.
[[nodiscard]] inline Json calibrate_record(const CalibrateSettings& settings,
                                           const std::vector<ModelCalibration>& models) {
  const auto list_or = [](const auto& list, const Json& none) {
    return list.empty() ? none : Json(list);
  };
  Json names = Json::array();
  for (const ModelCalibration& model : models) names.push_back(model.name);
  Json record = {{"command", "calibrate"},
                 {"plumb_version", PLUMB_VERSION},
                 {"models", std::move(names)},
                 {"dataset", models.front().dataset},
                 {"scoring", models.front().scoring},
                 {"relations", list_or(settings.relations, "all")},
                 {"estimators", list_or(settings.estimators, "all")},
                 {"verbalized", list_or(settings.kinds.verbalized, Json())},
                 {"numerical", list_or(settings.kinds.numerical, Json())}};
  record.update(recorded_settings(settings));
  if (!settings.group_by.empty()) record["group_by"] = settings.group_by;
  return record;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
