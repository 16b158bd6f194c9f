// SPDX-License-Identifier: Apache-2.0
#pragma once

// How can a scorer and facts become a finished run folder in one call?
//
// It writes the same files as `plumb probe`, including the page. `plumb report`, `calibrate` and
// `compare` and lm-pub-quiz can read them. The function runs a ProbeJob with run_job. To record the
// model's file and hash, use ProbeJob and run_job directly and set the Provenance.

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
  /// The selected relations, the limit, the templates and the markers are applied to the dataset.
  /// By default only template 0 is used, as in `plumb probe`; `.settings = {.templates = {}}` uses
  /// all. Whether statements begin with BOS, and a masked model's rule, come from the scorer if it
  /// reports them (`bos()`, `rule()`).
  ProbeSettings settings{};
  /// Whether to resume the run in the folder. A scorer that now gives different answers is not
  /// detected.
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

/// Scores every option of every fact and writes a whole run folder. A program may make the dataset:
/// its facts need no numbers (check_and_complete). Any CandidateScorer works; one that is not a
/// PackedScorer gets the facts one by one. Throws a user error before anything is scored for what a
/// loader would refuse, for settings that contradict each other, and for a folder that is not empty
/// and not resumed. Later, it throws a user error for statements that the scorer refuses; finished
/// packs are then kept. Not thread-safe.
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

/// The same, with the statements that closed-set probes use.
template <class Scorer>
Finished<ProbeReport> probe_into_folder(Scorer& scorer, Dataset dataset, const DiskPath& folder,
                                        const FolderProbeOptions& options = {}) {
  return probe_into_folder(Statement{}, scorer, std::move(dataset), folder, options);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
