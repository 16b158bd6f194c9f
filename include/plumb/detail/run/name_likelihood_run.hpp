// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are the likelihoods of names (name_scoring.hpp) taken so that the job can be resumed?

#include <cstddef>
#include <optional>
#include <string>

#include "plumb/detail/records/generation_rows.hpp"
#include "plumb/detail/run/name_scoring.hpp"
#include "plumb/detail/run/run_folder.hpp"
#include "plumb/detail/run/scored_block.hpp"
#include "plumb/detail/score/bos.hpp"
#include "plumb/detail/score/prompt_tokens.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The names that a setting's likelihoods are taken of, each with the tokens of its whole text.
template <ScoringLm Model>
[[nodiscard]] JobPlan planned_names(Model& model, const Bos& with_bos, const AnswerOptions& options,
                                    const MultiPromptDataset& dataset, const AskedFacts& asked,
                                    const FewShotSetting& setting) {
  const FewShot few_shot(dataset, setting, options.shot_seed);
  PromptTexts texts(dataset, asked, few_shot);
  const std::optional<TokenId> bos = require_bos(model, with_bos);
  const auto add = [&](PlannedPart& part, const NamesBehind& behind) {
    part.count += behind.names.size();
    for (const Prompt& prompt : behind.query().candidates) {
      part.cost->tokens_one_by_one += prompt_ids(model, prompt, bos).size();
    }
  };
  PlannedPart names{few_shot.name() + " names", "statement", 0, ScoringCost{}};
  for (const PlannedPrompt& planned : named_prompts(dataset, asked, few_shot)) {
    add(names, names_behind(texts, planned));
  }
  PlannedPart labels{few_shot.name() + " content-free", "statement", 0, ScoringCost{}};
  const auto by_relation = detail::labels_by_relation(dataset, asked);
  for (const ContentFreePrompt& one : content_free_prompts(asked, few_shot)) {
    add(labels, labels_behind(texts, one, by_relation[one.relation]));
  }
  return {std::move(names), std::move(labels)};
}

/// Not thread-safe. All that it is given must outlive it.
template <ScoringLm Model>
class NameLikelihoodRun {
 public:
  NameLikelihoodRun(Model& model, const Bos& with_bos, const AnswerOptions& options,
                    const MultiPromptDataset& dataset, const AskedFacts& asked,
                    const RunFolder& folder, Work& work)
      : scoring_(model, with_bos, dataset, asked),
        options_(options),
        dataset_(dataset),
        folder_(folder),
        work_(work) {}

  /// Leaves SETTING_names.jsonl and SETTING_content_free.jsonl. Throws a user error for a name
  /// that the tokenizer does not spell.
  void score(const FewShotSetting& setting) {
    const FewShot few_shot(dataset_, setting, options_.shot_seed);
    {
      const std::string name = few_shot.name() + " names";
      FileInTheMaking rows(folder_.file(few_shot.name() + "_names.jsonl"));
      Part part(work_, name);
      const bool is_whole = scoring_.names(
          few_shot, [&](std::size_t count) { work_.begin(name, count); }, carried_out_by(part),
          [&](const RecordedNames& row) { rows << names_line(row); });
      if (is_whole) rows.finish();
    }
    const std::string name = few_shot.name() + " content-free";
    FileInTheMaking rows(folder_.file(few_shot.name() + "_content_free.jsonl"));
    Part part(work_, name);
    const bool is_whole = scoring_.content_free(
        few_shot, [&](std::size_t count) { work_.begin(name, count); }, carried_out_by(part),
        [&](const RecordedContentFree& row) { rows << content_free_line(row); });
    if (is_whole) rows.finish();
  }

 private:
  /// Scores blocks as packs of a part.
  [[nodiscard]] auto carried_out_by(Part& part) {
    return [&](auto& block, auto name_of) {
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
