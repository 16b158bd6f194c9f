// SPDX-License-Identifier: Apache-2.0
#pragma once

// How confident is a model in an answer, judging by how often it repeats the answer in samples?
//
//   confidence = share of a prompt's sampled answers that match its greedy one, in either direction
// A generated answer can be worded in many ways, so the probability of its tokens is not the
// model's confidence in it. Source: "What Matters in Learning Facts in Language Models?", section
// 3.2 (100 samples at temperature 1, of one prompt for each of 10,000 facts).

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "plumb/detail/aggregate/answered_prompts.hpp"
#include "plumb/detail/calibrate/confidence.hpp"
#include "plumb/detail/core/ranges.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct SampledConfidences {
  /// Only for facts that were sampled.
  PromptList<Judgement> judgements;
  /// For each judgement: the index of its fact among the facts of all relations.
  std::vector<std::size_t> facts{};
  /// The largest number of samples of any prompt.
  std::size_t samples = 0;
};

/// Compares the sampled answers of a setting with the greedy ones. `each_row(visit)` calls `visit`
/// with each RecordedSamples; `source` is the file that contains them, for messages. A prompt
/// without samples is omitted. Throws a user error if a row's prompt is not in `asked`, a prompt
/// has no greedy answer or a fact has two sampled prompts.
template <Lemmatiser Lemmas, class EachRow>
[[nodiscard]] SampledConfidences sampled_confidences(const AnsweredSetting& setting,
                                                     const MultiPromptDataset& asked,
                                                     const Lemmas& lemmas, EachRow each_row,
                                                     const std::filesystem::path& source = {}) {
  SampledConfidences made;
  PromptRowCheck check{source, asked};
  std::unordered_map<std::string, NormalisedText> known;
  std::unordered_set<std::size_t> sampled;
  std::size_t place = 0;
  made.judgements.begin_relation();
  each_row([&](const RecordedSamples& row) {
    for (const std::size_t at = (check)(row); place < at; ++place) made.judgements.begin_relation();
    const std::size_t fact = setting.outcomes.relations()[place].first_fact + row.prompt.fact;
    const auto prompts = setting.outcomes.prompts(fact);
    const auto greedy = ranges::find_if(prompts, [&](const PromptOutcome& prompt) {
      return prompt.template_index == row.prompt.template_index &&
             prompt.expression == row.prompt.expression;
    });
    if (greedy == prompts.end()) check.refuse(row, "the sampled prompt has no greedy answer");
    if (!sampled.insert(fact).second) check.refuse(row, "the fact already has a sampled prompt");
    std::size_t matching = 0, all = 0;
    for (const auto& [text, times] : row.texts) {
      const auto [entry, added] = known.try_emplace(text);
      if (added) entry->second = NormalisedText(text, lemmas);
      all += times;
      if (matches_either_way(setting.answers[greedy->answer], entry->second)) matching += times;
    }
    if (all == 0) return;
    made.facts.push_back(fact);
    made.judgements.begin_fact();
    made.judgements.add({static_cast<double>(matching) / static_cast<double>(all), greedy->right});
    made.samples = (std::max)(made.samples, all);
  });
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
