// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/fact_split.hpp"

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(fact_split_suite)

namespace {

using Places = std::vector<std::size_t>;

/// One fact per subject, on lines 1, 2, …
Relation relation_of(const std::vector<std::string>& subjects) {
  Relation relation;
  relation.code = "P36";
  relation.file = "P36.jsonl";
  for (const std::string& subject : subjects) {
    Fact fact;
    fact.subject_id = subject;
    fact.subject = "the " + subject;
    fact.instance = relation.facts.size();
    fact.line = relation.facts.size() + 1;
    relation.facts.push_back(fact);
  }
  return relation;
}

std::vector<std::string> numbered(std::size_t count) {
  std::vector<std::string> subjects;
  for (std::size_t i = 0; i < count; ++i) subjects.push_back("s" + std::to_string(i));
  return subjects;
}

Relation with_parts(const std::vector<std::string>& subjects, const std::vector<FactPart>& parts) {
  Relation relation = relation_of(subjects);
  for (std::size_t f = 0; f < parts.size(); ++f) relation.facts[f].part = parts[f];
  return relation;
}

std::set<std::string> subjects_of(const Relation& relation, const Places& facts) {
  std::set<std::string> subjects;
  for (const std::size_t f : facts) subjects.insert(subject_key(relation.facts[f]));
  return subjects;
}

/// Checks that both parts are ascending and disjoint, that together they contain all facts, and
/// that no subject is in both.
void check_sound(const Relation& relation, const FactSplit& split) {
  BOOST_TEST(std::ranges::is_sorted(split.training));
  BOOST_TEST(std::ranges::is_sorted(split.test));
  Places both = split.training;
  both.insert(both.end(), split.test.begin(), split.test.end());
  std::ranges::sort(both);
  Places every(relation.facts.size());
  std::iota(every.begin(), every.end(), std::size_t{0});
  BOOST_TEST(both == every);
  const auto test = subjects_of(relation, split.test);
  for (const std::string& subject : subjects_of(relation, split.training)) {
    BOOST_TEST(!test.contains(subject));
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(subject_key_is_the_identifier_or_the_label) {
  Fact fact;
  fact.subject = "Paris";
  BOOST_TEST(subject_key(fact) == "Paris");
  fact.subject_id = "Q90";
  BOOST_TEST(subject_key(fact) == "Q90");
}

// At least ten facts are left for testing, or a fifth of all facts if that is fewer.
BOOST_AUTO_TEST_CASE(as_many_facts_as_asked_for_are_for_training_and_some_are_left_for_testing) {
  for (const auto& [facts, asked, expected] :
       std::vector<std::array<std::size_t, 3>>{{150, 100, 100},
                                               {110, 100, 100},
                                               {109, 100, 99},
                                               {51, 100, 41},
                                               {50, 100, 40},
                                               {49, 100, 39},
                                               {45, 100, 36},
                                               {10, 100, 8},
                                               {9, 100, 7},
                                               {1, 100, 0},
                                               {0, 100, 0},
                                               {10, 3, 3},
                                               {10, 0, 0}}) {
    const Relation relation = relation_of(numbered(facts));
    const FactSplit split = train_test_split(relation, asked, 1);
    BOOST_TEST(split.training.size() == expected);
    BOOST_TEST(split.test.size() == facts - expected);
    check_sound(relation, split);
  }
}

BOOST_AUTO_TEST_CASE(a_subject_stays_on_one_side_with_all_its_facts) {
  std::vector<std::string> subjects;  // s0 has one fact, s1 two, s2 three, and so on
  for (std::size_t i = 0; i < 40; ++i) {
    for (std::size_t more = 0; more <= i % 4; ++more) subjects.push_back("s" + std::to_string(i));
  }
  const Relation relation = relation_of(subjects);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const FactSplit split = train_test_split(relation, 50, seed);
    check_sound(relation, split);
    BOOST_TEST(split.training.size() <= 50U);
    // If a subject has too many facts for the remaining space, it goes to the test part, and a
    // smaller subject fills the gap.
    std::map<std::string, std::size_t> left;
    for (const std::size_t f : split.test) ++left[subjects[f]];
    for (const auto& [subject, facts] : left) BOOST_TEST(split.training.size() + facts > 50U);
  }
  // A subject with more facts than the whole training part goes to the test part.
  const Relation large = relation_of({"a", "a", "a", "a", "a", "a", "b", "c", "d", "e"});
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const FactSplit split = train_test_split(large, 5, seed);
    check_sound(large, split);
    BOOST_TEST(split.training == (Places{6, 7, 8, 9}));
  }
}

BOOST_AUTO_TEST_CASE(a_subject_without_identifier_is_dealt_out_by_its_label) {
  Relation relation = relation_of(numbered(20));
  for (std::size_t f = 0; f < 20; ++f) {
    relation.facts[f].subject_id.clear();
    relation.facts[f].subject = "s" + std::to_string(f / 2);
  }
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const FactSplit split = train_test_split(relation, 10, seed);
    check_sound(relation, split);
    BOOST_TEST(split.training.size() == 10U);
  }
}

