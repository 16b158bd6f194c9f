// SPDX-License-Identifier: Apache-2.0
#pragma once

// What were the answers to the many prompts of each fact, and were they right?
//
// This is the table for every measure over many prompts, regardless of the source of its answers:
// generated text, closed sets or masked words. A fact is a subject of a relation (with all its
// objects). A prompt is one of the relation's templates filled with one of the subject's
// expressions. An outcome contains no text, only whether the answer is right and a number for the
// answer. In a closed set, a tie for the best score is not a right answer, and a mean over prompts
// counts it as 1/n if it includes the right option (measure/ties.hpp). Outcomes are stored
// contiguously, 12 bytes each: 6.5 million of them take 78 MB. Source of the terms: "What Matters
// in Learning Facts in Language Models?", sections 2 and 4. Non-goal: confidence (calibrate/).

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/prompt_template.hpp"
#include "plumb/detail/measure/interval.hpp"
#include "plumb/detail/measure/ties.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct PromptOutcome {
  /// Identifies the answer: within a fact, equal numbers mean equal answers. The caller defines the
  /// numbers: the option of a closed set, or the index in a list of distinct normalised texts.
  std::uint32_t answer = 0;
  /// Index among the relation's templates.
  std::uint16_t template_index = 0;
  /// Index among the subject's expressions: its label (0), then its aliases in the dataset's order.
  std::uint16_t expression = 0;
  bool right = false;
  /// For a closed set: whether options share the best score, and how many of them do (at most
  /// 65,535).
  BestTie tie = BestTie::none;
  std::uint16_t tied_options = 0;

  [[nodiscard]] bool is_tie() const { return tie != BestTie::none; }
  /// The outcome's contribution to a mean accuracy.
  [[nodiscard]] double accuracy() const { return expected_accuracy(right, tie, tied_options); }
  friend bool operator==(const PromptOutcome&, const PromptOutcome&) = default;
};
static_assert(sizeof(PromptOutcome) == 12);

/// An AnswerMatch decides which different answers count as the same.
///
/// Requires: `match(a, b)` for two answer numbers of one fact. A match that reads texts needs
/// answer numbers that are assigned across all facts.
/// Means: symmetric. It is called only for a ≠ b, once for each pair of a fact's distinct answers,
/// possibly from several threads at the same time. An answer always matches itself.
/// Does not promise: transitivity; "a guitar" and "bass guitar" both match "guitar".
template <class M>
concept AnswerMatch = requires(const M& match, std::uint32_t a, std::uint32_t b) {
  { match(a, b) } -> std::same_as<bool>;
};

/// Closed sets: only the same option is the same answer.
struct SameAnswer {
  bool operator()(std::uint32_t, std::uint32_t) const { return false; }
};

struct PromptRelation {
  std::string code;
  std::vector<PromptTemplate> templates;
  /// The index of the relation's first fact among the facts of all relations, and the number of its
  /// facts.
  std::size_t first_fact = 0;
  std::size_t facts = 0;
};

/// Filled relation by relation, fact by fact. Thread-safe to read.
class PromptOutcomes {
 public:
  /// Starts a relation, to which all subsequently added facts belong. Throws a user error if there
  /// are more templates than an outcome can number.
  void add_relation(std::string code, std::vector<PromptTemplate> templates) {
    if (templates.size() > most) {
      throw user_error({.field = code}, counted(templates.size(), "template"),
                       "use at most " + std::to_string(most));
    }
    relations_.push_back({std::move(code), std::move(templates), facts(), 0});
  }

  /// Adds a fact to the latest relation, which must exist. `key` (the subject's identifier) and,
  /// for facts with only one right answer, `right_answer` identify the same fact in another table.
  /// Prompts may come in any order and are stored by template, then by expression; a fact may have
  /// none. Throws a user error if two outcomes are for the same prompt or if the relation lacks the
  /// template of a prompt; the fact is then not added.
  void add_fact(std::string key, std::span<const PromptOutcome> prompts,
                std::string right_answer = {}) {
    PromptRelation& relation = relations_.back();
    const std::size_t before = prompts_.size();
    const auto refuse = [&](PromptOutcome prompt, const std::string& message) {
      prompts_.resize(before);
      throw user_error({.field = relation.code},
                       "fact '" + key + "', template " + std::to_string(prompt.template_index) +
                           ", subject expression " + std::to_string(prompt.expression) + ": " +
                           message,
                       "pass one outcome for each prompt, under a template of its relation");
    };
    const auto place = [](const PromptOutcome& prompt) {
      return std::pair{prompt.template_index, prompt.expression};
    };
    prompts_.insert(prompts_.end(), prompts.begin(), prompts.end());
    const std::span added = std::span(prompts_).subspan(before);
    ranges::sort(added, {}, place);
    const auto twice = std::adjacent_find(
        added.begin(), added.end(),
        [&](const PromptOutcome& a, const PromptOutcome& b) { return place(a) == place(b); });
    if (twice != added.end()) refuse(*twice, "two outcomes");
    if (!added.empty() && added.back().template_index >= relation.templates.size()) {
      refuse(added.back(), "no such template");
    }
    keys_.push_back(std::move(key));
    right_answers_.push_back(std::move(right_answer));
    ends_.push_back(prompts_.size());
    ++relation.facts;
  }

