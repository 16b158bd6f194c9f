// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/many_prompt_names.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/small_many_prompts.hpp"

using namespace plumb::detail;
using plumb::detail::cut_to;

BOOST_AUTO_TEST_SUITE(many_prompt_names)

BOOST_AUTO_TEST_CASE(kinds_have_the_words_of_the_files) {
  BOOST_TEST(name_of(SampleBy::fact) == std::string("fact"));
  BOOST_TEST(name_of(SampleBy::relation) == std::string("relation"));
}

BOOST_AUTO_TEST_CASE(every_kind_of_pair_is_listed_once) {
  PromptConsistency one;
  std::size_t number = 0;
  for (const PairShare& kind : pair_shares) (one.*kind.share).excluded = ++number;
  BOOST_TEST(one.all.excluded == 1U);
  BOOST_TEST(one.inner_group.excluded == 2U);
  BOOST_TEST(one.inter_group.excluded == 3U);
  BOOST_TEST(one.only_subject.excluded == 4U);
  BOOST_TEST(one.only_template.excluded == 5U);
}

BOOST_AUTO_TEST_CASE(names_are_cut_between_characters) {
  BOOST_TEST(cut_to("zero-shot", 9) == "zero-shot");
  BOOST_TEST(cut_to("zero-shot", 8) == "zero-sh…");
  BOOST_TEST(cut_to("a-model-of-some-size 4-template", 24) == "a-model-of-…e 4-template");
  BOOST_TEST(cut_to("", 3) == "");
  BOOST_TEST(cut_to("éàü", 3) == "éàü");
  BOOST_TEST(cut_to("éàüß", 3) == "éà…");
  BOOST_TEST(cut_to("a\xff"
                    "bc",
                    3) == "a\xff…");
}

BOOST_AUTO_TEST_CASE(templates_and_candidates_that_are_not_known_have_numbers) {
  const ManyPromptResults made = test::small_many_prompts();
  const PromptedRelation& born = made.ways[0].relations[0];
  BOOST_TEST(template_text(born, 1) == "[X], a <b>child</b> of [Y].");
  BOOST_TEST(template_text(born, 4) == "template 4");
  BOOST_TEST(candidate_label(made, "P<36>", 1) == "<Paris>");
  BOOST_TEST(candidate_label(made, "P<36>", 2) == "candidate 2");
  BOOST_TEST(candidate_label(made, "P19", 0) == "candidate 0");
}

BOOST_AUTO_TEST_CASE(templates_are_those_of_the_way_of_asking) {
  const ManyPromptResults made = many_prompt_results(
      {test::small_zero_shot(), test::small_closed_set()}, test::small_options());
  BOOST_TEST(template_text(made.ways[0].relations[0], 0) == "[X] was born in [Y].");
  BOOST_TEST(template_text(made.ways[1].relations[0], 0) == "[X] hails from [Y].");
}

BOOST_AUTO_TEST_CASE(the_best_way_is_the_first_of_the_most_accurate) {
  ManyPromptResults made = test::small_many_prompts();
  BOOST_TEST(best_way(made)->name == "4-template");
  made.ways[2].coverage.average.value = made.ways[1].coverage.average.value;
  BOOST_TEST(best_way(made)->name == "4-template");
  BOOST_TEST(!best_way(test::nothing_asked()));
}

BOOST_AUTO_TEST_CASE(relations_are_those_of_any_way_of_asking) {
  const ManyPromptResults made =
      many_prompt_results({test::small_question(), test::small_zero_shot()}, test::small_options());
  BOOST_TEST((relation_codes(made) == std::vector<std::string>{"P19", "P<36>"}));
  BOOST_TEST(!relation_named(made.ways[0], "P<36>"));
  BOOST_TEST(relation_named(made.ways[1], "P<36>")->facts == 2U);
}

BOOST_AUTO_TEST_CASE(the_share_of_short_answers_is_of_all_with_a_probability) {
  OverconfidenceByLength made;
  BOOST_TEST(!share_of_short(made).has_value());
  made.lengths[0].prompts = 5;
  made.lengths[4].prompts = 1;
  made.longer = 1;
  made.empty = 1;
  BOOST_TEST(share_of_short(made).value() == 0.75);
}

BOOST_AUTO_TEST_SUITE_END()
