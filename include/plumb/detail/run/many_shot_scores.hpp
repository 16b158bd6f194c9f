// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does a many-shot study score, and how are the scores turned into answers in memory?
//
// A block's statements share their shots. The shots are evaluated once, and the block's packs
// branch off from them (many_shot_plan.hpp). Only the continuation of a question is scored.
// many_shot_run.hpp does the same in a resumable job.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/answers.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/accuracy_spread.hpp"
#include "plumb/detail/prompt/prompt.hpp"
#include "plumb/detail/run/many_shot_plan.hpp"
#include "plumb/detail/score/candidate_scorer.hpp"
#include "plumb/detail/score/score_check.hpp"
#include "plumb/detail/score/statement_score.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A block's planned statements. Throws a user error that identifies the fact if a statement is
/// longer than the model's context.
template <class Scorer>
[[nodiscard]] typename Scorer::Block planned_block(Scorer& scorer, const ManyShotRelation& asked,
                                                   const ManyShotBlock& block) {
  typename Scorer::Block statements;
  if constexpr (requires { scorer.share(statements, Prompt{}); }) {
    if (!block.shots.empty()) scorer.share(statements, block.form.sequence(block.shots));
  }
  for (std::size_t s = 0; s < block.settings.size(); ++s) {
    for (std::size_t f = block.first_fact; f < block.first_fact + block.facts; ++f) {
      try {
        scorer.add(statements, block.query(s, f));
      } catch (const Error& error) {
        throw Error(error.fault(),
                    {asked.relation().file, asked.test_fact(f).line, asked.relation().code},
                    error.what());
      }
    }
  }
  scorer.plan(statements);
  return statements;
}

/// The name of one of a block's statements, for use in messages. Statements are ordered by setting,
/// then fact, then choice.
inline std::string name_of_choice(const ManyShotRelation& asked, const ManyShotBlock& block,
                                  std::size_t statement) {
  for (const Setting& setting : block.settings) {
    for (std::size_t f = block.first_fact; f < block.first_fact + block.facts; ++f) {
      const std::size_t choices = asked.choices()[f].options.size();
      if (statement < choices) {
        return "'" + asked.test_fact(f).subject + "', " + setting_name(setting) + ", choice " +
               std::to_string(statement);
      }
      statement -= choices;
    }
  }
  return "a choice";
}

/// The columns of a relation's table, one per setting, which are later combined into rows.
class SettingColumns {
 public:
  explicit SettingColumns(const ManyShotRelation& asked) {
    table_.relation = asked.relation();
    table_.relation.facts.clear();
    for (std::size_t f = 0; f < asked.split().test.size(); ++f) {
      table_.relation.facts.push_back(asked.test_fact(f));
      table_.choices.push_back(asked.choices()[f].options);
    }
  }

  /// Adds the score of a choice. A setting's scores must be added in order of fact, then choice.
  void add(const Setting& setting, const Prompt& prompt, const StatementScore& score) {
    const auto found = ranges::find(table_.settings, setting);
    const auto place = static_cast<std::size_t>(found - table_.settings.begin());
    if (found == table_.settings.end()) {
      table_.settings.push_back(setting);
      columns_.emplace_back();
    }
    StatementScore counted = score;
    count_lengths(counted, prompt);
    columns_[place].push_back(counted.continuation);
  }

  [[nodiscard]] Answers::Table finish() && {
    std::size_t candidates = 0;  // the maximum over all facts
    for (const auto& of_fact : table_.choices) candidates = (std::max)(candidates, of_fact.size());
    std::vector<std::size_t> next(columns_.size(), 0);
    for (std::size_t f = 0; f < table_.facts(); ++f) {
      for (std::size_t s = 0; s < columns_.size(); ++s) {
        for (std::size_t c = 0; c < candidates; ++c) {
          const bool is_there = c < table_.candidates(f);
          table_.add(is_there ? columns_[s][next[s]++] : SpanScore{.log_likelihood = std::nan("")});
        }
      }
    }
    return std::move(table_);
  }

 private:
  Answers::Table table_;
  std::vector<std::vector<SpanScore>> columns_;  // by setting
};

/// The answers for a relation under all settings of its blocks; the relation must not be skipped.
/// Throws a user error that identifies the fact if a sequence is longer than the model's context or
/// if the engine did not report a token.
template <PackedScorer Scorer>
[[nodiscard]] Answers::Table answers_of(Scorer& scorer, const ManyShotRelation& asked) {
  detail::SettingColumns columns(asked);
  asked.for_each_block([&](const ManyShotBlock& block) {
    auto statements = planned_block(scorer, asked, block);
    const std::vector<StatementScore> scores = score_all_packs(scorer, statements);
    std::size_t next = 0;
    for (std::size_t s = 0; s < block.settings.size(); ++s) {
      for (std::size_t f = block.first_fact; f < block.first_fact + block.facts; ++f) {
        const Query query = block.query(s, f);
        for (const Prompt& prompt : query.candidates) {
          const StatementScore& score = scores[next];
          const Site site{asked.relation().file, asked.test_fact(f).line, asked.relation().code};
          const auto name = [&] { return detail::name_of_choice(asked, block, next); };
          check_score(score, Span::continuation, site, name);
          if (score.unreported_tokens > 0) detail::refuse_unreported(site, name());
          columns.add(block.settings[s], prompt, score);
          ++next;
        }
      }
    }
  });
  return std::move(columns).finish();
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
