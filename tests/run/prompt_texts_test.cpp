// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/prompt_texts.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "support/small_multi_prompt.hpp"

using namespace plumb::detail;
using test::elements_many;

BOOST_AUTO_TEST_SUITE(prompt_texts_suite)

namespace {

constexpr auto mask = PromptForm::mask, question = PromptForm::question;

std::vector<FewShotSetting> all_settings() {
  std::vector<FewShotSetting> settings;
  for (const PromptForm form : {mask, question}) {
    settings.push_back({ShotSource::none, 0, form});
    for (const ShotSource source :
         {ShotSource::random, ShotSource::relation, ShotSource::same_template}) {
      settings.push_back({source, 3, form});
      settings.push_back({source, 3, form, true});
    }
  }
  return settings;
}

PlannedPrompt planned(std::uint32_t relation, std::uint32_t fact, std::uint16_t template_index,
                      std::uint16_t expression = 0) {
  return {relation, {fact, template_index, expression}};
}

}  // namespace

// The family relation comes first, and water is omitted, so the indices among the queried facts
// differ from those in the dataset.
BOOST_AUTO_TEST_CASE(places_among_what_is_asked_are_followed_to_the_dataset) {
  const MultiPromptDataset dataset = elements_many();
  const AskedFacts asked{{{2, {2, 0}}, {1, {1, 2}}}, {}, {}};
  const FewShot few_shot(dataset, {}, 0);
  PromptTexts texts(dataset, asked, few_shot);
  const PlannedPrompt neon = planned(0, 1, 1, 1), salt = planned(1, 0, 2, 1);
  BOOST_TEST(texts.relation(neon).code == "family");
  BOOST_TEST(texts.fact(neon).subject.names.front() == "neon");
  BOOST_TEST(texts.subject(neon) == "Ne");
  BOOST_TEST(texts.relation(salt).code == "contains");
  BOOST_TEST(texts.subject(salt) == "table salt");
  const std::string instruction = "Predict the [MASK] in each sentence in one word.\n";
  BOOST_TEST(texts.context(neon) == instruction);
  BOOST_TEST(texts.text(neon) == instruction + "Q: [MASK]: Ne is one.\nA:");
  BOOST_TEST(texts.text(salt) == instruction + "Q: What does table salt contain? [MASK].\nA:");
  BOOST_TEST(texts.content_free(1, 0, "N/A") == instruction + "Q: N/A contains [MASK].\nA:");
}

// With this seed, water is among the first two shots (tests/prompt/few_shot_test.cpp). Water with
// an alias is still the same fact.
BOOST_AUTO_TEST_CASE(a_whole_prompt_with_shots) {
  MultiPromptDataset dataset = elements_many();
  dataset.relations[1].facts[0].subject.names.push_back("H2O");
  const AskedFacts asked{{{1, {0, 2}}}, {}, {}};
  const FewShot few_shot(dataset, {ShotSource::same_template, 2}, 7);
  PromptTexts texts(dataset, asked, few_shot);
  const std::string sugar =
      "Predict the [MASK] in each sentence in one word.\n"
      "Q: What does sugar contain? [MASK].\n"
      "A: carbon.\n";
  BOOST_TEST(texts.text(planned(0, 0, 2, 1)) == sugar +
                                                    "Q: What does salt contain? [MASK].\n"
                                                    "A: sodium.\n"
                                                    "Q: What does H2O contain? [MASK].\n"
                                                    "A:");
  BOOST_TEST(texts.text(planned(0, 1, 2)) == sugar +
                                                 "Q: What does water contain? [MASK].\n"
                                                 "A: hydrogen.\n"
                                                 "Q: What does rust contain? [MASK].\n"
                                                 "A:");
  BOOST_TEST(texts.content_free(0, 2, "?") == sugar +
                                                  "Q: What does water contain? [MASK].\n"
                                                  "A: hydrogen.\n"
                                                  "Q: What does ? contain? [MASK].\n"
                                                  "A:");
}

