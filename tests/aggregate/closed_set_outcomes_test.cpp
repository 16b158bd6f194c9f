// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/aggregate/closed_set_outcomes.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "plumb/detail/aggregate/prompt_consistency.hpp"
#include "plumb/detail/aggregate/prompt_coverage.hpp"
#include "plumb/detail/aggregate/prompt_pairs.hpp"
#include "plumb/detail/aggregate/prompt_sampling.hpp"
#include "support/errors.hpp"
#include "support/predictions.hpp"

using namespace plumb::detail;
using test::answered;

BOOST_AUTO_TEST_SUITE(closed_set_outcomes_suite)

namespace {

using Prompts = std::vector<PromptOutcome>;

Prompts prompts_of(const PromptOutcomes& table, std::size_t fact) {
  const auto prompts = table.prompts(fact);
  return {prompts.begin(), prompts.end()};
}

/// "P1" has three facts under two paraphrases (templates 1 and 4) and a marked template 0; "P2" has
/// no facts; "P3" has one fact under one paraphrase.
ModelPredictions three_relations() {
  ModelPredictions model;
  auto first = answered("P1",
                        {{3, {{3, 0.5}, {1, 0.5}, {3, 0.5}}},
                         {0, {{2, 0.5}, {0, 0.5}, {4, 0.5}}},
                         {1, {{1, 0.5}, {1, 0.5}, {1, 0.5}}}},
                        {"certainly"});
  first.settings[0].variant = 1;
  first.settings[1].variant = 4;
  first.settings[2].variant = 0;
  first.relation.templates = {"certainly [X] [Y]", "[X] one [Y]", "", "", "[X] four [Y]"};
  first.relation.facts[0].subject_id = "Q7";
  first.relation.facts[0].subject = "seven";
  first.relation.facts[1].subject = "eight";
  first.relation.facts[2].instance = 12;
  model.relations.push_back(first);
  model.relations.push_back(answered("P2", {}));
  model.relations.push_back(answered("P3", {{2, {{2, 0.5}}}}));
  return model;
}

}  // namespace

BOOST_AUTO_TEST_CASE(paraphrases_are_templates_and_options_are_answers) {
  const PromptOutcomes table = closed_set_outcomes(three_relations());
  BOOST_REQUIRE(table.relations().size() == 3U);
  const auto& relations = table.relations();
  BOOST_TEST(relations[0].code == "P1");
  BOOST_REQUIRE(relations[0].templates.size() == 2U);
  BOOST_TEST(relations[0].templates[0].text == "[X] one [Y]");
  BOOST_TEST(relations[0].templates[1].text == "[X] four [Y]");
  BOOST_TEST(relations[0].templates[0].group == "");
  BOOST_TEST(relations[1].code == "P2");
  BOOST_TEST(relations[1].facts == 0U);
  BOOST_TEST(table.facts() == 4U);
  BOOST_CHECK(prompts_of(table, 0) == (Prompts{{3, 0, 0, true}, {1, 1, 0, false}}));
  BOOST_CHECK(prompts_of(table, 1) == (Prompts{{2, 0, 0, false}, {0, 1, 0, true}}));
  BOOST_CHECK(prompts_of(table, 2) == (Prompts{{1, 0, 0, true}, {1, 1, 0, true}}));
  BOOST_CHECK(prompts_of(table, 3) == (Prompts{{2, 0, 0, true}}));
}

BOOST_AUTO_TEST_CASE(a_fact_is_known_by_identifier_label_or_place) {
  const PromptOutcomes table = closed_set_outcomes(three_relations());
  BOOST_TEST(table.key(0) == "Q7");
  BOOST_TEST(table.key(1) == "eight");
  BOOST_TEST(table.key(2) == "instance 12");
}

