// SPDX-License-Identifier: Apache-2.0
#pragma once

// The report on a finished generation, measured with the user's settings.

#include "plumb/detail/calibrate/many_prompt_results.hpp"
#include "plumb/detail/core/compiled.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/measure/answer_lemmas.hpp"
#include "plumb/detail/report/many_prompt_report.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Measures the contents of a generation's run folder. The report shows the settings of this
/// measurement. Throws a user error if the folder does not contain a finished generation.
[[nodiscard]] ManyPromptReport generation_report(const DiskPath& folder, const AnswerLemmas& lemmas,
                                                 const ManyPromptOptions& options);

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#if PLUMB_BODIES

#include <string>
#include <utility>

#include "plumb/detail/calibrate/many_prompt_study.hpp"
#include "plumb/detail/records/generation_folder.hpp"
#include "plumb/detail/records/listed_prompt.hpp"
#include "plumb/detail/run/generate_settings.hpp"
#include "plumb/detail/run/run_folder.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

PLUMB_INLINE ManyPromptReport generation_report(const DiskPath& folder, const AnswerLemmas& lemmas,
                                                const ManyPromptOptions& options) {
  ManyPromptAnswers run = read_generation(folder, lemmas);
  ManyPromptResults made = many_prompt_results(run.studies, options);
  made.remarks.insert(made.remarks.begin(), run.remarks.begin(), run.remarks.end());
  RunRecord record = read_run_record(folder);
  if (!record.settings.contains("model")) record.folder = "model";
  if (!record.settings.contains("dataset")) record.settings["dataset"] = run.asked.name;
  std::string title = record.title();
  const bool fills = has_any(made, AnswerKind::fill);
  if (!fills) record.settings["lemmas"] = detail::lemmas_word(lemmas);
  record.settings.update(Json{{"samplings", options.samplings},
                              {"sample_by", name_of(options.by)},
                              {"seed", options.seed}});
  return many_prompt_report(std::move(made), std::move(record), std::move(title));
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#endif
