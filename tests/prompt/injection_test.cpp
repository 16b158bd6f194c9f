// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/prompt/injection.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(injection)

namespace {

using Positions = std::vector<std::size_t>;

/// The subjects are "Person Aa" …; the answers are birth years that cycle through 1800 … 1829.
Relation people(std::size_t count) {
  Relation relation;
  relation.code = "birth";
  relation.file = "birth.jsonl";
  for (std::size_t i = 0; i < 30; ++i) relation.options.push_back(std::to_string(1800 + i));
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name{static_cast<char>('A' + i / 26), static_cast<char>('a' + i % 26)};
    Fact fact;
    fact.subject_id = "id" + std::to_string(i);
    fact.subject = "Person " + name;
    fact.answer = i % 30;
    fact.line = i + 1;
    relation.facts.push_back(fact);
  }
  return relation;
}

Positions positions(const InjectionPanel& panel, PairKind kind) {
  Positions found;
  for (std::size_t p = 0; p < panel.pairs.size(); ++p) {
    if (panel.pairs[p].kind == kind) found.push_back(p);
  }
  return found;
}

bool same_pair(const InjectedPair& a, const InjectedPair& b) {
  return a.subject == b.subject && a.object == b.object;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_first_panel_holds_facts_in_one_order_none_twice) {
  const Relation relation = people(300);
  const InjectionDesign design = injection_design(relation, {});
  BOOST_TEST(design.relation == "birth");
  BOOST_REQUIRE(design.panels.size() == 5U);
  const InjectionPanel& correct = design.panels[0];
  BOOST_TEST(correct.name == "correct");
  BOOST_REQUIRE(correct.pairs.size() == 200U);
  BOOST_REQUIRE(design.facts.size() == 200U);
  for (std::size_t p = 0; p < 200; ++p) {
    const Fact& fact = relation.facts[design.facts[p]];
    BOOST_TEST(correct.pairs[p].subject == fact.subject);
    BOOST_TEST(correct.pairs[p].object == relation.options[fact.answer]);
    BOOST_TEST((correct.pairs[p].kind == PairKind::correct));
  }
  BOOST_TEST((std::set(design.facts.begin(), design.facts.end()).size() == 200U));
  BOOST_TEST(!std::ranges::is_sorted(design.facts));
}

BOOST_AUTO_TEST_CASE(only_the_slots_change) {
  const InjectionDesign design = injection_design(people(300), {});
  const std::vector<std::string> names{"correct", "unknown, spread", "unknown, block",
                                       "incorrect, spread", "incorrect, block"};
  for (std::size_t i = 0; i < 5; ++i) {
    const InjectionPanel& panel = design.panels[i];
    BOOST_TEST(panel.name == names[i]);
    BOOST_REQUIRE(panel.pairs.size() == 200U);
    BOOST_TEST(positions(panel, PairKind::injected).size() == (i == 0 ? 0U : 40U));
    for (std::size_t p = 0; p < 200; ++p) {
      const bool kept = same_pair(panel.pairs[p], design.panels[0].pairs[p]);
      BOOST_TEST(kept == (panel.pairs[p].kind != PairKind::injected));
    }
  }
}

BOOST_AUTO_TEST_CASE(unknown_and_incorrect_have_the_same_slots) {
  const InjectionDesign design = injection_design(people(300), {});
  const Positions spread = positions(design.panels[1], PairKind::injected);
  BOOST_TEST(spread == positions(design.panels[3], PairKind::injected));
  BOOST_TEST(spread.back() - spread.front() > 100U);
  Positions middle;
  for (std::size_t p = 80; p < 120; ++p) middle.push_back(p);
  BOOST_TEST(positions(design.panels[2], PairKind::injected) == middle);
  BOOST_TEST(positions(design.panels[4], PairKind::injected) == middle);
}

BOOST_AUTO_TEST_CASE(what_stands_directly_after_an_injected_pair_is_marked) {
  const InjectionDesign design = injection_design(people(300), {});
  BOOST_TEST(positions(design.panels[0], PairKind::after_injected).empty());
  BOOST_TEST(positions(design.panels[2], PairKind::after_injected) == Positions{120});
  Positions after;
  const Positions spread = positions(design.panels[1], PairKind::injected);
  for (const std::size_t p : spread) {
    if (p + 1 < 200 && !std::ranges::binary_search(spread, p + 1)) after.push_back(p + 1);
  }
  BOOST_TEST(after.size() > 20U);
  BOOST_TEST(positions(design.panels[1], PairKind::after_injected) == after);
  BOOST_TEST(positions(design.panels[3], PairKind::after_injected) == after);
}

