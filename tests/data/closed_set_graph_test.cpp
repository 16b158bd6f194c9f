// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/closed_set_graph.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plumb/detail/data/bear.hpp"
#include "support/bear_folder.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::elements_as_facts;
using test::says;

BOOST_AUTO_TEST_SUITE(closed_set_graph)

namespace {

using Words = std::vector<std::string>;
using Places = std::vector<std::uint32_t>;

/// One relation with subjects s1, s2 …, whose answers alternate between two options.
Dataset facts(std::size_t count) {
  Relation relation;
  relation.code = "r";
  relation.templates = {"[X] is [Y]."};
  relation.options = {"yes", "no"};
  relation.option_ids = {"y", "n"};
  for (std::size_t i = 0; i < count; ++i) {
    const std::string id = "s" + std::to_string(i + 1);
    relation.facts.push_back({id, "subject " + id, {}, i % 2, i, i + 1});
  }
  return {"some", {relation}, {}};
}

std::vector<std::size_t> lines(const std::vector<Triple>& part) {
  std::vector<std::size_t> all;
  for (const Triple& triple : part) all.push_back(triple.line);
  return all;
}

std::string name_for(const Words& templates) {
  Dataset dataset = facts(2);
  dataset.relations[0].templates = templates;
  return graph_of(dataset, {}).relations.at(0).name;
}

Words ids(const KnowledgeGraph& graph, const Places& places) {
  Words all;
  for (const std::uint32_t e : places) all.push_back(graph.entities.at(e).id);
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_fact_is_a_triple_from_its_subject_to_its_answer) {
  const Dataset dataset = elements_as_facts();
  const KnowledgeGraph graph = graph_of(dataset, {});
  BOOST_TEST(graph.name == "bear");
  BOOST_TEST(graph.valid.empty());
  BOOST_TEST(graph.trivial == 0U);
  BOOST_REQUIRE(graph.relations.size() == 3U);
  using Written = std::tuple<std::string, std::string, std::string, std::size_t>;
  std::multiset<Written> expected, found;
  for (const Relation& relation : dataset.relations) {
    for (const Fact& fact : relation.facts) {
      expected.insert(
          {relation.code, fact.subject_id, relation.option_ids[fact.answer], fact.line});
    }
  }
  for (const auto* part : {&graph.train, &graph.test}) {
    for (const Triple& t : *part) {
      found.insert({graph.relations.at(t.relation).id, graph.entities.at(t.head).id,
                    graph.entities.at(t.tail).id, t.line});
    }
  }
  BOOST_TEST((found == expected));
}

// There are 36 elements, their symbols and four periods. An identifier denotes the same entity
// wherever it occurs.
BOOST_AUTO_TEST_CASE(an_identifier_is_one_entity_with_its_first_name) {
  const KnowledgeGraph graph = graph_of(elements_as_facts(), {});
  BOOST_TEST(graph.entities.size() == 36U + 36 + 4);
  std::map<std::string, std::string> names;
  for (const Entity& entity : graph.entities) {
    BOOST_TEST(names.emplace(entity.id, entity.name).second, entity.id);
    BOOST_TEST(entity.description == "-");
  }
  BOOST_TEST(names.at("e10") == "neon");
  BOOST_TEST(names.at("s10") == "Ne");
  BOOST_TEST(names.at("p2") == "period 2");
  Dataset dataset = facts(2);
  dataset.relations[0].facts[1].subject_id = "y";  // y is the first option
  dataset.relations[0].facts[1].subject = "yes, as others write it";
  BOOST_CHECK_EXCEPTION(
      (void)graph_of(dataset, {}), Error,
      says(Fault::user, "the id 'y' belongs to 'yes' and to 'yes, as others write it'"));
  // Wikidata's identifiers are unique, but its items have several names.
  dataset.relations[0].facts[1].subject_id = dataset.relations[0].option_ids[0] = "Q7";
  const KnowledgeGraph small = graph_of(dataset, {});
  BOOST_REQUIRE(small.entities.size() == 3U);
  BOOST_TEST((small.test[1].head == small.test[0].tail));
  BOOST_TEST(small.entities[small.test[1].head].name == "yes");
}

BOOST_AUTO_TEST_CASE(without_identifiers_names_tell_entities_apart) {
  Dataset dataset = facts(3);
  Relation& relation = dataset.relations[0];
  relation.option_ids.clear();
  for (Fact& fact : relation.facts) fact.subject_id.clear();
  relation.facts[0].subject = relation.facts[2].subject = "one";
  relation.facts[1].subject = "no";  // "no" is the second option
  const KnowledgeGraph graph = graph_of(dataset, {});
  BOOST_REQUIRE(graph.entities.size() == 3U);
  Words ids;
  for (const Entity& entity : graph.entities) {
    ids.push_back(entity.id);
    BOOST_TEST(entity.id == entity.name);
  }
  BOOST_TEST((ids == Words{"yes", "no", "one"}));
  BOOST_TEST(graph.test[0].head == graph.test[2].head);
  BOOST_TEST(graph.test[1].head == graph.test[1].tail);
}

BOOST_AUTO_TEST_CASE(the_options_are_what_the_tails_are_among) {
  const KnowledgeGraph graph = graph_of(elements_as_facts(), {});
  const auto range = [&](std::size_t relation) { return graph.relations.at(relation).range; };
  BOOST_TEST(range(0).size() == 36U);
  BOOST_TEST(range(1).size() == 36U);  // includes hydrogen, which follows no other element
  BOOST_TEST((ids(graph, range(2)) == Words{"p1", "p2", "p3", "p4"}));
  for (const GraphRelation& relation : graph.relations) {
    BOOST_TEST(std::ranges::is_sorted(relation.range));
  }
  const Words next = ids(graph, range(1));
  BOOST_TEST((std::ranges::find(next, "e1") != next.end()));
  for (const auto* part : {&graph.train, &graph.test}) {
    for (const Triple& t : *part) BOOST_TEST(std::ranges::binary_search(range(t.relation), t.tail));
  }
}

// A range lists each entity once, in the order of the entities, even if the dataset orders them
// differently.
BOOST_AUTO_TEST_CASE(ranges_ascend_and_have_each_entity_once) {
  Dataset dataset = facts(2);
  dataset.relations.push_back(dataset.relations[0]);
  Relation& other = dataset.relations[1];
  other.code = "q";
  other.options = {"new", "no", "yes", "no"};
  other.option_ids = {"w", "n", "y", "n"};
  other.facts = {{"s1", "subject s1", {}, 3, 0, 1}};
  const KnowledgeGraph graph = graph_of(dataset, {});
  BOOST_TEST((ids(graph, graph.relations[1].range) == Words{"y", "n", "w"}));
  BOOST_TEST((graph.relations[1].range == Places{0, 1, 4}));  // the entities are y, n, s1, s2, w
  BOOST_TEST(graph.test.back().tail == 1U);
  BOOST_TEST(graph.entities[1].name == "no");
}

// A fifth of the facts are shots, but at most ten. The rest become queries, in order.
BOOST_AUTO_TEST_CASE(shots_are_a_fifth_of_a_relation_and_at_most_ten) {
  for (const auto& [count, shots] : {std::pair{1U, 0U},
                                     {4U, 0U},
                                     {5U, 1U},
                                     {9U, 1U},
                                     {10U, 2U},
                                     {49U, 9U},
                                     {50U, 10U},
                                     {51U, 10U},
                                     {200U, 10U}}) {
    const KnowledgeGraph graph = graph_of(facts(count), {});
    const auto train = lines(graph.train), test = lines(graph.test);
    BOOST_TEST(train.size() == shots, count);
    BOOST_TEST(std::ranges::is_sorted(train));
    BOOST_TEST(std::ranges::is_sorted(test));
    std::set<std::size_t> all(train.begin(), train.end());
    all.insert(test.begin(), test.end());
    BOOST_TEST(train.size() + test.size() == count);
    BOOST_TEST(all.size() == count);
    BOOST_TEST(*all.rbegin() == count);
  }
}

BOOST_AUTO_TEST_CASE(shots_are_drawn_by_the_relations_code_alone) {
  Dataset dataset = facts(200);
  const auto shots = [&] { return lines(graph_of(dataset, {}).train); };
  const auto first = shots();
  BOOST_TEST((shots() == first));
  BOOST_TEST(first.back() > 20U);  // the shots do not all come from the start of the file
  dataset.name = "another";
  dataset.relations[0].templates = {"[X] has [Y]."};
  BOOST_TEST((shots() == first));
  dataset.relations[0].code = "q";
  BOOST_TEST((shots() != first));
  // Other relations do not affect the draw either.
  dataset.relations.push_back(facts(200).relations[0]);
  const KnowledgeGraph graph = graph_of(dataset, {});
  std::vector<std::size_t> of_second;
  for (const Triple& t : graph.train) {
    if (t.relation == 1) of_second.push_back(t.line);
  }
  BOOST_TEST((of_second == first));
}

// Every fact is equally likely to be a shot: 10 of 50 facts for each of 200 codes.
BOOST_AUTO_TEST_CASE(every_fact_may_be_a_shot) {
  std::map<std::size_t, std::size_t> drawn;
  for (int code = 0; code < 200; ++code) {
    Dataset dataset = facts(50);
    dataset.relations[0].code = "P" + std::to_string(code);
    for (const std::size_t line : lines(graph_of(dataset, {}).train)) ++drawn[line];
  }
  BOOST_TEST(drawn.size() == 50U);
  for (const auto& [line, count] : drawn) {  // 40 ± 5 standard deviations
    BOOST_TEST(count > 12U, line);
    BOOST_TEST(count < 68U, line);
  }
}

BOOST_AUTO_TEST_CASE(a_relation_is_called_by_the_words_of_its_template) {
  BOOST_TEST(name_for({"[X] is produced by [Y]."}) == "is produced by");
  BOOST_TEST(name_for({"[X] is produced by [Y]"}) == "is produced by");
  BOOST_TEST(name_for({"[X] , which is [Y] ."}) == "which is");
  // The name is taken from the first template that begins with the subject and ends with the
  // answer.
  BOOST_TEST(name_for({"The maker of [X] is [Y].", "[Y] makes [X].", "[X] is of [Y], a maker.",
                       "[X] was made by [Y].", "[X] is from [Y]."}) == "was made by");
  // If there is no such template, the name consists of all the words in the first template, without
  // its gaps.
  BOOST_TEST(name_for({"The capital of [X] is [Y].", "[Y] is the capital of [X]."}) ==
             "The capital of is");
  BOOST_TEST(name_for({"[Y] is the capital of [X]."}) == "is the capital of");
  // Templates without any words yield no name, so the code is used.
  BOOST_TEST(name_for({"[X] [Y]."}) == "r");
  BOOST_TEST(name_for({"[X], [Y]", "[X] lies in [Y]."}) == "lies in");
  BOOST_TEST(name_for({}) == "r");
}

BOOST_AUTO_TEST_CASE(no_hole_is_left_before_a_comma) {
  BOOST_TEST(name_for({"In [X], they speak [Y]."}) == "In, they speak");
  BOOST_TEST(name_for({"From [Y], so to say, [X] came."}) == "From, so to say, came");
}

BOOST_AUTO_TEST_CASE(graph_contains_only_selected_relations) {
  const Dataset dataset = elements_as_facts();
  const KnowledgeGraph graph = graph_of(dataset, {"in", "symbol"});
  BOOST_REQUIRE(graph.relations.size() == 2U);
  BOOST_TEST(graph.relations[0].id == "symbol");  // in the dataset's order
  BOOST_TEST(graph.relations[0].name == "is written as");
  BOOST_TEST(graph.relations[1].id == "in");
  BOOST_TEST(graph.train.size() + graph.test.size() == 72U);
  const KnowledgeGraph periods = graph_of(dataset, {"in"});
  BOOST_TEST(periods.entities.size() == 36U + 4);  // the symbols are excluded
  for (const auto* part : {&periods.train, &periods.test}) {
    for (const Triple& t : *part) BOOST_TEST(t.relation == 0U);
  }
  for (const Words& codes : {Words{"weighs"}, {"in", "weighs"}}) {
    BOOST_CHECK_EXCEPTION((void)graph_of(dataset, codes), Error,
                          says(Fault::user,
                               "`relations`: 'weighs' is not a relation of the dataset; list them "
                               "with plumb data describe"));
  }
}

BOOST_AUTO_TEST_CASE(a_folder_in_the_bear_layout_is_read_so) {
  const test::TemporaryFolder folder;
  test::write_bear(folder, "bear", elements_as_facts());
  const KnowledgeGraph graph = graph_of(load_bear(folder / "bear"), {});
  const KnowledgeGraph expected = graph_of(elements_as_facts(), {});
  BOOST_TEST(graph.name == "bear");
  BOOST_REQUIRE(graph.files.size() == 5U);  // the files covered by the hash
  BOOST_TEST(graph.files[0].filename() == "metadata_relations.json");
  BOOST_TEST(graph.files[4].filename() == "in.jsonl");
  BOOST_REQUIRE(graph.entities.size() == expected.entities.size());
  for (std::size_t e = 0; e < graph.entities.size(); ++e) {
    BOOST_TEST(graph.entities[e].id == expected.entities[e].id);
    BOOST_TEST(graph.entities[e].name == expected.entities[e].name);
  }
  BOOST_TEST((graph.train == expected.train));
  BOOST_TEST((graph.test == expected.test));
  BOOST_TEST(lines(graph.test) == lines(expected.test), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
