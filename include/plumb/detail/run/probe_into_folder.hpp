// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does one call turn a scorer and facts into a finished run folder?
//
// It writes the same files as `plumb probe`, including the page. The folder can be read by `plumb
// report`, `calibrate` and `compare`, and by lm-pub-quiz. The function runs a ProbeJob with
// run_job. To record the model's file and hash, use ProbeJob and run_job directly and set the
// Provenance.

#include <concepts>
#include <string>
#include <utility>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/data/check_and_complete.hpp"
#include "plumb/detail/prompt/statement.hpp"
#include "plumb/detail/run/probe_job.hpp"
#include "plumb/detail/score/candidate_scorer.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct FolderProbeOptions {
  /// The model's name in results and pages.
  std::string model = "model";
  /// The relation selection, the limit, the templates and the markers in these settings are applied
  /// to the dataset. By default, only template 0 is used, as in `plumb probe`; `.settings =
  /// {.templates = {}}` uses all templates. The BOS setting and a masked model's rule come from the
  /// scorer if it reports them (`bos()`, `rule()`).
  ProbeSettings settings{};
  /// Whether to resume the run in the folder. If the scorer's answers have changed since the run
  /// was started, the change is not detected.
  bool resume = false;
  /// Whether to replace a run in the folder once the new one is complete.
  bool overwrite = false;
  WorkOptions work{};
};

/// The settings, completed with what the scorer itself reports.
template <class Scorer>
ProbeSettings settings_of(const Scorer& scorer, ProbeSettings settings) {
  if constexpr (requires { scorer.bos().has_value(); }) settings.bos = scorer.bos().has_value();
  if constexpr (requires { settings.bos = scorer.bos_setting(); }) {
    settings.bos = scorer.bos_setting();
  }
  if constexpr (requires {
                  { scorer.rule() } -> std::same_as<PseudoLikelihood>;
                }) {
    settings.masked = true;
    settings.pll = scorer.rule();
  }
  return settings;
}

/// Scores every option of every fact and writes a complete run folder. The dataset may be built in
/// code: its facts need no numbers (check_and_complete). Any CandidateScorer works; if it is not a
/// PackedScorer, facts are passed to it one at a time. Before scoring, throws a user error if a
/// loader would reject the dataset, if settings contradict each other, or if the folder is not
/// empty and the run is not resumed. During scoring, throws a user error for statements that the
/// scorer rejects; finished packs are kept. Not thread-safe.
template <PromptBuilder Builder, class Scorer>
Finished<ProbeReport> probe_into_folder(const Builder& builder, Scorer& scorer, Dataset dataset,
                                        const DiskPath& folder,
                                        const FolderProbeOptions& options = {}) {
  static_assert(check_scorer<Scorer>());
  const ProbeSettings settings = detail::settings_of(scorer, options.settings);
  Dataset chosen = chosen_dataset(settings, check_and_complete(std::move(dataset)));
  const auto execute = [&](auto& packed) {
    ProbeJob job(packed, std::move(chosen), settings, {.model = options.model}, builder);
    return run_job(job, {.out = folder,
                         .resume = options.resume,
                         .work = options.work,
                         .overwrite = options.overwrite});
  };
  if constexpr (PackedScorer<Scorer>) {
    return execute(scorer);
  } else {
    QueryByQuery<Scorer> packed(scorer);
    return execute(packed);
  }
}

/// Same as above, with the statements that closed-set probes use.
template <class Scorer>
Finished<ProbeReport> probe_into_folder(Scorer& scorer, Dataset dataset, const DiskPath& folder,
                                        const FolderProbeOptions& options = {}) {
  return probe_into_folder(Statement{}, scorer, std::move(dataset), folder, options);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
