// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/aggregate/prompt_pairs.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "support/small_prompts.hpp"

using namespace plumb::detail;
using test::marks;
using test::random_prompts;

BOOST_AUTO_TEST_SUITE(prompt_pairs)

namespace {

using Key = std::tuple<std::string, std::string, std::string, std::size_t>;

Key key_of(const test::PromptRow& row) {
  return {row.relation, row.fact, row.of.text, row.outcome.expression};
}

std::map<Key, bool> by_key(const PromptOutcomes& table) {
  std::map<Key, bool> rows;
  for (const auto& row : test::rows_of(table)) rows[key_of(row)] = row.outcome.right;
  return rows;
}

/// A copy of the table in which templates and facts are in a different order, some relations,
/// facts, templates and prompts are removed, and some answers are changed.
PromptOutcomes disturbed(const PromptOutcomes& table, std::uint64_t seed) {
  RandomStream random(seed, "disturbed");
  PromptOutcomes made;
  for (const PromptRelation& relation : table.relations()) {
    if (random.below(5) == 0) continue;
    std::vector<std::size_t> order, facts;
    for (std::size_t t = 0; t < relation.templates.size(); ++t) {
      if (random.below(5) > 0) order.push_back(t);
    }
    for (std::size_t f = 0; f < relation.facts; ++f) {
      if (random.below(5) > 0) facts.push_back(relation.first_fact + f);
    }
    random.shuffle(order);
    random.shuffle(facts);
    std::vector<PromptTemplate> templates;
    for (const std::size_t t : order) templates.push_back(relation.templates[t]);
    templates.push_back({"only here"});
    made.add_relation(relation.code, templates);
    for (const std::size_t fact : facts) {
      std::vector<PromptOutcome> prompts;
      for (PromptOutcome prompt : table.prompts(fact)) {
        const auto place = std::ranges::find(order, prompt.template_index);
        if (place == order.end() || random.below(6) == 0) continue;
        prompt.template_index = static_cast<std::uint16_t>(place - order.begin());
        if (random.below(3) == 0) prompt.right = !prompt.right;
        prompts.push_back(prompt);
      }
      made.add_fact(table.key(fact), prompts);
    }
    made.add_fact("only here", marks({"1"}));
  }
  return made;
}

/// The prompts that two tables share, by key; each key is unique within a table.
struct Slow {
  std::map<Key, std::pair<bool, bool>> prompts;
  UnsharedPrompts unshared;
};
Slow slow_pairs(const PromptOutcomes& one, const PromptOutcomes& other) {
  Slow slow;
  const auto ours = by_key(one), theirs = by_key(other);
  for (const auto& [key, right] : ours) {
    const auto found = theirs.find(key);
    if (found != theirs.end()) slow.prompts[key] = {right, found->second};
  }
  // The sets of relations, (relation, fact) pairs and (relation, template) pairs that have at least
  // one prompt.
  using Names = std::set<std::vector<std::string>>;
  struct Parts {
    Names relations, facts, templates;
  };
  const auto parts = [](const std::map<Key, bool>& rows) {
    Parts made;
    for (const auto& [key, right] : rows) {
      const auto& [relation, fact, text, expression] = key;
      made.relations.insert({relation});
      made.facts.insert({relation, fact});
      made.templates.insert({relation, text});
    }
    return made;
  };
  const Parts mine = parts(ours), yours = parts(theirs);
  Names shared;
  for (const auto& [key, right] : slow.prompts) shared.insert({std::get<0>(key)});
  Names all = mine.relations;
  all.insert(yours.relations.begin(), yours.relations.end());
  slow.unshared.relations = all.size() - shared.size();
  const auto differing = [&](const Names& a, const Names& b) {
    std::vector<std::vector<std::string>> differ;
    std::ranges::set_symmetric_difference(a, b, std::back_inserter(differ));
    return static_cast<std::size_t>(std::ranges::count_if(
        differ, [&](const auto& name) { return shared.contains({name[0]}); }));
  };
  slow.unshared.facts = differing(mine.facts, yours.facts);
  slow.unshared.templates = differing(mine.templates, yours.templates);
  const auto count_alone = [&](const auto& rows, const auto& others) {
    for (const auto& [key, right] : rows) {
      const auto& [relation, fact, text, expression] = key;
      const bool both =
          mine.facts.contains({relation, fact}) && yours.facts.contains({relation, fact}) &&
          mine.templates.contains({relation, text}) && yours.templates.contains({relation, text});
      if (shared.contains({relation}) && both && !others.contains(key)) ++slow.unshared.prompts;
    }
  };
  count_alone(ours, theirs);
  count_alone(theirs, ours);
  return slow;
}

/// The two answers to a shared prompt, and its relation. Facts and templates are numbered
/// arbitrarily, so the test only compares which prompts belong to the same fact and to the same
/// template.
using Cell = std::tuple<std::string, bool, bool>;

}  // namespace

