// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does a model answer to many prompts, and what when it is asked again and again?
//
// Under each setting every prompt gets its greedy answer, and some prompts sampled ones, pack by
// pack; a pack that the journal has is taken from there. A setting's file gets its name when all of
// it is there. An answer ends at the first stop text past the white space it begins with, at the
// model's end of text or after `max_new_tokens`. Source: "What Matters in Learning Facts in Language
// Models?", section 3.2, where "LLMs generate responses without a token limit" and what ends an answer
// is not said.

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

#include "plumb/backend/tree_generator.hpp"
#include "plumb/core/over.hpp"
#include "plumb/core/utf8.hpp"
#include "plumb/records/recorded_answers.hpp"
#include "plumb/run/prompt_texts.hpp"
#include "plumb/run/run_folder.hpp"
#include "plumb/run/work.hpp"
#include "plumb/score/tokenized_statements.hpp"

namespace plumb {

/// Throws a user error for the first prompt of a setting that leaves no room for an answer, with its
/// place in the dataset; the model is not asked.
template <CausalLm Model>
void refuse_long_prompts(Model& model, bool with_bos, const AnswerOptions& options,
                         const MultiPromptDataset& dataset, const AskedFacts& asked,
                         const FewShotSetting& setting) {
  const std::optional<TokenId> bos = with_bos ? model.bos() : std::nullopt;
  const std::size_t room = std::min(model.context_length(), tree_limits(model).nodes);
  const FewShot few_shot(dataset, setting, options.shot_seed);
  PromptTexts texts(dataset, asked, few_shot);
  for (const PlannedPrompt& planned : answer_plan(dataset, asked, few_shot).prompts) {
    const std::string text = texts.text(planned);
    // A token covers a byte at least, so most prompts need not be tokenised.
    if (text.size() + 1 + options.max_new_tokens <= room) continue;
    const std::size_t tokens = prompt_ids(model, Prompt{text, {}, {}}, bos).size();
    if (tokens + options.max_new_tokens <= room + 1) continue;
    throw user_error({texts.relation(planned).file, texts.fact(planned).line,
                      texts.relation(planned).code + ", template " +
                          std::to_string(planned.prompt.template_index)},
                     "the " + setting_name(setting) + " prompt about '" +
                         shortened(texts.subject(planned)) + "' has " + std::to_string(tokens) +
                         " tokens; with " + std::to_string(options.max_new_tokens) +
                         " new ones the model has room for " + std::to_string(room),
                     "show fewer shots, ask for fewer new tokens, or leave the fact out");
  }
}

/// Not thread-safe. All that it is given must outlive it.
template <CausalLm Model>
class AnswerRun {
 public:
  AnswerRun(Model& model, bool with_bos, const AnswerOptions& options,
            const MultiPromptDataset& dataset, const AskedFacts& asked, const RunFolder& folder,
            Work& work)
      : model_(model),
        generator_(model),
        options_(options),
        dataset_(dataset),
        asked_(asked),
        folder_(folder),
        work_(work),
        bos_(with_bos ? model.bos() : std::nullopt) {}

  /// Leaves SETTING_answers.jsonl.
  void answer(const FewShotSetting& setting) {
    const FewShot few_shot(dataset_, setting, options_.shot_seed);
    const AnswerPlan plan = answer_plan(dataset_, asked_, few_shot);
    GenerationOptions greedy{
        .samples = 0, .max_new_tokens = options_.max_new_tokens, .stop = options_.stop, .seed = 0};
    go_through(
        few_shot, plan, few_shot.name(), "_answers.jsonl", greedy,
        [&](PromptTexts& texts, const PlannedPrompt& planned, const Json& row) {
          return answer_line({texts.relation(planned).code, planned.prompt, texts.subject(planned),
                              row.at(0), row.at(1), row.at(2), 0, texts.shown(planned)});
        });
  }

  /// Leaves SETTING_samples.jsonl, unless there is nothing to sample.
  void sample(const FewShotSetting& setting) {
    const FewShot few_shot(dataset_, setting, options_.shot_seed);
    if (options_.samples == 0 || options_.confidence_prompts == 0) return;
    const AnswerPlan plan = sampled_plan(dataset_, asked_, few_shot, options_);
    GenerationOptions sampled{.samples = options_.samples,
                              .max_new_tokens = options_.max_new_tokens,
                              .stop = options_.stop,
                              .seed = options_.sample_seed};
    go_through(few_shot, plan, few_shot.name() + " samples", "_samples.jsonl", sampled,
               [&](PromptTexts& texts, const PlannedPrompt& planned, const Json& row) {
                 return samples_line({texts.relation(planned).code, planned.prompt,
                                      texts.subject(planned), row, 0, texts.shown(planned)});
               });
  }