BOOST_AUTO_TEST_CASE(the_split_depends_on_subjects_seed_and_relation_alone) {
  const Relation relation = relation_of(numbered(60));
  const FactSplit split = train_test_split(relation, 30, 7);
  BOOST_TEST(train_test_split(relation, 30, 7).training == split.training);
  BOOST_TEST(train_test_split(relation, 30, 8).training != split.training);
  Relation renamed = relation;
  renamed.code = "P37";
  BOOST_TEST(train_test_split(renamed, 30, 7).training != split.training);
  // The split does not depend on the order of the lines, the answers or the labels.
  Relation turned = relation;
  std::ranges::reverse(turned.facts);
  for (Fact& fact : turned.facts) {
    fact.answer = 3;
    fact.subject += "!";
  }
  BOOST_TEST((subjects_of(turned, train_test_split(turned, 30, 7).training) ==
              subjects_of(relation, split.training)));
}

BOOST_AUTO_TEST_CASE(more_training_facts_leave_those_that_were_there) {
  const Relation relation = relation_of(numbered(60));
  const auto some = subjects_of(relation, train_test_split(relation, 10, 7).training);
  const auto more = subjects_of(relation, train_test_split(relation, 30, 7).training);
  BOOST_TEST(std::ranges::includes(more, some));
}

// Each of 5 facts is one of the 2 training facts for 2/5 of the seeds: 800 times, ± 5 standard
// errors of 22.
BOOST_AUTO_TEST_CASE(every_fact_is_as_often_for_training) {
  const Relation relation = relation_of(numbered(5));
  std::map<std::size_t, int> times;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    for (const std::size_t f : train_test_split(relation, 2, seed).training) ++times[f];
  }
  BOOST_TEST(times.size() == 5U);
  for (const auto& [fact, count] : times) {
    BOOST_TEST(count > 690);
    BOOST_TEST(count < 910);
  }
}

BOOST_AUTO_TEST_CASE(the_datasets_own_split_is_kept_whatever_its_sizes_and_the_seed) {
  constexpr auto train = FactPart::training;
  const Relation relation =
      with_parts({"a", "b", "c", "a", "d"}, {train, FactPart::test, train, train, train});
  for (const std::uint64_t seed : {0U, 1U}) {
    const FactSplit split = train_test_split(relation, 2, seed);
    BOOST_TEST(split.training == (Places{0, 2, 3, 4}));
    BOOST_TEST(split.test == Places{1});
  }
  BOOST_TEST(train_test_split(with_parts({"a", "b"}, {train, train}), 1, 0).test.empty());
}

BOOST_AUTO_TEST_CASE(an_own_split_that_leaves_facts_out_is_refused) {
  for (const auto& parts : {std::vector{FactPart::training, FactPart::test, FactPart::unsaid},
                            {FactPart::test, FactPart::test, FactPart::unsaid}}) {
    BOOST_CHECK_EXCEPTION(
        (void)train_test_split(with_parts({"a", "b", "c"}, parts), 1, 0), Error,
        says(Fault::user,
             "P36.jsonl:3: split: is missing, but other facts have it; write train "
             "or test on every line, or on none"));
  }
}

