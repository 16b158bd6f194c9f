// SPDX-License-Identifier: Apache-2.0
#pragma once

// How likely is each object in a sequence with injected pairs?
//
// A panel is one sequence. The sequence is evaluated once, and each object's probability is read
// from the rows that precede the object. An object's tokens are determined by tokenising the whole
// sequence up to the end of the object.

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/prompt/injection.hpp"
#include "plumb/detail/prompt/many_shot.hpp"
#include "plumb/detail/records/injection_file.hpp"
#include "plumb/detail/records/probe_rows.hpp"
#include "plumb/detail/run/run_folder.hpp"
#include "plumb/detail/run/scored_block.hpp"
#include "plumb/detail/score/kept_blocks.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The planned sequences of a panel. Throws a user error if a sequence is longer than the model's
/// context.
template <class Scorer>
[[nodiscard]] typename Scorer::Block planned_panel(Scorer& scorer, const ManyShot& form,
                                                   const std::vector<SubjectObject>& pairs) {
  typename Scorer::Block block;
  scorer.share(block, form.sequence(pairs));
  for (Prompt& sequence : form.grown(pairs)) scorer.add(block, {{std::move(sequence)}});
  scorer.plan(block);
  return block;
}

/// The name of the part of a job that scores a relation's panels.
[[nodiscard]] inline std::string injection_part(const InjectionDesign& design) {
  return design.relation + " injection";
}

/// Scores the panels of one relation and writes `<relation>_injection.json`, unless that file
/// exists. Throws a user error for a sequence longer than the model's context.
template <class Scorer>
void run_injection(const InjectionDesign& design, const ManyShot& form, Scorer& scorer, Work& work,
                   const RunFolder& folder,
                   const KeptBlocks<Scorer>& blocks = no_blocks<Scorer>()) {
  const std::string name = injection_part(design);
  Part part(work, name, name);
  const auto file = folder.file(design.relation + "_injection.json");
  if (const auto cost = part.done(file)) {
    return part.skip(*cost);
  }
  ScoredInjection made{design, {}};
  ScoringCost cost;
  for (std::size_t p = 0; p < design.panels.size(); ++p) {
    const InjectionPanel& panel = design.panels[p];
    const std::vector<SubjectObject> pairs = pairs_of(panel);
    auto block = blocks.get(scorer, {name, p}, [&] { return planned_panel(scorer, form, pairs); });
    cost += block.cost();
    auto scored = scored_block(part, scorer, block, Span::continuation, [&](std::size_t pair) {
      return "'" + pairs[pair].subject + "' '" + pairs[pair].object + "', pair " +
             std::to_string(pair) + " of the panel '" + panel.name + "'";
    });
    if (!scored) continue;
    std::vector<double>& scores = made.log_probabilities.emplace_back();
    for (const StatementScore& score : as_recorded(*std::move(scored))) {
      scores.push_back(score.continuation.log_likelihood);
    }
  }
  if (!part.is_whole()) return;
  part.finish(cost, write_atomically(file, recorded_injection_text(made)));
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
