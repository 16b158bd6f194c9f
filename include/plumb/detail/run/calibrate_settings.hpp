// SPDX-License-Identifier: Apache-2.0
#pragma once

// The settings of a calibration: which results it reads, how it reads them, and what it measures.

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
  /// The results folders. Folders of the same model are joined.
  ResultFolders folders{};
  /// The probed dataset, for folders that do not describe its relations; may be empty.
  std::filesystem::path data{};
  std::vector<std::string> relations{};
  /// How a statement is scored. If neither is set, the folders' own scoring is used.
  std::optional<Reduction> reduction{};
  std::optional<Span> span{};
  std::size_t bins = 20;
  std::size_t resamples = 1000;
  /// If empty, all estimators that the results allow are used.
  std::vector<std::string> estimators{};
  TemplateKinds kinds{};
  /// The names of masked models. If not set, a model is masked if its folders record that it is.
  std::optional<std::vector<std::string>> masked{};
  std::uint64_t seed = 0;
  /// A column of the facts table; the facts with each of its values are also measured separately.
  /// Empty for none.
  std::string group_by{};
  /// The WordNet folder that provides the lemmas for comparing generated answers; with "none",
  /// exact words are compared.
  std::filesystem::path wordnet = "/usr/share/wordnet";

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& visitor) {
    visitor("folders", self.folders,
            {.value = "DIR",
             .help = "results folders, or NAME=DIR; folders of the same model are joined",
             .recorded = "-"});
    visitor("bins", self.bins,
            {.value = "N",
             .help = "number of bins of the calibration errors and curves",
             .least = 2,
             .most = 1000,
             .remedy = "the paper uses 20"});
    visitor("resamples", self.resamples,
            {.value = "N",
             .help = "number of bootstrap resamples",
             .least = 20,
             .most = 100'000,
             .remedy = "1000 is usual"});
    visitor("estimators", self.estimators,
            {.value = "A,B",
             .help = "compute only these estimators, e.g. base,average_min",
             .recorded = "-"});
    visitor("base-template", self.kinds.base,
            {.value = "N", .help = "index of the template that Base and Margin use"});
    visitor(
        "paraphrases", self.kinds.paraphrases,
        {.value = "0-4", .help = "plain templates, by index; default: recognize kinds by text"});
    visitor("verbalized", self.kinds.verbalized,
            {.value = "5,6",
             .help = "indices of templates with a verbalized marker, with `paraphrases`",
             .recorded = "-"});
    visitor("numerical", self.kinds.numerical,
            {.value = "7-11",
             .help = "indices of templates with a numerical marker, with `paraphrases`",
             .recorded = "-"});
    visitor(
        "masked", self.masked,
        {.value = "A,B",
         .help = "names of masked models, for folders that do not record it (lm-pub-quiz < 0.3)"});
    visitor("data", self.data,
            {.value = "DIR",
             .help = "the probed dataset, or the dataset to probe",
             .recorded = "described-by"});
    visitor("relations", self.relations,
            {.value = "A,B", .help = "use only these relations", .recorded = "-"});
    visitor("seed", self.seed, {.value = "N", .help = "random seed for the bootstrap intervals"});
    visitor("group-by", self.group_by, {.value = "COLUMN", .help = group_by_help, .recorded = "-"});
    visitor(
        "wordnet", self.wordnet,
        {.value = "DIR",
         .help = "WordNet folder for lemmas of generated answers, or none to compare exact words",
         .recorded = "-"});
    visitor("reduction", self.reduction,
            {.value = "KIND",
             .help = "statement score: sum, mean, bytes or pmi (if probed with it); default: as "
                     "probed, else sum",
             .recorded = "-"});
    visitor("span", self.span,
            {.value = "KIND",
             .help = "tokens to score: statement, answer or continuation; default: as probed, "
                     "else statement",
             .recorded = "-"});
  }

  /// Throws a user error if the settings contradict each other.
  void(check)() const {
    if (!kinds.paraphrases && (!kinds.verbalized.empty() || !kinds.numerical.empty())) {
      throw user_error({.setting = "paraphrases"}, "is missing",
                       "list the indices of the plain templates");
    }
  }

  /// Options for reading the folders.
  [[nodiscard]] ReadingOptions reading() const {
    return {.kinds = kinds, .reduction = reduction, .span = span, .relations = relations};
  }
  /// The scoring to use for a model probed by this calibration.
  [[nodiscard]] Scoring scoring() const {
    return {reduction.value_or(Reduction::sum), span.value_or(Span::statement)};
  }
  /// Throws a user error if the folder does not contain WordNet.
  [[nodiscard]] AnswerLemmas lemmas() const { return lemmas_of(wordnet); }
  [[nodiscard]] StudyOptions study() const {
    return {bins, {seed, resamples}, estimators, group_by};
  }
};

/// The settings of a calibration as recorded in run.json; `models` contains the models that were
/// found.
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
