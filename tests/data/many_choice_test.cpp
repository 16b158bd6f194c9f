// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/many_choice.hpp"

#include <boost/test/unit_test.hpp>
#include <set>
#include <string>

#include "plumb/detail/data/choice_table.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(many_choice)

namespace {

/// A relation with `facts` facts about different subjects; the answers cycle through `objects`
/// options.
Relation round(std::size_t facts, std::size_t objects) {
  Relation made;
  made.code = "born";
  for (std::size_t o = 0; o < objects; ++o) {
    made.options.push_back("year " + std::to_string(o));
    made.option_ids.push_back("y" + std::to_string(o));
  }
  for (std::size_t f = 0; f < facts; ++f) {
    Fact& fact = made.facts.emplace_back();
    fact.subject = "person " + std::to_string(f);
    fact.answer = f % objects;
    fact.instance = f;
  }
  return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_relation_needs_enough_facts_and_objects) {
  BOOST_TEST(!many_choice_relation(round(499, 100), {}, {}).has_value());
  BOOST_TEST(!many_choice_relation(round(500, 99), {}, {}).has_value());
  // An option that is not the answer to any fact is not counted as an object.
  Relation unused = round(500, 99);
  unused.options.push_back("year 99");
  unused.option_ids.push_back("y99");
  BOOST_TEST(!many_choice_relation(unused, {}, {}).has_value());
  BOOST_TEST(many_choice_relation(round(500, 100), {}, {}).has_value());
}

BOOST_AUTO_TEST_CASE(parts_and_choices_have_the_papers_sizes) {
  const Relation all = round(700, 150);
  const Relation made = many_choice_relation(all, {}, {}).value();
  BOOST_TEST(made.facts.size() == 500U);
  std::size_t training = 0;
  std::set<std::size_t> instances;
  for (const Fact& fact : made.facts) {
    training += fact.part == FactPart::training ? 1U : 0U;
    instances.insert(fact.instance);
    BOOST_TEST(fact.offered.size() == 100U);
    BOOST_TEST((ranges::find(fact.offered, fact.answer) != fact.offered.end()));
    BOOST_TEST(all.facts[fact.instance].subject == fact.subject);
  }
  BOOST_TEST(training == 100U);
  BOOST_TEST(instances.size() == 500U);
  ManyChoiceRule other;
  other.seed = 1;
  const Relation again = many_choice_relation(all, {}, {}).value();
  BOOST_TEST(choice_table_jsonl(again) == choice_table_jsonl(made));
  BOOST_TEST(choice_table_jsonl(many_choice_relation(all, {}, other).value()) !=
             choice_table_jsonl(made));
}

BOOST_AUTO_TEST_CASE(a_datasets_own_parts_are_cut_to_the_papers_sizes) {
  Relation all = round(900, 150);
  for (Fact& fact : all.facts) {
    fact.part = fact.instance < 300 ? FactPart::training : FactPart::test;
  }
  const Relation made = many_choice_relation(all, {}, {}).value();
  std::size_t training = 0;
  for (const Fact& fact : made.facts) {
    training += fact.part == FactPart::training ? 1U : 0U;
    BOOST_TEST((fact.part == FactPart::training) == (fact.instance < 300));
  }
  BOOST_TEST(training == 100U);
  BOOST_TEST(made.facts.size() == 500U);
}

BOOST_AUTO_TEST_CASE(tables_are_read_back) {
  ManyChoiceRule rule;
  rule.facts = 12;
  rule.objects = 4;
  rule.choices = 3;
  rule.training = 5;
  rule.test = 4;
  const Relation made = many_choice_relation(round(12, 4), {}, rule).value();
  test::TemporaryFolder folder;
  folder.write("born.jsonl", choice_table_jsonl(made));
  const Dataset read = load_choice_table(folder.path());
  BOOST_REQUIRE(read.relations.size() == 1U);
  const Relation& born = read.relations[0];
  BOOST_TEST(born.code == "born");
  BOOST_REQUIRE(born.facts.size() == made.facts.size());
  for (std::size_t f = 0; f < made.facts.size(); ++f) {
    const auto names = [](const Relation& relation, const Fact& fact) {
      std::set<std::string> labels;
      for (const std::uint32_t option : fact.offered) labels.insert(relation.options[option]);
      return labels;
    };
    BOOST_TEST(born.facts[f].subject == made.facts[f].subject);
    BOOST_TEST(born.options[born.facts[f].answer] == made.options[made.facts[f].answer]);
    BOOST_CHECK(names(born, born.facts[f]) == names(made, made.facts[f]));
    BOOST_CHECK(born.facts[f].part == made.facts[f].part);
  }
}

BOOST_AUTO_TEST_SUITE_END()
