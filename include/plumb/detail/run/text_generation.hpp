// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does a job generate continuations of planned texts in a way that lets it be resumed?
//
// The work is done pack by pack; finished packs are taken from the journal. For each text the
// journal stores its greedy continuation, [text, tokens, nats], or its sampled continuations,
// [[text, count], …], in descending order of counts; texts with equal counts are sorted by text.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/prompt_generator.hpp"
#include "plumb/detail/records/generation_rows.hpp"
#include "plumb/detail/run/generated_texts.hpp"
#include "plumb/detail/run/work.hpp"
#include "plumb/detail/score/bos.hpp"
#include "plumb/detail/score/kept_prompts.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The prompts of a job in which the model generates answers. Throws a user error if the model
/// cannot generate, or if it has no BOS token and BOS is required before each text.
template <CausalLm Model>
[[nodiscard]] KeptPrompts<Model> kept_prompts(Model& model, const Bos& with_bos) {
  require_rows(model, {.field = "generate"}, "generating text needs",
               "use a backend that returns rows of logits");
  return {model, require_bos(model, with_bos)};
}

/// The plan for continuing `count` texts; `text(i)` returns the i-th text.
template <CausalLm Model, class Text>
[[nodiscard]] PlannedPart planned_texts(KeptPrompts<Model>& prompts, std::string name,
                                        std::size_t count, std::size_t samples,
                                        std::size_t max_new_tokens, Text text) {
  ScoringCost cost;
  for (std::size_t i = 0; i < count; ++i) {
    cost.tokens_one_by_one += prompts.ids(text(i)).size();
  }
  return {std::move(name), "prompt", count, cost, count * std::max<std::size_t>(1, samples),
          max_new_tokens};
}

/// Not thread-safe. All arguments must outlive this object.
template <CausalLm Model>
class TextGeneration {
 public:
  TextGeneration(Model& model, KeptPrompts<Model>& prompts, Work& work)
      : model_(model), generator_(model), prompts_(prompts), work_(work) {}

  /// Processes all packs of a part in order. `ends` contains the end of each pack, `text(i)`
  /// returns the i-th text, and `take(i, row)` receives the text's journal entry. Returns whether
  /// the part is complete.
  template <class Text, class Take>
  bool generate_rows(const std::string& name, std::span<const std::size_t> ends,
                     const GenerationOptions& generation, Text text, Take take) {
    const auto begin_of = [&](std::size_t p) { return p == 0 ? 0 : ends[p - 1]; };
    std::vector<PackCost> packs;
    for (std::size_t p = 0; p < ends.size(); ++p) {
      const std::size_t texts = ends[p] - begin_of(p);
      packs.push_back({texts, texts, texts * std::max<std::size_t>(1, generation.samples)});
    }
    Part part(work_, name);
    work_.begin(name, ends.empty() ? 0 : ends.back());
    return part.generate_rows(
        packs,
        [&](std::size_t p) {
          std::vector<std::string> texts;
          for (std::size_t i = begin_of(p); i < ends[p]; ++i) texts.push_back(text(i));
          return kept(generate_pack(model_, generator_, prompts_, texts, generation)).dump();
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
  /// The journal entry for a pack.
  [[nodiscard]] static Json kept(const GeneratedPack& made) {
    Json answers = Json::array();
    for (const GreedyText& one : made.greedy) {
      answers.push_back(Json::array({one.text, one.tokens, ten_digits(one.log_probability)}));
    }
    for (const SampledTexts& one : made.sampled) answers.push_back(one);
    return {{"fed", made.fed}, {"alone", made.alone}, {"answers", std::move(answers)}};
  }

  Model& model_;
  PromptGenerator<Model> generator_;
  KeptPrompts<Model>& prompts_;
  Work& work_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
