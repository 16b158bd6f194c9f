// SPDX-License-Identifier: Apache-2.0

#include "plumb/many_shot.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "plumb/calibrator.hpp"
#include "plumb/candidate_scorer.hpp"
#include "plumb/dataset.hpp"
#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/score/causal_scorer.hpp"
#include "plumb/model.hpp"
#include "plumb/probe.hpp"
#include "plumb/tensors.hpp"
#include "support/errors.hpp"
#include "support/nats_by_hand.hpp"

using namespace plumb;
namespace test = plumb::detail::test;
using test::says;

BOOST_AUTO_TEST_SUITE(many_shot_door_suite)

namespace {

/// Twelve towns in three countries.
Dataset door_towns() {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const char* country : {"Peru", "Chad", "Iran"}) {
    for (const char* end : {"a", "b", "c", "d"}) {
      pairs.emplace_back(std::string(country).substr(0, 2) + end, country);
    }
  }
  return {"towns", {relation_of("country", {}, pairs)}};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_choice_has_the_probability_of_what_continues_the_shots) {
  const Dataset dataset = door_towns();
  NgramModel model("Pea Peru Peb Peru Cha Chad", 4);
  CausalScorer scorer(model);
  const ManyShotOptions options{.shots = {{0, 2}}, .seeds = 2, .choices = 3, .training = 6};
  const Answers answers = many_shot(scorer, dataset, options);
  const Answers::Table& table = answers.tables.at(0);
  BOOST_TEST(table.templates() == 4U);  // two shot counts with two seeds
  BOOST_TEST(table.facts() == 6U);
  BOOST_TEST(table.candidates() == 3U);
  const Relation& relation = dataset.relations[0];
  const detail::FactSplit split = train_test_split(relation, 6, 0);
  for (std::size_t f = 0; f < table.facts(); ++f) {
    BOOST_TEST(table.relation.facts[f].subject == relation.facts[split.test[f]].subject);
    for (std::size_t s = 0; s < table.templates(); ++s) {
      const detail::Setting& setting = table.settings[s];
      std::string given;
      const std::vector<std::size_t> order = shot_order(relation, split, setting.variant);
      for (std::size_t i = 0; i < setting.shots; ++i) {
        const Fact& shot = relation.facts[order[i]];
        given += shot.subject + " " + relation.options[shot.answer] + " ";
      }
      given += table.relation.facts[f].subject;
      for (std::size_t c = 0; c < table.candidates(f); ++c) {
        const std::size_t place = table.place(f, s) + c;
        BOOST_TEST(table.log_likelihoods[place] ==
                       test::nats_behind(model, given, " " + table.label(f, c)),
                   boost::test_tools::tolerance(1e-6));
        BOOST_TEST(table.bytes[place] == 1 + table.label(f, c).size());
      }
    }
  }
  BOOST_TEST(accuracy_spreads(answers).size() == 2U);
}

BOOST_AUTO_TEST_CASE(eic_variants_have_their_own_settings) {
  NgramModel model("Pea Peru Peb Peru Cha Chad", 4);
  CausalScorer scorer(model);
  const Answers answers = many_shot(scorer, door_towns(),
                                    {.shots = {},
                                     .seeds = 1,
                                     .choices = 2,
                                     .training = 6,
                                     .eic_paper = true,
                                     .eic_isolated = true,
                                     .eic_geometry = {.first = 2, .step = 1, .questions = 3}});
  const Answers::Table& table = answers.tables.at(0);
  BOOST_REQUIRE(table.templates() == 2U);
  BOOST_TEST(table.settings[0].method == "eic-isolated");
  BOOST_TEST(table.settings[1].method == "eic");
  BOOST_TEST(table.log_likelihoods.size() == 2U * 6 * 2);
  for (const double nats : table.log_likelihoods) BOOST_TEST(std::isfinite(nats));
}

BOOST_AUTO_TEST_CASE(insufficient_facts_are_reported) {
  NgramModel model("Pea Peru", 4);
  CausalScorer scorer(model);
  BOOST_CHECK_EXCEPTION((void)many_shot(scorer, door_towns(), {.shots = {{50}}}), Error,
                        says(detail::Fault::user, "training facts for the shots"));
  Dataset two = door_towns();
  two.relations.push_back(relation_of("few", {"[X] is in [Y]."}, {{"a", "b"}, {"c", "d"}}));
  const Answers answers = many_shot(scorer, two, {.shots = {{3}}, .seeds = 1, .training = 6});
  BOOST_TEST(answers.tables.size() == 1U);
  BOOST_REQUIRE(answers.remarks.size() >= 1U);
  BOOST_TEST(answers.remarks.back().find("few") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
