// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/aggregate/fact_groups.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/predictions.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(fact_groups)

namespace {

RelationPredictions relation(const std::string& code, std::size_t facts,
                             std::vector<std::string> domains, bool one_to_one) {
  RelationPredictions made;
  made.relation.code = code;
  made.relation.facts.resize(facts);
  made.relation.domains = std::move(domains);
  made.relation.cardinality = one_to_one ? Cardinality::one_to_one : Cardinality::many_to_one;
  return made;
}

/// "b" has facts 0–1, "a" has fact 2, "empty" has none and "c" has facts 3–5.
FactGroups four_relations() {
  return groups_of({relation("b", 2, {"Geography", "Arts"}, true), relation("a", 1, {}, false),
                    relation("empty", 0, {"Arts", "Sports"}, false),
                    relation("c", 3, {"Arts"}, true)});
}

const std::vector<int> facts{0, 1, 2, 3, 4, 5};

using Facts = std::vector<int>;

}  // namespace

BOOST_AUTO_TEST_CASE(a_relation_is_in_each_of_its_domains) {
  const FactGroups groups = four_relations();
  BOOST_REQUIRE(groups.domains.size() == 2U);
  BOOST_TEST(groups.domains[0].name == "Arts");
  BOOST_TEST(groups.domains[0].of(facts) == (Facts{0, 1, 3, 4, 5}));
  BOOST_TEST(groups.domains[1].name == "Geography");
  BOOST_TEST(groups.domains[1].of(facts) == (Facts{0, 1}));
  // The domain is listed twice but counts once.
  BOOST_TEST(groups_of({relation("d", 2, {"Arts", "Arts"}, true)}).domains[0].ranges.size() == 1U);
}

BOOST_AUTO_TEST_CASE(cardinality_parts_the_facts) {
  const FactGroups groups = four_relations();
  BOOST_REQUIRE(groups.cardinality.size() == 2U);
  BOOST_TEST(groups.cardinality[0].name == "1:1");
  BOOST_TEST(groups.cardinality[0].of(facts) == (Facts{0, 1, 3, 4, 5}));
  BOOST_TEST(groups.cardinality[1].name == "N:1");
  BOOST_TEST(groups.cardinality[1].of(facts) == Facts{2});
}

BOOST_AUTO_TEST_CASE(relations_keep_their_order_and_empty_ones_are_in_no_group) {
  const FactGroups groups = four_relations();
  BOOST_REQUIRE(groups.relations.size() == 3U);
  BOOST_TEST(groups.relations[0].name == "b");
  BOOST_TEST(groups.relations[0].of(facts) == (Facts{0, 1}));
  BOOST_TEST(groups.relations[1].name == "a");
  BOOST_TEST(groups.relations[1].of(facts) == Facts{2});
  BOOST_TEST(groups.relations[2].name == "c");
  BOOST_TEST(groups.relations[2].of(facts) == (Facts{3, 4, 5}));
}

BOOST_AUTO_TEST_CASE(a_group_cuts_whatever_is_kept_by_fact) {
  const FactGroup group{"ends", {{0, 1}, {4, 2}}};
  const std::vector<std::string> words{"zero", "one", "two", "three", "four", "five"};
  BOOST_TEST(group.of(words) == (std::vector<std::string>{"zero", "four", "five"}));
  BOOST_TEST(FactGroup{}.of(words).empty());
}

BOOST_AUTO_TEST_CASE(no_relations_make_no_groups) {
  const FactGroups groups = groups_of(std::vector<RelationPredictions>());
  BOOST_TEST(groups.domains.empty());
  BOOST_TEST(groups.cardinality.empty());
  BOOST_TEST(groups.relations.empty());
}

BOOST_AUTO_TEST_SUITE_END()
