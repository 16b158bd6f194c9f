// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which answers are right, and which are the same?
//
// A generated answer is right if it contains a name of one of its fact's objects. Answers are
// numbered across all facts by their lists of lemmas, so that equal numbers mean equal lists;
// MatchingAnswers decides which different answers count as the same. A masked model's answer is
// right if it consists of exactly the tokens of a name, and two such answers are the same only if
// their tokens are the same. Source: "What Matters in Learning Facts in Language Models?", section
// 3.2; for the matching, see measure/answer_match.hpp. Non-goal: sampled answers
// (calibrate/sampled_confidence.hpp).

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/fact_means.hpp"
#include "plumb/detail/aggregate/mask_ranks.hpp"
#include "plumb/detail/aggregate/prompt_list.hpp"
#include "plumb/detail/aggregate/prompt_outcomes.hpp"
#include "plumb/detail/aggregate/prompt_rows.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/white_space.hpp"
#include "plumb/detail/data/multi_prompt.hpp"
#include "plumb/detail/measure/answer_match.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// An AnswerMatch for numbered answers; `answers` must outlive it.
struct MatchingAnswers {
  const std::vector<NormalisedText>& answers;
  bool operator()(std::uint32_t a, std::uint32_t b) const {
    return matches_either_way(answers[a], answers[b]);
  }
};

/// An answer that names at least two of its fact's objects.
struct AnswerOfSeveral {
  std::string relation;
  std::string subject;
  std::string answer;
  std::size_t objects = 0;
};

/// The answers under one setting.
struct AnsweredSetting {
  std::string name;
  PromptOutcomes outcomes;
  /// Indexed by answer number.
  std::vector<NormalisedText> answers;
  /// Facts are in the same order as in the outcomes. A fact's prompts are sorted by template, then
  /// by expression.
  PromptList<AnswerLikelihood> likelihoods;
  /// A masked model's ranks, in the same layout; contains no prompts if there are no ranks.
  PromptList<TrueTokenRank> ranks;
  /// For each fact, the fraction of its answers that consist of one word.
  FactValues one_word;
  /// The number of one-word answers over all prompts.
  std::size_t one_word_answers = 0;
  /// The number of answers that contain no words, and of answers that contain only white space.
  std::size_t wordless = 0;
  std::size_t empty = 0;
  /// The number of answers that ended because they reached the token limit, if known.
  std::optional<std::size_t> cut{};
  std::vector<AnswerOfSeveral> of_several;
};

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

/// The judgement of an answer.
struct JudgedAnswer {
  std::uint32_t number = 0;
  /// The number of the fact's objects that the answer names.
  std::size_t held = 0;
  bool one_word = false;
  bool wordless = false;
};

/// Judges texts by their lemmas.
template <Lemmatiser Lemmas>
class TextJudge {
 public:
  TextJudge(std::vector<NormalisedText>& answers, const Lemmas& lemmas)
      : answers_(answers), lemmas_(lemmas), number_(answers, lemmas) {}

  void begin(const MultiPromptRelation& relation) {
    objects_.assign(relation.facts.size(), {});
    for (std::size_t f = 0; f < relation.facts.size(); ++f) {
      for (const NamedEntity& object : relation.facts[f].objects) {
        objects_[f].push_back(usable_answers(std::span(object.names), lemmas_));
      }
    }
  }
  [[nodiscard]] JudgedAnswer operator()(const RecordedAnswer& row, const PromptRowCheck&) {
    JudgedAnswer judged{number_(row.text), 0, is_one_word(row.text), false};
    const NormalisedText& answer = answers_[judged.number];
    for (const UsableAnswers& object : objects_[row.prompt.fact]) {
      judged.held += contains_any(answer, object) ? 1U : 0U;
    }
    judged.wordless = answer.empty();
    return judged;
  }

 private:
  std::vector<NormalisedText>& answers_;
  const Lemmas& lemmas_;
  AnswerNumbers<Lemmas> number_;
  std::vector<std::vector<UsableAnswers>> objects_;  // by fact
};

/// Judges answers by their tokens, as recorded in the row.
class TokenJudge {
 public:
  void begin(const MultiPromptRelation&) {}
  [[nodiscard]] JudgedAnswer operator()(const RecordedAnswer& row, const PromptRowCheck& check) {
    if (!row.fill || row.fill->ids.empty() || row.fill->ids.size() != row.tokens) {
      check.refuse(row, "the row lacks the tokens of its answer");
    }
    const auto next = static_cast<std::uint32_t>(numbers_.size());
    return {numbers_.try_emplace(row.fill->ids, next).first->second, row.fill->right ? 1U : 0U};
  }

 private:
  std::map<std::vector<TokenId>, std::uint32_t> numbers_;
};

