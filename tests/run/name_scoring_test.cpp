// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/name_scoring.hpp"

#include <boost/test/unit_test.hpp>
#include <optional>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "support/small_multi_prompt.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(name_scoring_suite)

// Oracle: the model's own probabilities of each name after each prompt.
BOOST_AUTO_TEST_CASE(names_have_the_models_own_probabilities_whoever_scores_them) {
  MultiPromptDataset dataset = test::elements_many();
  const AskedFacts asked = select_answerable(dataset, {"contains"}, 2);
  NgramTreeModel model("A: oxygen\nA: sodium\n", 4);
  model.limits = {8192, 256, 256};
  NameScoring<NgramTreeModel> likelihoods(model, true, dataset, asked);
  const FewShot few_shot(dataset, {}, 0);
  PromptTexts texts(dataset, asked, few_shot);
  const std::vector<PlannedPrompt> prompts = named_prompts(dataset, asked, few_shot);
  std::size_t told = 0, rows = 0, blocks = 0;
  const auto carry = [&](auto& block, const auto&, auto name_of) {
    ++blocks;
    BOOST_TEST(name_of(0).find(" after '") != std::string::npos);
    return std::optional(score_all_packs(likelihoods.scorer(), block));
  };
  const bool is_whole = likelihoods.names(
      few_shot, [&](std::size_t count) { told = count; }, carry,
      [&](const RecordedNames& row) {
        const std::string text = texts.text(prompts[rows]);
        const ManyNamedFact& fact = texts.fact(prompts[rows++]);
        for (std::size_t o = 0; o < fact.objects.size(); ++o) {
          for (std::size_t n = 0; n < fact.objects[o].names.size(); ++n) {
            std::vector<TokenId> ids{*model.bos()};
            for (const Token& token : model.tokenize(text).tokens) ids.push_back(token.id);
            double nats = 0;
            for (const Token& token : model.tokenize(" " + fact.objects[o].names[n]).tokens) {
              nats += model.log_probability(ids, token.id);
              ids.push_back(token.id);
            }
            BOOST_TEST(row.names[o][n].nats == nats, boost::test_tools::tolerance(1e-6));
          }
        }
      });
  BOOST_TEST(is_whole);
  BOOST_TEST(rows == prompts.size());
  BOOST_TEST(blocks >= 1U);
  BOOST_TEST(told > rows);
}

BOOST_AUTO_TEST_CASE(blocks_that_others_score_leave_no_row) {
  MultiPromptDataset dataset = test::elements_many();
  const AskedFacts asked = select_answerable(dataset, {"contains"}, 1);
  NgramTreeModel model("A: oxygen", 3);
  model.limits = {8192, 256, 256};
  NameScoring<NgramTreeModel> likelihoods(model, true, dataset, asked);
  std::size_t rows = 0;
  const bool is_whole = likelihoods.content_free(
      FewShot(dataset, {}, 0), [](std::size_t) {},
      [](auto&, const auto&, auto) { return std::optional<std::vector<StatementScore>>(); },
      [&](const RecordedContentFree&) { ++rows; });
  BOOST_TEST(!is_whole);
  BOOST_TEST(rows == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
