// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which names of objects are scored, and after which prompts?
//
// If a fact has an alias, the names of its objects are scored after each of its prompts. For each
// relation, all object labels are scored after prompts with a content-free subject. The plan
// depends only on the data and the options. Non-goal: the scores (name_likelihood_run.hpp).

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/bias_level.hpp"
#include "plumb/detail/run/prompt_texts.hpp"
#include "plumb/detail/score/candidate_scorer.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The distinct labels of a relation's objects, in order of appearance. These labels are the
/// candidates for the relation's bias level.
[[nodiscard]] inline std::vector<std::string> object_labels(const MultiPromptRelation& relation) {
  std::vector<std::string> labels;
  std::map<std::string, bool> seen;
  for (const ManyNamedFact& fact : relation.facts) {
    for (const NamedEntity& object : fact.objects) {
      if (seen.emplace(object.names.front(), true).second) labels.push_back(object.names.front());
    }
  }
  return labels;
}

/// Whether the subject or an object has more than one name, so that names can be compared.
[[nodiscard]] inline bool has_alias(const ManyNamedFact& fact) {
  return fact.subject.names.size() > 1 ||
         ranges::any_of(fact.objects,
                        [](const NamedEntity& object) { return object.names.size() > 1; });
}

/// A prompt and the names that are scored after it.
struct NamesAfterPrompt {
  /// The start of the prompt: instruction and shots.
  std::string context;
  std::string text;
  std::vector<std::string> names;
  std::string relation;

  /// The statements whose continuations are the names, each preceded by a space.
  [[nodiscard]] Query query() const {
    Query made;
    const std::size_t given = text.find_last_not_of(' ') + 1;  // as in prompt/statement.hpp
    for (const std::string& name : names) {
      const std::string whole = text + " " + name;
      made.candidates.push_back({whole, {{text.size() + 1, whole.size()}}, {}, given});
    }
    return made;
  }
};

/// The prompts of a setting after which names are scored, in the plan's order.
[[nodiscard]] inline std::vector<PlannedPrompt> named_prompts(const MultiPromptDataset& dataset,
                                                              const AskedFacts& asked,
                                                              const FewShot& few_shot) {
  const PromptTexts texts(dataset, asked, few_shot);
  std::vector<PlannedPrompt> prompts;
  for (const PlannedPrompt& planned : answer_plan(dataset, asked, few_shot).prompts) {
    if (has_alias(texts.fact(planned))) prompts.push_back(planned);
  }
  return prompts;
}

/// The names of a fact's objects, object by object, to be scored after one of the fact's prompts.
[[nodiscard]] inline NamesAfterPrompt names_after_prompt(PromptTexts& texts,
                                                         const PlannedPrompt& planned) {
  NamesAfterPrompt made{
      texts.context(planned), texts.text(planned), {}, texts.relation(planned).code};
  for (const NamedEntity& object : texts.fact(planned).objects) {
    made.names.insert(made.names.end(), object.names.begin(), object.names.end());
  }
  return made;
}

/// A prompt with a content-free subject; `relation` is an index into the selected relations.
struct ContentFreePrompt {
  std::size_t relation = 0;
  std::size_t template_index = 0;
  std::string_view subject;
};

/// All content-free prompts, by relation, template and subject.
[[nodiscard]] inline std::vector<ContentFreePrompt> content_free_prompts(const AskedFacts& asked,
                                                                         const FewShot& few_shot) {
  std::vector<ContentFreePrompt> prompts;
  for (std::size_t r = 0; r < asked.relations.size(); ++r) {
    for (const std::size_t t : few_shot.templates(asked.relations[r].relation)) {
      for (const std::string_view subject : content_free_texts) prompts.push_back({r, t, subject});
    }
  }
  return prompts;
}

/// The labels of the relation's objects, to be scored after one of its content-free prompts.
[[nodiscard]] inline NamesAfterPrompt labels_after_prompt(PromptTexts& texts,
                                                          const ContentFreePrompt& one,
                                                          std::vector<std::string> labels) {
  std::string text = texts.content_free(one.relation, one.template_index, one.subject);
  std::string context = text.substr(0, text.rfind("\nQ: ") + 1);
  return {std::move(context), std::move(text), std::move(labels),
          texts.relation_at(one.relation).code};
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
