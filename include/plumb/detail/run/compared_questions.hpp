// SPDX-License-Identifier: Apache-2.0
#pragma once

// Do closed-set runs have the same answer options, template texts and scoring?
//
// Their metadata shows this, also for results of other programs, which record no settings.

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/records/probe_metadata.hpp"
#include "plumb/detail/records/results_kind.hpp"
#include "plumb/detail/run/result_folders.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline bool are_closed_sets(const std::vector<ResultFolder>& runs) {
  return ranges::all_of(runs, [](const ResultFolder& run) {
    return results_kind(run.path) == ResultsKind::closed_set;
  });
}

/// The relations that two closed-set runs share.
[[nodiscard]] inline std::vector<std::pair<RecordedRelation, RecordedRelation>> shared_relations(
    const ResultFolder& one, const ResultFolder& other) {
  std::vector<std::pair<RecordedRelation, RecordedRelation>> shared;
  const std::vector<RecordedRelation> theirs = recorded_relations(other.path);
  for (const RecordedRelation& ours : recorded_relations(one.path)) {
    const auto same = ranges::find_if(theirs, [&](const RecordedRelation& relation) {
      return relation.relation.code == ours.relation.code;
    });
    if (same != theirs.end()) shared.emplace_back(ours, *same);
  }
  return shared;
}

/// Whether all runs are closed sets with the same options and the same scoring.
[[nodiscard]] inline bool compares_scores(const std::vector<ResultFolder>& runs) {
  if (!are_closed_sets(runs)) return false;
  for (const ResultFolder& run : runs) {
    for (const auto& [ours, theirs] : shared_relations(runs.front(), run)) {
      if (ours.reduction != theirs.reduction || ours.span != theirs.span ||
          ours.relation.options != theirs.relation.options) {
        return false;
      }
    }
  }
  return true;
}

/// Whether two lists of templates have different texts at the same index.
inline bool has_other_text(const std::vector<std::string>& ours,
                           const std::vector<std::string>& theirs) {
  for (std::size_t i = 0; i < (std::min)(ours.size(), theirs.size()); ++i) {
    if (!ours[i].empty() && !theirs[i].empty() && ours[i] != theirs[i]) return true;
  }
  return false;
}

/// "P36, P37, P47 and 4 other relations".
inline std::string list_of_relations(const std::vector<std::string>& codes) {
  constexpr std::size_t most = 3;
  const std::size_t shown = (std::min)(most, codes.size());
  std::string list;
  for (std::size_t i = 0; i < shown; ++i) add_to_list(list, codes[i]);
  if (codes.size() > shown) list += " and " + counted(codes.size() - shown, "other relation");
  return list;
}

/// A remark for each closed-set run whose answer options differ from the first run's, and for each
/// whose template texts differ.
[[nodiscard]] inline std::vector<std::string> question_remarks(
    const std::vector<ResultFolder>& runs) {
  std::vector<std::string> remarks;
  if (!are_closed_sets(runs)) return remarks;
  for (std::size_t run = 1; run < runs.size(); ++run) {
    std::vector<std::string> options, templates;
    for (const auto& [ours, theirs] : shared_relations(runs.front(), runs[run])) {
      const auto options_of = [](const RecordedRelation& one) {
        return std::set(one.relation.options.begin(), one.relation.options.end());
      };
      if (options_of(ours) != options_of(theirs)) options.push_back(ours.relation.code);
      if (has_other_text(ours.relation.templates, theirs.relation.templates)) {
        templates.push_back(ours.relation.code);
      }
    }
    const auto remark = [&](const char* what, const std::vector<std::string>& codes) {
      if (codes.empty()) return;
      remarks.push_back(runs[run].name + " has other " + what + " than " + runs.front().name +
                        " in " + list_of_relations(codes) +
                        ", so their numbers may not be comparable.");
    };
    remark("answer options", options);
    remark("template texts", templates);
  }
  return remarks;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
