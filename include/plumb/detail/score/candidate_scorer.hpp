// SPDX-License-Identifier: Apache-2.0
#pragma once

// What must a scorer provide to score candidates?
//
// Users need to write only a `CandidateScorer`. A `PackedScorer` is for scorers that are faster
// when they score many queries together. A job passes its queries block by block, and the scorer
// cuts each block into packs. A pack is scored as a whole, written to the journal, and never scored
// again.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/prompt/prompt.hpp"
#include "plumb/detail/score/statement_score.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// One question: a prompt for each candidate answer.
struct Query {
  std::vector<Prompt> candidates;
};

/// Sets the lengths that can be computed from the text without a tokenizer; engines do not report
/// them.
inline void count_lengths(StatementScore& score, const Prompt& prompt) noexcept {
  const std::string_view text = prompt.text;
  const auto behind = [&](std::size_t begin) {
    return text.substr((std::min)(begin, text.size()));
  };
  for (const SpanLength& length : span_lengths) {
    if (length.of_text == nullptr) continue;
    score.statement.*length.count = length.of_text(behind(prompt.context));
    score.continuation.*length.count = length.of_text(behind(prompt.given));
    score.answer.*length.count = 0;
    for (const ByteSpan& span : prompt.answer) {
      score.answer.*length.count +=
          length.of_text(behind(span.begin).substr(0, span.end - span.begin));
    }
  }
}

/// The cost of scoring a block, in tokens fed to the model.
struct ScoringCost {
  std::uint64_t statements = 0;
  /// Tokens of all statements, BOS included: the number fed if each statement is scored separately.
  std::uint64_t tokens_one_by_one = 0;
  /// Distinct prefixes with a successor: the minimum number of tokens that must be fed.
  std::uint64_t tree_nodes = 0;
  std::uint64_t tokens_fed = 0;
  /// For a masked model: the number of inputs requested, one per scored token, and the number
  /// computed, with equal inputs counted once.
  std::uint64_t masked_inputs = 0;
  std::uint64_t masked_inputs_computed = 0;

  ScoringCost& operator+=(const ScoringCost& other) noexcept {
    statements += other.statements;
    tokens_one_by_one += other.tokens_one_by_one;
    tree_nodes += other.tree_nodes;
    tokens_fed += other.tokens_fed;
    masked_inputs += other.masked_inputs;
    masked_inputs_computed += other.masked_inputs_computed;
    return *this;
  }
};

/// A CandidateScorer returns the log-likelihood of each candidate of a query.
///
/// Requires: `scorer.score(query)` returns one StatementScore for each candidate, in order.
/// Means: the scores of one query can be compared with each other.
/// Does not promise: that scores of different queries can be compared, or that scores normalise to
/// probabilities.
template <class S>
concept CandidateScorer = requires(S& scorer, const Query& query) {
  { scorer.score(query) } -> std::same_as<std::vector<StatementScore>>;
};

/// static_assert(plumb::check_candidate_scorer<MyScorer>()) reports which requirements of
/// CandidateScorer a type does not meet, as backend/check_model.hpp does for models.
template <class S>
consteval bool check_candidate_scorer() {
  static_assert(
      requires(S & scorer, const Query& query) {
        { scorer.score(query) } -> std::same_as<std::vector<StatementScore>>;
      },
      "plumb: the scorer lacks score. Write: std::vector<plumb::StatementScore> score(const "
      "plumb::Query& query), a log-likelihood (larger is likelier) and a count of tokens for each "
      "of "
      "query.candidates, in order");
  return CandidateScorer<S>;
}

