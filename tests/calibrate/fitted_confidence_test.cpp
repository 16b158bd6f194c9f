// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/calibrate/fitted_confidence.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(fitted_confidence_suite)

namespace {

/// A relation with two options and two templates. Each fact lists the score of option 0 under each
/// template; option 1 always scores 0.
RelationPredictions relation_of(
    const std::vector<std::pair<std::array<double, 2>, std::size_t>>& facts,
    const std::string& code = "r") {
  RelationPredictions made;
  made.relation.code = code;
  made.relation.options = {"yes", "no"};
  for (const std::size_t index : {0U, 1U}) made.add_template(index);
  made.paraphrases = 2;
  for (const auto& [scores, answer] : facts) {
    made.relation.facts.push_back({.answer = answer, .instance = made.relation.facts.size()});
    for (const double score : scores) {
      const std::vector<double> both{score, 0};
      made.cells.push_back(predict(both, answer));
      made.scores.insert(made.scores.end(), both.begin(), both.end());
    }
  }
  return made;
}

/// Three of four facts are right, but the odds are 81 to 1: the logits are four times too large.
std::vector<RelationPredictions> too_sure() {
  const double score = std::log(81.0);
  return {relation_of({{{score, 1}, 0}, {{score, 1}, 0}, {{score, 1}, 0}, {{score, 1}, 1}})};
}

/// An estimator whose confidence is the sum of the base template's scores.
struct SumOfScores {
  [[nodiscard]] Judgement operator()(const FactPredictions& fact) const {
    return {fact.scores()[0] + fact.scores()[1], fact.base().correct};
  }
  [[nodiscard]] std::string name() const { return "sum"; }
  void check(const RelationPredictions&) const {}
};

}  // namespace

// The correct odds are 3 to 1, so ln 81 / T = ln 3.
BOOST_AUTO_TEST_CASE(a_temperature_makes_the_mean_confidence_the_share_that_is_right) {
  const auto facts = too_sure();
  const Tempered<Base> tempered(facts);
  BOOST_TEST(tempered.temperature() == 4, boost::test_tools::tolerance(1e-6));
  BOOST_TEST(tempered.name() == "tempered_base");
  tempered.check(facts[0]);
  for (std::size_t f = 0; f < 4; ++f) {
    const Judgement made = tempered(FactPredictions{facts[0], f});
    BOOST_TEST(made.confidence == 0.75, boost::test_tools::tolerance(1e-6));
    BOOST_TEST(made.correct == (f < 3));
  }
}

BOOST_AUTO_TEST_CASE(any_estimator_is_tempered_under_every_template) {
  const auto facts = too_sure();
  const FactPredictions fact{facts[0], 0};
  // At odds of 3 to 1, Margin is 1/2.
  BOOST_TEST(Tempered<Margin>(facts)(fact).confidence == 0.5, boost::test_tools::tolerance(1e-6));
  // Under the other template, the odds are e^(1/4) to 1.
  const double other = std::exp(0.25) / (std::exp(0.25) + 1);
  BOOST_TEST(Tempered<Average<Vote>>(facts)(fact).confidence == (0.75 + other) / 2,
             boost::test_tools::tolerance(1e-6));
  // The temperature also divides the scores.
  BOOST_TEST(Tempered<SumOfScores>(facts)(fact).confidence == std::log(3.0),
             boost::test_tools::tolerance(1e-6));
}

// The weighted score of both templates is (3 ln 81 + 1) / 4, and the temperature is 4.
BOOST_AUTO_TEST_CASE(weighted_scores_of_several_templates_are_tempered) {
  auto facts = too_sure();
  facts[0].relation.template_weights = {0.75, 0.25};
  facts[0].weighted.resize(4);
  const double odds = std::exp((3 * std::log(81.0) + 1) / 16);
  BOOST_TEST(
      Tempered<Weighted>(facts)(FactPredictions{facts[0], 0}).confidence == odds / (odds + 1),
      boost::test_tools::tolerance(1e-6));
}