BOOST_AUTO_TEST_CASE(unknown_pairs_are_people_nobody_knows_with_years_within_the_range) {
  const Relation relation = people(300);
  const InjectionDesign design = injection_design(relation, {});
  std::set<std::string> known, invented;
  for (const Fact& fact : relation.facts) known.insert(fact.subject);
  for (const std::size_t i : {1U, 2U}) {
    for (const std::size_t p : positions(design.panels[i], PairKind::injected)) {
      const InjectedPair& pair = design.panels[i].pairs[p];
      BOOST_TEST(!known.contains(pair.subject));
      BOOST_TEST(pair.subject.find(' ') != std::string::npos);
      BOOST_TEST(pair.object >= "1800");
      BOOST_TEST(pair.object <= "1829");
      invented.insert(pair.subject);
    }
  }
  Positions both;
  std::ranges::set_intersection(positions(design.panels[1], PairKind::injected),
                                positions(design.panels[2], PairKind::injected),
                                std::back_inserter(both));
  BOOST_TEST(!both.empty());
  // a position that is a slot in both panels has the same pair in both
  for (const std::size_t p : both) {
    BOOST_TEST(same_pair(design.panels[1].pairs[p], design.panels[2].pairs[p]));
    BOOST_TEST(same_pair(design.panels[3].pairs[p], design.panels[4].pairs[p]));
  }
  BOOST_TEST(invented.size() == 80U - both.size());
}

BOOST_AUTO_TEST_CASE(incorrect_pairs_keep_the_subject_and_take_another_option) {
  const Relation relation = people(300);
  const InjectionDesign design = injection_design(relation, {});
  std::set<std::string> objects;
  for (const std::size_t i : {3U, 4U}) {
    for (const std::size_t p : positions(design.panels[i], PairKind::injected)) {
      const InjectedPair& pair = design.panels[i].pairs[p];
      BOOST_TEST(pair.subject == design.panels[0].pairs[p].subject);
      BOOST_TEST(pair.object != design.panels[0].pairs[p].object);
      BOOST_TEST((std::ranges::find(relation.options, pair.object) != relation.options.end()));
      objects.insert(pair.object);
    }
  }
  BOOST_TEST(objects.size() > 15U);
}

// Each subject has options 0 and 1 as objects of its facts, so option 2 is the only wrong one left.
BOOST_AUTO_TEST_CASE(a_true_object_of_the_subject_is_never_the_incorrect_one) {
  Relation relation;
  relation.code = "award";
  relation.options = {"Peace", "Physics", "Poetry"};
  const auto add = [&](const std::string& id, const std::string& subject,
                       const std::vector<std::string>& aliases, std::size_t answer) {
    relation.facts.push_back({id, subject, aliases, answer, 0, 7});
  };
  add("1", "Marie Curie", {"Maria Salomea"}, 0);
  add("", "Marie Curie", {}, 1);
  add("1", "M. Curie", {}, 0);
  add("2", "Somebody", {"Marie Curie"}, 0);
  add("3", "Maria Salomea", {}, 1);
  for (const Fact& fact : relation.facts) {
    if (fact.subject == "Somebody") continue;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const std::string wrong = wrong_object(relation, fact, {}, RandomStream(seed, "test"));
      BOOST_TEST(wrong != relation.options[fact.answer]);
      if (fact.subject == "Marie Curie") BOOST_TEST(wrong == "Poetry");
    }
  }
  add("1", "Mme Curie", {}, 2);
  BOOST_CHECK_EXCEPTION((void)wrong_object(relation, relation.facts[0], {}, {0, "test"}), Error,
                        says(Fault::user,
                             "award: every option is a true object of 'Marie Curie', so no pair "
                             "would be incorrect"));
}

