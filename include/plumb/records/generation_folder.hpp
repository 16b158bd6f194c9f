// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads a run folder of many prompts (records/generation_rows.hpp says what lies in it) into studies.

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/calibrate/many_prompt_study.hpp"
#include "plumb/core/disk_path.hpp"
#include "plumb/data/multi_prompt_folder.hpp"
#include "plumb/records/generation_rows.hpp"
#include "plumb/records/result_lines.hpp"
#include "plumb/records/result_sums.hpp"
#include "plumb/records/results_kind.hpp"

namespace plumb {

/// A finished generation's settings and what must be said of it.
struct GenerationRun {
  std::vector<ManyPromptStudy> studies;
  std::vector<std::string> remarks;
  MultiPromptDataset asked;
};

/// The answers of a setting. `asked` is what was asked, as it stands in the folder, and `most_tokens`
/// how many tokens an answer may have had, where that is known. Throws a user error when a file is
/// missing or damaged.
template <Lemmatiser Lemmas>
[[nodiscard]] AnsweredSetting read_answered(const DiskPath& folder, const std::string& setting,
                                            const MultiPromptDataset& asked, const Lemmas& lemmas,
                                            AnswerKind kind = AnswerKind::text,
                                            std::optional<std::size_t> most_tokens = {}) {
  const DiskPath file = folder / (setting + "_answers.jsonl");
  const auto each_row = [&](auto visit) { for_each_answer(file, visit); };
  if (kind == AnswerKind::fill) return filled_setting(setting, asked, each_row, file);
  return answered_setting(setting, asked, lemmas, each_row, file, most_tokens);
}

/// The confidences that a setting's sampled answers give its greedy ones; the same errors.
template <Lemmatiser Lemmas>
[[nodiscard]] SampledConfidences read_sampled(const DiskPath& folder,
                                              const AnsweredSetting& setting,
                                              const MultiPromptDataset& asked,
                                              const Lemmas& lemmas) {
  const DiskPath file = folder / (setting.name + "_samples.jsonl");
  const auto each_row = [&](auto visit) { for_each_samples(file, visit); };
  return sampled_confidences(setting, asked, lemmas, each_row, file);
}

/// What metadata_generate.json says of a finished generation, all of whose rows are there. Throws a user
/// error for another folder.
[[nodiscard]] inline Json generation_metadata(const DiskPath& folder) {
  const DiskPath file = folder / metadata_name(ResultsKind::generation);
  if (!is_there(file)) {
    throw user_error({.file = folder}, "holds no finished generation (no metadata_generate.json)",
                     "finish its run first (plumb generate, `resume`)");
  }
  Json metadata = read_json_object(file);
  const auto settings = string_list(metadata, "settings");
  if (!settings || settings->empty()) {
    throw user_error({file, 0, "settings"}, "names none", "generate again");
  }
  for (const std::string& setting : *settings) refuse_as_file_name(setting, file);
  refuse_lost_rows(folder, metadata.value("rows", Json::object()));
  return metadata;
}

/// What a generation asked. Throws a user error for a folder that lacks it.
[[nodiscard]] inline MultiPromptDataset read_asked(const DiskPath& folder) {
  for (const char* name : {"facts.jsonl", "templates.jsonl"}) {
    refuse_stream(folder / "asked" / name);
  }
  if (!is_multi_prompt(folder / "asked")) {
    throw user_error({.file = folder / "asked"}, "lacks facts.jsonl and templates.jsonl",
                     "a run keeps there what it asked; copy the whole folder or ask again");
  }
  return load_multi_prompt(folder / "asked");
}

/// Reads a run folder of `plumb generate`. Throws a user error when it holds no finished run, is
/// damaged, or was asked for lists (generation_lists.hpp).
template <Lemmatiser Lemmas>
[[nodiscard]] GenerationRun read_generation(const DiskPath& folder, const Lemmas& lemmas) {
  const Json metadata = generation_metadata(folder);
  if (first_string(metadata, "answers") == "lists") {
    throw user_error({.file = folder}, "is of `form` kamel, whose answers are lists",
                     "plumb report has their numbers");
  }
  GenerationRun run;
  run.remarks = string_list(metadata, "remarks").value_or(std::vector<std::string>{});
  run.asked = read_asked(folder);
  std::map<std::string, std::vector<std::string>> candidates;
  if (const auto lists = metadata.find("candidates");
      lists != metadata.end() && lists->is_object()) {
    for (const auto& [code, unused] : lists->items()) {
      candidates[code] = string_list(*lists, code).value_or(std::vector<std::string>{});
    }
  }
  const bool fills = first_string(metadata, "answers") == "fills";
  const AnswerKind kind = fills ? AnswerKind::fill : AnswerKind::text;
  std::optional<std::size_t> most_tokens;  // which earlier versions did not write
  if (const auto most = metadata.find("max_new_tokens");
      most != metadata.end() && most->is_number_unsigned()) {
    most_tokens = most->get<std::size_t>();
  }
  const auto settings = string_list(metadata, "settings").value_or(std::vector<std::string>{});
  for (const std::string& setting : settings) {
    ManyPromptStudy& study = run.studies.emplace_back();
    study.kind = kind;
    study.answered = read_answered(folder, setting, run.asked, lemmas, kind, most_tokens);
    if (kind == AnswerKind::fill) study.confidences = fill_confidences(study.answered.likelihoods);
    if (is_there(folder / (setting + "_samples.jsonl"))) {
      SampledConfidences sampled = read_sampled(folder, study.answered, run.asked, lemmas);
      study.confidences = std::move(sampled.judgements);
      study.samples = sampled.samples;
    }
    if (const auto names = folder / (setting + "_names.jsonl"); is_there(names)) {
      const auto each_row = [&](auto visit) { for_each_names(names, visit); };
      add_names(study, run.asked, each_row, names);
    }
    if (const auto rows = folder / (setting + "_content_free.jsonl"); is_there(rows)) {
      study.candidates = candidates;
      const auto each_row = [&](auto visit) { for_each_content_free(rows, visit); };
      add_content_free(study, run.asked, each_row, rows);
    }
  }
  return run;
}

}  // namespace plumb
