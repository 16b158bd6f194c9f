// SPDX-License-Identifier: Apache-2.0
#pragma once

// What are the parts of many-prompt results called in all outputs?
//
// This header defines the names and the few conventions that the page, the tables and metrics.json
// share, so that all outputs agree. Non-goal: markup (cells.hpp).

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/calibrate/many_prompt_results.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/report/cells.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The maximum number of bars in a histogram of samplings.
inline constexpr std::size_t sampling_bars = 40;

/// The kinds of prompt pairs, with their names in files and for readers.
struct PairShare {
  const char* name;
  const char* words;
  MatchingShare PromptConsistency::*share;
};
inline constexpr std::array<PairShare, 5> pair_shares{
    {{"all", "All pairs", &PromptConsistency::all},
     {"inner_group", "Inner group", &PromptConsistency::inner_group},
     {"inter_group", "Inter group", &PromptConsistency::inter_group},
     {"only_subject", "Only the subject differs", &PromptConsistency::only_subject},
     {"only_template", "Only the template differs", &PromptConsistency::only_template}}};

/// A template's text, or "template N" if the text is unknown.
inline std::string template_text(const PromptedRelation& relation, std::size_t index) {
  if (index < relation.texts.size()) return relation.texts[index].text;
  return "template " + std::to_string(index);
}

/// A candidate's label, or "candidate N" if the label is unknown.
inline std::string candidate_label(const ManyPromptResults& made, const std::string& relation,
                                   std::size_t candidate) {
  const auto known = made.candidates.find(relation);
  if (known != made.candidates.end() && candidate < known->second.size()) {
    return known->second[candidate];
  }
  return "candidate " + std::to_string(candidate);
}

/// The query form with the highest average accuracy; the first one in case of a tie, or null if no
/// questions were asked.
inline const ManyPromptResult* best_way(const ManyPromptResults& made) {
  const ManyPromptResult* best = nullptr;
  for (const ManyPromptResult& way : made.ways) {
    if (way.facts == 0) continue;
    if (best == nullptr || way.coverage.average.value > best->coverage.average.value) best = &way;
  }
  return best;
}

/// The proportion of matching pairs, and the number of facts that have no pair of this kind.
inline RemarkedEstimate matching_value(const MatchingShare& share) {
  return {share.share, share.excluded == 0 ? "" : std::to_string(share.excluded) + " left out"};
}

/// Codes of all relations, in order of appearance.
inline std::vector<std::string> relation_codes(const ManyPromptResults& made) {
  std::vector<std::string> codes;
  for (const ManyPromptResult& way : made.ways) {
    for (const PromptedRelation& relation : way.relations) {
      if (ranges::find(codes, relation.code) == codes.end()) codes.push_back(relation.code);
    }
  }
  return codes;
}

inline const PromptedRelation* relation_named(const ManyPromptResult& way,
                                              const std::string& code) {
  const auto found = ranges::find(way.relations, code, &PromptedRelation::code);
  return found == way.relations.end() ? nullptr : &*found;
}

using Way = const ManyPromptResult*;

/// The query forms for which `is_known` returns true.
template <class IsKnown>
std::vector<Way> ways_where(const ManyPromptResults& made, IsKnown is_known) {
  std::vector<Way> ways;
  for (const ManyPromptResult& way : made.ways) {
    if (is_known(way)) ways.push_back(&way);
  }
  return ways;
}

/// A relation under one query form.
struct RelationOfWay {
  const ManyPromptResult* way;
  const PromptedRelation* relation;
};

/// Relations in order of appearance, with one entry for each query form used for them.
inline std::vector<RelationOfWay> relations_of_ways(const ManyPromptResults& made) {
  std::vector<RelationOfWay> all;
  for (const std::string& code : relation_codes(made)) {
    for (const ManyPromptResult& way : made.ways) {
      if (const auto* relation = relation_named(way, code)) all.push_back({&way, relation});
    }
  }
  return all;
}

/// The relation and setting columns, followed by `more`.
inline std::vector<PageColumn<RelationOfWay>> relation_columns(
    std::vector<PageColumn<RelationOfWay>> more) {
  more.insert(more.begin(),
              {{"Relation", [](const RelationOfWay& row) { return row.relation->code; }},
               {"Setting", [](const RelationOfWay& row) { return row.way->name; }}});
  return more;
}

/// Among the answers with a probability, the proportion that are one to five tokens long; no value
/// if there are no such answers.
inline std::optional<double> share_of_short(const OverconfidenceByLength& by_length) {
  std::size_t within = 0;
  for (const Overconfidence& length : by_length.lengths) within += length.prompts;
  const std::size_t all = within + by_length.longer + by_length.empty;
  if (all == 0) return std::nullopt;
  return static_cast<double>(within) / static_cast<double>(all);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
