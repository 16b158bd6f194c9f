// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/score/candidate_scorer.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(candidate_scorer_suite)

namespace {

/// A minimal user-written scorer: longer candidates are less likely.
struct ByLength {
  std::vector<StatementScore> score(const Query& query) {
    ++queries;
    std::vector<StatementScore> scores;
    for (const Prompt& prompt : query.candidates) {
      scores.push_back({{-static_cast<double>(prompt.text.size()), 1}});
    }
    return scores;
  }
  int queries = 0;
};

struct ReturnsNumbers {
  std::vector<double> score(const Query&);
};
struct TakesText {
  std::vector<StatementScore> score(const std::string&);
};

static_assert(CandidateScorer<ByLength> && !PackedScorer<ByLength>);
static_assert(!CandidateScorer<ReturnsNumbers>);
static_assert(!CandidateScorer<TakesText>);
static_assert(PackedScorer<QueryByQuery<ByLength>>);

// Each of these types derives from a complete scorer and hides or deletes one required member.
struct NoPlan : QueryByQuery<ByLength> {
  void plan(Block&) = delete;
};
struct NoAdd : QueryByQuery<ByLength> {
  void add(Block&, const Query&) = delete;
};
struct NoScore : QueryByQuery<ByLength> {
  void score(Block&, std::size_t) = delete;
};
struct NoCost : QueryByQuery<ByLength> {
  struct Block : QueryByQuery::Block {
    void cost() const = delete;
  };
};
struct BlockWithSize : QueryByQuery<ByLength> {
  struct Block : QueryByQuery::Block {
    explicit Block(std::size_t size);
  };
};
static_assert(!PackedScorer<NoPlan> && !PackedScorer<NoAdd> && !PackedScorer<NoScore>);
static_assert(!PackedScorer<NoCost> && !PackedScorer<BlockWithSize> && !PackedScorer<int>);

Query query(const std::vector<std::string>& texts) {
  Query result;
  for (const std::string& text : texts) result.candidates.push_back({text, {}});
  return result;
}

}  // namespace

BOOST_AUTO_TEST_CASE(any_scorer_is_packed_query_by_query) {
  ByLength scorer;
  QueryByQuery packed(scorer);
  QueryByQuery<ByLength>::Block block;
  BOOST_TEST(block.packs() == 0U);
  packed.add(block, query({"a", "bbb"}));
  packed.add(block, query({}));
  packed.add(block, query({"cc", "d", "eeeee"}));
  packed.plan(block);
  BOOST_REQUIRE(block.packs() == 3U);
  BOOST_TEST(block.cost().statements == 5U);
  std::vector<double> scores(5, 0);
  for (const std::size_t p : {2U, 0U, 1U}) {  // in any order
    const auto part = packed.score(block, p);
    BOOST_REQUIRE(part.size() == block.pack(p).size());
    for (std::size_t i = 0; i < part.size(); ++i)
      scores[block.pack(p)[i]] = part[i].statement.log_likelihood;
  }
  BOOST_TEST(scores == (std::vector<double>{-1, -3, -2, -1, -5}));
  BOOST_TEST(scorer.queries == 3);
}

BOOST_AUTO_TEST_CASE(costs_add_up_part_by_part) {
  ScoringCost cost{1, 20, 300, 4000};
  cost += {5, 60, 700, 8000};
  BOOST_TEST(cost.statements == 6U);
  BOOST_TEST(cost.tokens_one_by_one == 80U);
  BOOST_TEST(cost.tree_nodes == 1000U);
  BOOST_TEST(cost.tokens_fed == 12000U);
}

BOOST_AUTO_TEST_CASE(each_candidate_has_one_score) {
  struct Miscounts {
    int more = 0;
    [[nodiscard]] std::vector<StatementScore> score(const Query& asked) const {
      return std::vector<StatementScore>(
          static_cast<std::size_t>(static_cast<int>(asked.candidates.size()) + more));
    }
  };
  for (const int more : {-1, 0, 2}) {
    Miscounts scorer{more};
    QueryByQuery packed(scorer);
    QueryByQuery<Miscounts>::Block block;
    packed.add(block, query({"a", "b", "c"}));
    packed.plan(block);
    if (more == 0) {
      BOOST_TEST(score_all_packs(packed, block).size() == 3U);
      continue;
    }
    BOOST_CHECK_EXCEPTION((void)score_all_packs(packed, block), Error,
                          test::says(Fault::user, "score: gave " + std::to_string(3 + more) +
                                                      " scores for 3 candidates"));
  }
}

BOOST_AUTO_TEST_SUITE_END()
