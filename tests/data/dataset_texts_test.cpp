// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/dataset_texts.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/small_multi_prompt.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using Lines = std::vector<std::string>;

BOOST_AUTO_TEST_SUITE(dataset_texts)

namespace {

constexpr auto each = boost::test_tools::per_element();

/// Each text that `visit_all` visits, as "file:line: field: text".
template <class VisitAll>
Lines seen(VisitAll visit_all) {
  Lines lines;
  visit_all([&](const Site& site, const std::string& text) {
    lines.push_back(Error(Fault::user, site, text).what());
  });
  return lines;
}

Relation capital() {
  Relation relation;
  relation.code = "P36";
  relation.templates = {"[X]: [Y].", "[Y] rules [X]."};
  relation.options = {"Paris", "Oslo", "Rome"};
  relation.file = "P36.jsonl";
  relation.template_file = "templates.json";
  relation.facts = {{"Q20", "Norway", {"Norge"}, 1, 0, 4}, {"Q142", "France", {}, 0, 1, 5}};
  return relation;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_closed_set_has_templates_subjects_and_options) {
  const Dataset dataset{"small", {capital()}, {}};
  BOOST_TEST(seen([&](const auto& visit) { for_each_text(dataset, {}, visit); }) ==
                 (Lines{"templates.json: P36, template 0: [X]: [Y].",
                        "templates.json: P36, template 1: [Y] rules [X].",
                        "P36.jsonl:4: P36, subject: Norway", "P36.jsonl:5: P36, subject: France",
                        "P36.jsonl:5: P36, option: Paris", "P36.jsonl:4: P36, option: Oslo",
                        "P36.jsonl: P36, option: Rome"}),  // Rome is not the answer of any fact
             each);
}

BOOST_AUTO_TEST_CASE(some_templates_may_be_looked_at_alone) {
  const Relation relation = capital();
  BOOST_TEST(seen([&](const auto& visit) {
               for_each_template_text(relation, {1, 7}, visit);
             }) == Lines{"templates.json: P36, template 1: [Y] rules [X]."},
             each);
}

BOOST_AUTO_TEST_CASE(choices_of_a_fact_replace_the_options) {
  Relation relation = capital();
  relation.facts.resize(1);
  relation.facts[0].choices = {"in Paris", "in Oslo", "in Rome"};
  BOOST_TEST(seen([&](const auto& visit) { for_each_name(relation, visit); }) ==
                 (Lines{"P36.jsonl:4: P36, subject: Norway", "P36.jsonl:4: P36, option: in Paris",
                        "P36.jsonl:4: P36, option: in Oslo", "P36.jsonl:4: P36, option: in Rome"}),
             each);
}

BOOST_AUTO_TEST_CASE(many_prompts_have_all_names) {
  MultiPromptRelation relation = test::elements_many().relations[2];
  relation.facts.resize(1);
  relation.facts[0].line = 9;
  BOOST_TEST(seen([&](const auto& visit) { for_each_text(relation, visit); }) ==
                 (Lines{"elements/templates.jsonl: family, template 0: [X] is a [Y].",
                        "elements/templates.jsonl: family, template 1: [Y]: [X] is one.",
                        "elements/facts.jsonl:9: family, subject: neon",
                        "elements/facts.jsonl:9: family, subject: Ne",
                        "elements/facts.jsonl:9: family, object: noble gas",
                        "elements/facts.jsonl:9: family, object: inert gas",
                        "elements/facts.jsonl:9: family, object: rare gas"}),
             each);
}

BOOST_AUTO_TEST_CASE(graphs_and_baselines_have_theirs) {
  KnowledgeGraph graph;
  graph.files = {"entity2text.txt"};
  graph.entities = {{"e1", "hydrogen", "a gas"}};
  graph.relations = {{"in", "stands in"}};
  BOOST_TEST(
      seen([&](const auto& visit) {
        for_each_text(graph, graph.entities[0], true, visit);
        for_each_relation_name(graph, visit);
      }) == (Lines{"entity2text.txt: entity e1: hydrogen", "entity2text.txt: entity e1: a gas",
                   "entity2text.txt: relation in: stands in"}),
      each);
  BOOST_TEST(seen([&](const auto& visit) {
               for_each_text(graph, graph.entities[0], false, visit);
             }) == Lines{"entity2text.txt: entity e1: hydrogen"},
             each);
  const std::map<std::string, BaselineTemplates> baselines{
      {"P36", {"Capital", {"The capital of {subject} is"}, {"{subject} embassy"}}}};
  BOOST_TEST(seen([&](const auto& visit) { for_each_text(baselines, "b.json", visit); }) ==
                 (Lines{"b.json: P36.hgp[0]: The capital of {subject} is",
                        "b.json: P36.mmp[0]: {subject} embassy"}),
             each);
}

BOOST_AUTO_TEST_CASE(a_text_is_looked_for_in_its_file) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("a.txt", "one\ntwo three\nthree\n");
  BOOST_TEST(line_with(file, "three") == 2U);
  BOOST_TEST(line_with(file, "four") == 0U);
  BOOST_TEST(line_with(folder / "b.txt", "one") == 0U);
  const auto json = folder.write("a.json",
                                 "[{\"P36\": \"of P17\",\n\"say\": \"a\\\"b\"},\n"
                                 "{\"P17\": 1,\n\"say\": \"a\\\"b\"}]\n");
  BOOST_TEST(line_with(json, "a\"b") == 2U);  // this text is escaped in the JSON file
  BOOST_TEST(line_with(json, "a\"b", "P17") == 4U);
  BOOST_TEST(line_with(json, "a\"b", "of") == 2U);  // here the text is only part of a JSON string
  BOOST_TEST(line_with(json, "a\"b", "P99") == 2U);
  BOOST_TEST(line_with(json, "1", "say") == 3U);
}

BOOST_AUTO_TEST_SUITE_END()
