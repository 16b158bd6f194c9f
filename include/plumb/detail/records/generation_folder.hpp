// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads a many-prompt run folder (whose files are described in records/generation_rows.hpp) into
// studies.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/calibrate/many_prompt_study.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/data/multi_prompt_folder.hpp"
#include "plumb/detail/records/generation_metadata.hpp"
#include "plumb/detail/records/generation_rows.hpp"
#include "plumb/detail/records/result_lines.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The answers under one setting. `asked` is the dataset stored in the folder, and `most_tokens` is
/// the limit on an answer's tokens, if known. Throws a user error if a file is missing or damaged.
template <Lemmatiser Lemmas>
[[nodiscard]] AnsweredSetting read_answered(const DiskPath& folder, const std::string& setting,
                                            const MultiPromptDataset& asked, const Lemmas& lemmas,
                                            AnswerKind kind = AnswerKind::text,
                                            std::optional<std::size_t> most_tokens = {}) {
  const DiskPath file = folder / (setting + "_answers.jsonl");
  const auto each_row = [&](auto visit) { for_each_row<RecordedAnswer>(file, visit); };
  if (kind == AnswerKind::fill) return filled_setting(setting, asked, each_row, file);
  return answered_setting(setting, asked, lemmas, each_row, file, most_tokens);
}

/// The confidence in each of a setting's greedy answers, computed from its sampled answers. Throws
/// the same errors as `read_answered`.
template <Lemmatiser Lemmas>
[[nodiscard]] SampledConfidences read_sampled(const DiskPath& folder,
                                              const AnsweredSetting& setting,
                                              const MultiPromptDataset& asked,
                                              const Lemmas& lemmas) {
  const DiskPath file = folder / (setting.name + "_samples.jsonl");
  const auto each_row = [&](auto visit) { for_each_row<RecordedSamples>(file, visit); };
  return sampled_confidences(setting, asked, lemmas, each_row, file);
}

/// The dataset whose facts a generation run asked about. Throws a user error if the folder does not
/// contain it.
[[nodiscard]] inline MultiPromptDataset read_asked(const DiskPath& folder) {
  for (const char* name : {"facts.jsonl", "templates.jsonl"}) {
    refuse_stream(folder / "asked" / name);
  }
  if (!is_multi_prompt(folder / "asked")) {
    throw user_error(
        {.file = folder / "asked"}, "lacks facts.jsonl and templates.jsonl",
        "a run stores its facts and templates there; copy the whole folder or run it again");
  }
  return load_multi_prompt(folder / "asked");
}

/// Reads a run folder of `plumb generate`. Throws a user error if it contains no finished run, is
/// damaged, or contains lists (generation_lists.hpp).
template <Lemmatiser Lemmas>
[[nodiscard]] ManyPromptAnswers read_generation(const DiskPath& folder, const Lemmas& lemmas) {
  GenerationMetadata metadata = read_generation_metadata(folder);
  if (metadata.answers == GeneratedAnswers::lists) {
    throw user_error({.file = folder}, "is a run with `form` kamel, whose answers are lists",
                     "see their numbers with plumb report");
  }
  ManyPromptAnswers run;
  run.remarks = std::move(metadata.remarks);
  run.asked = read_asked(folder);
  const AnswerKind kind =
      metadata.answers == GeneratedAnswers::fills ? AnswerKind::fill : AnswerKind::text;
  for (const std::string& setting : metadata.settings) {
    ManyPromptStudy& study = run.studies.emplace_back();
    study.kind = kind;
    study.answered =
        read_answered(folder, setting, run.asked, lemmas, kind, metadata.max_new_tokens);
    if (kind == AnswerKind::fill) study.confidences = fill_confidences(study.answered.likelihoods);
    if (is_there(folder / (setting + "_samples.jsonl"))) {
      SampledConfidences sampled = read_sampled(folder, study.answered, run.asked, lemmas);
      study.confidences = std::move(sampled.judgements);
      study.sampled_facts = std::move(sampled.facts);
      study.samples = sampled.samples;
    }
    if (const auto names = folder / (setting + "_names.jsonl"); is_there(names)) {
      const auto each_row = [&](auto visit) { for_each_row<RecordedNames>(names, visit); };
      add_names(study, run.asked, each_row, names);
    }
    if (const auto rows = folder / (setting + "_content_free.jsonl"); is_there(rows)) {
      study.candidates = {metadata.candidates.begin(), metadata.candidates.end()};
      const auto each_row = [&](auto visit) { for_each_row<RecordedContentFree>(rows, visit); };
      add_content_free(study, run.asked, each_row, rows);
    }
  }
  return run;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