/// A PackedScorer scores a block of queries pack by pack.
///
/// Requires: a `Block` type, default-constructible, and
///   1. `add(block, query)` appends a query's candidates as statements, whose numbers continue from
///      the previous ones;
///   2. `plan(block)` fixes the packs; it is called once, after the last add; 3. `block.packs()` is
///   the number of packs, and `block.pack(p)` lists the statements of pack p; each statement is in
///   exactly one pack; 4. `score(block, p)` returns the scores of these statements, in the order of
///   `block.pack(p)`; 5. `block.cost()` returns the cost, which the plan determines.
/// Optional: `check(block, query, scoring)` throws, in advance, the user error that reducing the
/// scores of the query would cause; the query must be the last one added to the block. If it
/// exists, a job adds all queries before it scores the first one.
/// Optional: `save(block)` returns a planned but unscored block as bytes, and `load(bytes)`
/// restores it, so that a job can keep planned blocks. Optional: `block.tokens(p)` is the number of
/// tokens fed for pack p; packs are distributed among shards according to this number.
///
/// Means: packs and their scores depend only on the block's queries, not on which packs were scored
/// before, so that a resumed job writes the same bytes.
template <class S>
concept PackedScorer = std::default_initializable<typename S::Block> &&
    requires(S& scorer, typename S::Block& block, const Query& query, std::size_t pack) {
  scorer.add(block, query);
  scorer.plan(block);
  { block.packs() } -> std::convertible_to<std::size_t>;
  { block.pack(pack) } -> std::convertible_to<std::span<const std::uint32_t>>;
  { block.cost() } -> std::same_as<ScoringCost>;
  { scorer.score(block, pack) } -> std::same_as<std::vector<StatementScore>>;
};

/// Checks that a type is a PackedScorer or a CandidateScorer; if it is neither, reports which
/// requirements of CandidateScorer it does not meet. Probes call this function automatically.
template <class S>
consteval bool check_scorer() {
  if constexpr (PackedScorer<S>) {
    return true;
  } else {
    return check_candidate_scorer<S>();
  }
}

/// Throws a user error if a user's scorer returns more or fewer scores than there are candidates.
/// `of` describes the candidates if they are known, for example ", the first 'Oslo is in Norway.'".
inline void refuse_other_count(std::size_t scores, std::size_t statements,
                               const std::string& of = "") {
  if (scores == statements) return;
  throw user_error(
      {.field = "score"},
      "gave " + counted(scores, "score") + " for " + counted(statements, "candidate") + of,
      "fix the scorer");
}

/// The scores of all statements of a planned block, by statement number. Throws a user error if the
/// scorer returns more or fewer scores than there are statements.
template <PackedScorer S>
[[nodiscard]] std::vector<StatementScore> score_all_packs(S& scorer, typename S::Block& block) {
  std::vector<StatementScore> scores(block.cost().statements);
  for (std::size_t p = 0; p < block.packs(); ++p) {
    const auto part = scorer.score(block, p);
    refuse_other_count(part.size(), block.pack(p).size());
    for (std::size_t i = 0; i < part.size(); ++i) scores[block.pack(p)[i]] = part[i];
  }
  return scores;
}

/// Adapts any CandidateScorer to a PackedScorer: each query becomes a pack. The scorer must outlive
/// the adapter, which is as thread-safe as the scorer.
template <CandidateScorer S>
class QueryByQuery {
 public:
  class Block {
   public:
    [[nodiscard]] std::size_t packs() const { return queries_.size(); }
    [[nodiscard]] std::span<const std::uint32_t> pack(std::size_t p) const {
      return std::span(statements_).subspan(begins_[p], queries_[p].candidates.size());
    }
    [[nodiscard]] ScoringCost cost() const { return {statements_.size(), 0, 0, 0}; }

   private:
    friend QueryByQuery;
    std::vector<Query> queries_;
    std::vector<std::size_t> begins_;
    std::vector<std::uint32_t> statements_;
  };

  explicit QueryByQuery(S& scorer) : scorer_(scorer) {}

  void add(Block& block, const Query& query) {
    block.begins_.push_back(block.statements_.size());
    block.queries_.push_back(query);
    for (std::size_t i = 0; i < query.candidates.size(); ++i) {
      block.statements_.push_back(static_cast<std::uint32_t>(block.statements_.size()));
    }
  }
  void plan(Block&) {}
  [[nodiscard]] std::vector<StatementScore> score(Block& block, std::size_t p) {
    const std::vector<Prompt>& candidates = block.queries_[p].candidates;
    std::vector<StatementScore> scores = scorer_.score(block.queries_[p]);
    refuse_other_count(
        scores.size(), candidates.size(),
        candidates.empty() ? "" : ", the first '" + shortened(candidates.front().text) + "'");
    return scores;
  }

 private:
  S& scorer_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
