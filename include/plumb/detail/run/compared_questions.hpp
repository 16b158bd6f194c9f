// SPDX-License-Identifier: Apache-2.0
#pragma once

// Do closed-set runs have the same answer options, template texts and scoring?
//
// Their metadata shows this, also for results of other programs, which record no settings.

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
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

/// Calls `visit(ours, theirs)` for each relation of `first` that a closed-set run has too.
template <class Visit>
void for_each_shared_relation(const std::vector<RecordedRelation>& first, const ResultFolder& other,
                              Visit visit) {
  const std::vector<RecordedRelation> all = recorded_relations(other.path);
  for (const RecordedRelation& ours : first) {
    const auto theirs = ranges::find_if(all, [&](const RecordedRelation& relation) {
      return relation.relation.code == ours.relation.code;
    });
    if (theirs != all.end()) visit(ours, *theirs);
  }
}

/// Whether all runs are closed sets with the same options and the same scoring.
[[nodiscard]] inline bool compares_scores(const std::vector<ResultFolder>& runs) {
  if (!are_closed_sets(runs)) return false;
  const std::vector<RecordedRelation> first = recorded_relations(runs.front().path);
  bool are_same = true;
  for (std::size_t run = 1; run < runs.size() && are_same; ++run) {
    for_each_shared_relation(
        first, runs[run], [&](const RecordedRelation& ours, const RecordedRelation& theirs) {
          are_same = are_same && ours.reduction == theirs.reduction && ours.span == theirs.span &&
                     ours.relation.options == theirs.relation.options;
        });
  }
  return are_same;
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
  const std::vector<RecordedRelation> first = recorded_relations(runs.front().path);
  for (std::size_t run = 1; run < runs.size(); ++run) {
    std::vector<std::string> options, templates;
    const auto options_of = [](const RecordedRelation& one) {
      return std::set(one.relation.options.begin(), one.relation.options.end());
    };
    for_each_shared_relation(
        first, runs[run], [&](const RecordedRelation& ours, const RecordedRelation& theirs) {
          if (options_of(ours) != options_of(theirs)) options.push_back(ours.relation.code);
          if (has_other_text(ours.relation.templates, theirs.relation.templates)) {
            templates.push_back(ours.relation.code);
          }
        });
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