BOOST_AUTO_TEST_CASE(a_test_fact_among_its_own_shots_is_refused) {
  const Relation relation = with_parts({"a", "b", "c", "b"}, {FactPart::training, FactPart::test,
                                                              FactPart::test, FactPart::training});
  BOOST_CHECK_EXCEPTION((void)train_test_split(relation, 1, 0), Error,
                        says(Fault::user,
                             "P36.jsonl:2: split: 'the b' is a test fact, but also a training fact "
                             "on line 4, so it could be among its own shots; keep each subject in "
                             "one part"));
  // A subject may appear twice within one part.
  const FactSplit split = train_test_split(
      with_parts({"a", "b", "b"}, {FactPart::training, FactPart::test, FactPart::test}), 1, 0);
  BOOST_TEST(split.test == (Places{1, 2}));
}

BOOST_AUTO_TEST_CASE(shots_are_the_training_facts_in_an_order_of_the_seed) {
  const Relation relation = relation_of(numbered(80));
  const FactSplit split = train_test_split(relation, 50, 1);
  const Places order = shot_order(relation, split, 3);
  BOOST_TEST(shot_order(relation, split, 3) == order);
  BOOST_TEST(shot_order(relation, split, 4) != order);
  BOOST_TEST(order != split.training);
  Relation renamed = relation;
  renamed.code = "P37";
  BOOST_TEST(shot_order(renamed, split, 3) != order);
  Places sorted = order;
  std::ranges::sort(sorted);
  BOOST_TEST(sorted == split.training);
  BOOST_TEST(shot_order(relation, {}, 3).empty());
}

// Each of 4 facts is the first shot for a quarter of the seeds: 500 times, ± 5 standard errors of
// 19.
BOOST_AUTO_TEST_CASE(every_training_fact_is_as_often_the_first_shot) {
  const Relation relation = relation_of(numbered(4));
  const FactSplit split{{0, 1, 2, 3}, {}};
  std::map<std::size_t, int> times;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) ++times[shot_order(relation, split, seed)[0]];
  BOOST_TEST(times.size() == 4U);
  for (const auto& [fact, count] : times) {
    BOOST_TEST(count > 405);
    BOOST_TEST(count < 595);
  }
}

// If two places called Georgia were in different parts, one could be among the other's shots.
BOOST_AUTO_TEST_CASE(subjects_of_one_label_stay_on_one_side) {
  Relation relation = relation_of(numbered(40));
  relation.facts[7].subject = relation.facts[31].subject = "Georgia";
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const FactSplit split = train_test_split(relation, 20, seed);
    BOOST_TEST(std::ranges::count(split.training, 7U) == std::ranges::count(split.training, 31U));
    BOOST_TEST(split.training.size() + split.test.size() == 40U);
  }
  relation = with_parts({"a", "b"}, {FactPart::training, FactPart::test});
  relation.facts[0].subject = relation.facts[1].subject;
  BOOST_CHECK_EXCEPTION((void)train_test_split(relation, 1, 0), Error,
                        says(Fault::user, "it could be among its own shots"));
}

// The first and the last subject have nothing in common but the second.
BOOST_AUTO_TEST_CASE(subjects_are_grouped_by_way_of_others_in_any_order) {
  Relation relation = relation_of({"Q2", "Q1", "Q1", "Q3"});
  relation.facts[0].subject = relation.facts[1].subject = "Foo";
  relation.facts[2].subject = "Bar";
  do {
    const SubjectGroups groups(relation);
    std::set<std::string> keys;
    for (const Fact& fact : relation.facts) {
      if (fact.subject_id != "Q3") keys.insert(groups.of(fact));
    }
    BOOST_TEST(keys.size() == 1U);
    BOOST_TEST(!keys.contains("Q3"));
    std::next_permutation(relation.facts.begin(), relation.facts.end(),
                          [](const Fact& a, const Fact& b) { return a.line < b.line; });
  } while (relation.facts[0].line != 1 || relation.facts[1].line != 2 ||
           relation.facts[2].line != 3);
}

BOOST_AUTO_TEST_SUITE_END()
