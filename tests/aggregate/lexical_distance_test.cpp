// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/aggregate/lexical_distance.hpp"

#include <boost/test/unit_test.hpp>
#include <set>
#include <string>
#include <vector>

#include "support/small_prompts.hpp"

using namespace plumb::detail;
using test::near;

BOOST_AUTO_TEST_SUITE(lexical_distance_suite)

namespace {

using Texts = std::vector<std::string>;

/// The oracle compares the texts pair by pair and word by word.
double pair_by_pair(const Texts& texts) {
  double sum = 0, pairs = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto mine = template_words(texts[i]), yours = template_words(texts[j]);
      std::set<std::string> all(mine.begin(), mine.end());
      all.insert(yours.begin(), yours.end());
      double both = 0;
      for (const std::string& word : mine) {
        for (const std::string& other : yours) both += word == other ? 1 : 0;
      }
      sum += all.empty() ? 0 : 1 - both / static_cast<double>(all.size());
      pairs += 1;
    }
  }
  return sum / pairs;
}

}  // namespace

BOOST_AUTO_TEST_CASE(words_are_those_of_answers_without_placeholders_each_once) {
  BOOST_TEST(template_words("The  capital of the\t[X] is: [Y].") ==
             (Texts{"capital", "is", "of", "the"}));
  BOOST_TEST(template_words("[X]'s mother-tongue is [Y]’s.") == (Texts{"is", "mother", "tongue"}));
  BOOST_TEST(template_words("[X] so [Y]'so") == (Texts{"so"}));
  BOOST_TEST(template_words("über Über ÜBER") == (Texts{"über"}));
  BOOST_TEST(template_words("a[X]b") == (Texts{"a", "b"}));
  BOOST_TEST(template_words("[Y] [Z] [x]") == (Texts{"x", "z"}));
  BOOST_TEST(template_words("[X], [Y]!").empty());
  BOOST_TEST(template_words("").empty());
}

BOOST_AUTO_TEST_CASE(a_pair_is_as_far_apart_as_the_share_of_words_it_does_not_have_in_common) {
  // The two texts share 3 of their 5 words.
  BOOST_TEST(
      near(*lexical_distance(Texts{"[X] was born in [Y] today", "[Y], in: [X] was born once"}),
           1 - 3.0 / 5));
  BOOST_TEST(*lexical_distance(Texts{"[X] is [Y].", "[Y] IS [X]"}) == 0.0);
  BOOST_TEST(*lexical_distance(Texts{"[X] a [Y]", "[X] b [Y]"}) == 1.0);
  BOOST_TEST(*lexical_distance(Texts{"[X] [Y]", "[Y] [X]."}) == 0.0);
  BOOST_TEST(*lexical_distance(Texts{"[X] [Y]", "[X] has [Y]"}) == 1.0);
}

BOOST_AUTO_TEST_CASE(more_texts_have_the_mean_over_their_pairs) {
  RandomStream random(1, "words");
  Texts texts;
  for (int i = 0; i < 12; ++i) {
    std::string& text = texts.emplace_back("[X]");
    for (std::size_t w = random.below(6); w > 0; --w) {
      text += std::string(" ") + static_cast<char>('a' + random.below(7));
    }
  }
  BOOST_TEST(near(*lexical_distance(texts), pair_by_pair(texts)));
  BOOST_TEST(!lexical_distance(Texts{"[X] is [Y]"}).has_value());
  BOOST_TEST(!lexical_distance(Texts{}).has_value());
}

BOOST_AUTO_TEST_CASE(a_dataset_has_prompts_expressions_and_the_mean_distance_of_its_relations) {
  PromptOutcomes table;
  table.add_relation("P1", {{"[X] a [Y]"}, {"[X] b [Y]"}, {"[X] a b [Y]"}, {"[X] never [Y]"}});
  table.add_fact("f", test::marks({"10", "1", "01"}));  // 5 prompts, 2 expressions
  table.add_fact("g", test::marks({"--1", "1"}));       // 2 prompts, 2 expressions
  table.add_fact("h", {});
  table.add_relation("P2", {{"[X] c [Y]"}, {"[X] c d [Y]"}});
  table.add_fact("f", test::marks({"1", "0"}));  // 2 prompts, 1 expression
  table.add_relation("P3", {{"[X] c [Y]"}});
  table.add_fact("f", test::marks({"1"}));  // 1 prompt, 1 expression
  const PromptDiversity made = prompt_diversity(table);
  BOOST_TEST(made.facts == 4U);
  BOOST_TEST(made.prompts == 10U);
  BOOST_TEST(made.prompts_per_fact.value() == 2.5);
  BOOST_TEST(made.expressions_per_fact.value() == 1.5);
  BOOST_TEST(made.templates == 6U);  // one template has no prompts
  BOOST_TEST(made.relations_compared == 2U);
  BOOST_TEST(near(*made.lexical_distance, ((1 + 0.5 + 0.5) / 3 + 0.5) / 2));
}

BOOST_AUTO_TEST_CASE(without_prompts_there_is_nothing_to_describe) {
  const PromptDiversity made = prompt_diversity(test::one_relation({{"", ""}}));
  BOOST_TEST(made.facts == 0U);
  BOOST_TEST(!made.prompts_per_fact.has_value());
  BOOST_TEST(!made.expressions_per_fact.has_value());
  BOOST_TEST(!made.lexical_distance.has_value());
  BOOST_TEST(prompt_diversity({}).templates == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
