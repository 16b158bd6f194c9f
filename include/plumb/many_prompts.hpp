// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does a model answer when it is asked about each fact in many different ways? Is it
// consistent, and how confident is it?
//
// Runs BELIEF-ICL (a causal model answers in its own words) and BELIEF (a masked model fills a gap)
// in memory.
//
//   const plumb::ManyPromptAnswers answers = plumb::many_prompts(model, dataset, {.samples = 20});
//   const plumb::ManyPromptResults made = plumb::metrics_of(answers);
//   made.ways[0].coverage.average.value
//
// Run: examples/five_systems.cpp. Source: "What Matters in Learning Facts in Language Models?".

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/capabilities.hpp"
#include "plumb/detail/calibrate/many_prompt_results.hpp"
#include "plumb/detail/calibrate/many_prompt_study.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/check_and_complete.hpp"
#include "plumb/detail/data/closed_set_prompts.hpp"
#include "plumb/detail/measure/answer_lemmas.hpp"
#include "plumb/detail/run/answer_plan.hpp"
#include "plumb/detail/run/gap_filling.hpp"
#include "plumb/detail/run/generated_texts.hpp"
#include "plumb/detail/run/name_scoring.hpp"
#include "plumb/detail/score/bos.hpp"
#include "plumb/detail/score/kept_prompts.hpp"
#include "plumb/detail/score/score_check.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct ManyPromptsOptions {
  /// Codes of the relations to use; empty for all.
  std::vector<std::string> relations{};
  /// The maximum number of facts to use per relation, starting with the first; 0 for all.
  std::size_t limit = 0;
  /// The few-shot settings for a causal model. A masked model only fills gaps.
  std::vector<FewShotSetting> settings{{}};
  std::size_t max_new_tokens = 16;
  std::vector<std::string> stop{"\n"};
  /// The number of sampled answers per confidence estimate, and the number of prompts (each for a
  /// different fact) for which answers are sampled.
  std::size_t samples = 0;
  std::size_t confidence_prompts = 10'000;
  /// Whether to also score the names of objects. The scores show how aliases rank, and how strongly
  /// the model prefers some objects regardless of the question. A causal model scores names under
  /// the first setting only.
  bool names = false;
  /// For a masked model: the maximum number of masks in a gap, and a vocabulary within which
  /// answers are also ranked.
  std::size_t masks = 1;
  std::vector<std::string> vocabulary{};
  /// The token that precedes each prompt of a causal model.
  Bos bos{};
  /// The seed for the shots, and the seed for choosing the prompts to sample and for sampling their
  /// answers.
  std::uint64_t shot_seed = 0;
  std::uint64_t sample_seed = 0;
};

inline AnswerOptions asking_of(const ManyPromptsOptions& options) {
  return {options.settings,  options.limit,      options.max_new_tokens,
          options.stop,      options.samples,    options.confidence_prompts,
          options.shot_seed, options.sample_seed};
}

/// Generates greedy and sampled answers under one setting. Not thread-safe.
template <CausalLm Model>
class AnswersInMemory {
 public:
  AnswersInMemory(Model& model, KeptPrompts<Model>& prompts, const AnswerOptions& asking,
                  const MultiPromptDataset& dataset, const AskedFacts& asked)
      : model_(model),
        generator_(model),
        prompts_(prompts),
        dataset_(dataset),
        asked_(asked),
        asking_(asking) {}

  template <Lemmatiser Lemmas>
  [[nodiscard]] ManyPromptStudy study(const FewShotSetting& setting,
                                      const MultiPromptDataset& narrowed_to, const Lemmas& lemmas) {
    const FewShot few_shot(dataset_, setting, asking_.shot_seed);
    PromptTexts texts(dataset_, asked_, few_shot);
    ManyPromptStudy study;
    const auto answers = [&](auto visit) {
      const GenerationOptions greedy{
          .samples = 0, .max_new_tokens = asking_.max_new_tokens, .stop = asking_.stop, .seed = 0};
      for_each_pack(texts, answer_plan(dataset_, asked_, few_shot), greedy,
                    [&](const PlannedPrompt& planned, const GeneratedPack& made, std::size_t i) {
                      const GreedyText& one = made.greedy[i];
                      visit(RecordedAnswer{texts.relation(planned).code, planned.prompt,
                                           texts.subject(planned), one.text, one.tokens,
                                           one.log_probability});
                    });
    };
    study.answered =
        answered_setting(few_shot.name(), narrowed_to, lemmas, answers, {}, asking_.max_new_tokens);
    if (asking_.samples == 0 || asking_.confidence_prompts == 0) return study;
    const auto samples = [&](auto visit) {
      const GenerationOptions sampled{.samples = asking_.samples,
                                      .max_new_tokens = asking_.max_new_tokens,
                                      .stop = asking_.stop,
                                      .seed = asking_.sample_seed};
      for_each_pack(texts, sampled_plan(dataset_, asked_, few_shot, asking_), sampled,
                    [&](const PlannedPrompt& planned, const GeneratedPack& made, std::size_t i) {
                      visit(RecordedSamples{texts.relation(planned).code, planned.prompt,
                                            texts.subject(planned), made.sampled[i]});
                    });
    };
    SampledConfidences found = sampled_confidences(study.answered, narrowed_to, lemmas, samples);
    study.confidences = std::move(found.judgements);
    study.sampled_facts = std::move(found.facts);
    study.samples = found.samples;
    return study;
  }

