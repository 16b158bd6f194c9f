// SPDX-License-Identifier: Apache-2.0
#pragma once

// How likely is each name of an object behind a prompt, and each label behind one that asks nothing?
//
//   log P(" NAME" | prompt) = Σ log P(token | prompt, tokens before it), in nats
// for the names of a fact's objects behind each of its prompts, where the fact has an alias at all
// (Table 10: does an alias outrank its label?), and for all object labels of a relation behind
// prompts whose subject is "N/A", nothing or "?" (bias level). Source: "What Matters in Learning
// Facts in Language Models?", section 5.4 and appendix C.1; there names are one token of a masked
// model. Blocks of prompts with the same shots are scored as one.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/core/utf8.hpp"
#include "plumb/records/generation_rows.hpp"
#include "plumb/run/name_plan.hpp"
#include "plumb/run/run_folder.hpp"
#include "plumb/run/scored_block.hpp"
#include "plumb/score/bos.hpp"
#include "plumb/score/causal_scorer.hpp"
#include "plumb/score/prompt_tokens.hpp"

namespace plumb {

namespace detail {

/// Names of all objects behind all of these prompts.
inline std::size_t count_names(const PromptTexts& texts,
                               const std::vector<PlannedPrompt>& prompts) {
  std::size_t names = 0;
  for (const PlannedPrompt& planned : prompts) {
    for (const NamedEntity& object : texts.fact(planned).objects) names += object.names.size();
  }
  return names;
}

/// Labels of all objects, by asked relation.
inline std::vector<std::vector<std::string>> labels_by_relation(const MultiPromptDataset& dataset,
                                                                const AskedFacts& asked) {
  std::vector<std::vector<std::string>> labels;
  for (const AskedRelation& one : asked.relations) {
    labels.push_back(object_labels(dataset.relations[one.relation]));
  }
  return labels;
}

inline std::size_t count_labels(const std::vector<ContentFreePrompt>& prompts,
                                const std::vector<std::vector<std::string>>& labels) {
  std::size_t names = 0;
  for (const ContentFreePrompt& one : prompts) names += labels[one.relation].size();
  return names;
}

}  // namespace detail

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
      : scorer_(model, with_bos, Span::continuation),
        options_(options),
        dataset_(dataset),
        asked_(asked),
        folder_(folder),
        work_(work) {}

  /// Leaves SETTING_names.jsonl and SETTING_content_free.jsonl. Throws a user error for a name
  /// that the tokenizer does not spell.
  void score(const FewShotSetting& setting) {
    const FewShot few_shot(dataset_, setting, options_.shot_seed);
    PromptTexts texts(dataset_, asked_, few_shot);
    names(few_shot, texts);
    content_free(few_shot, texts);
  }

 private:
  void names(const FewShot& few_shot, PromptTexts& texts) {
    const std::vector<PlannedPrompt> prompts = named_prompts(dataset_, asked_, few_shot);
    const std::size_t names = detail::count_names(texts, prompts);
    FileInTheMaking rows(folder_.file(few_shot.name() + "_names.jsonl"));
    const bool is_whole = go_through(
        few_shot.name() + " names", names, prompts.size(),
        [&](std::size_t i) { return names_behind(texts, prompts[i]); },
        [&](std::size_t i, const std::vector<TextLikelihood>& scores) {
          RecordedNames row{
              texts.relation(prompts[i]).code, prompts[i].prompt, texts.subject(prompts[i]), {}, 0,
              texts.shown(prompts[i])};
          auto next = scores.begin();
          for (const NamedEntity& object : texts.fact(prompts[i]).objects) {
            const auto end = next + static_cast<std::ptrdiff_t>(object.names.size());
            row.names.emplace_back(next, end);
            next = end;
          }
          rows << names_line(row);
        });
    if (is_whole) rows.finish();
  }

  void content_free(const FewShot& few_shot, PromptTexts& texts) {
    const std::vector<ContentFreePrompt> prompts = content_free_prompts(asked_, few_shot);
    const auto labels = detail::labels_by_relation(dataset_, asked_);
    const std::size_t names = detail::count_labels(prompts, labels);
    FileInTheMaking rows(folder_.file(few_shot.name() + "_content_free.jsonl"));
    const bool is_whole = go_through(
        few_shot.name() + " content-free", names, prompts.size(),
        [&](std::size_t i) {
          return labels_behind(texts, prompts[i], labels[prompts[i].relation]);
        },
        [&](std::size_t i, const std::vector<TextLikelihood>& scores) {
          const ContentFreePrompt& one = prompts[i];
          rows << content_free_line({texts.relation_at(one.relation).code, one.template_index,
                                     std::string(one.subject), scores, 0,
                                     texts.shown_content_free(one.relation, one.template_index)});
        });
    if (is_whole) rows.finish();
  }

  /// `count` questions of so many names in all, in blocks of one context and relation, in order;
  /// `take` gets each one's scores, but for blocks that other shards have some of. Returns whether
  /// the part is whole.
  template <class Ask, class Take>
  bool go_through(const std::string& name, std::size_t names, std::size_t count, Ask ask,
                  Take take) {
    constexpr std::size_t most_statements = 2048;
    Part part(work_, name);
    work_.begin(name, names);
    for (std::size_t first = 0; first < count;) {
      std::vector<NamesBehind> questions{ask(first)};
      std::size_t statements = questions.front().names.size();
      while (first + questions.size() < count && statements < most_statements) {
        NamesBehind next = ask(first + questions.size());
        const NamesBehind& begun = questions.front();
        if (next.context != begun.context || next.relation != begun.relation) break;
        statements += next.names.size();
        questions.push_back(std::move(next));
      }
      const auto scores = scored(part, questions);
      auto next = scores ? scores->begin() : std::vector<TextLikelihood>::const_iterator();
      for (std::size_t q = 0; scores && q < questions.size(); ++q) {
        const auto end = next + static_cast<std::ptrdiff_t>(questions[q].names.size());
        take(first + q, {next, end});
        next = end;
      }
      first += questions.size();
    }
    return part.is_whole();
  }

  /// Nothing where the part is not whole.
  [[nodiscard]] std::optional<std::vector<TextLikelihood>> scored(
      Part& part, const std::vector<NamesBehind>& questions) {
    typename CausalScorer<Model>::Block block;
    scorer_.share(block, Prompt{questions.front().context, {}, {}});
    for (const NamesBehind& question : questions) scorer_.add(block, question.query());
    scorer_.plan(block);
    work_.summary().cost += block.cost();
    const auto scores =
        scored_block(part, scorer_, block, Span::continuation, [&](std::size_t statement) {
          auto question = questions.begin();
          for (; statement >= question->names.size(); ++question) {
            statement -= question->names.size();
          }
          return "'" + question->names[statement] + "' of " + question->relation + " behind '" +
                 shortened(question->text.substr(question->context.size())) + "'";
        });
    if (!scores) return std::nullopt;
    std::vector<TextLikelihood> made;
    for (const StatementScore& one : *scores) {
      made.push_back({one.continuation_log_likelihood, one.continuation_tokens});
    }
    return made;
  }

  CausalScorer<Model> scorer_;
  const AnswerOptions& options_;
  const MultiPromptDataset& dataset_;
  const AskedFacts& asked_;
  const RunFolder& folder_;
  Work& work_;
};

}  // namespace plumb
