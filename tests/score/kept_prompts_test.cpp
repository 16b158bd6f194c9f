// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/score/kept_prompts.hpp"

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "support/hooked_model.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(kept_prompts)

BOOST_AUTO_TEST_CASE(a_prompt_is_tokenised_once) {
  test::HookedModel model(NgramTreeModel("a b"));
  std::size_t asked = 0;
  model.on_tokens = [&](std::string_view text, Tokenization&) { asked += text == "a b" ? 1 : 0; };
  KeptPrompts prompts(model, model.bos());
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(
        (prompts.ids("a b") == prompt_ids(NgramModel("a b"), Prompt{"a b", {}, {}}, model.bos())));
  }
  BOOST_TEST(asked == 1U);
}

// The positions of a text's cuts determine its tokens.
BOOST_AUTO_TEST_CASE(prompts_with_equal_text_but_different_cuts_are_distinct) {
  const NgramModel model("a b");
  KeptPrompts prompts(model, std::nullopt);
  Prompt cut{"a b", {}, {}};
  cut.cuts.push_back({1, false});
  BOOST_TEST((prompts.ids(cut) == prompt_ids(model, cut, std::nullopt)));
  BOOST_TEST((prompts.ids("a b") == prompt_ids(model, Prompt{"a b", {}, {}}, std::nullopt)));
  BOOST_TEST((prompts.ids(cut) == prompt_ids(model, cut, std::nullopt)));
}

BOOST_AUTO_TEST_SUITE_END()
