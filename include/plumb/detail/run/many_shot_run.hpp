// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a many-shot study scored, and how does it resume after a crash?
//
// The relations are scored one after another, block by block (many_shot_plan.hpp). A block's shots
// are evaluated once, and its packs branch off from them. A relation's file is renamed to its final
// name once all its blocks are scored. The output depends only on the dataset and the settings.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/records/many_shot_rows.hpp"
#include "plumb/detail/run/injection_run.hpp"
#include "plumb/detail/run/many_shot_plan.hpp"
#include "plumb/detail/run/many_shot_scores.hpp"
#include "plumb/detail/run/run_folder.hpp"
#include "plumb/detail/run/scored_block.hpp"
#include "plumb/detail/score/bos.hpp"
#include "plumb/detail/score/causal_scorer.hpp"
#include "plumb/detail/score/kept_blocks.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Scores the planned statements that are not yet in the folder. All arguments must outlive this
/// object. Not thread-safe.
template <ScoringLm Model>
class ManyShotRun {
 public:
  /// Scores only continuations, with or without BOS. `blocks` contains the blocks that have already
  /// been planned.
  ManyShotRun(Model& model, const Bos& with_bos, const RunFolder& folder, Work& work,
              const KeptBlocks<CausalScorer<Model>>& blocks = no_blocks<CausalScorer<Model>>())
      : scorer_(model, with_bos, Span::continuation),
        folder_(folder),
        work_(work),
        blocks_(blocks) {}

  /// Scores everything that has not been scored yet. Writes one file of rows for each relation that
  /// is not skipped.
  void run(const std::vector<ManyShotRelation>& relations) {
    for (const ManyShotRelation& asked : relations) {
      const std::string& code = asked.relation().code;
      if (asked.skipped()) continue;
      Part part(work_, code, code);
      if (const auto cost = part.done(rows_file(code))) {
        part.skip(*cost);
      } else {
        run_relation(asked, part);
      }
    }
  }

  /// Runs the experiment with injected pairs on one relation.
  void inject(const InjectionDesign& design, const ManyShot& form) {
    run_injection(design, form, scorer_, work_, folder_, blocks_);
  }

 private:
  [[nodiscard]] DiskPath rows_file(const std::string& code) const {
    return folder_.file(code + "_choices.jsonl");
  }

  void run_relation(const ManyShotRelation& asked, Part& part) {
    const std::string& code = asked.relation().code;
    AtomicFile rows(rows_file(code));
    ScoringCost cost;
    std::size_t number = 0;
    asked.for_each_block([&](const ManyShotBlock& block) {
      auto statements = blocks_.get(scorer_, {code, number++},
                                    [&] { return planned_block(scorer_, asked, block); });
      cost += statements.cost();
      auto scored = scored_block(
          part, scorer_, statements, Span::continuation,
          [&](std::size_t statement) { return detail::name_of_choice(asked, block, statement); });
      if (!scored) return;
      const std::vector<StatementScore> scores = as_recorded(*std::move(scored));
      auto from = scores.begin();
      for (const Setting& setting : block.settings) {
        for (std::size_t f = block.first_fact; f < block.first_fact + block.facts; ++f) {
          const Choices& choices = asked.choices()[f];
          const auto count = static_cast<std::ptrdiff_t>(choices.options.size());
          rows << recorded_choice_line(
              setting, asked.test_fact(f), choices, std::span(from, from + count),
              block.before ? std::optional(block.before(f)) : std::nullopt);
          from += count;
        }
      }
    });
    if (!part.is_whole()) return;
    part.finish(cost, rows.finish());
  }

  CausalScorer<Model> scorer_;
  const RunFolder& folder_;
  Work& work_;
  const KeptBlocks<CausalScorer<Model>>& blocks_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
