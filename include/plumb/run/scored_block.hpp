// SPDX-License-Identifier: Apache-2.0
#pragma once

// The scores of a planned block of statements, as packs of a part of a job.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plumb/core/error.hpp"
#include "plumb/core/number_words.hpp"
#include "plumb/run/work.hpp"
#include "plumb/score/candidate_scorer.hpp"
#include "plumb/score/statement_score.hpp"

namespace plumb {
namespace detail {

/// Throws a user error for scores without a token that counts, as a reduction over none is no number,
/// and an internal one for numbers that are not finite or no log-likelihoods.
inline void check_scores(const std::vector<StatementScore>& scores, Span span,
                         const std::string& part) {
  for (const StatementScore& score : scores) {
    for (const double number :
         {score.log_likelihood, score.answer_log_likelihood, score.continuation_log_likelihood}) {
      if (std::isfinite(number) && number <= most_nats) continue;
      throw internal_error({.field = part},
                           std::isfinite(number) ? "the model gave a log-likelihood of " +
                                                       fixed(number, 3) + ", which is above 0"
                                                 : "the model gave a score that is not finite",
                           "check the model file");
    }
    if (scored_tokens(score, span) > 0) continue;
    throw user_error({.field = part},
                     "a statement has no scored token in its " + std::string(name_of(span)),
                     span != Span::answer
                         ? "lengthen the template or use `bos` yes"
                         : "this tokenizer does not spell the answer, or it is the unscored first "
                           "token; use `span` statement or `bos` yes");
  }
}

inline Json score_rows(const std::vector<StatementScore>& scores) {
  Json rows = Json::array();
  for (const StatementScore& s : scores) {
    rows.push_back({s.log_likelihood, s.answer_log_likelihood, s.tokens, s.answer_tokens,
                    s.continuation_log_likelihood, s.continuation_tokens});
  }
  return rows;
}

inline StatementScore score_of_row(const Json& row) {
  return {row.at(0).get<double>(),        row.at(1).get<double>(), row.at(2).get<std::uint32_t>(),
          row.at(3).get<std::uint32_t>(), row.at(4).get<double>(), row.at(5).get<std::uint32_t>()};
}

}  // namespace detail

/// Scores of a planned block's statements, by their numbers, to the last bit the same whether they
/// are scored now or come from the journal. Throws a user error for a statement without a token in
/// `span`, and for a journal that is another job's.
template <PackedScorer Scorer>
[[nodiscard]] std::vector<StatementScore> scored_block(Part& part, Scorer& scorer,
                                                       typename Scorer::Block& block, Span span) {
  std::vector<PackCost> packs;
  for (std::size_t p = 0; p < block.packs(); ++p) {
    packs.push_back({block.pack(p).size(), block.pack(p).size()});
  }
  std::vector<StatementScore> scores(block.cost().statements);
  part.go_through(
      packs,
      [&](std::size_t p) {
        const std::vector<StatementScore> made = scorer.score(block, p);
        refuse_other_count(made.size(), packs[p].statements);
        detail::check_scores(made, span, part.name());
        return detail::score_rows(made).dump();
      },
      [&](std::size_t p, const Json& rows) {
        const std::span<const std::uint32_t> statements = block.pack(p);
        if (rows.size() != statements.size()) throw part.other_job();
        for (std::size_t i = 0; i < statements.size(); ++i) {
          scores[statements[i]] = detail::score_of_row(rows[i]);
        }
      });
  return scores;
}

}  // namespace plumb
