// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/calibrate/confidence.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/predictions.hpp"

using namespace plumb::detail;
using test::answered;
using test::says;

BOOST_AUTO_TEST_SUITE(confidence)

namespace {

bool is(const Judgement& made, double confidence, bool correct, bool answered_at_all = true) {
  return made.confidence == confidence && made.correct == correct &&
         made.answered == answered_at_all;
}

template <class Estimator>
Judgement judge(const Estimator& estimator, const RelationPredictions& relation,
                std::size_t fact = 0) {
  return estimator(FactPredictions{relation, fact});
}

/// The kind of estimator that a user might write.
struct CoinToss {
  [[nodiscard]] Judgement operator()(const FactPredictions& fact) const {
    return {0.5, fact.base().correct};
  }
  [[nodiscard]] std::string name() const { return "coin"; }
  void check(const RelationPredictions&) const {}
};

}  // namespace

BOOST_AUTO_TEST_CASE(base_and_margin_are_the_base_templates) {
  auto relation = answered("r", {{0, {{1, 0.75}, {0, 0.5}}}, {1, {{1, 0.25}, {0, 1.0}}}});
  BOOST_TEST(is(judge(Base{}, relation), 0.75, false));
  // The fixture's margin confidence is half of its base confidence.
  BOOST_TEST(is(judge(Margin{}, relation), 0.375, false));
  BOOST_TEST(is(judge(Base{}, relation, 1), 0.25, true));
  relation.base = 1;
  BOOST_TEST(is(judge(Base{}, relation), 0.5, true));
  BOOST_TEST(is(judge(Margin{}, relation), 0.25, true));
}

// Equations 3 and 4 over five paraphrases. Three paraphrases answer b, with confidences 0.5, 0.25
// and 0.125. Two paraphrases answer c, with confidences 0.0625 (the lowest of all) and 0.875. All
// sums are divided by five.
BOOST_AUTO_TEST_CASE(average_and_consistency_divide_by_all_paraphrases) {
  const auto relation =
      answered("r", {{1, {{1, 0.5}, {2, 0.875}, {1, 0.25}, {2, 0.0625}, {1, 0.125}}}});
  BOOST_TEST(is(judge(Average(Vote{}), relation), 0.875 / 5, true));
  BOOST_TEST(is(judge(Consistency(Vote{}), relation), 3.0 / 5, true));
  BOOST_TEST(is(judge(Average(MinConfidence{}), relation), 0.9375 / 5, false));
  BOOST_TEST(is(judge(Consistency(MinConfidence{}), relation), 2.0 / 5, false));
  BOOST_TEST(is(judge(Average(MaxConfidence{}), relation), 0.9375 / 5, false));
}

BOOST_AUTO_TEST_CASE(the_number_of_paraphrases_is_free_and_markers_do_not_count) {
  const auto relation = answered("r", {{4, {{4, 0.5}, {4, 0.25}, {0, 0.5}, {0, 0.5}, {0, 0.5}}}},
                                 {"possibly", "50%", "0%"});
  BOOST_TEST(is(judge(Average(Vote{}), relation), 0.375, true));
  BOOST_TEST(is(judge(Consistency(Vote{}), relation), 1.0, true));
  const auto seven =
      answered("r", {{0, {{0, 0.5}, {1, 0.5}, {0, 0.5}, {2, 0.5}, {3, 0.5}, {4, 0.5}, {0, 0.5}}}});
  BOOST_TEST(is(judge(Consistency(Vote{}), seven), 3.0 / 7, true));
  BOOST_TEST(is(judge(Average(Vote{}), seven), 1.5 / 7, true));
}

// The right answer is option 0, so a failed vote that defaulted to option 0 would count as right.
BOOST_AUTO_TEST_CASE(a_failed_vote_is_confidence_zero_and_wrong) {
  const auto relation = answered("r", {{0, {{0, 0.9}, {1, 0.8}, {0, 0.7}, {1, 0.6}}}});
  BOOST_TEST(is(judge(Average(Vote{}), relation), 0.0, false, false));
  BOOST_TEST(is(judge(Consistency(Vote{}), relation), 0.0, false, false));
  BOOST_TEST(is(judge(Average(Vote{3}), relation), 0.0, false, false));
  BOOST_TEST(judge(Average(MinConfidence{}), relation).answered);
}

BOOST_AUTO_TEST_CASE(a_marked_estimator_is_base_under_the_template_with_the_marker) {
  const auto relation =
      answered("r", {{2, {{2, 0.5}, {1, 0.25}, {2, 0.75}}}, {3, {{3, 0.5}, {3, 0.125}, {0, 0.25}}}},
               {"certainly", "100%"});
  BOOST_TEST(is(judge(Marked("certainly"), relation), 0.25, false));
  BOOST_TEST(is(judge(Marked("100%"), relation), 0.75, true));
  BOOST_TEST(is(judge(Marked("certainly"), relation, 1), 0.125, true));
  BOOST_CHECK_NO_THROW(Marked("100%").check(relation));
}