/// The part of a row that is stored until its relation ends.
struct JudgedRow {
  PromptOutcome outcome;
  AnswerLikelihood likelihood;
  std::optional<TrueTokenRank> rank;
};

/// Fills the table of a setting and judges its answers one after another; see answered_setting.
template <class Judge, class EachRow>
void judge_setting(AnsweredSetting& made, const MultiPromptDataset& asked, Judge judge,
                   EachRow each_row, const std::filesystem::path& source,
                   std::optional<std::size_t> most_tokens = {}) {
  if (most_tokens) made.cut = 0;
  PromptRowCheck check{source, asked};
  std::vector<std::vector<JudgedRow>> rows;  // the rows of one relation, by fact
  std::vector<std::size_t> single;           // the number of one-word answers, by fact
  std::size_t next = 0;
  const auto begin = [&] {
    const MultiPromptRelation& relation = asked.relations[next++];
    made.outcomes.add_relation(relation.code, relation.templates);
    made.likelihoods.begin_relation();
    made.ranks.begin_relation();
    made.one_word.begin_relation();
    rows.assign(relation.facts.size(), {});
    single.assign(relation.facts.size(), 0);
    judge.begin(relation);
  };
  const auto finish = [&] {
    if (next == 0) return;
    const MultiPromptRelation& relation = asked.relations[next - 1];
    std::vector<PromptOutcome> outcomes;
    for (std::size_t f = 0; f < rows.size(); ++f) {
      ranges::sort(rows[f], {}, [](const JudgedRow& row) {
        return std::pair{row.outcome.template_index, row.outcome.expression};
      });
      outcomes.clear();
      made.likelihoods.begin_fact();
      made.ranks.begin_fact();
      for (const auto& [outcome, likelihood, rank] : rows[f]) {
        outcomes.push_back(outcome);
        made.likelihoods.add(likelihood);
        if (rank) made.ranks.add(*rank);
      }
      const NamedEntity& subject = relation.facts[f].subject;
      made.outcomes.add_fact(subject.id.empty() ? subject.names.front() : subject.id, outcomes);
      if (rows[f].empty()) continue;
      made.one_word.add(static_cast<double>(single[f]) / static_cast<double>(rows[f].size()));
    }
  };
  each_row([&](const RecordedAnswer& row) {
    const std::size_t place = (check)(row);
    while (next <= place) {
      finish();
      begin();
    }
    if (!(row.log_probability <= 1e-9)) check.refuse(row, "its log-probability is above 0");
    const JudgedAnswer judged = judge(row, check);
    const bool right = judged.held > 0;
    rows[row.prompt.fact].push_back(
        {{judged.number, row.prompt.template_index, row.prompt.expression, right},
         {row.tokens, row.log_probability, right},
         row.fill ? std::optional(TrueTokenRank{row.fill->rank, row.fill->common_rank})
                  : std::nullopt});
    const std::size_t one = judged.one_word ? 1 : 0;
    single[row.prompt.fact] += one;
    made.one_word_answers += one;
    made.wordless += judged.wordless ? 1U : 0U;
    made.empty += leading_white_space(row.text) == row.text.size() ? 1U : 0U;
    if (made.cut && row.tokens >= most_tokens) ++*made.cut;
    if (judged.held > 1) {
      made.of_several.push_back({row.relation, row.subject, row.text, judged.held});
    }
  });
  while (next < asked.relations.size()) {
    finish();
    begin();
  }
  finish();
}

/// The table of a setting. `each_row(visit)` calls `visit` with each RecordedAnswer. `source` is
/// the origin of the rows, for messages. The outcomes contain every relation of `asked`, with all
/// its facts. An answer of `most_tokens` tokens counts as cut off: it ended on its own only if the
/// next token would have been the end token, and that token is not known. Throws a user error for a
/// row whose prompt was not used.
template <Lemmatiser Lemmas, class EachRow>
[[nodiscard]] AnsweredSetting answered_setting(const std::string& setting,
                                               const MultiPromptDataset& asked,
                                               const Lemmas& lemmas, EachRow each_row,
                                               const std::filesystem::path& source = {},
                                               std::optional<std::size_t> most_tokens = {}) {
  AnsweredSetting made;
  made.name = setting;
  detail::judge_setting(made, asked, detail::TextJudge(made.answers, lemmas), each_row, source,
                        most_tokens);
  return made;
}

/// Does the same for a masked model's rows, which already record whether they are right. Answers
/// have numbers but no texts, and none counts as a one-word answer.
template <class EachRow>
[[nodiscard]] AnsweredSetting filled_setting(const std::string& setting,
                                             const MultiPromptDataset& asked, EachRow each_row,
                                             const std::filesystem::path& source = {}) {
  AnsweredSetting made;
  made.name = setting;
  detail::judge_setting(made, asked, detail::TokenJudge(), each_row, source);
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
