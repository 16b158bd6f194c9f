// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/score/kept_blocks.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/score/causal_scorer.hpp"
#include "plumb/detail/score/masked_scorer.hpp"
#include "support/word_mask_model.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(kept_blocks)

namespace {

const std::string shots = "one 1, two 2, three 3, ";
const Query query{
    {{shots + "four 4", {{shots.size() + 5, shots.size() + 6}}, {}, shots.size() + 4},
     {shots + "four five", {{shots.size() + 5, shots.size() + 9}}, {}, shots.size() + 4},
     {shots.substr(0, 10), {}, {}, 4}}};

template <class Scorer>
typename Scorer::Block planned(Scorer& scorer) {
  typename Scorer::Block block;
  if constexpr (requires { scorer.share(block, Prompt{}); })
    scorer.share(block, Prompt{shots, {}, {}});
  scorer.add(block, query);
  scorer.plan(block);
  return block;
}

template <class Scorer>
void a_kept_block_scores_as_it_would_have(Scorer& scorer) {
  for (const std::size_t room : {0U, 1U << 20U}) {
    KeptBlocks<Scorer> kept(room);
    auto block = planned(scorer);
    kept.keep(scorer, {"part", 3}, block);
    auto back = kept.get(scorer, {"part", 3}, []() -> typename Scorer::Block {
      BOOST_FAIL("it was made again");
      return {};
    });
    BOOST_TEST(back.cost().tokens_one_by_one == block.cost().tokens_one_by_one);
    BOOST_TEST(back.cost().tokens_fed == block.cost().tokens_fed);
    const auto expected = score_all_packs(scorer, block), made = score_all_packs(scorer, back);
    BOOST_REQUIRE(made.size() == query.candidates.size());
    for (std::size_t i = 0; i < made.size(); ++i) {
      BOOST_TEST(made[i].statement.log_likelihood == expected[i].statement.log_likelihood);
      BOOST_TEST(made[i].answer.log_likelihood == expected[i].answer.log_likelihood);
      BOOST_TEST(made[i].continuation.tokens == expected[i].continuation.tokens);
    }
    bool is_made = false;
    (void)kept.get(scorer, {"part", 4}, [&] {
      is_made = true;
      return planned(scorer);
    });
    BOOST_TEST(is_made);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(blocks_of_a_causal_scorer) {
  for (const Span span : {Span::statement, Span::continuation}) {
    NgramTreeModel model("one 1, two 2, three 3, four 4.", 6);
    model.limits = {8192, 256, 256};
    CausalScorer scorer(model, Bos(), span);
    a_kept_block_scores_as_it_would_have(scorer);
  }
}

BOOST_AUTO_TEST_CASE(blocks_of_a_masked_scorer) {
  test::WordMaskModel model(std::vector<std::string>{"one", "two", "three", "four", "five"});
  MaskedScorer scorer(model, PseudoLikelihood::original);
  a_kept_block_scores_as_it_would_have(scorer);
}

BOOST_AUTO_TEST_SUITE_END()
