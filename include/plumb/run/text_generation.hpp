// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does a job go on with its planned texts, so that it can be resumed?
//
// Pack by pack; a pack that the journal has is taken from there. What the journal keeps of a text is its
// greedy continuation, [text, tokens, nats], or its sampled ones, [[text, times], …] by falling times,
// then text.

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

#include "plumb/backend/evaluate.hpp"
#include "plumb/backend/prompt_generator.hpp"
#include "plumb/core/number_words.hpp"
#include "plumb/core/over.hpp"
#include "plumb/core/utf8.hpp"
#include "plumb/records/generation_rows.hpp"
#include "plumb/run/work.hpp"
#include "plumb/score/bos.hpp"
#include "plumb/score/prompt_tokens.hpp"

namespace plumb {

/// Throws a user error for a model that cannot answer in own words, or has no BOS token where one is to
/// stand before each text.
template <CausalLm Model>
void require_own_words(Model& model, const Bos& with_bos) {
  require_rows(model, {.field = "generate"}, "answering in own words needs",
               "use a backend that gives rows of logits");
  (void)require_bos(model, with_bos);
}

/// What is wrong with a text that leaves no room for `max_new_tokens` more, in words; the model is not
/// asked.
template <CausalLm Model>
[[nodiscard]] std::optional<std::string> no_room_behind(Model& model, std::optional<TokenId> bos,
                                                        const std::string& text,
                                                        std::size_t max_new_tokens) {
  const std::size_t room = (std::min)(model.context_length(), tree_limits(model).nodes);
  // A token covers a byte at least, so most texts need not be tokenised.
  if (text.size() + 1 + max_new_tokens <= room) return std::nullopt;
  const std::size_t tokens = prompt_ids(model, Prompt{text, {}, {}}, bos).size();
  if (tokens + max_new_tokens <= room + 1) return std::nullopt;
  return "has " + counted(tokens, "token") + "; with " + std::to_string(max_new_tokens) +
         " new ones the model has room for " + std::to_string(room);
}

/// What going on with `count` texts takes; `text(i)` makes the i-th of them.
template <CausalLm Model, class Text>
[[nodiscard]] PlannedPart planned_texts(Model& model, std::optional<TokenId> bos, std::string name,
                                        std::size_t count, std::size_t samples,
                                        std::size_t max_new_tokens, Text text) {
  ScoringCost cost;
  for (std::size_t i = 0; i < count; ++i) {
    cost.tokens_one_by_one += prompt_ids(model, Prompt{text(i), {}, {}}, bos).size();
  }
  return {std::move(name), "prompt", count, cost, count * std::max<std::size_t>(1, samples),
          max_new_tokens};
}

/// Not thread-safe. All that it is given must outlive it.
template <CausalLm Model>
class TextGeneration {
 public:
  TextGeneration(Model& model, std::optional<TokenId> bos, Work& work)
      : model_(model), generator_(model), bos_(bos), work_(work) {}

  /// All packs of a part in order; `ends` is where each of them ends, `text(i)` makes the i-th text and
  /// `take(i, row)` gets what the journal keeps of it. Returns whether the part is whole.
  template <class Text, class Take>
  bool go_through(const std::string& name, std::span<const std::size_t> ends,
                  const GenerationOptions& generation, Text text, Take take) {
    const auto begin_of = [&](std::size_t p) { return p == 0 ? 0 : ends[p - 1]; };
    std::vector<PackCost> packs;
    for (std::size_t p = 0; p < ends.size(); ++p) {
      const std::size_t texts = ends[p] - begin_of(p);
      packs.push_back({texts, texts, texts * std::max<std::size_t>(1, generation.samples)});
    }
    Part part(work_, name);
    work_.begin(name, ends.empty() ? 0 : ends.back());
    return part.go_through(
        packs,
        [&](std::size_t p) {
          std::vector<std::string> texts;
          for (std::size_t i = begin_of(p); i < ends[p]; ++i) texts.push_back(text(i));
          return generated(texts, generation).dump();
        },
        [&](std::size_t p, const Json& made) {
          const Json& answers = made.at("answers");
          if (answers.size() != packs[p].items) throw part.other_job();
          for (std::size_t i = 0; i < answers.size(); ++i) take(begin_of(p) + i, answers[i]);
          ScoringCost& cost = work_.summary().cost;
          cost.statements += answers.size() * std::max<std::size_t>(1, generation.samples);
          cost.tokens_one_by_one += made.at("alone").template get<std::uint64_t>();
          cost.tokens_fed += made.at("fed").template get<std::uint64_t>();
        });
  }

 private:
  /// A pack: answers, the tokens fed, and the tokens that each continuation would take by itself.
  [[nodiscard]] Json generated(std::span<const std::string> texts,
                               const GenerationOptions& generation) {
    std::vector<std::vector<TokenId>> prompts;
    std::vector<std::uint64_t> seeds;
    for (const std::string& text : texts) {
      prompts.push_back(prompt_ids(model_, Prompt{text, {}, {}}, bos_));
      RandomStream random(generation.seed, "samples/" + text);
      const std::uint64_t high = random.below(0x80000000U);
      seeds.push_back(high << 31U | random.below(0x80000000U));
    }
    const std::uint64_t before = generator_.fed();
    const auto all = generator_.generate(prompts, generation, seeds);
    Json answers = Json::array();
    std::uint64_t alone = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      std::map<std::string, std::uint32_t> drawn;
      for (const Continuation& one : all[i]) {
        // Nothing follows the last token of an answer that the length ended.
        const bool cut = one.tokens.size() == generation.max_new_tokens;
        alone += prompts[i].size() + one.tokens.size() - (cut ? 1 : 0);
        const std::string text = valid_utf8(model_.detokenize(one.tokens));
        if (generation.samples > 0) {
          ++drawn[text];
          continue;
        }
        double nats = 0;
        for (const double of_token : one.log_probabilities) nats += of_token;
        answers.push_back(Json::array({text, one.tokens.size(), ten_digits(nats)}));
      }
      if (generation.samples == 0) continue;
      std::vector<std::pair<std::string, std::uint32_t>> by_times(drawn.begin(), drawn.end());
      over::stable_sort(by_times, std::greater{}, [](const auto& one) { return one.second; });
      answers.push_back(by_times);
    }
    return {{"fed", generator_.fed() - before}, {"alone", alone}, {"answers", std::move(answers)}};
  }

  Model& model_;
  PromptGenerator<Model> generator_;
  std::optional<TokenId> bos_;
  Work& work_;
};

}  // namespace plumb