BOOST_AUTO_TEST_CASE(shots_are_listed_once_for_each_relation_or_template) {
  const MultiPromptDataset dataset = elements_many();
  const AskedFacts asked{{{2, {0}}, {1, {0, 2}}}, {}, {}};
  BOOST_TEST(shot_lists(dataset, asked, FewShot(dataset, {}, 7)).empty());
  // With this seed, the first two shots are sugar and water; in the prompt for either of these
  // facts, the third shot, salt, replaces that fact.
  const auto by_template =
      shot_lists(dataset, asked, FewShot(dataset, {ShotSource::same_template, 2}, 7));
  BOOST_REQUIRE(by_template.size() == 2U + 3U);
  BOOST_TEST((by_template[4] == RecordedShotList{"2-template",
                                                 "contains",
                                                 2,
                                                 {{"contains", "Qsugar", "sugar", "carbon", 2},
                                                  {"contains", "Qwater", "water", "hydrogen", 2},
                                                  {"contains", "Qsalt", "salt", "sodium", 2}}}));
  BOOST_TEST(by_template[0].relation == "family");
  BOOST_TEST(by_template[1].template_index.value() == 1U);
  const FewShot of_relation(dataset, {ShotSource::relation, 2}, 7);
  const auto by_relation = shot_lists(dataset, asked, of_relation);
  BOOST_REQUIRE(by_relation.size() == 2U);
  BOOST_TEST(!by_relation[1].template_index.has_value());
  const std::vector<AskedUnder> drawn = of_relation.shots(1, 0);
  for (std::size_t i = 0; i < 3; ++i) {
    const RecordedShot& shot = by_relation[1].shots[i];
    BOOST_TEST(shot.subject == dataset.relations[1].facts[drawn[i].fact].subject.names.front());
    BOOST_TEST(shot.template_index.value() == drawn[i].template_index);
  }
  // The family relation has no question template, so it has no prompts and no shots.
  const FewShot questions(dataset, {ShotSource::relation, 2, question}, 7);
  BOOST_TEST(shot_lists(dataset, asked, questions).size() == 1U);
}

BOOST_AUTO_TEST_CASE(prompt_records_which_shots_it_shows) {
  const MultiPromptDataset dataset = elements_many();
  const AskedFacts asked{{{1, {0, 2}}}, {}, {}};
  const FewShot few_shot(dataset, {ShotSource::same_template, 2}, 7);
  PromptTexts texts(dataset, asked, few_shot);
  using Places = std::vector<std::uint32_t>;
  BOOST_TEST(texts.shown(planned(0, 0, 2)).places == (Places{0, 2}));  // water is the second shot
  BOOST_TEST(texts.shown(planned(0, 1, 2)).places == (Places{0, 1}));
  BOOST_TEST(texts.shown_content_free(0, 2).places == (Places{0, 1}));
  BOOST_TEST(texts.shown(planned(0, 0, 2)).templates.empty());
  BOOST_TEST(texts.relation_at(0).code == "contains");
}

