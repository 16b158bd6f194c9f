// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does a model answer many prompts, once greedily and many times by sampling?
//
// Under each setting, every prompt gets a greedy answer and some prompts get sampled answers. The
// work is done pack by pack; finished packs are read back from the journal. A setting's file is
// renamed to its final name once it is complete. An answer ends at the first stop string after its
// leading white space, at the model's end-of-text token, or after `max_new_tokens`. Source: "What
// Matters in Learning Facts in Language Models?", section 3.2, where "LLMs generate responses
// without a token limit"; the paper does not specify what ends an answer.

#include <cstddef>
#include <optional>
#include <string>

#include "plumb/detail/records/generation_rows.hpp"
#include "plumb/detail/run/generated_texts.hpp"
#include "plumb/detail/run/prompt_texts.hpp"
#include "plumb/detail/run/run_folder.hpp"
#include "plumb/detail/run/text_generation.hpp"
#include "plumb/detail/run/work.hpp"
#include "plumb/detail/score/kept_prompts.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The plan for a setting: its greedy answers, and its sampled answers if there are any. Does not
/// call the model.
template <CausalLm Model>
[[nodiscard]] JobPlan planned_answers(KeptPrompts<Model>& prompts, const AnswerOptions& options,
                                      const MultiPromptDataset& dataset, const AskedFacts& asked,
                                      const FewShotSetting& setting) {
  const FewShot few_shot(dataset, setting, options.shot_seed);
  PromptTexts texts(dataset, asked, few_shot);
  JobPlan made;
  const auto add = [&](const std::string& name, const AnswerPlan& plan, std::size_t samples) {
    made.push_back(planned_texts(prompts, name, plan.prompts.size(), samples,
                                 options.max_new_tokens,
                                 [&](std::size_t i) { return texts.text(plan.prompts[i]); }));
  };
  add(few_shot.name(), answer_plan(dataset, asked, few_shot), 0);
  if (options.samples > 0 && options.confidence_prompts > 0) {
    add(few_shot.name() + " samples", sampled_plan(dataset, asked, few_shot, options),
        options.samples);
  }
  return made;
}

/// Not thread-safe. All arguments must outlive this object.
template <CausalLm Model>
class AnswerRun {
 public:
  AnswerRun(Model& model, KeptPrompts<Model>& prompts, const AnswerOptions& options,
            const MultiPromptDataset& dataset, const AskedFacts& asked, const RunFolder& folder,
            Work& work)
      : generation_(model, prompts, work),
        options_(options),
        dataset_(dataset),
        asked_(asked),
        folder_(folder) {}

  /// Writes SETTING_answers.jsonl.
  void answer(const FewShotSetting& setting) {
    const FewShot few_shot(dataset_, setting, options_.shot_seed);
    const AnswerPlan plan = answer_plan(dataset_, asked_, few_shot);
    GenerationOptions greedy{
        .samples = 0, .max_new_tokens = options_.max_new_tokens, .stop = options_.stop, .seed = 0};
    generate_rows(few_shot, plan, few_shot.name(), "_answers.jsonl", greedy,
                  [&](PromptTexts& texts, const PlannedPrompt& planned, const Json& row) {
                    return row_line(RecordedAnswer{texts.relation(planned).code, planned.prompt,
                                                   texts.subject(planned), row.at(0), row.at(1),
                                                   row.at(2), 0, texts.shown(planned)});
                  });
  }

  /// Writes SETTING_samples.jsonl, unless there is nothing to sample.
  void sample(const FewShotSetting& setting) {
    const FewShot few_shot(dataset_, setting, options_.shot_seed);
    if (options_.samples == 0 || options_.confidence_prompts == 0) return;
    const AnswerPlan plan = sampled_plan(dataset_, asked_, few_shot, options_);
    GenerationOptions sampled{.samples = options_.samples,
                              .max_new_tokens = options_.max_new_tokens,
                              .stop = options_.stop,
                              .seed = options_.sample_seed};
    generate_rows(
        few_shot, plan, few_shot.name() + " samples", "_samples.jsonl", sampled,
        [&](PromptTexts& texts, const PlannedPrompt& planned, const Json& row) {
          return row_line(RecordedSamples{texts.relation(planned).code, planned.prompt,
                                          texts.subject(planned), row, 0, texts.shown(planned)});
        });
  }

 private:
  /// Writes the rows of all prompts of a plan into one file. `line` converts a prompt's journal
  /// entry to a row.
  template <class Line>
  void generate_rows(const FewShot& few_shot, const AnswerPlan& plan, const std::string& name,
                     const std::string& file_end, const GenerationOptions& generation, Line line) {
    AtomicFile rows(folder_.file(few_shot.name() + file_end));
    PromptTexts texts(dataset_, asked_, few_shot);
    const bool is_whole = generation_.generate_rows(
        name, plan.ends, generation, [&](std::size_t i) { return texts.text(plan.prompts[i]); },
        [&](std::size_t i, const Json& row) { rows << line(texts, plan.prompts[i], row); });
    if (is_whole) rows.finish();
  }

  TextGeneration<Model> generation_;
  const AnswerOptions& options_;
  const MultiPromptDataset& dataset_;
  const AskedFacts& asked_;
  const RunFolder& folder_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