 private:
  /// Calls `take(prompt, pack, index in the pack)` for each prompt of a plan.
  template <class Take>
  void for_each_pack(PromptTexts& texts, const AnswerPlan& plan,
                     const GenerationOptions& generation, Take take) {
    for (std::size_t p = 0; p < plan.ends.size(); ++p) {
      const std::span<const PlannedPrompt> pack = plan.pack(p);
      std::vector<std::string> asked;
      for (const PlannedPrompt& planned : pack) asked.push_back(texts.text(planned));
      const GeneratedPack made = generate_pack(model_, generator_, prompts_, asked, generation);
      for (std::size_t i = 0; i < pack.size(); ++i) take(pack[i], made, i);
    }
  }

  Model& model_;
  PromptGenerator<Model> generator_;
  KeptPrompts<Model>& prompts_;
  const MultiPromptDataset& dataset_;
  const AskedFacts& asked_;
  const AnswerOptions& asking_;
};

/// Adds the likelihoods of names, and the likelihoods of labels after content-free prompts.
template <ScoringLm Model>
void add_scored_names(ManyPromptStudy& study, Model& model, const ManyPromptsOptions& options,
                      const FewShotSetting& setting, const MultiPromptDataset& dataset,
                      const AskedFacts& asked, const MultiPromptDataset& narrowed_to) {
  const FewShot few_shot(dataset, setting, options.shot_seed);
  NameScoring<Model> likelihoods(model, options.bos, dataset, asked);
  const auto carry = [&](auto& block, const auto&, auto name_of) {
    std::vector<StatementScore> scores = score_all_packs(likelihoods.scorer(), block);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const auto name = [&] { return name_of(i); };
      check_score(scores[i], Span::continuation, {}, name);
      if (scores[i].unreported_tokens > 0) refuse_unreported({}, name());
    }
    return std::optional(std::move(scores));
  };
  const auto count = [](std::size_t) {};
  add_names(study, narrowed_to,
            [&](auto visit) { (void)likelihoods.names(few_shot, count, carry, visit); });
  for (const AskedRelation& one : asked.relations) {
    const MultiPromptRelation& relation = dataset.relations[one.relation];
    study.candidates[relation.code] = object_labels(relation);
  }
  add_content_free(study, narrowed_to, [&](auto visit) {
    (void)likelihoods.content_free(few_shot, count, carry, visit);
  });
}

/// Collects the answers that a causal model gives in its own words.
template <CausalLm Model, Lemmatiser Lemmas>
[[nodiscard]] ManyPromptAnswers answered_in_memory(Model& model, MultiPromptDataset dataset,
                                                   const ManyPromptsOptions& options,
                                                   const Lemmas& lemmas) {
  const AskedFacts asked = select_answerable(dataset, options.relations, options.limit);
  const AnswerOptions asking = asking_of(options);
  KeptPrompts<Model> prompts(model, require_bos(model, options.bos));
  for (const FewShotSetting& setting : options.settings) {
    refuse_long_prompts(model, prompts, asking, dataset, asked, setting);
  }
  ManyPromptAnswers made{{}, {}, narrowed(dataset, asked)};
  if (!asked.without_answer.empty()) {
    made.remarks.push_back(counted(asked.without_answer.size(), "fact") +
                           " left out: no name of their objects contains a word.");
  }
  AnswersInMemory<Model> answers(model, prompts, asking, dataset, asked);
  for (const FewShotSetting& setting : options.settings) {
    made.studies.push_back(answers.study(setting, made.asked, lemmas));
  }
  if (options.names && !options.settings.empty()) {
    add_scored_names(made.studies.front(), model, options, options.settings.front(), dataset, asked,
                     made.asked);
  }
  return made;
}

