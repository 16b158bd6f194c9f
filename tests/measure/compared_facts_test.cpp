// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/compared_facts.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/small_answers.hpp"

using namespace plumb::detail;
using test::by_seed;
using test::cell;
using test::ic;

BOOST_AUTO_TEST_SUITE(compared_facts_suite)

namespace {

/// A string that shows which models know a fact. In "10-", the first model knows it, the second
/// does not, and the third did not answer it.
std::string who(const ComparedFact& fact) {
  std::string text;
  for (const auto& model : fact.models) text += !model ? '-' : model->is_known ? '1' : '0';
  return text;
}

std::vector<ModelAnswers> three() {
  return {{"a", {by_seed("P2", {"10"}), by_seed("P1", {"1010"})}},
          {"b", {by_seed("P1", {"110"})}},
          {"c", {by_seed("P1", {"100"}), by_seed("P3", {"1"})}}};
}

}  // namespace

// Only one model has P2, P3 and fact 3 of P1.
BOOST_AUTO_TEST_CASE(shared_facts_record_which_models_know_them) {
  const auto facts = compared_facts(three(), ic(50));
  BOOST_REQUIRE(facts.size() == 3U);
  BOOST_TEST(facts[0].relation == "P1");
  BOOST_TEST(facts[1].instance == 1U);
  BOOST_TEST(facts[1].subject == "s1");
  BOOST_TEST(facts[1].answer == "o1");
  BOOST_TEST(who(facts[0]) == "111");
  BOOST_TEST(who(facts[1]) == "010");
  BOOST_TEST(who(facts[2]) == "100");
  BOOST_TEST(facts[0].known_by() == 3U);
  BOOST_TEST(!facts[0].differs());
  BOOST_TEST(facts[1].differs());
  BOOST_TEST(facts[1].is_known_to(1));
  BOOST_TEST(!facts[1].is_known_to(0));
}

BOOST_AUTO_TEST_CASE(a_model_that_was_not_asked_is_no_model_that_does_not_know) {
  auto models = three();
  models[2].relations[0].relation.facts[1].instance = 7;
  const auto facts = compared_facts(models, ic(50));
  BOOST_REQUIRE(facts.size() == 3U);
  BOOST_TEST(who(facts[1]) == "01-");
  BOOST_TEST(facts[1].asked() == 2U);
}

BOOST_AUTO_TEST_CASE(known_and_answer_are_of_the_variants_that_all_share) {
  std::vector<ModelAnswers> models{{"a", {by_seed("P1", {"10", "01", "01"})}},
                                   {"b", {by_seed("P1", {"00", "10"})}}};
  auto& ours = models[0].relations[0];
  test::reverse_settings(ours);  // seed 0 now comes last
  cell(ours, 2, 0).option = 1;
  auto facts = compared_facts(models, ic(50));
  BOOST_TEST(who(facts[0]) == "00");
  BOOST_TEST(who(facts[1]) == "00");
  BOOST_TEST(facts[0].models[0]->text == "o1");
  BOOST_TEST(facts[0].models[1]->text == "o0");
  for (Setting& setting : models[1].relations[0].settings) setting.variant += 10;
  // Fact 1 is judged by each model's own variants: the first model is right in two of three, the
  // second in one of two.
  facts = compared_facts(models, ic(50));
  BOOST_TEST(who(facts[0]) == "00");
  BOOST_TEST(who(facts[1]) == "10");
}

BOOST_AUTO_TEST_CASE(facts_are_counted_by_who_knows_them) {
  const auto counts = count_compared(compared_facts(three(), ic(50)), 3);
  BOOST_TEST(counts.compared == 3U);
  BOOST_TEST(counts.known_by_all == 1U);
  BOOST_TEST(counts.known_by_none == 0U);
  BOOST_TEST(counts.differ == 2U);
  BOOST_TEST((counts.known_alone == std::vector<std::size_t>{1, 1, 0}));
}

BOOST_AUTO_TEST_SUITE_END()
