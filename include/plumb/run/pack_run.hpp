// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a block of statements scored so that no pack is ever scored twice?
//
// A planned block is gone through pack by pack; a pack that the journal has is taken from there, any
// other is scored and written down at once. Shared by all jobs that score; what their blocks hold
// and which files they end in is theirs.

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/core/error.hpp"
#include "plumb/run/journal.hpp"
#include "plumb/score/candidate_scorer.hpp"
#include "plumb/score/statement_score.hpp"

namespace plumb {

/// What is done when the callback is called, in statements.
struct RunState {
  std::size_t statements = 0;
  /// Of these, how many were scored now and not read from the journal.
  std::size_t fresh = 0;
  const std::string& relation;
};

using ProgressCallback = std::function<void(const RunState&)>;

struct RunSummary {
  ScoringCost cost;
  /// Seconds spent in the scorer by this process.
  double seconds_model = 0;
  std::size_t fresh_statements = 0;
};

/// One process, one thread. The scorer must outlive it.
template <PackedScorer Scorer>
class PackRun {
 public:
  /// Goes on with the journal when there is one.
  PackRun(Scorer& scorer, std::filesystem::path journal, Scoring scoring,
          ProgressCallback on_progress)
      : scorer_(scorer),
        file_(journal),
        journal_(std::move(journal)),
        scoring_(scoring),
        on_progress_(std::move(on_progress)) {}

  /// The scores of a planned block in the order of its statements. `relation` and `index` name the
  /// block in the journal. Throws a user error for a statement without a number to reduce to, and
  /// for a journal that is another job's.
  [[nodiscard]] std::vector<StatementScore> score(const std::string& relation, std::size_t index,
                                                  typename Scorer::Block& block) {
    std::vector<StatementScore> scores(block.cost().statements);
    for (std::size_t p = 0; p < block.packs(); ++p) {
      auto known = journal_.find(relation, index, p);
      const bool fresh = !known;
      if (fresh) {
        const auto start = std::chrono::steady_clock::now();
        known = scorer_.score(block, p);
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        summary_.seconds_model += spent.count();
        refuse_unreducible(relation, *known);
        journal_.append(relation, index, p, *known);
      }
      const std::span<const std::uint32_t> statements = block.pack(p);
      if (known->size() != statements.size()) {
        throw user_error({.file = file_, .line = 0, .field = relation},
                         "the journal's pack " + std::to_string(p) + " is not this job's",
                         "it was written by another build; start anew in another --out");
      }
      for (std::size_t i = 0; i < statements.size(); ++i) scores[statements[i]] = (*known)[i];
      advance(relation, statements.size(), fresh ? statements.size() : 0);
    }
    return scores;
  }

  /// What a relation cost, once all of it is done.
  [[nodiscard]] std::optional<ScoringCost> done(const std::string& relation) const {
    return journal_.done(relation);
  }
  /// Says so of a relation that an earlier process has done.
  void skip(const std::string& relation, const ScoringCost& cost) {
    summary_.cost += cost;
    advance(relation, cost.statements, 0);
  }
  /// Its results stand under their name.
  void finish(const std::string& relation, const ScoringCost& cost) {
    journal_.mark_done(relation, cost);
    summary_.cost += cost;
  }

  [[nodiscard]] const RunSummary& summary() const noexcept { return summary_; }

 private:
  void advance(const std::string& relation, std::size_t statements, std::size_t fresh) {
    done_ += statements;
    summary_.fresh_statements += fresh;
    if (on_progress_) on_progress_({done_, summary_.fresh_statements, relation});
  }

  // A reduction over no token is no number; better said here than found in a table.
  void refuse_unreducible(const std::string& relation,
                          const std::vector<StatementScore>& scores) const {
    for (const StatementScore& score : scores) {
      if (scored_tokens(score, scoring_.span) > 0) continue;
      throw user_error(
          {.field = relation},
          "a statement has no scored token in its " + std::string(name_of(scoring_.span)),
          scoring_.span != Span::answer
              ? "lengthen the template or use --bos yes"
              : "this tokenizer does not spell the answer, or it is the unscored first "
                "token; use --span statement or --bos yes");
    }
  }

  Scorer& scorer_;
  std::filesystem::path file_;
  Journal journal_;
  Scoring scoring_;
  ProgressCallback on_progress_;
  RunSummary summary_;
  std::size_t done_ = 0;
};

}  // namespace plumb
