// SPDX-License-Identifier: Apache-2.0
#pragma once

// A job that replays many-shot studies from a file. It rescores the choices and compares the
// results with the scores in the file.

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/measure/ties.hpp"
#include "plumb/detail/report/text_table.hpp"
#include "plumb/detail/run/fixed_study.hpp"
#include "plumb/detail/run/job.hpp"
#include "plumb/detail/run/many_shot_check.hpp"
#include "plumb/detail/run/many_shot_settings.hpp"
#include "plumb/detail/run/provenance.hpp"
#include "plumb/detail/run/replay_report.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Models Job. The model must outlive this object. Not thread-safe.
template <ScoringLm Model>
class FixedStudyJob {
 public:
  /// `file` must have been read from `settings.fixed`. Throws a user error if a text contains
  /// anything that the model must not read, or exceeds the model's context.
  FixedStudyJob(Model& model, const ManyShotSettings& settings, FixedFile file,
                Provenance provenance = {})
      : scorer_(model, settings.bos, Span::continuation),
        settings_(settings),
        provenance_(std::move(provenance)),
        file_(std::move(file)) {
    const ManyShotCheck check{model, settings_.bos};
    const SpecialTokenCheck special(model, settings_.special_tokens, scorer_.bos());
    for (const FixedStudy& study : file_.studies) {
      for_each_text(study, settings_.fixed, special);
      check.refuse_long(study, settings_.fixed);
      if (const auto token = check.merged_token_of(study)) {
        remarks_.push_back("a token covers both a subject and an object: '" + *token + "'");
      }
    }
    special.warn(provenance_.description);
  }

  [[nodiscard]] Json settings() const {
    return shared_settings("many-shot --fixed", provenance_, settings_.fixed.filename().string(),
                           {settings_.fixed}, settings_.bos, settings_.special_tokens);
  }

  [[nodiscard]] JobPlan plan() {
    ScoringCost cost;
    for (const FixedStudy& study : file_.studies) cost += planned_study(study, scorer_).cost();
    return {{"", "choice", choices(), cost}};
  }

  void run(const RunFolder& folder, Work& work) {
    work.begin("choices", choices());
    Json made = Json::array();
    std::vector<std::vector<std::string>> rows;
    std::vector<std::string> if_first_wins;  // shown as a column only if there is a tie
    TieCount ties;
    for (std::size_t i = 0; i < file_.studies.size(); ++i) {
      const FixedStudy& study = file_.studies[i];
      auto found = run_fixed_study(study, provenance_.model, i, scorer_, work);
      if (!found) continue;
      FixedResult& result = *found;
      rows.push_back(
          {first_string(study.source, "relation").value_or(std::to_string(i)),
           std::to_string(study.shots.size()), std::to_string(study.tests.size()),
           std::to_string(study.choices.size()),
           with_interval(wilson_share(result.accuracy, study.tests.size())),
           std::to_string(result.ties.tied),
           result.worst_difference ? with_decimals(*result.worst_difference, 6) + " nats" : "–"});
      if_first_wins.push_back(
          with_interval(wilson_share(result.accuracy_first_wins, study.tests.size())));
      ties += result.ties;
      made.push_back(std::move(result.study));
    }
    if (made.size() < file_.studies.size()) return;  // a shard
    std::vector<std::string> heads{
        "relation", "shots", "facts", "choices", "accuracy [95%]", "ties", "largest difference"};
    if (ties.tied > 0) heads.push_back(detail::first_wins_heading);
    shown_ = TextTable(heads);
    notes_ = remarks_;
    for (std::string& text : model_warnings(settings())) notes_.push_back(std::move(text));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (ties.tied > 0) rows[i].push_back(if_first_wins[i]);
      shown_.add(rows[i]);
    }
    if (const auto warning = tie_warning(ties)) notes_.push_back(*warning);
    write_atomically(folder.file("fixed.json"),
                     (file_.is_list ? made : made.front()).dump(1) + "\n");
  }

  [[nodiscard]] Report report(const DiskPath&) const { return replay_report(shown_, notes_); }

 private:
  [[nodiscard]] std::size_t choices() const {
    std::size_t total = 0;
    for (const FixedStudy& study : file_.studies) {
      total += study.tests.size() * study.choices.size();
    }
    return total;
  }

  CausalScorer<Model> scorer_;
  ManyShotSettings settings_;
  Provenance provenance_;
  FixedFile file_;
  std::vector<std::string> remarks_;
  TextTable shown_{{}};
  std::vector<std::string> notes_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
