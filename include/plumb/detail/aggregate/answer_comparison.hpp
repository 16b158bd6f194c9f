// SPDX-License-Identifier: Apache-2.0
#pragma once

// How do the answers of two models, or of two builds of one model, differ on the same facts?
//
// Facts are matched by subject and right answer, and templates by text or setting; the candidates
// must be the same. One use is to check the results of one kernel against those of another. The
// difference in accuracy (first minus second) is paired and has a bootstrap interval over facts. If
// n candidates tie for the best score and the right one is among them, the answer counts as 1/n.
// Non-goals: models that were asked about different facts (measure/model_comparison.hpp compares
// such models), generated texts.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/answers.hpp"
#include "plumb/detail/aggregate/fact_means.hpp"
#include "plumb/detail/aggregate/paired_accuracy.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/fact_split.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The similarities and differences between two models' answers. Plain data.
struct AnswerComparison {
  /// One question: a fact under a template.
  struct Question {
    std::string relation;
    std::string subject;
    /// The template's text, or the name of a many-shot study's setting.
    std::string asked;
  };
  /// A question with different answers. An answer that ties for the best score counts as wrong.
  struct Flip {
    Question question;
    /// The likeliest candidate of the first and of the second model.
    std::string first, second;
    bool first_is_right = false;
    bool second_is_right = false;
  };
  struct WorstStatement {
    Question question;
    std::string candidate;
    /// The log-likelihoods of the first and of the second model.
    double first = 0, second = 0;
  };

  std::size_t facts = 0;
  std::size_t statements = 0;
  /// The worst and the mean |first − second| of the log-likelihoods over all statements, in nats
  /// per statement.
  double worst_nats = 0;
  double mean_nats = 0;
  /// The statement with the largest difference; nullopt if there is no difference.
  std::optional<WorstStatement> worst_at{};
  /// Questions for which the two answers differ, or for which only one of them is right.
  std::vector<Flip> flips{};
  /// Questions that only the first model answered correctly, and questions that only the second
  /// model did.
  std::vector<Flip> lost{};
  std::vector<Flip> gained{};
  PairedAccuracy accuracy{};
  /// The number of facts missing from one of the two sets of answers, and the number of templates
  /// or settings missing from one of the two in relations that both contain.
  std::size_t facts_of_one = 0;
  std::size_t templates_of_one = 0;
};

/// The name that identifies a template or setting in any table.
inline std::string name_of_setting(const Answers::Table& table, const Setting& setting) {
  if (setting.method == "template" && setting.variant < table.relation.templates.size()) {
    return table.relation.templates[setting.variant];
  }
  std::string name = setting.method + ", " + std::to_string(setting.shots) + " shots";
  if (!setting.separator.empty() && setting.separator != " ")
    name += ", '" + setting.separator + "'";
  return name + ", seed " + std::to_string(setting.variant);
}

/// Matches two tables' facts by subject and right answer. If a table has several facts with the
/// same subject and answer, they are matched by instance.
class MatchedFacts {
 public:
  MatchedFacts(const Answers::Table& one, const Answers::Table& other) : one_(one), other_(other) {
    for (std::size_t f = 0; f < one.facts(); ++f) places_[key(one, f)].first.push_back(f);
    for (std::size_t f = 0; f < other.facts(); ++f) places_[key(other, f)].second.push_back(f);
  }
  /// The index, in the second table, of a fact from the first table.
  [[nodiscard]] std::optional<std::size_t> find(std::size_t fact) const {
    const auto& [ours, theirs] = places_.at(key(one_, fact));
    if (ours.size() == 1 && theirs.size() == 1) return theirs.front();
    for (const std::size_t place : theirs) {
      if (other_.relation.facts[place].instance == one_.relation.facts[fact].instance) return place;
    }
    return std::nullopt;
  }

 private:
  static std::pair<std::string, std::string> key(const Answers::Table& table, std::size_t fact) {
    const Fact& of = table.relation.facts[fact];
    return {subject_key(of), option_text(table.relation, of, of.answer)};
  }

  const Answers::Table& one_;
  const Answers::Table& other_;
  std::map<std::pair<std::string, std::string>,
           std::pair<std::vector<std::size_t>, std::vector<std::size_t>>>
      places_;
};

/// Compares tables one after another. Not thread-safe.
class AnswerPairs {
 public:
  explicit AnswerPairs(Reduction reduction) : reduction_(reduction) {}

  void add(const Answers::Table& one, const Answers::Table& other) {
    const std::vector<std::pair<std::size_t, std::size_t>> columns = shared_columns(one, other);
    const MatchedFacts places(one, other);
    values_.begin_relation();
    std::size_t shared = 0;
    for (std::size_t f = 0; f < one.facts(); ++f) {
      const auto place = places.find(f);
      if (!place) continue;
      ++shared;
      if (!columns.empty()) add_fact(one, f, other, *place, columns);
    }
    made_.facts_of_one += one.facts() + other.facts() - 2 * shared;
    made_.facts += columns.empty() ? 0 : shared;
  }
  void leave_out(const Answers::Table& table) { made_.facts_of_one += table.facts(); }

