// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/scored_block.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;
using test::slurp;
using test::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(scored_block_)

namespace {

/// A scorer with packs of three statements, in reverse order, because no order is guaranteed.
/// Statement s scores −(s + 1) / 3 over two tokens, and −s / 7 over its single answer token. Counts
/// the scored packs.
struct FakeScorer {
  struct Block {
    [[nodiscard]] std::size_t packs() const { return (order.size() + 2) / 3; }
    [[nodiscard]] std::span<const std::uint32_t> pack(std::size_t p) const {
      return std::span(order).subspan(3 * p, std::min<std::size_t>(3, order.size() - 3 * p));
    }
    [[nodiscard]] ScoringCost cost() const { return {order.size(), 90, 40, 50}; }
    std::vector<std::uint32_t> order;
  };
  void add(Block& block, const Query& query) {
    for (std::size_t i = 0; i < query.candidates.size(); ++i) {
      block.order.push_back(static_cast<std::uint32_t>(block.order.size()));
    }
  }
  void plan(Block& block) { std::ranges::reverse(block.order); }
  std::vector<StatementScore> score(Block& block, std::size_t p) {
    ++asked;
    std::vector<StatementScore> scores;
    for (const std::uint32_t s : block.pack(p)) {
      const double number = s;
      scores.push_back({{-(number + 1) / 3, s == untold ? 0U : 2U},
                        {-number / 7, s == untold ? 0U : 1U},
                        {s == broken ? worth : -number / 11, 1},
                        s == broken ? unreported : 0U});
    }
    return scores;
  }
  std::size_t asked = 0;
  std::uint32_t untold = 1000;  // this statement has no scored token
  std::uint32_t broken = 1000;  // the continuation of this statement has the score `worth`
  double worth = 0;
  std::uint32_t unreported = 0;  // the number of unreported tokens in statement `broken`
};
static_assert(PackedScorer<FakeScorer>);

FakeScorer::Block block_of(FakeScorer& scorer, std::size_t statements) {
  FakeScorer::Block block;
  scorer.add(block, {std::vector<Prompt>(statements)});
  scorer.plan(block);
  return block;
}

std::string numbered(std::size_t statement) {
  return "statement " + std::to_string(statement);
}

/// The scores of a part's first block; its packs are stored in the given journal.
std::vector<StatementScore> scored(const std::filesystem::path& journal, FakeScorer& scorer,
                                   std::size_t statements, Span span = Span::statement) {
  Work work(journal);
  Part part(work, "P36");
  auto block = block_of(scorer, statements);
  return scored_block(part, scorer, block, span, numbered).value();
}

}  // namespace

BOOST_AUTO_TEST_CASE(scores_come_in_the_order_of_the_statements_now_and_from_the_journal) {
  const TemporaryFolder folder;
  FakeScorer scorer;
  for (const std::size_t asked : {3U, 3U}) {
    const auto scores = scored(folder / "journal.jsonl", scorer, 8);
    BOOST_TEST(scorer.asked == asked);
    BOOST_REQUIRE(scores.size() == 8U);
    for (std::size_t s = 0; s < 8; ++s) {
      const auto number = static_cast<double>(s);
      BOOST_TEST(scores[s].statement.log_likelihood == -(number + 1) / 3);  // to the last bit
      BOOST_TEST(scores[s].answer.log_likelihood == -number / 7);
      BOOST_TEST(scores[s].continuation.log_likelihood == -number / 11);
      BOOST_TEST(scores[s].statement.tokens == 2U);
      BOOST_TEST(scores[s].answer.tokens == 1U);
      BOOST_TEST(scores[s].continuation.tokens == 1U);
    }
  }
  BOOST_TEST(scored(folder / "empty.jsonl", scorer, 0).empty());
}

BOOST_AUTO_TEST_CASE(packs_cost_their_statements) {
  const TemporaryFolder folder;
  FakeScorer scorer;
  std::vector<std::size_t> seen;
  Work work(folder / "journal.jsonl",
            {[&](const WorkState& state) { seen.push_back(state.done); }, {}});
  Part part(work, "P36");
  auto block = block_of(scorer, 7);
  (void)scored_block(part, scorer, block, Span::statement, numbered);
  BOOST_TEST((seen == std::vector<std::size_t>{3, 6, 7}));
  BOOST_TEST(work.summary().fresh_statements == 7U);
}

