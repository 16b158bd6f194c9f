// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which generated answers are right, and which say the same?
//
// An answer is right if it holds some name of some object of its fact; answers are numbered by their
// lemmas over all facts, so that equal numbers are equal lists, and MatchingAnswers says which of
// the others count as the same. Source: "What Matters in Learning Facts in Language Models?",
// section 3.2; matching is that of measure/answer_match.hpp. Non-goal: sampled answers
// (calibrate/sampled_confidence.hpp).

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plumb/aggregate/fact_means.hpp"
#include "plumb/aggregate/prompt_list.hpp"
#include "plumb/aggregate/prompt_outcomes.hpp"
#include "plumb/aggregate/prompt_rows.hpp"
#include "plumb/core/over.hpp"
#include "plumb/data/multi_prompt.hpp"
#include "plumb/measure/answer_match.hpp"

namespace plumb {

/// Models AnswerMatch over numbered answers, which must outlive it.
struct MatchingAnswers {
  const std::vector<NormalisedText>& answers;
  bool operator()(std::uint32_t a, std::uint32_t b) const {
    return matches_either_way(answers[a], answers[b]);
  }
};

/// An answer that names two of its fact's objects or more.
struct AnswerOfSeveral {
  std::string relation;
  std::string subject;
  std::string answer;
  std::size_t objects = 0;
};

/// What was answered under one setting.
struct AnsweredSetting {
  std::string name;
  PromptOutcomes outcomes;
  /// By answer number.
  std::vector<NormalisedText> answers;
  /// Facts as in the outcomes, each fact's prompts by template, then expression.
  PromptList<AnswerLikelihood> likelihoods;
  /// By fact: the share of its answers that are one word.
  FactValues one_word;
  /// Answers that are one word, of all prompts.
  std::size_t one_word_answers = 0;
  /// Answers without a word in them.
  std::size_t empty = 0;
  std::vector<AnswerOfSeveral> of_several;
};

namespace detail {

/// Numbers distinct texts by their lemmas.
template <Lemmatiser Lemmas>
class AnswerNumbers {
 public:
  AnswerNumbers(std::vector<NormalisedText>& answers, const Lemmas& lemmas)
      : answers_(answers), lemmas_(lemmas) {}

  std::uint32_t operator()(const std::string& text) {
    if (const auto known = by_text_.find(text); known != by_text_.end()) return known->second;
    NormalisedText normalised(text, lemmas_);
    const auto next = static_cast<std::uint32_t>(answers_.size());
    const auto [place, added] = by_lemmas_.emplace(normalised.spaced(), next);
    if (added) answers_.push_back(std::move(normalised));
    return by_text_[text] = place->second;
  }

 private:
  std::vector<NormalisedText>& answers_;
  const Lemmas& lemmas_;
  std::unordered_map<std::string, std::uint32_t> by_text_, by_lemmas_;
};

}  // namespace detail

/// The table of a setting. `each_row(visit)` calls `visit` with each RecordedAnswer; `source` is where
/// they come from, for messages. Every relation of `asked` is in the outcomes, with all its facts.
/// Throws a user error for a row that is about no asked prompt.
template <Lemmatiser Lemmas, class EachRow>
[[nodiscard]] AnsweredSetting answered_setting(const std::string& setting,
                                               const MultiPromptDataset& asked,
                                               const Lemmas& lemmas, EachRow each_row,
                                               const std::filesystem::path& source = {}) {
  AnsweredSetting made;
  made.name = setting;
  detail::AnswerNumbers number(made.answers, lemmas);
  PromptRowCheck check(source, asked);
  // Of one relation, by fact.
  std::vector<std::vector<std::pair<PromptOutcome, AnswerLikelihood>>> rows;
  std::vector<std::size_t> single;                  // answers of one word, by fact
  std::vector<std::vector<UsableAnswers>> objects;  // by fact
  std::size_t next = 0;
  const auto begin = [&] {
    const MultiPromptRelation& relation = asked.relations[next++];
    made.outcomes.add_relation(relation.code, relation.templates);
    made.likelihoods.begin_relation();
    made.one_word.begin_relation();
    rows.assign(relation.facts.size(), {});
    single.assign(relation.facts.size(), 0);
    objects.assign(relation.facts.size(), {});
    for (std::size_t f = 0; f < relation.facts.size(); ++f) {
      for (const NamedEntity& object : relation.facts[f].objects) {
        objects[f].push_back(usable_answers(std::span(object.names), lemmas));
      }
    }
  };
  const auto finish = [&] {
    if (next == 0) return;
    const MultiPromptRelation& relation = asked.relations[next - 1];
    std::vector<PromptOutcome> outcomes;
    for (std::size_t f = 0; f < rows.size(); ++f) {
      over::sort(rows[f], {}, [](const auto& row) {
        return std::pair{row.first.template_index, row.first.expression};
      });
      outcomes.clear();
      made.likelihoods.begin_fact();
      for (const auto& [outcome, likelihood] : rows[f]) {
        outcomes.push_back(outcome);
        made.likelihoods.add(likelihood);
      }
      const NamedEntity& subject = relation.facts[f].subject;
      made.outcomes.add_fact(subject.id.empty() ? subject.names.front() : subject.id, outcomes);
      if (rows[f].empty()) continue;
      made.one_word.add(static_cast<double>(single[f]) / static_cast<double>(rows[f].size()));
    }
  };
  each_row([&](const RecordedAnswer& row) {
    const std::size_t place = check(row);
    while (next <= place) {
      finish();
      begin();
    }
    if (!(row.log_probability <= 1e-9)) check.refuse(row, "its log-probability is above 0");
    const std::uint32_t answer = number(row.text);
    std::size_t held = 0;
    for (const UsableAnswers& object : objects[row.prompt.fact]) {
      held += contains_any(made.answers[answer], object) ? 1U : 0U;
    }
    rows[row.prompt.fact].push_back(
        {{answer, row.prompt.template_index, row.prompt.expression, held > 0},
         {row.tokens, row.log_probability, held > 0}});
    const std::size_t one = is_one_word(row.text) ? 1 : 0;
    single[row.prompt.fact] += one;
    made.one_word_answers += one;
    made.empty += made.answers[answer].empty() ? 1U : 0U;
    if (held > 1) made.of_several.push_back({row.relation, row.subject, row.text, held});
  });
  while (next < asked.relations.size()) {
    finish();
    begin();
  }
  finish();
  return made;
}

}  // namespace plumb