 private:
  /// Every pack in order, asked or from the journal, into one file; `line` makes a row of it.
  template <class Line>
  void go_through(const FewShot& few_shot, const AnswerPlan& plan, const std::string& name,
                  const std::string& file_end, const GenerationOptions& generation, Line line) {
    FileInTheMaking rows(folder_.file(few_shot.name() + file_end));
    PromptTexts texts(dataset_, asked_, few_shot);
    std::vector<PackCost> packs;
    for (std::size_t p = 0; p < plan.ends.size(); ++p) {
      packs.push_back({plan.pack(p).size(), plan.pack(p).size()});
    }
    Part part(work_, name);
    work_.begin(name, plan.prompts.size());
    part.go_through(
        packs, [&](std::size_t p) { return generated(plan.pack(p), texts, generation).dump(); },
        [&](std::size_t p, const Json& made) {
          const std::span<const PlannedPrompt> pack = plan.pack(p);
          const Json& answers = made.at("answers");
          if (answers.size() != pack.size()) throw part.other_job();
          for (std::size_t i = 0; i < pack.size(); ++i) rows << line(texts, pack[i], answers[i]);
          ScoringCost& cost = work_.summary().cost;
          cost.statements += answers.size() * std::max<std::size_t>(1, generation.samples);
          cost.tokens_one_by_one += made.at("alone").template get<std::uint64_t>();
          cost.tokens_fed += made.at("fed").template get<std::uint64_t>();
        });
    rows.finish();
  }

  /// What the journal keeps of a pack: answers, the tokens fed, and the tokens that each
  /// continuation would take by itself.
  [[nodiscard]] Json generated(std::span<const PlannedPrompt> pack, PromptTexts& texts,
                               const GenerationOptions& generation) {
    std::vector<std::vector<TokenId>> prompts;
    std::vector<std::uint64_t> seeds;
    for (const PlannedPrompt& planned : pack) {
      const std::string text = texts.text(planned);
      prompts.push_back(prompt_ids(model_, Prompt{text, {}, {}}, bos_));
      RandomStream random(generation.seed, "samples/" + text);
      const std::uint64_t high = random.below(0x80000000U);
      seeds.push_back(high << 31U | random.below(0x80000000U));
    }
    const std::uint64_t before = generator_.fed();
    const auto all = generator_.generate(prompts, generation, seeds);
    Json answers = Json::array();
    std::uint64_t alone = 0;
    for (std::size_t i = 0; i < pack.size(); ++i) {
      std::map<std::string, std::uint32_t> texts_drawn;
      for (const Continuation& one : all[i]) {
        // Nothing follows the last token of an answer that the length ended.
        const bool cut = one.tokens.size() == generation.max_new_tokens;
        alone += prompts[i].size() + one.tokens.size() - (cut ? 1 : 0);
        const std::string text = valid_utf8(model_.detokenize(one.tokens));
        if (generation.samples > 0) {
          ++texts_drawn[text];
          continue;
        }
        double nats = 0;
        for (const double of_token : one.log_probabilities) nats += of_token;
        answers.push_back(Json::array({text, one.tokens.size(), ten_digits(nats)}));
      }
      if (generation.samples == 0) continue;
      std::vector<std::pair<std::string, std::uint32_t>> by_times(texts_drawn.begin(),
                                                                  texts_drawn.end());
      over::stable_sort(by_times, std::greater{}, [](const auto& one) { return one.second; });
      answers.push_back(by_times);
    }
    return {{"fed", generator_.fed() - before}, {"alone", alone}, {"answers", std::move(answers)}};
  }

  Model& model_;
  TreeGenerator<Model> generator_;
  const AnswerOptions& options_;
  const MultiPromptDataset& dataset_;
  const AskedFacts& asked_;
  const RunFolder& folder_;
  Work& work_;
  std::optional<TokenId> bos_;
};

}  // namespace plumb