BOOST_AUTO_TEST_CASE(a_template_without_a_text_is_known_by_its_index) {
  auto model = three_relations();
  model.relations[0].relation.templates.resize(2);
  const PromptOutcomes table = closed_set_outcomes(model);
  BOOST_TEST(table.relations()[0].templates[0].text == "[X] one [Y]");
  BOOST_TEST(table.relations()[0].templates[1].text == "template 4");
  model.relations[0].relation.templates[1].clear();
  BOOST_TEST(closed_set_outcomes(model).relations()[0].templates[0].text == "template 1");
  BOOST_TEST(table.relations()[2].templates[0].text == "template 0");
}

BOOST_AUTO_TEST_CASE(what_is_known_of_a_template_is_found_by_its_text) {
  const KnownTemplates known{
      {"P1",
       {{"[X] four [Y]", "g", TemplateStyle::question, TemplateOrigin::generated},
        {"unscored", "h"},
        {"[X] one [Y]", "g"}}},
      {"P9", {}}};
  const PromptOutcomes table = closed_set_outcomes(three_relations(), known);
  const auto& templates = table.relations()[0].templates;
  BOOST_REQUIRE(templates.size() == 2U);
  BOOST_TEST(templates[0].text == "[X] one [Y]");
  BOOST_TEST(templates[0].group == "g");
  BOOST_CHECK(templates[0].origin == TemplateOrigin::manual);
  BOOST_TEST(templates[1].group == "g");
  BOOST_CHECK(templates[1].style == TemplateStyle::question);
  BOOST_CHECK(templates[1].origin == TemplateOrigin::generated);
  // The predictions do not contain the template texts of "P3".
  BOOST_TEST(table.relations()[2].templates[0].text == "template 0");
}

BOOST_AUTO_TEST_CASE(a_paraphrase_must_be_among_the_templates_known_of_its_relation) {
  const KnownTemplates one{{"P1", {{"[X] one [Y]", "g"}}}};
  BOOST_CHECK_EXCEPTION(
      static_cast<void>(closed_set_outcomes(three_relations(), one)), Error,
      test::says(Fault::user, "P1: template 4 ('[X] four [Y]') is not among the templates"));
  const KnownTemplates nameless{{"P3", {{"[X] three [Y]", "g"}}}};
  BOOST_CHECK_EXCEPTION(
      static_cast<void>(closed_set_outcomes(three_relations(), nameless)), Error,
      test::says(Fault::user, "P3: template 0, whose text is not known, is not among"));
}

BOOST_AUTO_TEST_CASE(facts_of_one_subject_stay_apart_and_are_paired_in_their_order) {
  const auto model = [](std::size_t first, std::size_t second) {
    ModelPredictions made;
    made.relations.push_back(answered("P1", {{1, {{first, 0.5}}}, {2, {{second, 0.5}}}}));
    for (Fact& fact : made.relations[0].relation.facts) fact.subject_id = "Q1";
    return closed_set_outcomes(made);
  };
  const PromptOutcomes one = model(1, 0), other = model(0, 2);
  BOOST_TEST(one.facts() == 2U);
  const PairedPrompts pairs = pair_prompts(one, other);
  BOOST_REQUIRE(pairs.relations.size() == 1U);
  BOOST_REQUIRE(pairs.relations[0].prompts.size() == 2U);
  BOOST_TEST(pairs.relations[0].prompts[0].one_right);
  BOOST_TEST(!pairs.relations[0].prompts[0].other_right);
  BOOST_TEST(!pairs.relations[0].prompts[1].one_right);
  BOOST_TEST(pairs.relations[0].prompts[1].other_right);
}

// The answers to the first two facts differ, and those to the third agree. The fourth fact has only
// one answer.
BOOST_AUTO_TEST_CASE(the_measures_over_many_prompts_take_it) {
  const PromptOutcomes table = closed_set_outcomes(three_relations());
  const auto consistency = prompt_consistency(table).overall.all;
  BOOST_TEST(consistency.share.count == 3U);
  BOOST_TEST(consistency.excluded == 1U);
  BOOST_TEST(std::abs(consistency.share.value - 1.0 / 3) < 1e-12);
  BOOST_TEST(sample_accuracy(table, {.samplings = 8}).exact_mean == 0.75);
}

