// SPDX-License-Identifier: Apache-2.0
#pragma once

// Can the names of objects be scored?
//
// This is checked before a job's first prompt. Without this check, a job could run for hours and
// then fail on a name that has no tokens or does not fit in the context. Non-goal: the scores
// (name_likelihood_run.hpp).

#include <algorithm>
#include <cstddef>
#include <string>
#include <unordered_set>
#include <vector>

#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/run/name_likelihood_run.hpp"
#include "plumb/detail/score/bos.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Throws the same user error that scoring a setting would throw, with a location in the dataset:
/// if the tokenizer's tokens do not spell a text, or if a prompt and a name together are longer
/// than the model's context. Does not call the model.
template <ScoringLm Model>
void refuse_unscorable_names(Model& model, const Bos& with_bos, const AnswerOptions& options,
                             const MultiPromptDataset& dataset, const AskedFacts& asked,
                             const FewShotSetting& setting) {
  std::unordered_set<std::string> spelled;
  const auto check_spelling = [&](const Site& site, const std::string& text) {
    if (!spelled.insert(text).second) return;
    if (const auto made = text_tokens(model, " " + text);
        made.spells_text && !made.tokens.empty()) {
      return;
    }
    throw user_error(site, "this tokenizer does not spell '" + shortened(text) + "'",
                     "fix the text, or set `names` to none");
  };
  for (std::size_t r = 0; r < dataset.relations.size(); ++r) {
    const MultiPromptRelation& relation = dataset.relations[r];
    const auto is_asked = [&](const AskedRelation& one) { return one.relation == r; };
    if (setting.source != ShotSource::random && ranges::none_of(asked.relations, is_asked)) {
      continue;
    }
    for (const PromptTemplate& one : relation.templates) {
      check_spelling({relation.template_file, 0, relation.code}, one.text);
    }
    for (const ManyNamedFact& fact : relation.facts) {
      const Site site{relation.file, fact.line, relation.code};
      for (const std::string& name : fact.subject.names) check_spelling(site, name);
      for (const NamedEntity& object : fact.objects) {
        for (const std::string& name : object.names) check_spelling(site, name);
      }
    }
  }
  const std::optional<TokenId> bos = require_bos(model, with_bos);
  const std::size_t room = (std::min)(model.context_length(), tree_limits(model).nodes);
  const auto check_length = [&](const Site& site, const std::string& prompt,
                                const std::string& name) {
    // A token covers at least one byte, so most prompts need not be tokenised.
    if (1 + prompt.size() + 1 + name.size() <= room) return;
    const std::size_t tokens = prompt_ids(model, {prompt + " " + name, {}, {}}, bos).size();
    if (tokens <= room) return;
    throw user_error(site,
                     "the " + few_shot_name(setting) + " prompt with '" + shortened(name) +
                         "' after it has " + counted(tokens, "token") + "; the model's limit is " +
                         std::to_string(room),
                     "use fewer shots, remove the fact, or set `names` to none");
  };
  const FewShot few_shot(dataset, setting, options.shot_seed);
  PromptTexts texts(dataset, asked, few_shot);
  for (const PlannedPrompt& planned : answer_plan(dataset, asked, few_shot).prompts) {
    const ManyNamedFact& fact = texts.fact(planned);
    if (!has_alias(fact)) continue;
    const MultiPromptRelation& relation = texts.relation(planned);
    const std::string prompt = texts.text(planned);
    for (const NamedEntity& object : fact.objects) {
      for (const std::string& name : object.names) {
        check_length({relation.file, fact.line, relation.code}, prompt, name);
      }
    }
  }
  for (std::size_t r = 0; r < asked.relations.size(); ++r) {
    const MultiPromptRelation& relation = dataset.relations[asked.relations[r].relation];
    const std::vector<std::string> labels = object_labels(relation);
    for (const std::size_t t : few_shot.templates(asked.relations[r].relation)) {
      const std::string prompt = texts.content_free(r, t, content_free_texts.front());
      for (const std::string& name : labels) {
        check_length({relation.template_file, 0, relation.code}, prompt, name);
      }
    }
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
