// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does a model continue given texts?
//
// The texts in a pack are continued together. The samples for a text come from its own random
// stream, which is named after the text. The samples therefore depend neither on the order of the
// texts nor on the other texts. text_generation.hpp does this in a resumable job.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/backend/evaluate.hpp"
#include "plumb/detail/backend/prompt_generator.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/random.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/prompt/prompt.hpp"
#include "plumb/detail/run/prompt_texts.hpp"
#include "plumb/detail/score/bos.hpp"
#include "plumb/detail/score/kept_prompts.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A greedy continuation. The log-probability is in nats and excludes the end token.
struct GreedyText {
  std::string text;
  std::uint32_t tokens = 0;
  double log_probability = 0;
};

/// Distinct sampled texts with their counts, in descending order of count. Texts with equal counts
/// are sorted by text.
using SampledTexts = std::vector<std::pair<std::string, std::uint32_t>>;

/// Depending on the options, one of the two lists contains an entry for each text, and the other is
/// empty.
struct GeneratedPack {
  std::vector<GreedyText> greedy;
  std::vector<SampledTexts> sampled;
  /// The number of tokens fed to the model, and the number that would be fed if each continuation
  /// were computed separately.
  std::uint64_t fed = 0;
  std::uint64_t alone = 0;
};

template <CausalLm Model>
[[nodiscard]] GeneratedPack generate_pack(Model& model, PromptGenerator<Model>& generator,
                                          KeptPrompts<Model>& tokens,
                                          std::span<const std::string> texts,
                                          const GenerationOptions& generation) {
  std::vector<std::vector<TokenId>> prompts;
  std::vector<std::uint64_t> seeds;
  for (const std::string& text : texts) {
    prompts.push_back(tokens.ids(text));
    RandomStream random(generation.seed, "samples/" + text);
    const std::uint64_t high = random.below(0x80000000U);
    seeds.push_back(high << 31U | random.below(0x80000000U));
  }
  const std::uint64_t before = generator.fed();
  const auto all = generator.generate(prompts, generation, seeds);
  GeneratedPack made;
  made.fed = generator.fed() - before;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::map<std::string, std::uint32_t> drawn;
    for (const Continuation& one : all[i]) {
      // If the length limit cut an answer off, nothing was computed after its last token.
      const bool cut = one.tokens.size() == generation.max_new_tokens;
      made.alone += prompts[i].size() + one.tokens.size() - (cut ? 1 : 0);
      std::string text = valid_utf8(model.detokenize(one.tokens));
      if (generation.samples > 0) {
        ++drawn[text];
        continue;
      }
      double nats = 0;
      for (const double of_token : one.log_probabilities) nats += of_token;
      made.greedy.push_back({std::move(text), static_cast<std::uint32_t>(one.tokens.size()), nats});
    }
    if (generation.samples == 0) continue;
    SampledTexts by_times(drawn.begin(), drawn.end());
    ranges::stable_sort(by_times, std::greater{}, [](const auto& one) { return one.second; });
    made.sampled.push_back(std::move(by_times));
  }
  return made;
}

/// An error message for a text that leaves too little context for `max_new_tokens` more tokens; no
/// value if there is enough context. Does not call the model.
template <CausalLm Model>
[[nodiscard]] std::optional<std::string> missing_room_after(Model& model,
                                                            KeptPrompts<Model>& prompts,
                                                            const std::string& text,
                                                            std::size_t max_new_tokens) {
  const std::size_t room = (std::min)(model.context_length(), tree_limits(model).nodes);
  // A token covers at least one byte, so most texts need not be tokenised.
  if (text.size() + 1 + max_new_tokens <= room) return std::nullopt;
  const std::size_t tokens = prompts.ids(text).size();
  if (tokens + max_new_tokens <= room + 1) return std::nullopt;
  return "has " + counted(tokens, "token") + "; with " + std::to_string(max_new_tokens) +
         " new ones, it exceeds the model's limit of " + std::to_string(room);
}

/// Throws a user error for the first prompt of a setting that leaves too little context for an
/// answer, with the prompt's location in the dataset. Does not call the model.
template <CausalLm Model>
void refuse_long_prompts(Model& model, KeptPrompts<Model>& prompts, const AnswerOptions& options,
                         const MultiPromptDataset& dataset, const AskedFacts& asked,
                         const FewShotSetting& setting) {
  const FewShot few_shot(dataset, setting, options.shot_seed);
  PromptTexts texts(dataset, asked, few_shot);
  for (const PlannedPrompt& planned : answer_plan(dataset, asked, few_shot).prompts) {
    const auto wrong =
        missing_room_after(model, prompts, texts.text(planned), options.max_new_tokens);
    if (!wrong) continue;
    throw user_error({texts.relation(planned).file, texts.fact(planned).line,
                      texts.relation(planned).code + ", template " +
                          std::to_string(planned.prompt.template_index)},
                     "the " + few_shot_name(setting) + " prompt about '" +
                         shortened(texts.subject(planned)) + "' " + *wrong,
                     "use fewer shots or fewer new tokens, or remove the fact");
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