BOOST_AUTO_TEST_CASE(a_model_without_relations_has_no_prompts) {
  BOOST_TEST(closed_set_outcomes({}).relations().empty());
}

// One relation has two facts under two templates. For fact 0, five options tie under both
// templates, and the first of them is right. Fact 1 is answered correctly under the first template;
// under the other, two wrong options tie.
BOOST_AUTO_TEST_CASE(ties_are_guesses_in_means_not_right_and_the_same_as_no_other_answer) {
  ModelPredictions model;
  auto& made = model.relations.emplace_back(
      answered("P1", {{0, {{0, 0.2}, {0, 0.2}}}, {3, {{3, 0.9}, {1, 0.4}}}}));
  test::make_tie(made.cells[0], 5, BestTie::answer_first);
  test::make_tie(made.cells[1], 5, BestTie::answer_first);
  test::make_tie(made.cells[3], 2, BestTie::without_answer);
  const PromptOutcomes table = closed_set_outcomes(model);
  BOOST_CHECK(prompts_of(table, 0) == (Prompts{{5, 0, 0, false, BestTie::answer_first, 5},
                                               {6, 1, 0, false, BestTie::answer_first, 5}}));
  BOOST_CHECK(prompts_of(table, 1) ==
              (Prompts{{3, 0, 0, true}, {6, 1, 0, false, BestTie::without_answer, 2}}));
  const PromptCoverage coverage = prompt_coverage(table);
  BOOST_TEST(std::abs(coverage.average.value - (0.2 + 0.5) / 2) < 1e-12);
  BOOST_TEST(coverage.average_first_wins.value == (1 + 0.5) / 2);
  BOOST_CHECK((coverage.ties == TieCount{3, 4}));
  BOOST_TEST(coverage.oracle.value == 0.5);
  BOOST_TEST(std::abs(coverage.maximum.value - (0.2 + 1) / 2) < 1e-12);
  BOOST_TEST(std::abs(coverage.minimum.value - 0.2 / 2) < 1e-12);
  BOOST_TEST(prompt_consistency(table).overall.all.share.value == 0.0);
  const auto templates = template_accuracies(table, table.relations()[0]);
  BOOST_TEST(std::abs(templates[0].accuracy.value - 0.6) < 1e-12);
  BOOST_TEST(std::abs(templates[1].accuracy.value - 0.1) < 1e-12);
}

// The first fact always counts as 1/5 and the second as 1 or 0, so the sum over the two facts is
// 1.2 or 0.2, no matter how prompts are drawn.
BOOST_AUTO_TEST_CASE(samplings_count_a_tie_by_its_share_and_do_not_draw_it) {
  ModelPredictions model;
  auto& made = model.relations.emplace_back(
      answered("P1", {{0, {{0, 0.2}, {0, 0.2}}}, {3, {{3, 0.9}, {1, 0.4}}}}));
  test::make_tie(made.cells[0], 5);
  test::make_tie(made.cells[1], 5);
  test::make_tie(made.cells[3], 2, BestTie::without_answer);
  const PromptOutcomes table = closed_set_outcomes(model);
  for (const SampleBy by : {SampleBy::fact, SampleBy::relation}) {
    const SampledAccuracy sampled = sample_accuracy(table, {by, 20'000, 4});
    BOOST_TEST(std::abs(sampled.exact_mean - 0.35) < 1e-12);
    BOOST_TEST(std::abs(sampled.exact_sd - 0.25) < 1e-12);
    BOOST_TEST(std::abs(sampled.low() - 0.1) < 1e-12);
    BOOST_TEST(std::abs(sampled.high() - 0.6) < 1e-12);
    BOOST_TEST(std::abs(sampled.mean - 0.35) < 0.02);
    BOOST_TEST(std::abs(*sampled.sd - sampled.exact_sd) < 0.01);
  }
}

BOOST_AUTO_TEST_SUITE_END()
