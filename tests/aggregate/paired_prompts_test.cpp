// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/aggregate/paired_prompts.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/prompt_pairs.hpp"
#include "support/near.hpp"

using namespace plumb::detail;
using test::near;

BOOST_AUTO_TEST_SUITE(paired_prompts_suite)

namespace {

/// Adds a relation. Each fact is a key with one mark per prompt: 1 if the answer is right.
using Facts = std::vector<std::pair<std::string, std::string>>;

void add(PromptOutcomes& to, const std::string& code, const Facts& facts) {
  to.add_relation(code, std::vector<PromptTemplate>(4));
  for (const auto& [key, marks] : facts) {
    std::vector<PromptOutcome> prompts;
    for (std::size_t i = 0; i < marks.size(); ++i) {
      prompts.push_back({.answer = static_cast<std::uint32_t>(i),
                         .template_index = static_cast<std::uint16_t>(i),
                         .right = marks[i] == '1'});
    }
    to.add_fact(key, prompts);
  }
}

}  // namespace

// a knows x (2 of 3 prompts) and z; b knows y. A fact is not known if only half of its prompts are
// right. A fact is not compared if it has no prompts or is in only one of the tables. b's keys are
// in a different order.
BOOST_AUTO_TEST_CASE(facts_are_matched_by_key_and_known_by_most_prompts) {
  PromptOutcomes a, b;
  add(a, "P1", {{"x", "110"}, {"y", "10"}, {"z", "1"}, {"none", ""}, {"alone", "1"}});
  add(b, "P2", {{"x", "1"}});
  add(b, "P1", {{"z", "0"}, {"y", "111"}, {"x", "0"}, {"none", "1"}});
  const auto made = paired_by_prompts({{"a", &a}, {"b", &b}}, {});
  BOOST_TEST_REQUIRE(made.size() == 1U);
  BOOST_TEST(made[0].first == 0U);
  BOOST_TEST(made[0].second == 1U);
  BOOST_TEST((made[0].overall.counts == PairedCounts{0, 2, 1, 0}));
  BOOST_TEST(near(made[0].overall.difference.value, 1.0 / 3));
  BOOST_TEST(made[0].relations.size() == 1U);
  BOOST_TEST(!made[0].overall.same_answers.has_value());
  BOOST_TEST(near(made[0].overall.p, 1));
}

// Without answers, the facts of a subject are matched in their order, so a table has no differences
// from itself.
BOOST_AUTO_TEST_CASE(facts_that_share_a_key_are_matched_in_their_order) {
  PromptOutcomes a;
  add(a, "P1", {{"Canada", "0"}, {"Canada", "1"}});
  const auto made = paired_by_prompts({{"a", &a}, {"again", &a}}, {});
  BOOST_TEST((made.at(0).overall.counts == PairedCounts{1, 0, 0, 1}));
}

// b has no fact for English, so Canada's French is the first fact of this subject there.
BOOST_AUTO_TEST_CASE(facts_that_share_a_key_are_matched_by_their_right_answers) {
  PromptOutcomes a, b;
  for (PromptOutcomes* one : {&a, &b}) one->add_relation("P1", std::vector<PromptTemplate>(1));
  const std::vector<PromptOutcome> right{{.right = true}}, wrong{PromptOutcome{}};
  a.add_fact("Canada", wrong, "English");
  a.add_fact("Canada", right, "French");
  b.add_fact("Canada", right, "French");
  const auto made = paired_by_prompts({{"a", &a}, {"b", &b}}, {});
  BOOST_TEST((made.at(0).overall.counts == PairedCounts{1, 0, 0, 0}));
  const PairedPrompts paired = pair_prompts(a, b);
  BOOST_TEST_REQUIRE(paired.relations.size() == 1U);
  BOOST_TEST_REQUIRE(paired.relations[0].prompts.size() == 1U);
  BOOST_TEST(paired.relations[0].prompts[0].one_right);
  BOOST_TEST(paired.relations[0].prompts[0].other_right);
  BOOST_TEST(paired.unshared.facts == 1U);
}

BOOST_AUTO_TEST_CASE(every_pair_of_ways_is_tested) {
  PromptOutcomes a, b, c;
  for (PromptOutcomes* one : {&a, &b, &c}) add(*one, "P1", {{"x", "1"}, {"y", "0"}});
  const auto made = paired_by_prompts({{"a", &a}, {"b", &b}, {"c", &c}}, {});
  BOOST_TEST(made.size() == 3U);
  BOOST_TEST((made[2].overall.counts == PairedCounts{1, 0, 0, 1}));
}

BOOST_AUTO_TEST_SUITE_END()
