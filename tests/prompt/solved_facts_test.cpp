// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/prompt/solved_facts.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(solved_facts)

namespace {

/// "borders" lists countries and their neighbours: Germany has three, and France is also an answer.
/// "lone" has one fact.
Dataset lands() {
  Dataset dataset{"lands", {}, {}};
  Relation borders{.code = "borders",
                   .templates = {"[X] borders [Y]."},
                   .options = {"France", "Poland", "Spain", "Austria", "Norway", "Chile"},
                   .option_ids = {"Q142", "Q36", "Q29", "Q40", "Q20", "Q298"}};
  borders.facts = {{"Q183", "Germany", {"Deutschland"}, 0, 0},
                   {"Q183", "Germany", {}, 1, 1},
                   {"Q183", "Germany", {}, 3, 2},
                   {"Q45", "Portugal", {}, 2, 3},
                   {"Q34", "Sweden", {}, 4, 4},
                   {"Q414", "Argentina", {}, 5, 5},
                   {"Q142", "France", {}, 2, 6},
                   {"", "Spain", {}, 0, 7}};
  dataset.relations.push_back(borders);
  dataset.relations.push_back({.code = "lone",
                               .templates = {"[X] is [Y]."},
                               .options = {"a", "b"},
                               .option_ids = {"1", "2"},
                               .facts = {{"Q1", "One", {}, 0, 0}}});
  return dataset;
}

std::vector<std::size_t> instances(const std::vector<const Fact*>& shown) {
  std::vector<std::size_t> made;
  for (const Fact* const fact : shown) made.push_back(fact->instance);
  return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(no_shots_need_no_facts) {
  const Dataset dataset = lands();
  const SolvedFacts none(dataset, {});
  (none.check)(dataset);
  BOOST_TEST(none.of(dataset.relations[1], dataset.relations[1].facts[0]).empty());
}

// For every seed and draw, the K subjects are different, none of them is the subject of the
// question, and no shot has that subject as its answer.
BOOST_AUTO_TEST_CASE(the_asked_subject_is_never_among_them) {
  const Dataset dataset = lands();
  const Relation& borders = dataset.relations[0];
  for (const ShotDraw draw : every(ShotDraw())) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      for (const std::size_t count : {1U, 2U, 3U}) {
        const SolvedFacts solved(dataset, {count, seed, draw});
        for (const Fact& asked : borders.facts) {
          std::set<std::string> subjects;
          for (const Fact* const fact : solved.of(borders, asked)) {
            subjects.insert(fact->subject);
            BOOST_TEST(fact->subject != asked.subject);
            BOOST_TEST(borders.options[fact->answer] != asked.subject);
          }
          BOOST_TEST(subjects.size() == count);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_subject_is_known_by_its_identifier_and_its_other_names) {
  Dataset dataset = lands();
  dataset.relations.resize(1);
  std::vector<Fact>& facts = dataset.relations[0].facts;
  facts = {{"Q183", "Germany", {"Deutschland"}, 0, 0},
           {"Q183", "Federal Republic of Germany", {}, 1, 1},
           {"", "Deutschland", {}, 3, 2},
           {"Q34", "Sweden", {}, 4, 3}};
  const SolvedFacts solved(dataset, {1, 0, ShotDraw::relation});
  for (const std::size_t asked : {0U, 2U}) {
    const auto shown = instances(solved.of(dataset.relations[0], facts[asked]));
    const std::vector<std::size_t> fits =
        asked == 0 ? std::vector<std::size_t>{3} : std::vector<std::size_t>{1, 3};
    BOOST_TEST((ranges::find(fits, shown.front()) != fits.end()));
  }
}

BOOST_AUTO_TEST_CASE(shots_drawn_by_relation_are_shared_between_prompts) {
  const Dataset dataset = lands();
  const Relation& borders = dataset.relations[0];
  const SolvedFacts solved(dataset, {2, 7, ShotDraw::relation});
  // Derived from the class's comment: there is a single order of subjects, and each fact uses the
  // first two suitable ones. Two facts therefore have the same shots if the same subjects are
  // suitable for both.
  std::map<std::vector<std::size_t>, std::size_t> counts;
  for (const Fact& asked : borders.facts) ++counts[instances(solved.of(borders, asked))];
  std::size_t most = 0;
  for (const auto& [shown, count] : counts) most = (std::max)(most, count);
  BOOST_TEST(most >= 3U);
}

BOOST_AUTO_TEST_CASE(rows_of_a_subject_show_the_same_and_one_of_its_answers_is_drawn) {
  const Dataset dataset = lands();
  const Relation& borders = dataset.relations[0];
  for (const ShotDraw draw : every(ShotDraw())) {
    std::set<std::size_t> drawn;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const SolvedFacts solved(dataset, {3, seed, draw});
      const auto shown = instances(solved.of(borders, borders.facts[0]));
      BOOST_TEST(shown == instances(solved.of(borders, borders.facts[1])));
      for (const std::size_t instance : instances(solved.of(borders, borders.facts[4]))) {
        if (instance <= 2) drawn.insert(instance);
      }
    }
    BOOST_TEST(drawn.size() == 3U);  // any of Germany's answers may be chosen
  }
}

BOOST_AUTO_TEST_CASE(equal_seeds_draw_equal_shots_and_other_seeds_differ) {
  const Dataset dataset = lands();
  const Relation& borders = dataset.relations[0];
  for (const ShotDraw draw : every(ShotDraw())) {
    std::set<std::vector<std::size_t>> draws;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto shown =
          instances(SolvedFacts(dataset, {2, seed, draw}).of(borders, borders.facts[3]));
      BOOST_TEST(shown ==
                 instances(SolvedFacts(dataset, {2, seed, draw}).of(borders, borders.facts[3])));
      draws.insert(shown);
    }
    BOOST_TEST(draws.size() > 5U);
  }
}

// If only some of the facts are queried, each of them has the same shots as when all facts are
// queried.
BOOST_AUTO_TEST_CASE(facts_behind_a_limit_are_shown_too) {
  const Dataset whole = lands();
  const Dataset cut = select_facts(lands(), {"borders"}, 2, true);
  BOOST_REQUIRE(cut.relations[0].facts.size() == 2U);
  for (const ShotDraw draw : every(ShotDraw())) {
    const SolvedFacts of_whole(whole, {3, 5, draw}), of_cut(cut, {3, 5, draw});
    BOOST_TEST(instances(of_whole.of(whole.relations[0], whole.relations[0].facts[1])) ==
               instances(of_cut.of(cut.relations[0], cut.relations[0].facts[1])));
  }
  const Dataset lost = select_facts(lands(), {"borders"}, 2);
  BOOST_CHECK_THROW((SolvedFacts(lost, {3, 5, ShotDraw::relation}).check)(lost), Error);
}

BOOST_AUTO_TEST_CASE(error_names_the_relation_with_too_few_facts) {
  const Dataset dataset = lands();
  for (const ShotDraw draw : every(ShotDraw())) {
    BOOST_CHECK_EXCEPTION(
        (SolvedFacts(dataset, {1, 0, draw}).check)(dataset), Error,
        says(Fault::user, "lone: has 0 other subjects to show before 'One', but `shots` is 1"));
    // The relation has six subjects. The shots for France cannot include its own fact, Germany's
    // first row or Spain's, because France is the answer in the last two.
    BOOST_CHECK_EXCEPTION((SolvedFacts(dataset, {6, 0, draw}).check)(dataset), Error,
                          says(Fault::user, "borders: has "));
  }
}

BOOST_AUTO_TEST_SUITE_END()
