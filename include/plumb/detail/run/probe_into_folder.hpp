// SPDX-License-Identifier: Apache-2.0
#pragma once

// A scorer, facts and a folder: can they become a finished run in one call?
//
// What `plumb probe` leaves is left, page included, and read by `plumb report`, `calibrate` and
// `compare` and by lm-pub-quiz. It is a ProbeJob carried out by run_job; a job whose model is to be
// described by its file and hash says so in its Provenance and calls these itself.

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
  /// As results and pages show it.
  std::string model = "model";
  /// Relations, limit, templates and markers are applied to the dataset. Unless it is said otherwise
  /// template 0 alone is asked, as by `plumb probe`; `.settings = {.templates = {}}` asks all. Whether
  /// statements begin with BOS, and a masked model's rule, are taken from a scorer that tells (`bos()`,
  /// `rule()`).
  ProbeSettings settings{};
  /// Whether to resume the run that the folder holds. A scorer that answers otherwise than when the
  /// run was begun is not noticed.
  bool resume = false;
  /// Whether a run that the folder holds is replaced once the new one is complete.
  bool overwrite = false;
  WorkOptions work{};
};

/// Settings with what the scorer itself tells of them.
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

/// Scores every option of every fact and writes a whole run folder. The dataset may be made by a
/// program: its facts need no numbers (check_and_complete). Any CandidateScorer will do; one that is no
/// PackedScorer is asked fact by fact. Throws a user error before anything is scored for what a loader
/// would refuse, for settings that contradict one another, and for a folder that holds something and is
/// not resumed; later for what the scorer refuses, what is done being kept. Not thread-safe.
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

/// The same of statements, as closed-set probes have them.
template <class Scorer>
Finished<ProbeReport> probe_into_folder(Scorer& scorer, Dataset dataset, const DiskPath& folder,
                                        const FolderProbeOptions& options = {}) {
  return probe_into_folder(Statement{}, scorer, std::move(dataset), folder, options);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
