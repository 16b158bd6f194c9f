// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/aggregate/answer_predictions.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

#include "support/errors.hpp"
#include "support/given_answers.hpp"

using namespace plumb::detail;
using test::answers_of_capitals;
using test::says;

BOOST_AUTO_TEST_SUITE(answer_predictions_suite)

BOOST_AUTO_TEST_CASE(paraphrases_come_first_and_keep_their_own_scores) {
  const Answers answers =
      answers_of_capitals({"I'm 75% confident the capital of [X] is [Y].",
                           "The capital of [X] is [Y].", "[Y] is the capital of [X]."},
                          {-1, -2, -3, -4, -5, -6, -9, -8, -7, -6, -5, -4});
  const ModelPredictions made =
      predictions_of(answers, {.kinds = {.base = 1}, .keep_scores = true});
  const RelationPredictions& relation = made.relations[0];
  BOOST_TEST(relation.paraphrases == 2U);
  BOOST_TEST(relation.template_at(0) == 1U);
  BOOST_TEST(relation.template_at(2) == 0U);
  BOOST_TEST(relation.roles[2].marker == "75%");
  const FactPredictions france{relation, 0};
  BOOST_TEST(france.scores()[0] == -3.0);
  BOOST_TEST(france.scores(2)[0] == -1.0);
  BOOST_TEST(france.base().confidence == 1 / (1 + std::exp(-1.0)),
             boost::test_tools::tolerance(1e-12));
  BOOST_TEST(relation.row(1)[2].option == 1U);
}

BOOST_AUTO_TEST_CASE(a_base_template_that_was_not_asked_is_refused) {
  const Answers answers = answers_of_capitals({"[X], [Y]"}, {-1, -2, -3, -4});
  BOOST_CHECK_EXCEPTION((void)predictions_of(answers, {.kinds = {.base = 1}}), Error,
                        says(Fault::user, "template 1"));
}

BOOST_AUTO_TEST_CASE(templates_with_weights_answer_together) {
  Answers answers =
      answers_of_capitals({"[X], [Y]", "[Y] of [X]"}, {-1, -2, -9, -3, -1, -2, -3, -3});
  BOOST_TEST(predictions_of(answers).relations[0].weighted.empty());
  answers.tables[0].relation.template_weights = {3, 1};
  // Seoul's weighted score, (3·−2 − 3) / 4 = −2.25, beats Paris's, (3·−1 − 9) / 4 = −3, although
  // template 0 alone answers Paris.
  const ModelPredictions made = predictions_of(answers);
  BOOST_TEST(made.relations[0].row(0)[0].option == 0U);
  BOOST_TEST(made.relations[0].weighted[0].option == 1U);
}

BOOST_AUTO_TEST_CASE(settings_of_a_study_are_paraphrases) {
  Answers answers =
      answers_of_capitals({"[X], [Y]", "[Y] of [X]"}, {-1, -2, -3, -4, -5, -6, -7, -8});
  answers.tables[0].settings = {{"ic", 2, " ", "choice", 0}, {"ic", 2, " ", "choice", 1}};
  const ModelPredictions made = predictions_of(answers);
  BOOST_TEST(made.relations[0].paraphrases == 2U);
  BOOST_TEST(made.relations[0].base == 0U);
  BOOST_TEST(made.relations[0].cells.size() == 4U);
}

BOOST_AUTO_TEST_SUITE_END()
