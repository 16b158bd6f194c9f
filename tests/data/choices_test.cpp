// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/choices.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(choices_suite)

namespace {

using Options = std::vector<std::uint32_t>;

/// A relation with options "o0" (identifier "Q0"), "o1", …, and one fact for each pair of subject
/// and answer.
Relation relation_of(std::size_t options,
                     const std::vector<std::pair<std::string, std::size_t>>& facts) {
  Relation relation;
  relation.code = "P36";
  for (std::size_t i = 0; i < options; ++i) {
    relation.options.push_back("o" + std::to_string(i));
    relation.option_ids.push_back("Q" + std::to_string(i));
  }
  for (const auto& [subject, answer] : facts) {
    Fact fact;
    fact.subject_id = subject;
    fact.subject = "the " + subject;
    fact.answer = answer;
    relation.facts.push_back(fact);
  }
  return relation;
}

/// Checks that the options are distinct and ascending, and that `answer` is the index of the fact's
/// answer.
void check_sound(const Choices& choices, const Fact& fact) {
  BOOST_TEST(std::ranges::is_sorted(choices.options));
  BOOST_TEST((std::ranges::adjacent_find(choices.options) == choices.options.end()));
  BOOST_REQUIRE(choices.answer < choices.options.size());
  BOOST_TEST(choices.options[choices.answer] == fact.answer);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_fact_has_its_answer_and_as_many_distractors_as_make_up_the_count) {
  const Relation relation = relation_of(300, {{"a", 17}, {"b", 0}, {"c", 299}});
  const ObjectAliases none;
  for (const std::size_t count : {1U, 2U, 100U, 300U}) {
    const ChoiceSampler sampler(relation, none, count, 1);
    for (const Fact& fact : relation.facts) {
      const Choices choices = sampler.draw(fact);
      BOOST_TEST(choices.options.size() == count);
      check_sound(choices, fact);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_relation_of_fewer_options_gives_all_of_them) {
  const Relation relation = relation_of(4, {{"a", 2}});
  const Choices choices = ChoiceSampler(relation, {}, 100, 1).draw(relation.facts[0]);
  BOOST_TEST(choices.options == (Options{0, 1, 2, 3}));
  BOOST_TEST(choices.answer == 2U);
}

BOOST_AUTO_TEST_CASE(no_other_true_object_of_the_subject_is_a_distractor) {
  // "a" has three objects. It does not matter that another subject shares one of them.
  const Relation relation = relation_of(6, {{"a", 1}, {"b", 3}, {"a", 3}, {"a", 5}, {"b", 0}});
  const ObjectAliases none;
  const ChoiceSampler sampler(relation, none, 100, 1);
  BOOST_TEST(sampler.distractors(relation.facts[0]) == (Options{0, 2, 4}));
  BOOST_TEST(sampler.distractors(relation.facts[2]) == (Options{0, 2, 4}));
  BOOST_TEST(sampler.distractors(relation.facts[1]) == (Options{1, 2, 4, 5}));
  BOOST_TEST(sampler.draw(relation.facts[3]).options == (Options{0, 2, 4, 5}));
}

BOOST_AUTO_TEST_CASE(a_subject_without_identifier_is_known_by_its_label) {
  Relation relation = relation_of(4, {{"a", 1}, {"b", 3}, {"c", 2}});
  for (const std::size_t f : {0U, 1U}) {
    relation.facts[f].subject_id.clear();
    relation.facts[f].subject = "the same";
  }
  const ObjectAliases none;
  const ChoiceSampler sampler(relation, none, 100, 1);
  BOOST_TEST(sampler.distractors(relation.facts[0]) == (Options{0, 2}));
  BOOST_TEST(sampler.distractors(relation.facts[2]) == (Options{0, 1, 3}));
}

BOOST_AUTO_TEST_CASE(another_name_of_a_true_object_is_no_distractor) {
  Relation relation = relation_of(7, {{"a", 0}, {"a", 1}, {"b", 2}});
  relation.options = {"Paris", "Rome", "Cairo", "Lutetia", "Roma", "Caput Mundi", "Paris"};
  const ObjectAliases aliases{
      {"Q0", {"Lutetia", "Pariis"}}, {"Q1", {"Caput Mundi"}}, {"Q2", {"Roma"}}};
  const ChoiceSampler sampler(relation, aliases, 100, 1);
  // Option 6 is excluded by its label, and options 3 and 5 by the aliases of the two true objects.
  // Cairo's alias does not matter here.
  BOOST_TEST(sampler.distractors(relation.facts[0]) == (Options{2, 4}));
  BOOST_TEST(sampler.distractors(relation.facts[2]) == (Options{0, 1, 3, 5, 6}));
}

BOOST_AUTO_TEST_CASE(another_label_of_a_true_object_is_known_by_its_identifier) {
  Relation relation = relation_of(4, {{"a", 0}, {"b", 3}});
  relation.option_ids = {"Q90", "Q220", "Q90", "Q85"};
  const ObjectAliases none;
  const ChoiceSampler sampler(relation, none, 100, 1);
  BOOST_TEST(sampler.distractors(relation.facts[0]) == (Options{1, 3}));
  BOOST_TEST(sampler.distractors(relation.facts[1]) == (Options{0, 1, 2}));
}

BOOST_AUTO_TEST_CASE(a_fact_of_another_relation_object_still_excludes_its_own_answer) {
  const Relation relation = relation_of(3, {{"a", 0}});
  Fact other;
  other.subject_id = "z";
  other.answer = 2;
  BOOST_TEST(ChoiceSampler(relation, {}, 9, 1).distractors(other) == (Options{0, 1}));
}

BOOST_AUTO_TEST_CASE(the_draw_depends_on_fact_and_seed_alone) {
  const Relation relation = relation_of(200, {{"a", 1}, {"b", 1}, {"a", 2}, {"c", 9}});
  const ObjectAliases none;
  const ChoiceSampler sampler(relation, none, 50, 1);
  const Options drawn = sampler.draw(relation.facts[0]).options;
  (void)sampler.draw(relation.facts[1]);
  // A draw does not depend on earlier draws.
  BOOST_TEST(sampler.draw(relation.facts[0]).options == drawn);
  BOOST_TEST(ChoiceSampler(relation, none, 50, 2).draw(relation.facts[0]).options != drawn);
  // A different subject has different choices.
  BOOST_TEST(sampler.draw(relation.facts[1]).options != drawn);
  const auto without_truths = [](Options options) {
    std::erase_if(options, [](std::uint32_t option) { return option == 1 || option == 2; });
    return options;
  };
  BOOST_TEST(without_truths(sampler.draw(relation.facts[2]).options) != without_truths(drawn));
  // The draw depends neither on the order and number of the other facts nor on the position of the
  // fact itself.
  Relation turned = relation;
  std::ranges::reverse(turned.facts);
  for (Fact& fact : turned.facts) fact.instance += 40;
  turned.facts.resize(3 + 1);
  BOOST_TEST(ChoiceSampler(turned, none, 50, 1).draw(turned.facts[3]).options == drawn);
  Relation renamed = relation;
  renamed.code = "P37";
  BOOST_TEST(ChoiceSampler(renamed, none, 50, 1).draw(renamed.facts[0]).options != drawn);
}

BOOST_AUTO_TEST_CASE(a_larger_count_keeps_the_distractors_of_a_smaller_one) {
  const Relation relation = relation_of(60, {{"a", 7}});
  Options smaller;
  for (std::size_t count = 1; count <= 60; ++count) {
    const Options larger = ChoiceSampler(relation, {}, count, 5).draw(relation.facts[0]).options;
    BOOST_TEST(std::ranges::includes(larger, smaller));
    smaller = larger;
  }
}

// Each of 5 wrong options is one of the 2 drawn for 2/5 of the seeds: 800 times, ± 5 standard
// errors of 22.
BOOST_AUTO_TEST_CASE(every_wrong_option_is_drawn_as_often) {
  const Relation relation = relation_of(6, {{"a", 2}});
  std::map<std::uint32_t, int> times;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    for (const auto option : ChoiceSampler(relation, {}, 3, seed).draw(relation.facts[0]).options) {
      ++times[option];
    }
  }
  BOOST_TEST(times.size() == 6U);
  BOOST_TEST(times[2] == 2000);
  times.erase(2);
  for (const auto& [option, count] : times) {
    BOOST_TEST(count > 690);
    BOOST_TEST(count < 910);
  }
}

BOOST_AUTO_TEST_CASE(choices_that_the_dataset_offers_are_taken_as_they_are) {
  Relation relation = relation_of(9, {{"a", 4}, {"a", 6}, {"b", 8}});
  // The dataset's own choices are used, even if they include another true object.
  relation.facts[0].offered = {1, 4, 6};
  relation.facts[2].offered = {8};
  const ObjectAliases none;
  const ChoiceSampler sampler(relation, none, 2, 1);
  const Choices offered = sampler.draw(relation.facts[0]);
  BOOST_TEST(offered.options == (Options{1, 4, 6}));
  BOOST_TEST(offered.answer == 1U);
  BOOST_TEST(sampler.draw(relation.facts[1]).options.size() == 2U);
  BOOST_TEST(sampler.draw(relation.facts[2]).options == Options{8});
}

BOOST_AUTO_TEST_CASE(objects_have_the_aliases_that_they_have_as_subjects) {
  Dataset dataset;
  dataset.relations.push_back(relation_of(3, {{"Q2", 0}, {"Q7", 1}, {"Q1", 0}}));
  dataset.relations.push_back(relation_of(1, {{"Q1", 0}, {"Q2", 0}}));
  auto& first = dataset.relations[0].facts;
  first[0].subject_aliases = {"Roma", "Urbs"};
  first[1].subject_aliases = {"no option has this one"};
  auto& second = dataset.relations[1].facts;
  second[0].subject_aliases = {};
  second[1].subject_aliases = {"Urbs", "Caput Mundi"};
  const ObjectAliases aliases = object_aliases(dataset);
  BOOST_TEST(aliases.size() == 1U);
  BOOST_REQUIRE(aliases.contains("Q2"));
  BOOST_TEST(aliases.at("Q2") == (std::vector<std::string>{"Roma", "Urbs", "Caput Mundi"}));
  BOOST_TEST(object_aliases({}).empty());
}

BOOST_AUTO_TEST_CASE(an_option_that_a_true_object_is_a_name_of_is_no_distractor) {
  const Relation relation = relation_of(4, {{"a", 0}, {"b", 1}});
  const ObjectAliases aliases{{"Q2", {"o0"}}};
  const ChoiceSampler sampler(relation, aliases, 100, 0);
  BOOST_TEST((sampler.draw(relation.facts[0]).options == Options{0, 1, 3}));
  BOOST_TEST((sampler.draw(relation.facts[1]).options == Options{0, 1, 2, 3}));
}

// Subjects and objects may be numbered separately.
BOOST_AUTO_TEST_CASE(a_number_of_another_subject_gives_no_aliases) {
  Dataset dataset;
  dataset.relations.push_back(relation_of(2, {{"1", 0}, {"2", 1}}));
  Relation& relation = dataset.relations[0];
  relation.option_ids = {"1", "2"};
  relation.options = {"Paris", "Lima"};
  relation.facts[0].subject = "France";
  relation.facts[0].subject_aliases = {"French Republic"};
  relation.facts[1].subject = "Lima";
  relation.facts[1].subject_aliases = {"City of Kings"};
  const ObjectAliases aliases = object_aliases(dataset);
  BOOST_TEST(aliases.size() == 1U);
  BOOST_TEST((aliases.at("2") == std::vector<std::string>{"City of Kings"}));
}

// A prompt shows only the label "Georgia", whichever place is meant.
BOOST_AUTO_TEST_CASE(subjects_of_one_label_share_their_true_objects) {
  Relation relation = relation_of(3, {{"a", 0}, {"b", 1}});
  for (Fact& fact : relation.facts) fact.subject = "Georgia";
  const ObjectAliases none;
  const ChoiceSampler sampler(relation, none, 100, 0);
  BOOST_TEST((sampler.draw(relation.facts[0]).options == Options{0, 2}));
  BOOST_TEST((sampler.draw(relation.facts[1]).options == Options{1, 2}));
}

BOOST_AUTO_TEST_CASE(objects_have_the_aliases_that_their_relation_gives_them) {
  Dataset dataset;
  dataset.relations.push_back(relation_of(3, {{"Q1", 0}}));
  dataset.relations[0].facts[0].subject_aliases = {"one", "uno"};
  dataset.relations[0].option_aliases = {{}, {"uno", "eins"}};
  const ObjectAliases aliases = object_aliases(dataset);
  BOOST_TEST(aliases.size() == 1U);
  BOOST_TEST((aliases.at("Q1") == std::vector<std::string>{"uno", "eins", "one"}));
}

BOOST_AUTO_TEST_SUITE_END()
