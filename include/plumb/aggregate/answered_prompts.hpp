// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which generated answers are right, and which say the same?
//
// Reads what a model answered to many prompts (score/recorded_answers.hpp) into a table of outcomes.
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
#include <unordered_set>
#include <utility>
#include <vector>

#include "plumb/aggregate/fact_means.hpp"
#include "plumb/aggregate/prompt_list.hpp"
#include "plumb/aggregate/prompt_outcomes.hpp"
#include "plumb/core/error.hpp"
#include "plumb/core/over.hpp"
#include "plumb/data/multi_prompt.hpp"
#include "plumb/measure/answer_match.hpp"
#include "plumb/score/recorded_answers.hpp"

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

/// Looks at the rows of a file as they come.
class RowCheck {
 public:
  /// `asked` must outlive it.
  RowCheck(std::filesystem::path file, const MultiPromptDataset& asked)
      : file_(std::move(file)), asked_(asked) {}

  /// Place of the row's relation among those asked. Throws a user error for a row about a prompt
  /// that was not asked or has a row already, and where relations come in another order.
  template <class Row>
  std::size_t operator()(const Row& row) {
    std::size_t place = place_;
    while (place < asked_.relations.size() && asked_.relations[place].code != row.relation) ++place;
    if (place == asked_.relations.size()) {
      refuse(row, "is no relation that was asked, or its rows stand apart");
    }
    if (place != place_) seen_.clear();
    place_ = place;
    if (!was_asked(asked_.relations[place], row.prompt, row.subject)) {
      refuse(row, "the row is about a prompt that was not asked");
    }
    const AskedPrompt& prompt = row.prompt;
    const auto key = std::uint64_t{prompt.fact} << 32U |
                     std::uint32_t{prompt.template_index} << 16U | prompt.expression;
    if (!seen_.insert(key).second) refuse(row, "the row is about a prompt that has one already");
    return place;
  }

  /// Throws the user error of a row.
  template <class Row>
  [[noreturn]] void refuse(const Row& row, const std::string& message) const {
    throw user_error({file_, row.line, row.relation}, message, "the file was changed; ask again");
  }

 private:
  static bool was_asked(const MultiPromptRelation& relation, const AskedPrompt& prompt,
                        const std::string& subject) {
    if (prompt.fact >= relation.facts.size()) return false;
    const std::vector<std::string>& names = relation.facts[prompt.fact].subject.names;
    return prompt.template_index < relation.templates.size() && prompt.expression < names.size() &&
           names[prompt.expression] == subject;
  }

  std::filesystem::path file_;
  const MultiPromptDataset& asked_;
  std::size_t place_ = 0;
  /// Prompts of the relation that have a row.
  std::unordered_set<std::uint64_t> seen_;
};

}  // namespace detail

/// Reads a setting of a run folder. `asked` is what was asked, as it stands in the folder; every
/// relation of it is in the outcomes, with all its facts. Throws a user error when a file is missing
/// or damaged.
template <Lemmatiser Lemmas>
[[nodiscard]] AnsweredSetting read_answered(const std::filesystem::path& folder,
                                            const std::string& setting,
                                            const MultiPromptDataset& asked, const Lemmas& lemmas) {
  AnsweredSetting made;
  made.name = setting;
  detail::AnswerNumbers number(made.answers, lemmas);
  const std::filesystem::path file = folder / (setting + "_answers.jsonl");
  detail::RowCheck check(file, asked);
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
  for_each_answer(file, [&](const RecordedAnswer& row) {
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