  [[nodiscard]] AnswerComparison finish(const Bootstrap& bootstrap) && {
    made_.accuracy = values_.means(bootstrap);
    if (made_.statements > 0) made_.mean_nats = sum_ / static_cast<double>(made_.statements);
    return std::move(made_);
  }

 private:
  std::vector<std::pair<std::size_t, std::size_t>> shared_columns(const Answers::Table& one,
                                                                  const Answers::Table& other) {
    std::map<std::string, std::size_t> named;
    for (std::size_t i = 0; i < other.templates(); ++i) {
      named.emplace(name_of_setting(other, other.settings[i]), i);
    }
    std::vector<std::pair<std::size_t, std::size_t>> columns;
    for (std::size_t i = 0; i < one.templates(); ++i) {
      const auto found = named.find(name_of_setting(one, one.settings[i]));
      if (found != named.end()) columns.emplace_back(i, found->second);
    }
    made_.templates_of_one += one.templates() + other.templates() - 2 * columns.size();
    return columns;
  }

  void add_fact(const Answers::Table& one, std::size_t f, const Answers::Table& other,
                std::size_t g, const std::vector<std::pair<std::size_t, std::size_t>>& columns) {
    check_candidates(one, f, other, g);
    double right_of_one = 0, right_of_other = 0;
    for (const auto& [i, j] : columns) {
      const AnswerComparison::Question question{one.relation.code, one.relation.facts[f].subject,
                                                name_of_setting(one, one.settings[i])};
      add_statements(one, one.place(f, i), other, other.place(g, j), question, f);
      const Prediction first = predict(one.scores(f, i, reduction_), one.answer(f));
      const Prediction second = predict(other.scores(g, j, reduction_), other.answer(g));
      right_of_one += first.accuracy();
      right_of_other += second.accuracy();
      if (first.option == second.option && first.correct == second.correct) continue;
      const AnswerComparison::Flip flip{question, one.label(f, first.option),
                                        other.label(g, second.option), first.correct,
                                        second.correct};
      made_.flips.push_back(flip);
      if (first.correct && !second.correct) made_.lost.push_back(flip);
      if (!first.correct && second.correct) made_.gained.push_back(flip);
    }
    const double count = static_cast<double>(columns.size());
    values_.add(right_of_one / count, right_of_other / count);
  }

  void add_statements(const Answers::Table& one, std::size_t at, const Answers::Table& other,
                      std::size_t other_at, const AnswerComparison::Question& question,
                      std::size_t fact) {
    for (std::size_t c = 0; c < one.candidates(fact); ++c) {
      const double first = one.log_likelihoods[at + c];
      const double second = other.log_likelihoods[other_at + c];
      const double apart = std::abs(first - second);
      sum_ += apart;
      ++made_.statements;
      if (!(apart > made_.worst_nats)) continue;
      made_.worst_nats = apart;
      made_.worst_at = {question, one.label(fact, c), first, second};
    }
  }

  static void check_candidates(const Answers::Table& one, std::size_t f,
                               const Answers::Table& other, std::size_t g) {
    bool same = one.candidates(f) == other.candidates(g);
    for (std::size_t c = 0; same && c < one.candidates(f); ++c) {
      same = one.label(f, c) == other.label(g, c);
    }
    if (same) return;
    const Fact& fact = one.relation.facts[f];
    throw user_error({one.relation.file, fact.line, one.relation.code},
                     "'" + fact.subject + "' has different candidates in the two sets of answers",
                     "use the same dataset for both");
  }

  Reduction reduction_;
  AnswerComparison made_;
  PairedValues values_;
  double sum_ = 0;
};

/// Throws a user error if the two sets of answers were scored differently, have different
/// candidates for a fact, or share no fact under the same template or setting.
[[nodiscard]] inline AnswerComparison compare_pair(const Answers& one, const Answers& other,
                                                   const Bootstrap& bootstrap = {}) {
  if (!(one.scoring == other.scoring)) {
    throw user_error({.setting = "span"},
                     "the two sets of answers were scored with different spans or reductions",
                     "use the same settings for both");
  }
  detail::AnswerPairs pairs(one.scoring.reduction);
  const auto find = [](const Answers& all, const std::string& code) {
    return ranges::find_if(all.tables,
                           [&](const auto& table) { return table.relation.code == code; });
  };
  for (const Answers::Table& table : one.tables) {
    const auto found = find(other, table.relation.code);
    if (found == other.tables.end()) {
      pairs.leave_out(table);
    } else {
      pairs.add(table, *found);
    }
  }
  for (const Answers::Table& table : other.tables) {
    if (find(one, table.relation.code) == one.tables.end()) pairs.leave_out(table);
  }
  AnswerComparison made = std::move(pairs).finish(bootstrap);
  if (made.facts == 0) {
    throw user_error({}, "the two sets of answers share no fact under the same template",
                     "use the same dataset for both");
  }
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
