// SPDX-License-Identifier: Apache-2.0
#pragma once

// Scores a planned block of statements pack by pack, within a part of a job.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plumb/detail/run/work.hpp"
#include "plumb/detail/score/candidate_scorer.hpp"
#include "plumb/detail/score/score_check.hpp"
#include "plumb/detail/score/statement_score.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Returns the name of a statement in a block for messages: "'France', template 0, option 'Paris'".
using StatementNames = std::function<std::string(std::size_t statement)>;

/// How a job handles a statement with unreported tokens: by throwing an error, or by omitting its
/// fact.
enum class Unreported { refused, left_out };

/// The scores as journal rows.
inline Json score_rows(const std::vector<StatementScore>& scores) {
  Json rows = Json::array();
  for (const StatementScore& s : scores) {
    rows.push_back({s.statement.log_likelihood, s.answer.log_likelihood, s.statement.tokens,
                    s.answer.tokens, s.continuation.log_likelihood, s.continuation.tokens});
  }
  return rows;
}

/// The score from a journal row. Null means that the number was not reported.
inline StatementScore score_of_row(const Json& row) {
  StatementScore score;
  const auto read = [&](SpanScore& span, std::size_t nats, std::size_t tokens) {
    const bool is_reported = !row.at(nats).is_null();
    span.log_likelihood = is_reported ? row.at(nats).get<double>() : std::nan("");
    span.tokens = row.at(tokens).get<std::uint32_t>();
    if (!is_reported) score.unreported_tokens = 1;  // at least one
  };
  read(score.statement, 0, 2);
  read(score.answer, 1, 3);
  read(score.continuation, 4, 5);
  return score;
}

/// The weight of a pack: its token count if the block reports it, otherwise its number of
/// statements.
template <class Block>
std::uint64_t pack_weight(const Block& block, std::size_t pack) {
  if constexpr (requires { block.tokens(pack); }) return block.tokens(pack);
  return block.pack(pack).size();
}

/// The scores of a planned block's statements, indexed by statement number. The scores read from
/// the journal are bitwise identical to newly computed ones. Returns nothing if the part is not
/// complete. Throws a user error if the journal belongs to another job and, unless the job omits
/// such facts, for a statement with unreported tokens. Also throws the errors of
/// check_log_likelihood; `names` returns the statement's name for the message.
template <PackedScorer Scorer>
[[nodiscard]] std::optional<std::vector<StatementScore>> scored_block(
    Part& part, Scorer& scorer, typename Scorer::Block& block, Span span,
    const StatementNames& names, Unreported unreported = Unreported::refused) {
  std::vector<PackCost> packs;
  for (std::size_t p = 0; p < block.packs(); ++p) {
    const std::size_t statements = block.pack(p).size();
    packs.push_back({statements, statements, detail::pack_weight(block, p)});
  }
  std::vector<StatementScore> scores(block.cost().statements);
  const bool is_whole = part.generate_rows(
      packs,
      [&](std::size_t p) {
        const std::vector<StatementScore> made = scorer.score(block, p);
        refuse_other_count(made.size(), packs[p].statements);
        for (std::size_t i = 0; i < made.size(); ++i) {
          const auto name = [&] { return names(block.pack(p)[i]); };
          check_log_likelihood(made[i], span, {.field = part.name()}, name);
          if (unreported == Unreported::refused && made[i].unreported_tokens > 0) {
            detail::refuse_unreported({.field = part.name()}, name());
          }
        }
        return detail::score_rows(made).dump();
      },
      [&](std::size_t p, const Json& rows) {
        const std::span<const std::uint32_t> statements = block.pack(p);
        if (rows.size() != statements.size()) throw part.other_job();
        for (std::size_t i = 0; i < statements.size(); ++i) {
          scores[statements[i]] = detail::score_of_row(rows[i]);
        }
      });
  if (!is_whole) return std::nullopt;
  return scores;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
