// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/chance.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "support/near.hpp"

using namespace plumb::detail;
using test::near;

BOOST_AUTO_TEST_SUITE(against_chance)

namespace {

/// A prediction with the given correctness and option.
Prediction answered(bool right, std::size_t option) {
  Prediction made;
  made.correct = right;
  made.option = option;
  return made;
}

/// A relation with `facts` facts and `options` options; the first `right` facts are answered
/// correctly.
RelationAnswers relation(std::size_t facts, std::size_t options, std::size_t right) {
  RelationAnswers made;
  made.relation.code = "P1";
  made.relation.options.resize(options);
  made.settings = {template_setting(0)};
  made.relation.facts.resize(facts);
  for (std::size_t i = 0; i < facts; ++i) made.cells.push_back(answered(i < right, i % options));
  return made;
}

}  // namespace

// With hit probabilities 1/2 and 1/3, the probability of no hits is 1/3, of one hit 1/2, and of two
// hits 1/6. With ten probabilities of 1/2, the probability of at least 8 hits is (45 + 10 + 1) /
// 1024.
BOOST_AUTO_TEST_CASE(the_tail_is_that_of_unlike_trials) {
  const std::vector<double> two{1.0 / 2, 1.0 / 3};
  BOOST_TEST(near(chance_of_at_least(two, 0), 1));
  BOOST_TEST(near(chance_of_at_least(two, 1), 2.0 / 3));
  BOOST_TEST(near(chance_of_at_least(two, 2), 1.0 / 6));
  BOOST_TEST(near(chance_of_at_least(two, 3), 0));
  BOOST_TEST(near(chance_of_at_least(std::vector<double>(10, 0.5), 8), 56.0 / 1024));
  BOOST_TEST(near(chance_of_at_least({}, 0), 1));
}

// Even a small tail probability is accurate: 30 of 30 at 1/4.
BOOST_AUTO_TEST_CASE(small_tails_are_exact) {
  const double p = chance_of_at_least(std::vector<double>(30, 0.25), 30);
  BOOST_TEST(std::abs(p / std::pow(0.25, 30) - 1) < 1e-12);
}

BOOST_AUTO_TEST_CASE(run_at_chance_level_is_reported_with_its_test) {
  // For 5 of 20 at 1/4, P(S ≥ 5) = 0.585158 (R: 1 - pbinom(4, 20, 0.25)).
  const auto test = chance_test({relation(20, 4, 5)});
  BOOST_REQUIRE(test.has_value());
  BOOST_TEST(test->answers == 20U);
  BOOST_TEST(near(test->right, 5));
  BOOST_TEST(near(test->expected, 5));
  BOOST_TEST(std::abs(test->p - 0.5851585) < 1e-6);
  const auto warning = chance_warning(chance_test({relation(20, 4, 5)}));
  BOOST_REQUIRE(warning.has_value());
  BOOST_TEST(
      warning->starts_with("Warning: the run is indistinguishable from guessing: 5.0 of 20 answers "
                           "right, guessing gives 5.0 (p = 0.59, exact one-sided Poisson"));
  // For 9 of 20, P = 0.0409; for 8 of 20, P = 0.1018.
  BOOST_TEST(!chance_warning(chance_test({relation(20, 4, 9)})).has_value());
  BOOST_TEST(chance_warning(chance_test({relation(20, 4, 8)})).has_value());
  // There are too few answers to draw a conclusion.
  BOOST_TEST(!chance_warning(chance_test({relation(19, 4, 5)})).has_value());
  BOOST_TEST(!chance_test(std::vector<RelationAnswers>{}).has_value());
}

// The best result is reported with p multiplied by the number of tries. It is reported even if a
// smaller group comes first.
BOOST_AUTO_TEST_CASE(chance_test_reports_the_best_of_many_tries) {
  const GuessedAnswers worst{80, std::vector<double>(400, 0.25)}, better{101, worst.probabilities};
  const GuessedAnswers few{4, std::vector<double>(18, 0.25)};
  std::vector<GuessedAnswers> ways(20, worst);
  ways.push_back(better);
  const auto test = chance_test(ways);
  BOOST_REQUIRE(test.has_value());
  BOOST_TEST(near(test->right, 101));
  BOOST_TEST(test->p == 1);
  ways.insert(ways.begin(), few);
  BOOST_TEST(chance_test(ways)->answers == 400U);
  BOOST_TEST(chance_warning(chance_test(ways)).has_value());
}

// For results far above chance, the exact sum is skipped, because its running time is quadratic in
// the number of facts.
BOOST_AUTO_TEST_CASE(what_is_beyond_doubt_has_a_bound) {
  const auto test = chance_test({GuessedAnswers{12'000, std::vector<double>(30'000, 0.01)}});
  BOOST_TEST(test->p == 0);
  const auto one = chance_test({GuessedAnswers{20, std::vector<double>(20, 0.25)}});
  BOOST_TEST(near(one->p / std::exp(-2 * 15.0 * 15.0 / 20), 1));
}

// The better of two templates is reported with twice its p: for 9 of 20, that is 0.0818.
BOOST_AUTO_TEST_CASE(several_templates_are_several_tries) {
  RelationAnswers both = relation(20, 4, 9);
  both.settings.push_back(template_setting(1));
  both.cells.clear();
  for (std::size_t i = 0; i < 20; ++i) {
    both.cells.push_back(answered(i < 9, 0));
    both.cells.push_back(answered(false, 0));
  }
  const auto test = chance_test({both});
  BOOST_TEST(std::abs(test->p - 2 * 0.0409252) < 1e-6);
  BOOST_TEST(near(test->right, 9));
  BOOST_TEST(chance_warning(chance_test({both})).has_value());
}

BOOST_AUTO_TEST_CASE(option_favoured_regardless_of_the_question_is_reported) {
  RelationAnswers made = relation(40, 8, 5);
  for (std::size_t i = 0; i < 40; ++i) {
    made.relation.facts[i].answer = i % 8;
    made.cells[i].option = i < 30 ? 3 : i % 8;
  }
  const auto found = favoured_options({made});
  BOOST_REQUIRE(found.size() == 1U);
  BOOST_TEST(found[0].option == 3U);
  BOOST_TEST(found[0].wins == 31U);  // the first 30 facts and the 35th
  BOOST_TEST(found[0].right == 5U);
  const auto warning =
      favour_warning({made}, [](const FavouredOption& one) { return std::to_string(one.option); });
  BOOST_REQUIRE(warning.has_value());
  BOOST_TEST(*warning ==
             "Warning: one option is picked far more often than it is right in 1 relation "
             "(binomial test, p < 0.001): P1 '3' is picked for 31 of 40 facts and "
             "right for 5 (template 0).");
}

// An option that is the right answer for most facts is expected to be chosen most often. An option
// in a relation with few facts is not reported.
BOOST_AUTO_TEST_CASE(an_option_that_has_its_share_is_passed_over) {
  RelationAnswers made = relation(40, 8, 40);
  for (std::size_t i = 0; i < 40; ++i) {
    made.relation.facts[i].answer = i < 30 ? 3 : i % 8;
    made.cells[i].option = 3;
  }
  BOOST_TEST(favoured_options({made}).empty());
  RelationAnswers few = relation(9, 8, 0);
  for (std::size_t i = 0; i < 9; ++i) {
    few.relation.facts[i].answer = i % 8;
    few.cells[i].option = 3;
  }
  BOOST_TEST(favoured_options({few}).empty());
}

BOOST_AUTO_TEST_SUITE_END()
