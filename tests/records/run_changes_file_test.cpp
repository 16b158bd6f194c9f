// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/run_changes_file.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/results_folder.hpp"

using namespace plumb::detail;
using test::row;
using test::says;

BOOST_AUTO_TEST_SUITE(run_changes_file)

// There are two facts under two templates. Under template 1, the score of one of the second fact's
// options changes by 2; under template 0, its answer changes.
BOOST_AUTO_TEST_CASE(rows_are_matched_by_fact_and_template) {
  test::ResultsFolder first, second;
  first.add("P1", {"Paris", "Rome"}, {"[X]: [Y].", "[X] = [Y]."}, Json::object(),
            {row("a", 0, 0, 0, {-1, -2}), row("b", 1, 0, 1, {-3, -1}), row("a", 0, 1, 0, {-1, -2}),
             row("b", 1, 1, 1, {-3, -1})});
  second.add(
      "P1", {"Paris", "Rome"}, {"[X]: [Y].", "[X] = [Y]."}, Json::object(),
      {row("b", 1, 0, 1, {-2, -2.5}), row("b", 1, 1, 1, {-5, -1}), row("c", 2, 0, 0, {-1, -2}),
       row("c", 2, 1, 0, {-1, -2}), row("a", 0, 0, 0, {-1, -2}), row("a", 0, 1, 0, {-1, -2})});
  const RunChanges made = read_run_changes(first.path(), second.path());
  BOOST_TEST((made.relations == std::vector<std::size_t>{2}));
  BOOST_TEST_REQUIRE(made.facts.size() == 2U);
  BOOST_TEST(made.scores == 8U);
  BOOST_TEST(made.moved_most == 2.0);
  BOOST_TEST(made.moved_sum == 1 + 1.5 + 2);
  const FactChange &a = made.facts[0], &b = made.facts[1];
  BOOST_TEST(a.subject == "a");
  BOOST_TEST(a.moved == 0.0);
  BOOST_TEST(b.relation == "P1");
  BOOST_TEST(b.moved == 2.0);
  BOOST_TEST(b.option == "Paris");
  BOOST_TEST(b.first_answer == "Rome");
  BOOST_TEST(b.second_answer == "Paris");
  BOOST_TEST(b.first.correct);
  BOOST_TEST(!b.second.correct);
}

// The second folder numbers the facts from 0, the first does not; "c" and "d" have no counterpart.
BOOST_AUTO_TEST_CASE(rows_that_are_numbered_differently_are_matched_by_subject_and_answer) {
  test::ResultsFolder first, second;
  first.add(
      "P1", {"Paris", "Rome"}, {"[X]: [Y]."}, Json::object(),
      {row("c", 0, 0, 0, {-1, -2}), row("a", 3, 0, 0, {-1, -2}), row("b", 7, 0, 1, {-3, -1})});
  second.add(
      "P1", {"Paris", "Rome"}, {"[X]: [Y]."}, Json::object(),
      {row("a", 0, 0, 0, {-1, -2}), row("b", 1, 0, 1, {-3, -4}), row("d", 3, 0, 1, {-9, -9})});
  const RunChanges made = read_run_changes(first.path(), second.path());
  BOOST_TEST_REQUIRE(made.facts.size() == 2U);
  BOOST_TEST(made.facts[0].subject == "a");
  BOOST_TEST(made.facts[0].moved == 0.0);
  BOOST_TEST(made.facts[1].subject == "b");
  BOOST_TEST(made.facts[1].moved == 3.0);
}

BOOST_AUTO_TEST_CASE(facts_of_one_subject_are_matched_by_answer) {
  test::ResultsFolder first, second;
  first.add("P1", {"Paris", "Rome"}, {"[X]: [Y]."}, Json::object(),
            {row("a", 0, 0, 0, {-1, -2}), row("a", 1, 0, 1, {-3, -4})});
  second.add("P1", {"Paris", "Rome"}, {"[X]: [Y]."}, Json::object(),
             {row("a", 0, 0, 1, {-3, -4}), row("a", 1, 0, 0, {-1, -2})});
  const RunChanges made = read_run_changes(first.path(), second.path());
  BOOST_TEST(made.facts.size() == 2U);
  BOOST_TEST(made.moved_most == 0.0);
}

BOOST_AUTO_TEST_CASE(other_options_and_answers_are_refused) {
  test::ResultsFolder first, options, answer, apart;
  const auto add = [](test::ResultsFolder& into, const std::string& code,
                      const std::vector<std::string>& names, std::size_t right) {
    into.add(code, names, {"[X]: [Y]."}, Json::object(), {row("a", 0, 0, right, {-1, -2})});
  };
  add(first, "P1", {"Paris", "Rome"}, 0);
  add(options, "P1", {"Paris", "Oslo"}, 0);
  add(answer, "P1", {"Paris", "Rome"}, 1);
  add(apart, "P2", {"Paris", "Rome"}, 0);
  BOOST_CHECK_EXCEPTION((void)read_run_changes(first.path(), options.path()), Error,
                        says(Fault::user, "P1: has different options from"));
  BOOST_CHECK_EXCEPTION((void)read_run_changes(first.path(), answer.path()), Error,
                        says(Fault::user, "differs from the answer in"));
  BOOST_TEST(read_run_changes(first.path(), apart.path()).facts.empty());
}

BOOST_AUTO_TEST_SUITE_END()