/// Collects the answers that a masked model fills into the gaps, and the likelihoods of names.
template <MaskedLm Model>
[[nodiscard]] ManyPromptAnswers filled_in_memory(Model& model, MultiPromptDataset dataset,
                                                 const ManyPromptsOptions& options) {
  dataset = answerable(std::move(dataset));
  GapWords<Model> words(model);
  const FillPlan plan = fill_plan(words, dataset, options.relations, options.limit, options.masks);
  const FillOptions filling{options.masks, options.names, options.vocabulary};
  GapFilling<Model> gaps(model, words, plan, filling);
  gaps.refuse_long_prompts();
  ManyPromptAnswers made{{}, {}, plan.dataset};
  ManyPromptStudy& study = made.studies.emplace_back();
  study.kind = AnswerKind::fill;
  std::vector<RecordedNames> names;
  study.answered = filled_setting(gaps.few_shot().name(), plan.dataset, [&](auto visit) {
    for (std::size_t p = 0; p < plan.prompts.ends.size(); ++p) {
      FilledPrompts pack = gaps.filled(plan.prompts.pack(p));
      for (const RecordedAnswer& row : pack.answers) visit(row);
      for (auto& row : pack.names) {
        if (row) names.push_back(std::move(*row));
      }
    }
  });
  study.confidences = fill_confidences(study.answered.likelihoods);
  const LeftOutOfFilling& out = plan.left_out;
  if (!out.facts.empty()) {
    made.remarks.push_back(counted(out.facts.size(), "fact") +
                           " left out: no name of their objects fits into a gap.");
  }
  if (!options.names) return made;
  add_names(study, plan.dataset, [&](auto visit) {
    for (const RecordedNames& row : names) visit(row);
  });
  std::vector<GapCandidates> candidates;
  for (const MultiPromptRelation& relation : plan.dataset.relations) {
    const auto whole = ranges::find(dataset.relations, relation.code, &MultiPromptRelation::code);
    candidates.push_back(gaps.candidates(candidates.size(), object_labels(*whole)));
    study.candidates[relation.code] = candidates.back().labels;
  }
  const std::vector<ContentFreePrompt> prompts = gaps.content_free_gaps(candidates);
  add_content_free(study, plan.dataset, [&](auto visit) {
    for (const RecordedContentFree& row : gaps.scored(prompts, candidates).rows) visit(row);
  });
  return made;
}

/// Runs every prompt: each template with each name of the subject, under each setting. `lemmas`
/// determines whether an answer matches; by default, answers are matched word for word. A fact is
/// skipped, with a remark, if none of its objects' names can be matched. Throws a user error if no
/// facts remain, or if a prompt is longer than the model's context.
template <class Model, Lemmatiser Lemmas = AnswerLemmas>
requires CausalLm<Model> || MaskedLm<Model>
[[nodiscard]] ManyPromptAnswers many_prompts(Model& model, MultiPromptDataset dataset,
                                             const ManyPromptsOptions& options = {},
                                             const Lemmas& lemmas = {}) {
  if constexpr (!CausalLm<Model>) {
    return detail::filled_in_memory(model, std::move(dataset), options);
  } else {
    if constexpr (MaskedLm<Model>) {  // a wrapper such as AnyModel has both interfaces
      if (capabilities_of(model).masked) {
        return detail::filled_in_memory(model, std::move(dataset), options);
      }
    }
    return detail::answered_in_memory(model, std::move(dataset), options, lemmas);
  }
}

/// Does the same for a closed-set dataset, using its options as the objects.
template <class Model>
requires CausalLm<Model> || MaskedLm<Model>
[[nodiscard]] ManyPromptAnswers many_prompts(Model& model, const Dataset& dataset,
                                             const ManyPromptsOptions& options = {}) {
  return many_prompts(model, multi_prompt_of(check_and_complete(dataset), nullptr), options);
}

/// Computes accuracy over prompts and its spread, coverage, consistency, the facts known under
/// several query forms, overconfidence, and every other metric that the answers allow.
[[nodiscard]] inline ManyPromptResults metrics_of(const ManyPromptAnswers& answers,
                                                  const ManyPromptOptions& options = {}) {
  ManyPromptResults made = many_prompt_results(answers.studies, options);
  made.remarks.insert(made.remarks.begin(), answers.remarks.begin(), answers.remarks.end());
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

namespace plumb {

using detail::FewShotSetting;
using detail::many_prompts;
using detail::ManyPromptAnswers;
using detail::ManyPromptsOptions;
using detail::PromptForm;
using detail::ShotSource;

}  // namespace plumb
