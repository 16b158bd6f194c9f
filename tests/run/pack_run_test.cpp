// SPDX-License-Identifier: Apache-2.0
#include "plumb/run/pack_run.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb;
using test::says;
using test::slurp;
using test::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(pack_run)

namespace {

/// Packs of three statements, the last ones first, as no order is promised. Statement s scores
/// −s − 1 over two tokens, and −s / 2 over its one answer token; it counts the packs it is asked.
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
      scores.push_back({-number - 1, -number / 2, s == untold ? 0U : 2U, s == untold ? 0U : 1U});
    }
    return scores;
  }
  std::size_t asked = 0;
  std::uint32_t untold = 1000;  // a statement without a scored token
};
static_assert(PackedScorer<FakeScorer>);

FakeScorer::Block block_of(FakeScorer& scorer, std::size_t statements) {
  FakeScorer::Block block;
  scorer.add(block, {std::vector<Prompt>(statements)});
  scorer.plan(block);
  return block;
}

constexpr Scoring whole{Reduction::sum, Span::statement};
constexpr Scoring answers{Reduction::sum, Span::answer};

}  // namespace

BOOST_AUTO_TEST_CASE(scores_come_in_the_order_of_the_statements) {
  const TemporaryFolder folder;
  FakeScorer scorer;
  PackRun run(scorer, folder / "journal.jsonl", whole, {});
  auto block = block_of(scorer, 8);
  const auto scores = run.score("P36", 0, block);
  BOOST_REQUIRE(scores.size() == 8U);
  for (std::size_t s = 0; s < 8; ++s) {
    BOOST_TEST(scores[s].log_likelihood == -static_cast<double>(s) - 1);
    BOOST_TEST(scores[s].answer_log_likelihood == -static_cast<double>(s) / 2);
    BOOST_TEST(scores[s].tokens == 2U);
    BOOST_TEST(scores[s].answer_tokens == 1U);
  }
  BOOST_TEST(scorer.asked == 3U);
  BOOST_TEST(run.summary().fresh_statements == 8U);
  BOOST_TEST(run.summary().seconds_model >= 0.0);
  auto nothing = block_of(scorer, 0);
  BOOST_TEST(run.score("P36", 1, nothing).empty());
}

BOOST_AUTO_TEST_CASE(progress_is_told_after_every_pack) {
  const TemporaryFolder folder;
  FakeScorer scorer;
  std::vector<std::size_t> seen, fresh;
  PackRun run(scorer, folder / "journal.jsonl", whole, [&](const RunState& state) {
    seen.push_back(state.statements);
    fresh.push_back(state.fresh);
    BOOST_TEST(state.relation == "P36");
  });
  auto block = block_of(scorer, 7);
  (void)run.score("P36", 0, block);
  run.skip("P36", {5, 60, 20, 30});
  BOOST_TEST((seen == std::vector<std::size_t>{3, 6, 7, 12}));
  BOOST_TEST((fresh == std::vector<std::size_t>{3, 6, 7, 7}));
}

// Cut after each of its lines, the journal gives the same scores and only the rest is asked again.
BOOST_AUTO_TEST_CASE(packs_in_the_journal_are_not_scored_again) {
  const TemporaryFolder folder;
  const auto journal = folder / "journal.jsonl";
  {
    FakeScorer scorer;
    PackRun run(scorer, journal, whole, {});
    auto block = block_of(scorer, 8);
    (void)run.score("P36", 4, block);
  }
  const std::string text = slurp(journal);
  std::size_t end = 0;
  for (std::size_t packs = 0; packs <= 3; ++packs) {
    folder.write("journal.jsonl", text.substr(0, end));
    FakeScorer scorer;
    PackRun run(scorer, journal, whole, {});
    auto block = block_of(scorer, 8);
    const auto scores = run.score("P36", 4, block);
    BOOST_TEST(scorer.asked == 3 - packs);
    BOOST_TEST(run.summary().fresh_statements == 8 - std::min<std::size_t>(8, 3 * packs));
    for (std::size_t s = 0; s < 8; ++s) {
      BOOST_TEST(scores[s].log_likelihood == -static_cast<double>(s) - 1);
    }
    BOOST_TEST(slurp(journal) == text);
    end = text.find('\n', end) + 1;
  }
}

