// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/name_plan.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/small_multi_prompt.hpp"

using namespace plumb::detail;
using test::elements_many;

BOOST_AUTO_TEST_SUITE(name_plan_suite)

namespace {

using Names = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_CASE(labels_of_objects_stand_once_in_order_of_appearance) {
  const MultiPromptDataset dataset = elements_many();
  BOOST_TEST(object_labels(dataset.relations[1]) ==
             (Names{"hydrogen", "oxygen", "sodium", "chlorine", "iron", "carbon"}));
  BOOST_TEST(object_labels(dataset.relations[2]) == (Names{"noble gas", "metal"}));
}

// Gold and its object, metal, have one name each; so do hydrogen and H.
BOOST_AUTO_TEST_CASE(facts_with_an_alias_are_asked_under_each_template_and_name) {
  const MultiPromptDataset dataset = elements_many();
  BOOST_TEST(has_alias(dataset.relations[0].facts[5]));  // iron, ferrum
  BOOST_TEST(has_alias(dataset.relations[2].facts[1]));  // noble gas, inert gas
  BOOST_TEST(!has_alias(dataset.relations[2].facts[2]));
  const AskedFacts asked{{{2, {2, 0}}, {0, {0}}}, {}, {}};
  const FewShot few_shot(dataset, {}, 0);
  PromptTexts texts(dataset, asked, few_shot);
  const auto prompts = named_prompts(dataset, asked, few_shot);
  BOOST_REQUIRE(prompts.size() == 4U);  // neon and Ne under two templates
  for (const PlannedPrompt& one : prompts) {
    BOOST_TEST(texts.fact(one).subject.names.front() == "neon");
  }
  const NamesAfterPrompt behind = names_after_prompt(texts, prompts[1]);
  BOOST_TEST(behind.relation == "family");
  BOOST_TEST(behind.names == (Names{"noble gas", "inert gas", "rare gas"}));
  const std::string text =
      "Predict the [MASK] in each sentence in one word.\nQ: Ne is a [MASK].\nA:";
  BOOST_TEST(behind.text == text);
  BOOST_TEST(behind.context == text.substr(0, text.find("Q: ")));
  const Query query = behind.query();
  BOOST_REQUIRE(query.candidates.size() == 3U);
  BOOST_TEST(query.candidates[2].text == text + " rare gas");
  BOOST_REQUIRE(query.candidates[2].answer.size() == 1U);
  // The space before the name belongs to the continuation.
  BOOST_TEST(query.candidates[2].given == text.size());
  BOOST_TEST(query.candidates[2].answer[0].begin == text.size() + 1);
  BOOST_TEST(query.candidates[2].answer[0].end == text.size() + 9);
}

BOOST_AUTO_TEST_CASE(subjects_without_content_are_asked_under_each_template) {
  const MultiPromptDataset dataset = elements_many();
  const AskedFacts asked{{{2, {2}}, {1, {0}}}, {}, {}};
  const FewShot few_shot(dataset, {ShotSource::relation, 1}, 0);
  PromptTexts texts(dataset, asked, few_shot);
  const auto prompts = content_free_prompts(asked, few_shot);
  BOOST_REQUIRE(prompts.size() == (2U + 3U) * content_free_texts.size());
  BOOST_TEST(prompts.back().relation == 1U);
  BOOST_TEST(prompts.back().template_index == 2U);
  const NamesAfterPrompt behind = labels_after_prompt(texts, prompts.front(), {"a", "b"});
  BOOST_TEST(behind.relation == "family");
  BOOST_TEST(behind.text == texts.content_free(0, 0, content_free_texts.front()));
  BOOST_TEST(behind.text.starts_with(behind.context));
  BOOST_TEST(behind.text.substr(behind.context.size()).starts_with("Q: "));
  BOOST_TEST(behind.text.substr(behind.context.size()).find("Q: ", 1) == std::string::npos);
  BOOST_TEST(behind.query().candidates[1].text == behind.text + " b");
}

BOOST_AUTO_TEST_SUITE_END()