BOOST_AUTO_TEST_CASE(temperature_needs_scores) {
  auto facts = too_sure();
  const Tempered<Base> tempered(facts);
  facts[0].scores.clear();
  BOOST_CHECK_EXCEPTION((void)Tempered<Base>(facts), Error,
                        says(Fault::user, "tempered_base needs the options' scores"));
  BOOST_CHECK_EXCEPTION(tempered.check(facts[0]), Error,
                        says(Fault::user, "probe in memory with keep_scores"));
  BOOST_TEST(Tempered<Base>(std::vector<RelationPredictions>{}).temperature() == 1);
}

// Half of the two more confident facts are right; the less confident one is wrong. The map is 1/2
// and 0 at these confidences, and linear between them.
BOOST_AUTO_TEST_CASE(isotonic_maps_confidence_to_interpolated_accuracy) {
  const double sure = std::log(9.0), unsure = std::log(3.0);  // confidences 0.9 and 0.75
  const std::vector<RelationPredictions> fitting{
      relation_of({{{sure, 0}, 0}, {{sure, 0}, 1}, {{unsure, 0}, 1}})};
  const Isotonic<Base> isotonic(fitting);
  BOOST_TEST(isotonic.name() == "isotonic_base");
  const auto asked =
      relation_of({{{sure, 0}, 1}, {{unsure, 0}, 0}, {{std::log(0.825 / 0.175), 0}, 0}});
  const auto confidence = [&](std::size_t f) {
    return isotonic(FactPredictions{asked, f}).confidence;
  };
  BOOST_TEST(confidence(0) == 0.5, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(confidence(1) == 0);
  BOOST_TEST(confidence(2) == 0.25, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(without_an_answer_there_is_nothing_to_map) {
  const std::vector<RelationPredictions> fitting{relation_of({{{1, 1}, 0}})};
  const Isotonic<Consistency<Vote>> isotonic(fitting);
  const auto split = relation_of({{{1, -1}, 0}});  // the two templates disagree
  const Judgement made = isotonic(FactPredictions{split, 0});
  BOOST_TEST(!made.answered);
  BOOST_TEST(made.confidence == 0);
  BOOST_CHECK_EXCEPTION((void)Isotonic<Base>(std::vector<RelationPredictions>{}), Error,
                        says(Fault::user, "contains no facts to fit a map to"));
}

BOOST_AUTO_TEST_CASE(facts_are_split_within_relations_with_all_that_belongs_to_them) {
  std::vector<RelationPredictions> all{
      relation_of({{{1, 2}, 0}, {{3, 4}, 1}, {{5, 6}, 0}, {{7, 8}, 1}, {{9, 10}, 0}}, "five"),
      relation_of({{{11, 12}, 1}}, "one")};
  for (std::size_t f = 0; f < 5; ++f) all[0].weighted.push_back({f, false, 0, 0, 0});
  const SplitFacts split = split_facts(all, 3);
  BOOST_REQUIRE(split.fitting.size() == 1U);
  BOOST_REQUIRE(split.held_out.size() == 2U);
  BOOST_TEST(split.fitting[0].facts() == 2U);
  BOOST_TEST(split.held_out[0].facts() == 3U);
  BOOST_TEST(split.held_out[1].relation.code == "one");
  std::set<std::size_t> seen;
  for (const RelationPredictions* half : {&split.fitting[0], &split.held_out[0]}) {
    for (std::size_t f = 0; f < half->facts(); ++f) {
      const FactPredictions fact{*half, f};
      const std::size_t instance = half->relation.facts[f].instance;
      seen.insert(instance);
      BOOST_TEST(fact.scores(1)[0] == 2 * static_cast<double>(instance) + 2);
      BOOST_TEST(fact.answer() == instance % 2);
      BOOST_TEST(half->weighted.at(f).option == instance);
      BOOST_TEST(fact.base().correct == (instance % 2 == 0));
    }
  }
  BOOST_TEST(seen.size() == 5U);
  const SplitFacts again = split_facts(all, 3);
  BOOST_TEST(again.fitting[0].scores == split.fitting[0].scores);
}

BOOST_AUTO_TEST_SUITE_END()
