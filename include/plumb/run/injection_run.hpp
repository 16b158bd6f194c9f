// SPDX-License-Identifier: Apache-2.0
#pragma once

// How likely is each object of a sequence with injected pairs?
//
// A panel is one sequence: it enters the model once, and every object is read off the rows before
// it. An object's probability is that of its own tokens in the sequence up to it, tokenised whole.

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "plumb/prompt/injection.hpp"
#include "plumb/prompt/many_shot.hpp"
#include "plumb/run/pack_run.hpp"
#include "plumb/run/run_folder.hpp"
#include "plumb/score/recorded_injection.hpp"

namespace plumb {

/// Scores the panels of one relation and writes `<relation>_injection.json`, unless it stands
/// already. Throws a user error for a sequence past the model's context.
template <class Scorer>
void run_injection(const InjectionDesign& design, const ManyShot& form, Scorer& scorer,
                   PackRun<Scorer>& packs, const RunFolder& folder) {
  const std::string name = design.relation + " injection";
  const auto file = folder.file(design.relation + "_injection.json");
  if (const auto cost = packs.done(name); cost && std::filesystem::exists(file)) {
    return packs.skip(name, *cost);
  }
  RecordedInjection made{design, {}};
  ScoringCost cost;
  for (std::size_t i = 0; i < design.panels.size(); ++i) {
    const std::vector<SubjectObject> pairs = pairs_of(design.panels[i]);
    typename Scorer::Block block;
    scorer.share(block, form.sequence(pairs));
    for (Prompt& sequence : form.grown(pairs)) scorer.add(block, {{std::move(sequence)}});
    scorer.plan(block);
    cost += block.cost();
    std::vector<double>& scores = made.log_probabilities.emplace_back();
    for (const StatementScore& score : packs.score(name, i, block)) {
      scores.push_back(score.continuation_log_likelihood);
    }
  }
  write_atomically(file, recorded_injection_text(made));
  packs.finish(name, cost);
}

}  // namespace plumb
