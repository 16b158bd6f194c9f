// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/backend/prompt_generator.hpp"

#include <boost/test/unit_test.hpp>
#include <span>
#include <vector>

#include "plumb/detail/backend/any_model.hpp"
#include "plumb/detail/backend/archetypes.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(prompt_generator_suite)

namespace {

constexpr const char* text = "abcabdaxabc. abd. ";

const std::vector<std::vector<TokenId>> prompts{{'a'}, {'a', 'b'}};

}  // namespace

BOOST_AUTO_TEST_CASE(a_model_of_rows_is_decoded) {
  NgramModel model(text);
  PromptGenerator by_any(model);
  TreeGenerator by_rows(model);
  const GenerationOptions options{2, 5, {}, 3};
  const auto made = by_any.generate(prompts, options),
             expected = by_rows.generate(prompts, options);
  for (std::size_t p = 0; p < prompts.size(); ++p) {
    for (std::size_t i = 0; i < 2; ++i) {
      BOOST_TEST(made[p][i].tokens == expected[p][i].tokens, boost::test_tools::per_element());
    }
  }
  BOOST_TEST(by_any.fed() == by_rows.fed());
}

BOOST_AUTO_TEST_CASE(a_model_that_generates_by_itself_is_asked) {
  AnyModel model = AnyModel::made_by([] { return NgramBatchModel(text); });
  BOOST_TEST(model.capabilities().generates);
  BOOST_TEST(!model.capabilities().causal);
  PromptGenerator generator(model);
  const std::vector<std::uint64_t> seeds{5, 6};
  const GenerationOptions options{1, 4, {}, 3};
  const auto made = generator.generate(prompts, options, seeds);
  std::uint64_t given = 0;
  for (std::size_t p = 0; p < prompts.size(); ++p) {
    const auto expected = NgramModel(text).generate(prompts[p], {1, 4, {}, seeds[p]}).front();
    BOOST_TEST(made[p][0].tokens == expected.tokens, boost::test_tools::per_element());
    given += prompts[p].size() + expected.tokens.size();
  }
  BOOST_TEST(generator.fed() == given);
}

BOOST_AUTO_TEST_SUITE_END()
