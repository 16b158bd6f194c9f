// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which neutral prompts does a closed-set probe use, and at which index is an option's neutral
// score?
//
// With `Reduction::pmi`, each option of a relation has one neutral prompt per template
// (prompt/neutral_prompt.hpp). The neutral prompt is the same for all facts, because it does not
// contain the subject. If facts have their own option texts or sentences, each fact has its own
// neutral prompts.
// The other reductions use no neutral prompts.

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

/// The builder and the settings must outlive this object. Any number of threads may use the same
/// object.
template <PromptBuilder Builder>
class NeutralPrompts {
 public:
  NeutralPrompts(const Builder& builder, const ProbeSettings& settings)
      : builder_(builder), settings_(settings) {}

  /// The number of facts whose neutral prompts are scored; these are the first facts of the
  /// relation.
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

  /// Calls `visit(fact, template_index, query)` for each fact and, within a fact, for each
  /// template.
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

  /// The index of a fact's first option in the list of all neutral prompts of the relation, in the
  /// order of for_each_query. `template_place` is the template's index among the selected
  /// templates.
  [[nodiscard]] std::size_t place(const Relation& relation, std::size_t fact,
                                  std::size_t template_place) const {
    const std::size_t of = are_own(relation) ? fact : 0;
    return (of * templates(relation).size() + template_place) * relation.options.size();
  }

  /// The span of a neutral prompt that is scored as its answer (neutral_log_likelihood).
  [[nodiscard]] Span span() const {
    const bool answer_alone =
        settings_.scoring.span == Span::answer || settings_.masked.value_or(false);
    return answer_alone ? Span::answer : Span::continuation;
  }

 private:
  /// In a conversation, the neutral prefix is the user's turn.
  [[nodiscard]] Prompt in_conversation(Prompt prompt) const {
    const Chat& chat = settings_.conversation;
    if (!chat) return prompt;
    const bool asks = settings_.chat_turn == ChatTurn::question;
    if (asks && is_blank(std::string_view(prompt.text).substr(0, prompt.answer.front().begin))) {
      throw user_error({.setting = "chat"},
                       "without its subject, there is no text before '" + prompt.text +
                           "', so the user's turn for pmi is empty",
                       "set `neutral` to a text such as 'Answer:'");
    }
    const std::string context = chat.context(asks ? "" : settings_.prefix.text, {}, prompt);
    return behind(context, chat.answer(std::move(prompt)));
  }

  [[nodiscard]] std::vector<std::size_t> templates(const Relation& relation) const {
    return templates_of(relation, settings_.templates.indices);
  }
  [[nodiscard]] static bool are_own(const Relation& relation) {
    return relation.own_sentences ||
           ranges::any_of(relation.facts, [](const Fact& fact) { return !fact.choices.empty(); });
  }

  const Builder& builder_;
  const ProbeSettings& settings_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
