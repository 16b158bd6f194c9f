// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which neutral prompts does a closed-set probe ask, and where is an option's score among theirs?
//
// Under `Reduction::pmi` each option of a relation has one for each template (prompt/neutral_prompt.hpp),
// whatever the fact, as no subject stands in it; where facts bring texts of their own for the options,
// each fact has its own. Under the other reductions there are none.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/white_space.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/prompt/chat.hpp"
#include "plumb/detail/prompt/in_context.hpp"
#include "plumb/detail/prompt/neutral_prompt.hpp"
#include "plumb/detail/prompt/prompt.hpp"
#include "plumb/detail/run/probe_settings.hpp"
#include "plumb/detail/run/statement_prompts.hpp"
#include "plumb/detail/score/candidate_scorer.hpp"
#include "plumb/detail/score/statement_score.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Builder and settings must outlive it. Any number of threads may ask one.
template <PromptBuilder Builder>
class NeutralPrompts {
 public:
  NeutralPrompts(const Builder& builder, const ProbeSettings& settings)
      : builder_(builder), settings_(settings) {}

  /// How many of a relation's facts, from the first on, have neutral prompts that are asked.
  [[nodiscard]] std::size_t facts(const Relation& relation) const {
    if (settings_.scoring.reduction != Reduction::pmi || relation.facts.empty()) return 0;
    return are_own(relation) ? relation.facts.size() : 1;
  }

  [[nodiscard]] std::size_t statements(const Dataset& dataset) const {
    std::size_t count = 0;
    for (const Relation& relation : dataset.relations) {
      count += facts(relation) * templates(relation).size() * relation.options.size();
    }
    return count;
  }

  /// Calls `visit(fact, template_index, query)` fact by fact, then template by template.
  template <class Visit>
  void for_each_query(const Relation& relation, std::size_t first, std::size_t count,
                      Visit visit) const {
    Query query;
    query.candidates.resize(relation.options.size());
    for (std::size_t f = first; f < first + count; ++f) {
      for (const std::size_t t : templates(relation)) {
        for (std::size_t option = 0; option < relation.options.size(); ++option) {
          query.candidates[option] = in_conversation(neutral_prompt(
              builder_, relation, relation.facts[f], t, option, settings_.neutral.text));
        }
        visit(relation.facts[f], t, query);
      }
    }
  }

  /// Among all neutral prompts of the relation, in that order, that of a fact's first option under the
  /// template that is at a place among the asked ones.
  [[nodiscard]] std::size_t place(const Relation& relation, std::size_t fact,
                                  std::size_t template_place) const {
    const std::size_t of = are_own(relation) ? fact : 0;
    return (of * templates(relation).size() + template_place) * relation.options.size();
  }

  /// The span of a neutral prompt that stands for its answer (neutral_log_likelihood).
  [[nodiscard]] Span span() const {
    const bool answer_alone =
        settings_.scoring.span == Span::answer || settings_.masked.value_or(false);
    return answer_alone ? Span::answer : Span::continuation;
  }

 private:
  /// In a conversation the neutral prefix is what the user says.
  [[nodiscard]] Prompt in_conversation(Prompt prompt) const {
    const Chat& chat = settings_.conversation;
    if (!chat) return prompt;
    const bool asks = settings_.chat_turn == ChatTurn::question;
    if (asks && is_blank(std::string_view(prompt.text).substr(0, prompt.answer.front().begin))) {
      throw user_error({.setting = "chat"},
                       "nothing stands before '" + prompt.text +
                           "' without its subject, so pmi leaves the user nothing to say",
                       "give a text with `neutral`, such as 'Answer:'");
    }
    const std::string context = chat.context(asks ? "" : settings_.prefix.text, {}, prompt);
    return behind(context, chat.answer(std::move(prompt)));
  }

  [[nodiscard]] std::vector<std::size_t> templates(const Relation& relation) const {
    return templates_of(relation, settings_.templates.indices);
  }
  [[nodiscard]] static bool are_own(const Relation& relation) {
    return ranges::any_of(relation.facts, [](const Fact& fact) { return !fact.choices.empty(); });
  }

  const Builder& builder_;
  const ProbeSettings& settings_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