BOOST_AUTO_TEST_CASE(an_alias_of_the_true_object_is_not_incorrect) {
  Relation relation = people(12);
  relation.options = {"UK", "Great Britain", "France"};
  relation.option_ids = {"Q145", "Q23666", "Q142"};
  for (Fact& fact : relation.facts) fact.answer = 0;
  const ObjectAliases aliases{{"Q145", {"United Kingdom", "Great Britain"}}};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const InjectionDesign design = injection_design(relation, {12, 3, seed}, aliases);
    for (const std::size_t panel : {3U, 4U}) {
      for (const InjectedPair& pair : design.panels[panel].pairs) {
        BOOST_TEST(pair.object == (pair.kind == PairKind::injected ? "France" : "UK"));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(the_incorrect_object_of_a_fact_with_choices_is_one_of_them) {
  Relation relation;
  relation.options = {"right", "wrong"};
  relation.facts.push_back({"", "x", {}, 0, 0, 0, {"a", "b"}});
  relation.facts.push_back({"", "y", {}, 0, 0, 0, {"c", "d"}});
  BOOST_TEST(wrong_object(relation, relation.facts[1], {}, {0, "test"}) == "d");
}

BOOST_AUTO_TEST_CASE(a_subject_stands_once_in_the_order) {
  Relation relation = people(12);
  for (std::size_t i = 0; i < 12; ++i) {
    relation.facts.push_back(relation.facts[i]);
    relation.facts.back().answer = 29;
  }
  InjectionOptions options{12, 3};
  std::set<std::string> subjects;
  const InjectionDesign design = injection_design(relation, options);
  for (const InjectedPair& pair : design.panels[0].pairs) subjects.insert(pair.subject);
  BOOST_TEST(subjects.size() == 12U);
  options.pairs = 13;
  BOOST_CHECK_EXCEPTION((void)injection_design(relation, options), Error,
                        says(Fault::user,
                             "birth.jsonl: birth: has facts of 12 subjects, but the injection "
                             "needs 13 pairs; set fewer"));
}

BOOST_AUTO_TEST_CASE(the_drawn_highlight_is_correct_everywhere_and_follows_an_injected_pair) {
  const Relation relation = people(300);
  std::set<std::size_t> drawn;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const InjectionDesign design = injection_design(relation, {.seed = seed});
    const std::size_t star = design.highlight;
    for (const InjectionPanel& panel : design.panels) {
      BOOST_TEST((panel.pairs[star].kind != PairKind::injected));
      BOOST_TEST(same_pair(panel.pairs[star], design.panels[0].pairs[star]));
    }
    BOOST_TEST((design.panels[1].pairs[star].kind == PairKind::after_injected));
    BOOST_TEST((design.panels[3].pairs[star].kind == PairKind::after_injected));
    drawn.insert(star);
  }
  BOOST_TEST(drawn.size() > 10U);
}

// One of the three pairs is a slot; in the block panel, it is at position 1. If the slot of the
// spread panel is at position 0, only position 2 is left, and it does not directly follow the slot.
BOOST_AUTO_TEST_CASE(where_nothing_fits_the_highlight_is_any_pair_that_stays) {
  std::set<std::size_t> slots;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const InjectionDesign design = injection_design(people(3), {3, 1, seed});
    const std::size_t slot = positions(design.panels[1], PairKind::injected).at(0);
    BOOST_TEST(design.highlight != slot);
    BOOST_TEST(design.highlight != 1U);
    if (slot == 1) BOOST_TEST(design.highlight == 2U);
    slots.insert(slot);
  }
  BOOST_TEST(slots.size() == 3U);
}

BOOST_AUTO_TEST_CASE(a_given_highlight_is_taken_unless_it_is_injected) {
  const Relation relation = people(300);
  const InjectionDesign drawn = injection_design(relation, {});
  const std::size_t slot = positions(drawn.panels[1], PairKind::injected)[0];
  std::size_t free = 0;
  while (drawn.panels[1].pairs[free].kind != PairKind::correct || free == drawn.highlight) ++free;
  InjectionOptions options;
  options.highlight = free;
  BOOST_TEST(injection_design(relation, options).highlight == free);
  for (const std::size_t bad : {slot, std::size_t{80}, std::size_t{119}}) {
    options.highlight = bad;
    BOOST_CHECK_EXCEPTION(
        (void)injection_design(relation, options), Error,
        says(Fault::user, "`highlight`: position " + std::to_string(bad) + " is an injected slot"));
  }
  options.highlight = 200;
  BOOST_CHECK_EXCEPTION((void)injection_design(relation, options), Error,
                        says(Fault::user, "`highlight`: position 200 is after the last pair"));
}

BOOST_AUTO_TEST_CASE(slots_are_at_least_one_and_fewer_than_half) {
  const Relation relation = people(300);
  for (const InjectionOptions& options :
       {InjectionOptions{200, 0}, InjectionOptions{200, 100}, InjectionOptions{199, 100},
        InjectionOptions{0, 0}, InjectionOptions{200, std::size_t{1} << 63}}) {
    BOOST_CHECK_EXCEPTION((void)injection_design(relation, options), Error,
                          says(Fault::user, "`injected`: " + std::to_string(options.injected) +
                                                " of " + std::to_string(options.pairs) +
                                                " pairs cannot be injected; set it to at least 1"));
  }
  BOOST_CHECK_NO_THROW((void)injection_design(relation, {199, 99}));
  BOOST_CHECK_NO_THROW((void)injection_design(relation, {300, 1}));
}

BOOST_AUTO_TEST_CASE(the_seed_decides_everything) {
  const Relation relation = people(300);
  const InjectionDesign one = injection_design(relation, {.seed = 3}),
                        same = injection_design(relation, {.seed = 3}),
                        other = injection_design(relation, {.seed = 4});
  BOOST_TEST(one.facts == same.facts);
  BOOST_TEST(one.facts != other.facts);
  BOOST_TEST(one.highlight == same.highlight);
  for (std::size_t i = 0; i < 5; ++i) {
    BOOST_TEST(std::ranges::equal(one.panels[i].pairs, same.panels[i].pairs, same_pair));
  }
  BOOST_TEST(positions(one.panels[1], PairKind::injected) !=
             positions(other.panels[1], PairKind::injected));
}

BOOST_AUTO_TEST_SUITE_END()
