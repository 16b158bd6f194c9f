// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/answer_lists.hpp"

#include <boost/test/unit_test.hpp>
#include <set>
#include <string>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(answer_lists)

namespace {

constexpr auto main_label = AcceptedNames::main_label;
constexpr auto all = AcceptedNames::all;
const ObjectNames towns{{"Sebiș", "Sebis", "Borossebes"}, {"Kiel"}, {"Rome", "Roma"}};

void check(const ListScore& score, double precision, double recall, double f1) {
  const auto near = boost::test_tools::tolerance(1e-12);
  BOOST_TEST(score.precision == precision, near);
  BOOST_TEST(score.recall == recall, near);
  BOOST_TEST(score.f1 == f1, near);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_list_is_split_and_trimmed) {
  using Set = std::set<std::string>;
  BOOST_CHECK(listed_answers(" Manila; Cuernavaca%") == (Set{"manila", "cuernavaca"}));
  BOOST_CHECK(listed_answers("Oslo;oslo ;;\n ;%") == (Set{"oslo"}));
  BOOST_CHECK(listed_answers("100% WOOL") == (Set{"100 wool"}));
  BOOST_TEST(listed_answers(" %").empty());
  BOOST_TEST(listed_answers("").empty());
  BOOST_CHECK(listed_answers(" Oslo; Kiel ;%", ListSplit::as_written) ==
              (Set{"oslo", " kiel ", ""}));
}

BOOST_AUTO_TEST_CASE(answers_count_by_main_label_or_by_any_name) {
  // With all names, two of three answers are right, and two of three objects are found: P = R = F1
  // = 2/3.
  check(list_score("borossebes; KIEL; Paris%", towns, all), 2.0 / 3, 2.0 / 3, 2.0 / 3);
  // With only the main labels, Kiel is the only right answer: 1/3.
  check(list_score("borossebes; KIEL; Paris%", towns, main_label), 1.0 / 3, 1.0 / 3, 1.0 / 3);
  // Both answers are names of the same object, so both are right but only one object is found. F1 =
  // 2 · 1 · ⅓ / (4/3).
  check(list_score("Rome; Roma", towns, all), 1, 1.0 / 3, 0.5);
  check(list_score("Rome; Roma", towns, main_label), 0.5, 1.0 / 3, 0.4);
  check(list_score("Sebiș; Kiel; Rome", towns, main_label), 1, 1, 1);
  check(list_score("Oslo", towns, all), 0, 0, 0);
  check(list_score("%", towns, all), 0, 0, 0);
}

BOOST_AUTO_TEST_CASE(a_name_of_two_objects_finds_both) {
  const ObjectNames twins{{"Georgia"}, {"Georgia", "Sakartvelo"}};
  check(list_score("Georgia; Peru", twins, all), 0.5, 1, 2.0 / 3);
}

// Derived by hand from evaluate.py in KAMEL's repository: set(x.lower() for x in
// prediction.split(';')).
BOOST_AUTO_TEST_CASE(the_published_script_does_not_trim) {
  // The script's set is {"kiel", " rome"}: "kiel" is right, but " rome" can never match.
  check(kamel_script_score(" Kiel; Rome%", towns), 0.5, 1.0 / 3, 0.4);
  check(kamel_script_score("Kiel;Rome%", towns), 1, 2.0 / 3, 0.8);
  // An empty output counts as a single empty answer.
  check(kamel_script_score(" %", towns), 0, 0, 0);
  // White space before the "%" is kept; without a "%", white space at the end of the output is
  // removed.
  check(kamel_script_score("Kiel %", towns), 0, 0, 0);
  check(kamel_script_score("Kiel ", towns), 1, 1.0 / 3, 0.5);
  // The precision, which is the number of objects found divided by the number of answers, exceeds
  // 1.
  const ObjectNames twins{{"Georgia"}, {"Georgia", "Sakartvelo"}};
  check(kamel_script_score("georgia", twins), 2, 1, 4.0 / 3);
}

BOOST_AUTO_TEST_CASE(means_are_over_facts_then_relations) {
  // The means of the two relations are 0.5 and 0.2 for precision, 0.25 and 1 for recall, ⅓ and ⅓
  // for F1.
  const double third = 1.0 / 3;
  const std::vector<std::vector<ListScore>> relations{
      {{1, 0.5, 2 * third}, {0, 0, 0}}, {}, {{0.2, 1, third}}};
  const ListMeans means = list_means(relations, {}, "test");
  const auto near = boost::test_tools::tolerance(1e-12);
  BOOST_TEST(means.precision.value == 0.35, near);
  BOOST_TEST(means.recall.value == 0.625, near);
  BOOST_TEST(means.f1.value == third, near);
  BOOST_TEST(means.f1_of_means == 2 * 0.35 * 0.625 / 0.975, near);
  BOOST_TEST(means.precision.count == 3U);
  BOOST_TEST(means.precision.low <= 0.35);
  BOOST_TEST(means.precision.high >= 0.35);
  BOOST_TEST(list_means({}, {}, "none").f1.count == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