BOOST_AUTO_TEST_CASE(prompts_are_paired_as_by_looking_each_up) {
  for (std::uint64_t seed = 1; seed < 12; ++seed) {
    const auto one = random_prompts(seed, {.relations = 4, .missing = 1});
    const auto other = disturbed(one, seed);
    for (const bool swapped : {false, true}) {
      const PairedPrompts made = swapped ? pair_prompts(other, one) : pair_prompts(one, other);
      const Slow slow = swapped ? slow_pairs(other, one) : slow_pairs(one, other);
      BOOST_TEST(made.unshared.relations == slow.unshared.relations);
      BOOST_TEST(made.unshared.templates == slow.unshared.templates);
      BOOST_TEST(made.unshared.facts == slow.unshared.facts);
      BOOST_TEST(made.unshared.prompts == slow.unshared.prompts);
      // The answers to the shared prompts, grouped by relation and fact and by relation and
      // template, in any order.
      std::map<std::string, std::multiset<std::vector<Cell>>> expected, found;
      std::map<std::string, std::vector<Cell>> rows;
      for (const auto& [key, right] : slow.prompts) {
        const auto& [relation, fact, text, expression] = key;
        const Cell cell{relation, right.first, right.second};
        rows["fact/" + relation + "/" + fact].push_back(cell);
        rows["template/" + relation + "/" + text].push_back(cell);
      }
      for (auto& [name, cells] : rows) {
        std::ranges::sort(cells);
        expected[name.substr(0, name.find('/'))].insert(cells);
      }
      rows.clear();
      for (const PairedRelation& relation : made.relations) {
        for (const PairedOutcome& prompt : relation.prompts) {
          const Cell cell{relation.code, prompt.one_right, prompt.other_right};
          BOOST_REQUIRE(prompt.fact < relation.facts);
          BOOST_REQUIRE(prompt.template_index < relation.templates);
          rows["fact/" + relation.code + "/" + std::to_string(prompt.fact)].push_back(cell);
          rows["template/" + relation.code + "/" + std::to_string(prompt.template_index)].push_back(
              cell);
        }
      }
      for (auto& [name, cells] : rows) {
        std::ranges::sort(cells);
        found[name.substr(0, name.find('/'))].insert(cells);
      }
      BOOST_CHECK(found == expected);
    }
  }
}

BOOST_AUTO_TEST_CASE(table_paired_with_itself_shares_every_prompt) {
  const auto table = random_prompts(3, {.missing = 2});
  const auto made = pair_prompts(table, table);
  BOOST_TEST(made.relations.size() == 3U);
  std::size_t prompts = 0;
  for (const PairedRelation& relation : made.relations) {
    prompts += relation.prompts.size();
    BOOST_TEST(relation.facts == 6U);
    BOOST_TEST(relation.templates == 5U);
    for (const PairedOutcome& prompt : relation.prompts) {
      BOOST_TEST(prompt.one_right == prompt.other_right);
    }
  }
  BOOST_TEST(prompts == table.prompts());
  BOOST_TEST(made.unshared.relations + made.unshared.templates + made.unshared.facts == 0U);
  BOOST_TEST(made.unshared.prompts == 0U);
}

BOOST_AUTO_TEST_CASE(equal_keys_are_paired_first_with_first) {
  const auto table = [](std::vector<std::string> facts) {
    PromptOutcomes made;
    made.add_relation("P1", {{"same"}, {"same"}, {"other"}});
    for (const std::string& mark : facts) {
      made.add_fact("a", marks({mark, mark == "1" ? "0" : "1"}));
    }
    return made;
  };
  const auto made = pair_prompts(table({"1", "0"}), table({"1", "0", "0"}));
  BOOST_REQUIRE(made.relations.size() == 1U);
  BOOST_TEST(made.relations[0].facts == 2U);
  BOOST_TEST(made.relations[0].templates == 2U);
  BOOST_TEST(made.unshared.facts == 1U);
  BOOST_TEST(made.relations[0].prompts.size() == 4U);
  for (const PairedOutcome& prompt : made.relations[0].prompts) {
    BOOST_TEST(prompt.one_right == prompt.other_right);
    BOOST_TEST(prompt.one_right == (prompt.fact == prompt.template_index));
  }
}

BOOST_AUTO_TEST_CASE(what_was_never_asked_is_not_there) {
  PromptOutcomes one, other;
  one.add_relation("P1", test::templates(3));
  one.add_fact("a", marks({"1", "", "1"}));
  one.add_fact("b", {});
  one.add_relation("P2", test::templates(1));
  one.add_fact("a", {});
  other.add_relation("P1", test::templates(3));
  other.add_fact("a", marks({"0", "1", "1"}));
  other.add_fact("b", marks({"1"}));
  other.add_relation("P2", test::templates(1));
  other.add_fact("a", marks({"1"}));
  const auto made = pair_prompts(one, other);
  BOOST_REQUIRE(made.relations.size() == 1U);
  BOOST_TEST(made.relations[0].facts == 1U);
  BOOST_TEST(made.relations[0].templates == 2U);
  BOOST_TEST(made.relations[0].prompts.size() == 2U);
  BOOST_TEST(made.unshared.relations == 1U);
  BOOST_TEST(made.unshared.templates == 1U);
  BOOST_TEST(made.unshared.facts == 1U);
  BOOST_TEST(made.unshared.prompts == 0U);
}

BOOST_AUTO_TEST_CASE(relations_without_a_common_prompt_are_not_shared) {
  // The tables share the fact and the template, but not the expression.
  const auto made = pair_prompts(test::one_relation({{"1-"}}), test::one_relation({{"-1"}}));
  BOOST_TEST(made.relations.empty());
  BOOST_TEST(made.unshared.relations == 1U);
  BOOST_TEST(made.unshared.prompts == 0U);
  BOOST_TEST(pair_prompts({}, test::one_relation({{"1"}})).unshared.relations == 1U);
  BOOST_TEST(pair_prompts({}, {}).unshared.relations == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