BOOST_AUTO_TEST_CASE(blocks_and_relations_have_packs_of_their_own) {
  const TemporaryFolder folder;
  FakeScorer scorer;
  PackRun run(scorer, folder / "journal.jsonl", whole, {});
  for (const char* relation : {"P36", "P30"}) {
    for (const std::size_t index : {0, 1}) {
      auto block = block_of(scorer, 3);
      (void)run.score(relation, index, block);
    }
  }
  BOOST_TEST(scorer.asked == 4U);
}

BOOST_AUTO_TEST_CASE(a_statement_without_a_scored_token_is_refused_with_a_remedy) {
  const TemporaryFolder folder;
  FakeScorer scorer;
  scorer.untold = 5;
  auto block = block_of(scorer, 8);
  {
    PackRun run(scorer, folder / "a.jsonl", answers, {});
    BOOST_CHECK_EXCEPTION(
        (void)run.score("P36", 0, block), Error,
        says(Fault::user, "P36: a statement has no scored token in its answer; this tokenizer"));
  }
  // The pack is not written down: mended, it is asked again.
  BOOST_TEST(slurp(folder / "a.jsonl").empty());
  PackRun run(scorer, folder / "b.jsonl", whole, {});
  BOOST_CHECK_EXCEPTION(
      (void)run.score("P36", 0, block), Error,
      says(Fault::user,
           "no scored token in its statement; lengthen the template or use --bos yes"));
}

BOOST_AUTO_TEST_CASE(a_span_that_is_not_asked_may_have_no_token) {
  struct AnswersAlone : FakeScorer {
    std::vector<StatementScore> score(Block& block, std::size_t p) {
      auto scores = FakeScorer::score(block, p);
      for (StatementScore& score : scores) score.tokens = 0;
      return scores;
    }
  };
  const TemporaryFolder folder;
  AnswersAlone scorer;
  PackRun run(scorer, folder / "journal.jsonl", answers, {});
  auto block = block_of(scorer, 4);
  BOOST_TEST(run.score("P36", 0, block).size() == 4U);
}

BOOST_AUTO_TEST_CASE(the_journal_of_another_job_is_refused) {
  const TemporaryFolder folder;
  const auto journal = folder / "journal.jsonl";
  {
    FakeScorer scorer;
    PackRun run(scorer, journal, whole, {});
    auto block = block_of(scorer, 2);
    (void)run.score("P36", 0, block);
  }
  FakeScorer scorer;
  PackRun run(scorer, journal, whole, {});
  auto block = block_of(scorer, 8);
  BOOST_CHECK_EXCEPTION(
      (void)run.score("P36", 0, block), Error,
      says(Fault::user, "journal.jsonl: P36: the journal's pack 0 is not this job's"));
}

BOOST_AUTO_TEST_CASE(costs_add_up_and_what_is_done_is_known_afterwards) {
  const TemporaryFolder folder;
  FakeScorer scorer;
  {
    PackRun run(scorer, folder / "journal.jsonl", whole, {});
    BOOST_TEST(!run.done("P36"));
    run.finish("P36", {8, 90, 40, 50});
    BOOST_TEST(run.summary().cost.tokens_fed == 50U);
  }
  PackRun run(scorer, folder / "journal.jsonl", whole, {});
  BOOST_REQUIRE(run.done("P36").has_value());
  BOOST_TEST(run.done("P36")->tokens_one_by_one == 90U);
  BOOST_TEST(!run.done("P30"));
  run.skip("P36", *run.done("P36"));
  run.finish("P30", {1, 2, 3, 4});
  BOOST_TEST(run.summary().cost.statements == 9U);
  BOOST_TEST(run.summary().cost.tokens_one_by_one == 92U);
  BOOST_TEST(run.summary().cost.tree_nodes == 43U);
  BOOST_TEST(run.summary().cost.tokens_fed == 54U);
  BOOST_TEST(run.summary().fresh_statements == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