BOOST_AUTO_TEST_CASE(a_statement_without_a_scored_token_is_refused_with_a_remedy) {
  const TemporaryFolder folder;
  FakeScorer scorer;
  scorer.untold = 5;
  BOOST_CHECK_EXCEPTION(
      (void)scored(folder / "a.jsonl", scorer, 8, Span::answer), Error,
      says(Fault::user, "P36: statement 5 has no scored token in its answer; the tokenizer"));
  // The pack is not written to the journal, so it is scored again after the user has fixed the
  // cause.
  BOOST_TEST(slurp(folder / "a.jsonl").empty());
  BOOST_CHECK_EXCEPTION(
      (void)scored(folder / "b.jsonl", scorer, 8), Error,
      says(Fault::user,
           "no scored token in its statement; lengthen the template or set `bos` to yes"));
  // A span that is not used may have no scored tokens.
  BOOST_TEST(scored(folder / "c.jsonl", scorer, 8, Span::continuation).size() == 8U);
}

BOOST_AUTO_TEST_CASE(scores_that_are_not_finite_are_refused_and_not_written) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const TemporaryFolder folder;
  for (const double bad : {std::nan(""), infinity, -infinity}) {
    FakeScorer scorer;
    scorer.broken = 7;
    scorer.worth = bad;
    BOOST_CHECK_EXCEPTION((void)scored(folder / "journal.jsonl", scorer, 8), Error,
                          says(Fault::internal, "P36: the score of statement 7 is "));
    BOOST_TEST(slurp(folder / "journal.jsonl").empty());
  }
}

BOOST_AUTO_TEST_CASE(a_statement_that_was_not_reported_is_kept_where_its_fact_is_left_out) {
  const TemporaryFolder folder;
  FakeScorer scorer;
  scorer.broken = 7;
  scorer.worth = std::nan("");
  scorer.unreported = 2;
  BOOST_CHECK_EXCEPTION(
      (void)scored(folder / "journal.jsonl", scorer, 8), Error,
      says(Fault::user,
           "P36: the engine did not report how likely a token of statement 7 is; use an engine"));
  BOOST_TEST(slurp(folder / "journal.jsonl").empty());
  scorer.asked = 0;
  for (int call = 0; call < 2; ++call) {  // scored first, then read from the journal
    Work work(folder / "journal.jsonl");
    Part part(work, "P36");
    auto block = block_of(scorer, 8);
    const auto scores =
        scored_block(part, scorer, block, Span::statement, numbered, Unreported::left_out).value();
    for (std::size_t s = 0; s < 8; ++s) {
      BOOST_TEST((scores[s].unreported_tokens > 0) == (s == 7));
      BOOST_TEST(std::isnan(scores[s].continuation.log_likelihood) == (s == 7));
    }
  }
  BOOST_TEST(scorer.asked == 3U);
}

BOOST_AUTO_TEST_CASE(what_is_no_log_likelihood_is_refused_and_not_written) {
  const TemporaryFolder folder;
  FakeScorer scorer;
  scorer.broken = 7;
  scorer.worth = 12.5;
  BOOST_CHECK_EXCEPTION(
      (void)scored(folder / "journal.jsonl", scorer, 8), Error,
      says(
          Fault::internal,
          "P36: the model returned a log-likelihood of 12.500, which is above 0, for statement 7"));
  BOOST_TEST(slurp(folder / "journal.jsonl").empty());
}

BOOST_AUTO_TEST_CASE(the_journal_of_another_job_is_refused) {
  const TemporaryFolder folder;
  FakeScorer scorer;
  (void)scored(folder / "journal.jsonl", scorer, 2);
  BOOST_CHECK_EXCEPTION(
      (void)scored(folder / "journal.jsonl", scorer, 8), Error,
      says(Fault::user, "journal.jsonl: P36: the journal's pack 0 does not belong to this job"));
}

BOOST_AUTO_TEST_CASE(a_scorer_that_gives_too_few_scores_is_refused) {
  struct TooFew : FakeScorer {
    std::vector<StatementScore> score(Block& block, std::size_t p) {
      auto scores = FakeScorer::score(block, p);
      scores.pop_back();
      return scores;
    }
  };
  const TemporaryFolder folder;
  TooFew scorer;
  Work work(folder / "journal.jsonl");
  Part part(work, "P36");
  auto block = block_of(scorer, 4);
  BOOST_CHECK_EXCEPTION((void)scored_block(part, scorer, block, Span::statement, numbered), Error,
                        says(Fault::user, "gave 2 scores for 3 candidates"));
}

BOOST_AUTO_TEST_SUITE_END()