  [[nodiscard]] const std::vector<PromptRelation>& relations() const noexcept { return relations_; }
  [[nodiscard]] std::size_t facts() const noexcept { return keys_.size(); }
  /// The number of prompts of all facts.
  [[nodiscard]] std::size_t prompts() const noexcept { return prompts_.size(); }
  /// The prompts of one fact, by template, then expression.
  [[nodiscard]] std::span<const PromptOutcome> prompts(std::size_t fact) const {
    const std::size_t first = fact == 0 ? 0 : ends_[fact - 1];
    return std::span(prompts_).subspan(first, ends_[fact] - first);
  }
  [[nodiscard]] const std::string& key(std::size_t fact) const { return keys_[fact]; }
  /// Empty if the fact has several right answers or if its answer is not known.
  [[nodiscard]] const std::string& right_answer(std::size_t fact) const {
    return right_answers_[fact];
  }

 private:
  static constexpr std::size_t most = std::size_t{1} << 16;

  std::vector<PromptRelation> relations_;
  std::vector<std::string> keys_, right_answers_;
  /// The end of each fact's prompts.
  std::vector<std::size_t> ends_;
  std::vector<PromptOutcome> prompts_;
};

/// Whether every fact of a relation has a right answer that identifies it.
[[nodiscard]] inline bool has_right_answers(const PromptOutcomes& table,
                                            const PromptRelation& relation) {
  for (std::size_t i = 0; i < relation.facts; ++i) {
    if (table.right_answer(relation.first_fact + i).empty()) return false;
  }
  return true;
}

/// A text that is the same for the same fact of another table. Without the right answer, all facts
/// of a subject have the same text.
[[nodiscard]] inline std::string fact_identity(const PromptOutcomes& table, std::size_t fact,
                                               bool with_right_answer) {
  std::string identity = table.key(fact);
  if (with_right_answer) identity.append(1, '\0').append(table.right_answer(fact));
  return identity;
}

/// The number of correctly answered prompts, and the number of all prompts.
struct RightCount {
  std::uint32_t right = 0;
  std::uint32_t total = 0;
  /// The contribution of ties to the number of correctly answered prompts: 1/n for a tie of n
  /// options that includes the right one.
  double of_ties = 0;

  void add(const PromptOutcome& prompt) {
    if (prompt.right) {
      ++right;
    } else {
      of_ties += prompt.accuracy();
    }
    ++total;
  }
  /// The mean of the accuracies; `no_number` if there is no prompt.
  [[nodiscard]] double share() const {
    return total == 0 ? no_number
                      : (static_cast<double>(right) + of_ties) / static_cast<double>(total);
  }
};

[[nodiscard]] inline RightCount count_right(std::span<const PromptOutcome> prompts) {
  RightCount count;
  for (const PromptOutcome& prompt : prompts) count.add(prompt);
  return count;
}

/// Calls `visit(template, prompts)` for each template that was used for a fact, in ascending order.
template <class Visit>
void for_each_template(std::span<const PromptOutcome> prompts, Visit visit) {
  while (!prompts.empty()) {
    const std::uint16_t index = prompts.front().template_index;
    const auto next = ranges::find_if(
        prompts, [&](const PromptOutcome& prompt) { return prompt.template_index != index; });
    const auto count = static_cast<std::size_t>(next - prompts.begin());
    visit(std::size_t{index}, prompts.first(count));
    prompts = prompts.subspan(count);
  }
}

/// For each template of a relation, the number of facts for which it was used.
[[nodiscard]] inline std::vector<std::size_t> facts_asked(const PromptOutcomes& table,
                                                          const PromptRelation& relation) {
  std::vector<std::size_t> asked(relation.templates.size());
  for (std::size_t i = 0; i < relation.facts; ++i) {
    for_each_template(table.prompts(relation.first_fact + i),
                      [&](std::size_t index, std::span<const PromptOutcome>) { ++asked[index]; });
  }
  return asked;
}

/// Numbers the templates' groups, starting from 0, in order of appearance.
[[nodiscard]] inline std::vector<std::uint32_t> template_groups(const PromptRelation& relation) {
  std::map<std::string, std::uint32_t> known;
  std::vector<std::uint32_t> groups;
  std::uint32_t next = 0;
  for (const PromptTemplate& one : relation.templates) {
    if (one.group.empty()) {
      groups.push_back(next++);
      continue;
    }
    const auto [place, added] = known.emplace(one.group, next);
    next += added ? 1U : 0U;
    groups.push_back(place->second);
  }
  return groups;
}

/// The same relations, templates and facts, with only the prompts for which `keep(template,
/// outcome)` is true: for example only manual templates, questions or labels.
template <class Keep>
[[nodiscard]] PromptOutcomes selected(const PromptOutcomes& table, Keep keep) {
  PromptOutcomes chosen;
  std::vector<PromptOutcome> prompts;
  for (const PromptRelation& relation : table.relations()) {
    chosen.add_relation(relation.code, relation.templates);
    for (std::size_t i = 0; i < relation.facts; ++i) {
      const std::size_t fact = relation.first_fact + i;
      prompts.clear();
      for (const PromptOutcome& prompt : table.prompts(fact)) {
        if (keep(relation.templates[prompt.template_index], prompt)) prompts.push_back(prompt);
      }
      chosen.add_fact(table.key(fact), prompts, table.right_answer(fact));
    }
  }
  return chosen;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