BOOST_AUTO_TEST_CASE(fresh_shots_are_recorded_by_global_index_and_template) {
  const MultiPromptDataset dataset = elements_many();
  const AskedFacts asked{{{1, {0, 2}}, {0, {5}}}, {}, {}};
  for (const ShotSource source :
       {ShotSource::random, ShotSource::relation, ShotSource::same_template}) {
    const FewShot few_shot(dataset, {source, 2, PromptForm::mask, true}, 7);
    const std::vector<RecordedShotList> lists = shot_lists(dataset, asked, few_shot);
    BOOST_REQUIRE(lists.size() == (source == ShotSource::random ? 1U : 2U));
    BOOST_TEST(lists[0].relation == (source == ShotSource::random ? "" : "contains"));
    BOOST_TEST(lists[0].shots.size() == (source == ShotSource::random ? 13U : 4U));
    for (const RecordedShot& shot : lists[0].shots) BOOST_TEST(!shot.template_index.has_value());
    PromptTexts texts(dataset, asked, few_shot);
    const auto check = [&](const ShotPlaces& shown, const std::vector<AskedUnder>& drawn) {
      BOOST_REQUIRE(shown.places.size() == 2U);
      BOOST_REQUIRE(shown.templates.size() == 2U);
      for (std::size_t i = 0; i < 2; ++i) {
        const RecordedShot& shot = lists[0].shots.at(shown.places[i]);
        const MultiPromptRelation& of = dataset.relations[drawn[i].relation];
        BOOST_TEST(shot.relation == of.code);
        BOOST_TEST(shot.subject == of.facts[drawn[i].fact].subject.names.front());
        BOOST_TEST(shown.templates[i] == drawn[i].template_index);
      }
    };
    // the second queried fact is the third
    check(texts.shown(planned(0, 1, 2)), few_shot.shots(1, 2, 2));
    check(texts.shown(planned(0, 0, 0)), few_shot.shots(1, 0, 0));
    check(texts.shown_content_free(0, 1), few_shot.shots(1, 1));
  }
}

// The stored shots match those of the prompt. The order in which texts are built does not change
// them: each text equals the one from a new builder.
BOOST_AUTO_TEST_CASE(the_order_in_which_texts_are_wanted_changes_none) {
  const MultiPromptDataset dataset = elements_many();
  const AskedFacts asked{{{1, {3, 1, 0}}, {0, {0, 2, 5}}, {2, {0, 1, 2}}}, {}, {}};
  RandomStream random(2, "prompt texts");
  for (const FewShotSetting& setting : all_settings()) {
    const FewShot few_shot(dataset, setting, 11);
    std::vector<PlannedPrompt> prompts = answer_plan(dataset, asked, few_shot).prompts;
    PromptTexts in_order(dataset, asked, few_shot), shuffled(dataset, asked, few_shot);
    const auto expected = [&](const PlannedPrompt& one) {
      const AskedRelation& of = asked.relations[one.relation];
      const std::size_t fact = of.facts[one.prompt.fact], t = one.prompt.template_index;
      const auto drawn =
          FewShot(dataset, setting, 11).shots(of.relation, t, fact, one.prompt.expression);
      return few_shot.context(drawn, of.relation, fact) +
             few_shot.question(
                 of.relation, t,
                 dataset.relations[of.relation].facts[fact].subject.names[one.prompt.expression]);
    };
    for (const PlannedPrompt& one : prompts) BOOST_TEST(in_order.text(one) == expected(one));
    random.shuffle(prompts);
    for (const PlannedPrompt& one : prompts) {
      BOOST_TEST(shuffled.text(one) == expected(one));
      BOOST_TEST(shuffled.text(one).starts_with(shuffled.context(one)));
    }
  }
}

// For a content-free text, the scorer's context is everything before the last question.
BOOST_AUTO_TEST_CASE(text_is_its_context_followed_by_one_question) {
  const MultiPromptDataset dataset = elements_many();
  const AskedFacts asked = asked_facts(dataset, {}, 0);
  for (const FewShotSetting& setting : all_settings()) {
    const FewShot few_shot(dataset, setting, 0);
    PromptTexts texts(dataset, asked, few_shot);
    for (const PlannedPrompt& one : answer_plan(dataset, asked, few_shot).prompts) {
      const std::string text = texts.text(one), context = texts.context(one);
      const std::string rest = text.substr(context.size());
      BOOST_TEST(context.ends_with("\n"));
      BOOST_TEST(rest.starts_with("Q: "));
      BOOST_TEST(rest.ends_with("\nA:"));
      BOOST_TEST(text.substr(0, text.rfind("\nQ: ") + 1) == context);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
