// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are the likelihoods of names (name_scoring.hpp) computed in a resumable job?

#include <cstddef>
#include <optional>
#include <string>

#include "plumb/detail/records/generation_rows.hpp"
#include "plumb/detail/run/name_scoring.hpp"
#include "plumb/detail/run/run_folder.hpp"
#include "plumb/detail/run/scored_block.hpp"
#include "plumb/detail/score/bos.hpp"
#include "plumb/detail/score/kept_blocks.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The plan for the names that a setting scores. For each name, it counts the tokens of the prompt
/// and the name together. The planned blocks are kept for the run.
template <ScoringLm Model>
[[nodiscard]] JobPlan planned_names(Model& model, const Bos& with_bos, const AnswerOptions& options,
                                    const MultiPromptDataset& dataset, const AskedFacts& asked,
                                    const FewShotSetting& setting,
                                    KeptBlocks<CausalScorer<Model>>& blocks) {
  const FewShot few_shot(dataset, setting, options.shot_seed);
  NameScoring<Model> scoring(model, with_bos, dataset, asked);
  using Names = NameScoring<Model>;
  PlannedPart names{Names::names_part(few_shot), "statement", 0, ScoringCost{}};
  PlannedPart labels{Names::content_free_part(few_shot), "statement", 0, ScoringCost{}};
  const auto plan_into = [&](PlannedPart& part) {
    return [&](const auto& block, const auto& place, const auto&) {
      part.cost->tokens_one_by_one += block.cost().tokens_one_by_one;
      blocks.keep(scoring.scorer(), place, block);
      return std::optional<std::vector<StatementScore>>();
    };
  };
  const auto nothing = [](const auto&) {};
  (void)scoring.names(
      few_shot, [&](std::size_t count) { names.count = count; }, plan_into(names), nothing);
  (void)scoring.content_free(
      few_shot, [&](std::size_t count) { labels.count = count; }, plan_into(labels), nothing);
  return {std::move(names), std::move(labels)};
}

/// Not thread-safe. All arguments must outlive this object.
template <ScoringLm Model>
class NameLikelihoodRun {
 public:
  NameLikelihoodRun(
      Model& model, const Bos& with_bos, const AnswerOptions& options,
      const MultiPromptDataset& dataset, const AskedFacts& asked, const RunFolder& folder,
      Work& work, const KeptBlocks<CausalScorer<Model>>& blocks = no_blocks<CausalScorer<Model>>())
      : scoring_(model, with_bos, dataset, asked, blocks),
        options_(options),
        dataset_(dataset),
        folder_(folder),
        work_(work) {}

  /// Writes SETTING_names.jsonl and SETTING_content_free.jsonl. Throws a user error if the
  /// tokenizer's tokens do not spell a name.
  void score(const FewShotSetting& setting) {
    const FewShot few_shot(dataset_, setting, options_.shot_seed);
    {
      const std::string name = NameScoring<Model>::names_part(few_shot);
      AtomicFile rows(folder_.file(few_shot.name() + "_names.jsonl"));
      Part part(work_, name);
      const bool is_whole = scoring_.names(
          few_shot, [&](std::size_t count) { work_.begin(name, count); }, carried_out_by(part),
          [&](const RecordedNames& row) { rows << row_line(row); });
      if (is_whole) rows.finish();
    }
    const std::string name = NameScoring<Model>::content_free_part(few_shot);
    AtomicFile rows(folder_.file(few_shot.name() + "_content_free.jsonl"));
    Part part(work_, name);
    const bool is_whole = scoring_.content_free(
        few_shot, [&](std::size_t count) { work_.begin(name, count); }, carried_out_by(part),
        [&](const RecordedContentFree& row) { rows << row_line(row); });
    if (is_whole) rows.finish();
  }

 private:
  /// Returns a function that scores blocks as packs of a part.
  [[nodiscard]] auto carried_out_by(Part& part) {
    return [&](auto& block, const auto&, auto name_of) {
      work_.summary().cost += block.cost();
      return scored_block(part, scoring_.scorer(), block, Span::continuation, name_of);
    };
  }

  NameScoring<Model> scoring_;
  const AnswerOptions& options_;
  const MultiPromptDataset& dataset_;
  const RunFolder& folder_;
  Work& work_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