BOOST_AUTO_TEST_CASE(weighted_is_base_of_what_all_templates_answer_together) {
  auto relation = answered("P36", {{2, {{2, 0.5}, {1, 0.25}}}, {3, {{3, 0.5}, {3, 0.125}}}});
  BOOST_CHECK_EXCEPTION(Weighted{}.check(relation), Error,
                        says(Fault::user, "P36: has no weighted templates"));
  relation.weighted = {{1, false, 0.375, 0, 0}, {3, true, 0.875, 0, 0}};
  BOOST_CHECK_NO_THROW(Weighted{}.check(relation));
  BOOST_TEST(is(judge(Weighted{}, relation), 0.375, false));
  BOOST_TEST(is(judge(Weighted{}, relation, 1), 0.875, true));
  BOOST_TEST(Weighted{}.name() == "weighted");
}

BOOST_AUTO_TEST_CASE(unmet_estimator_requirements_are_reported) {
  const auto one = answered("P36", {{0, {{0, 0.5}, {0, 0.5}, {0, 0.5}}}}, {"possibly", "0%"});
  const auto needs = [](const std::string& name) {
    return says(Fault::user,
                "P36: " + name + " needs at least two paraphrases; this relation has 1");
  };
  BOOST_CHECK_EXCEPTION(Average(Vote{3}).check(one), Error, needs("average_vote3"));
  BOOST_CHECK_EXCEPTION(Average(MaxConfidence{}).check(one), Error, needs("average_max"));
  BOOST_CHECK_EXCEPTION(Consistency(MinConfidence{}).check(one), Error, needs("consistency_min"));
  BOOST_CHECK_EXCEPTION(Marked("certainly").check(one), Error,
                        says(Fault::user, "P36: has no template with the marker 'certainly'"));
  BOOST_CHECK_NO_THROW(Base{}.check(one));
  BOOST_CHECK_NO_THROW(Margin{}.check(one));
  const auto two = answered("P36", {{0, {{0, 0.5}, {0, 0.5}}}});
  BOOST_CHECK_NO_THROW(Average(Vote{}).check(two));
}

BOOST_AUTO_TEST_CASE(estimators_have_table_names_and_can_be_user_defined) {
  BOOST_TEST(Base{}.name() == "base");
  BOOST_TEST(Margin{}.name() == "margin");
  BOOST_TEST(Average(Vote{5}).name() == "average_vote5");
  BOOST_TEST(Consistency(MinConfidence{}).name() == "consistency_min");
  BOOST_TEST(Marked("25%").name() == "25%");
  static_assert(ConfidenceEstimator<CoinToss> && ConfidenceEstimator<Consistency<MinConfidence>>);
  static_assert(!ConfidenceEstimator<Vote>);
}

// Average ≤ Consistency ≤ 1; the two are equal if every Base confidence is 1. Both estimators judge
// the same answer, so they agree on whether it is right.
BOOST_AUTO_TEST_CASE(average_never_exceeds_consistency) {
  const auto model = test::random_model({.facts = 60, .paraphrases = 5});
  for (RelationPredictions relation : model.predictions.relations) {
    for (std::size_t f = 0; f < relation.facts(); ++f) {
      const Judgement average = judge(Average(MinConfidence{}), relation, f);
      const Judgement consistency = judge(Consistency(MinConfidence{}), relation, f);
      BOOST_TEST(average.confidence > 0);
      BOOST_TEST(average.confidence <= consistency.confidence);
      BOOST_TEST(consistency.confidence <= 1);
      BOOST_TEST(average.correct == consistency.correct);
    }
    for (Prediction& cell : relation.cells) cell.confidence = 1;
    BOOST_TEST(judge(Average(Vote{}), relation).confidence ==
               judge(Consistency(Vote{}), relation).confidence);
  }
}

// The base template has a two-way tie, and so does another of the five paraphrases. Two of the
// remaining three choose the right answer, with confidences 0.5 and 0.25.
BOOST_AUTO_TEST_CASE(a_tie_is_not_right_and_agrees_with_no_other_answer) {
  auto relation = answered("r", {{1, {{1, 0.5}, {1, 0.5}, {1, 0.25}, {2, 0.75}, {1, 0.5}}}});
  test::make_tie(relation.cells[0], 2, BestTie::answer_first);
  test::make_tie(relation.cells[4], 2, BestTie::answer_first);
  BOOST_TEST(is(judge(Base{}, relation), 0.5, false));
  BOOST_TEST(is(judge(Margin{}, relation), 0.25, false));
  BOOST_TEST(is(judge(Consistency(Vote{}), relation), 2.0 / 5, true));
  BOOST_TEST(is(judge(Average(Vote{}), relation), 0.75 / 5, true));
  BOOST_TEST(is(judge(Average(MaxConfidence{}), relation), 0.75 / 5, false));
  for (Prediction& cell : relation.cells) test::make_tie(cell, 5, BestTie::answer_first);
  BOOST_TEST(is(judge(Consistency(Vote{}), relation), 0, false, false));
  BOOST_TEST(is(judge(Average(MinConfidence{}), relation), 0, false, false));
}

BOOST_AUTO_TEST_SUITE_END()
