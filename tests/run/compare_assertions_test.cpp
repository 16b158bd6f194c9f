// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/compare_assertions.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(compare_assertions)

namespace {

/// The base run knows 60 of 100 facts, and the changed run knows 55: 8 facts were lost and 3 were
/// gained.
AssertedChange change() {
  AssertedChange made;
  made.accuracy.overall.counts = {52, 8, 3, 37};
  made.accuracy.mean_difference = {0.05, 0.01, 0.09, 100, "bootstrap of relations"};
  made.accuracy.mean_drop = {0.05, 0.01, 0.09, 100, "bootstrap of relations"};
  made.accuracy.overall_drop = {0.05, -0.01, 0.11, 100, "bootstrap of relations"};
  made.accuracy.overall.difference = {0.05, -0.01, 0.11, 100, "bootstrap of relations"};
  made.lost = {"P1 'a' (x → y)", "P1 'b' (x → y)", "P1 'c' (x → y)", "P1 'd' (x → y)"};
  return made;
}

AssertedResult check(const std::string& text, const AssertedChange& of = change()) {
  return evaluate(parse_assertion(text), of);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_bound_holds_or_not) {
  BOOST_TEST(check("accuracy.drop < 0.06").passed);
  BOOST_TEST(!check("accuracy.drop < 0.05").passed);
  BOOST_TEST(check("accuracy.drop <= 0.05").passed);
  BOOST_TEST(check(" accuracy.drop>0.04 ").passed);
  BOOST_TEST(!check("accuracy.drop > 0.05").passed);
  BOOST_TEST(check("known.lost < 9").passed);
  BOOST_TEST(!check("known.lost < 8").passed);
  BOOST_TEST(check("known.gained >= 3").passed);
  BOOST_TEST(check("agreement >= 0.89").passed);
}

BOOST_AUTO_TEST_CASE(a_certain_bound_is_for_the_whole_interval) {
  BOOST_TEST(!check("accuracy.drop.certain < 0.09").passed);
  BOOST_TEST(check("accuracy.drop.certain < 0.091").passed);
  BOOST_TEST(check("accuracy.drop.certain > 0").passed);
  BOOST_TEST(!check("accuracy.drop_overall.certain > 0").passed);
  // `.certain` is rejected for values without an interval.
  for (const char* text :
       {"known.lost.certain < 9", "loglik.max.certain < 1", "kappa.certain > 0"}) {
    BOOST_CHECK_EXCEPTION((void)check(text), Error,
                          says(Fault::user, "has no interval, so .certain does not apply"));
  }
}

// Each of two relations loses the same share of its facts, so every resample of relations is equal.
BOOST_AUTO_TEST_CASE(a_certain_bound_fails_without_an_interval) {
  AssertedChange same = change();
  same.accuracy.mean_drop = without_interval(0.1, 20);
  BOOST_TEST(!check("accuracy.drop.certain < 0.11", same).passed);
  BOOST_TEST(check("accuracy.drop < 0.11", same).passed);
  BOOST_TEST(description_of(check("accuracy.drop.certain < 0.11", same))
                 .starts_with("accuracy.drop.certain < 0.11: 0.1000, without an interval"));
  same.accuracy.mean_drop = without_interval(0, 20);  // runs without any difference
  BOOST_TEST(check("accuracy.drop.certain < 0.01", same).passed);
}

BOOST_AUTO_TEST_CASE(a_number_that_does_not_exist_fails_either_way) {
  for (const char* text : {"loglik.max < 1e9", "loglik.max > -1", "ace.rise.certain < 1"}) {
    const AssertedResult result = check(text);
    BOOST_TEST(!result.passed, text);
    BOOST_TEST(description_of(result).ends_with("these runs do not have this number"));
  }
}

BOOST_AUTO_TEST_CASE(what_fails_names_value_interval_and_facts) {
  BOOST_TEST(description_of(check("accuracy.drop < 0.01")) ==
             "accuracy.drop < 0.01: 0.0500 [0.0100, 0.0900]; P1 'a' (x → y), P1 'b' (x → y), P1 "
             "'c' (x → y)");
  BOOST_TEST(description_of(check("known.lost < 5")).starts_with("known.lost < 5: 8; P1 'a'"));
  BOOST_TEST(check("known.lost < 9").moved.empty());
  AssertedChange none = change();  // a count of 0 is also printed as a whole number
  none.accuracy.overall.counts.only_first = 0;
  BOOST_TEST(description_of(check("known.lost > 0", none)).starts_with("known.lost > 0: 0; "));
}

// There are two facts: the first one is no longer answered correctly, and for the second, the score
// of a wrong option changes by 2.
BOOST_AUTO_TEST_CASE(scores_and_calibration_are_of_the_rows) {
  AssertedChange of = change();
  RunChanges scores;
  scores.facts = {{"P1", "a", "y", 0.5, "x", "y", {0.9, true}, {0.8, false}},
                  {"P1", "b", "z", 2.0, "x", "x", {0.7, true}, {0.6, true}}};
  scores.relations = {2};
  scores.scores = 6;
  scores.moved_most = 2;
  scores.moved_sum = 3;
  of.take_scores(scores, {});
  BOOST_TEST(check("loglik.max < 2.1", of).passed);
  BOOST_TEST(check("loglik.mean <= 0.5", of).passed);
  BOOST_TEST(description_of(check("loglik.max < 1", of)) ==
             "loglik.max < 1: 2.0000; P1 'b', option 'z' by 2.000, P1 'a', option 'y' by 0.500");
  // The Brier score is (0.01 + 0.09) / 2 before and (0.64 + 0.16) / 2 after.
  const AssertedResult brier = check("brier.rise < 0.3", of);
  BOOST_TEST(std::abs(brier.value.value - 0.35) < 1e-12);
  BOOST_TEST(brier.moved.front() == "P1 'a' (x → y) 0.90 → 0.80");
  // With fewer facts than bins, ACE is undefined.
  BOOST_TEST(!check("ace.rise < 1", of).value.exists());
}

BOOST_AUTO_TEST_CASE(what_is_no_condition_is_refused) {
  const auto refused = [](const std::string& text, const std::string& with) {
    BOOST_CHECK_EXCEPTION((void)parse_assertion(text), Error, says(Fault::user, with));
  };
  refused("accuracy.drop", "has no < or >");
  refused("", "has no < or >");
  refused("accuracy.drop < ", "does not end in a number");
  refused("accuracy.drop < 1%", "does not end in a number");
  refused("accuracy.drop < nan", "does not end in a number");
  refused("acuracy.drop < 1", "did you mean accuracy.drop?");
  refused("loss < 1", "the quantities are accuracy.drop, ");
}

BOOST_AUTO_TEST_SUITE_END()
