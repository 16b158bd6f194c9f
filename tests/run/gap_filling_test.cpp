// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/gap_filling.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "plumb/detail/kernels/log_softmax.hpp"
#include "support/word_mask_model.hpp"

using namespace plumb::detail;
using test::elements_many;

BOOST_AUTO_TEST_SUITE(gap_filling_suite)

// Oracle: the model's own row for each gap.
BOOST_AUTO_TEST_CASE(answers_are_the_likeliest_tokens_of_the_models_rows) {
  const MultiPromptDataset dataset = elements_many();
  test::WordMaskModel model(dataset);
  GapWords<test::WordMaskModel> words(model);
  const FillPlan plan = fill_plan(words, dataset, {"symbol"}, 2, 1);
  const FillOptions options{.masks = 1, .names = true};
  GapFilling<test::WordMaskModel> filling(model, words, plan, options);
  filling.refuse_long_prompts();
  std::size_t at = 0, named = 0;
  for (std::size_t p = 0; p < plan.prompts.ends.size(); ++p) {
    const FilledPrompts made = filling.filled(plan.prompts.pack(p));
    BOOST_TEST(made.answers.size() == plan.prompts.pack(p).size());
    for (std::size_t i = 0; i < made.answers.size(); ++i, ++at) {
      const PlannedPrompt& planned = plan.prompts.prompts[at];
      const std::vector<MaskedQuery> gap{gap_query(model, filling.texts().sentence(planned))};
      model.evaluate(gap, [&](std::uint32_t, std::span<const float> row) {
        const auto best = static_cast<TokenId>(ranges::max_element(row) - row.begin());
        BOOST_TEST(made.answers[i].fill->ids.at(0) == best);
        BOOST_TEST(made.answers[i].log_probability == log_probability(row, best, log_sum_exp(row)),
                   boost::test_tools::tolerance(1e-6));
      });
      named += made.names[i] ? 1U : 0U;
    }
  }
  BOOST_TEST(at > 0U);
  BOOST_TEST(named == 0U);  // hydrogen and helium have only one name, and so do their objects
}

BOOST_AUTO_TEST_CASE(labels_that_fit_each_content_free_gap_are_candidates) {
  const MultiPromptDataset dataset = elements_many();
  test::WordMaskModel model(dataset);
  GapWords<test::WordMaskModel> words(model);
  const FillPlan plan = fill_plan(words, dataset, {"family"}, 0, 1);
  const FillOptions options{.masks = 1, .names = true};
  GapFilling<test::WordMaskModel> filling(model, words, plan, options);
  const GapCandidates made = filling.candidates(0, {"metal", "noble gas"});
  BOOST_TEST(made.labels == std::vector<std::string>{"metal"}, boost::test_tools::per_element());
  BOOST_TEST(made.left_out == 1U);
  const std::vector<ContentFreePrompt> prompts = filling.content_free_gaps({made});
  BOOST_TEST(prompts.size() == 2 * content_free_texts.size());
  const ScoredGaps scored = filling.scored(prompts, {made});
  BOOST_TEST(scored.rows.size() == prompts.size());
  for (const RecordedContentFree& row : scored.rows) BOOST_TEST(row.candidates.size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
