// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/generated_texts.hpp"

#include <boost/test/unit_test.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(generated_texts_suite)

// Oracle: the model's own continuations, one text after another.
BOOST_AUTO_TEST_CASE(greedy_texts_are_the_models_own) {
  NgramTreeModel model("iron: Fe\nneon: Ne\n", 4);
  model.limits = {8192, 256, 256};
  PromptGenerator generator(model);
  KeptPrompts prompts(model, model.bos());
  const std::vector<std::string> texts{"iron:", "neon:", "iron:"};
  const GeneratedPack made = generate_pack(model, generator, prompts, texts, {.max_new_tokens = 5});
  BOOST_REQUIRE(made.greedy.size() == 3U);
  BOOST_TEST(made.sampled.empty());
  std::uint64_t alone = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::vector<TokenId> ids{*model.bos()};
    for (const Token& token : model.tokenize(texts[i]).tokens) ids.push_back(token.id);
    const Continuation own = model.generate(ids, {.max_new_tokens = 5}).front();
    BOOST_TEST(made.greedy[i].text == model.detokenize(own.tokens));
    BOOST_TEST(made.greedy[i].tokens == own.tokens.size());
    const double nats =
        std::accumulate(own.log_probabilities.begin(), own.log_probabilities.end(), 0.0);
    BOOST_TEST(made.greedy[i].log_probability == nats, boost::test_tools::tolerance(1e-6));
    alone += ids.size() + own.tokens.size() - (own.tokens.size() == 5 ? 1 : 0);
  }
  BOOST_TEST(made.alone == alone);
  BOOST_TEST(made.fed < made.alone);  // "iron:" is fed only once
}

BOOST_AUTO_TEST_CASE(samples_are_counted_and_depend_on_their_own_text_alone) {
  NgramTreeModel model("iron: Fe\nneon: Ne\n", 2);
  model.limits = {8192, 256, 256};
  PromptGenerator generator(model);
  KeptPrompts prompts(model, model.bos());
  const GenerationOptions sampling{.samples = 20, .max_new_tokens = 2, .seed = 3};
  const std::vector<std::string> one{"neon:"}, both{"iron:", "neon:"};
  const SampledTexts alone = generate_pack(model, generator, prompts, one, sampling).sampled.at(0);
  const SampledTexts beside =
      generate_pack(model, generator, prompts, both, sampling).sampled.at(1);
  BOOST_TEST((alone == beside));
  std::uint32_t times = 0;
  for (std::size_t i = 0; i < alone.size(); ++i) {
    times += alone[i].second;
    if (i > 0) BOOST_TEST(alone[i - 1].second >= alone[i].second);
  }
  BOOST_TEST(times == 20U);
}

BOOST_AUTO_TEST_SUITE_END()
