// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/dataset_check.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(dataset_checks)

namespace {

/// The messages of a check, in order.
struct Said {
  std::vector<std::string> messages;
  ProblemSink sink = [this](const Error& problem) { messages.emplace_back(problem.what()); };

  Said() = default;
  Said(const Said&) = delete;
  Said& operator=(const Said&) = delete;

  [[nodiscard]] bool one(const std::string& words) const {
    return messages.size() == 1 && messages[0].find(words) != std::string::npos;
  }
};

Relation capitals() {
  Relation relation{.code = "P36",
                    .templates = {"[X] is ruled from [Y].", "[Y] rules [X]."},
                    .options = {"Paris", "Sucre", "La Paz"},
                    .option_ids = {"Q1", "Q2", "Q3"},
                    .file = "P36.jsonl"};
  relation.facts = {{.subject_id = "a", .subject = "France", .answer = 0, .line = 1},
                    {.subject_id = "b", .subject = "Bolivia", .answer = 1, .line = 2}};
  return relation;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_sound_relation_is_passed_over) {
  Said said;
  check_relation(capitals(), said.sink);
  BOOST_TEST(said.messages.empty());
}

BOOST_AUTO_TEST_CASE(duplicate_fact_is_reported_with_both_lines) {
  Relation relation = capitals();
  relation.facts.push_back({.subject_id = "a", .subject = "France", .answer = 0, .line = 3});
  Said said;
  check_relation(relation, said.sink);
  BOOST_TEST(said.one("P36.jsonl:3: P36: the fact about 'France' appears on line 1 as well"));
}

BOOST_AUTO_TEST_CASE(conflicting_answers_for_one_subject_are_reported) {
  Relation relation = capitals();
  relation.facts.push_back({.subject_id = "b", .subject = "Bolivia", .answer = 2, .line = 3});
  Said said;
  check_relation(relation, said.sink);
  BOOST_TEST(
      said.one("P36.jsonl:3: P36: 'Bolivia' has the answer 'La Paz' here and 'Sucre' on line 2"));
}

// Two places called Georgia have the same statement and may share an answer. If facts have their
// own choices, each fact is a separate question.
BOOST_AUTO_TEST_CASE(legitimate_duplicates_are_not_reported) {
  Relation relation = capitals();
  relation.facts.push_back({.subject_id = "c", .subject = "France", .answer = 0, .line = 3});
  relation.facts.push_back({.subject_id = "b",
                            .subject = "Bolivia",
                            .answer = 2,
                            .line = 4,
                            .choices = {"x", "y", "z"}});
  Said said;
  check_relation(relation, said.sink);
  BOOST_TEST(said.messages.empty());
}

BOOST_AUTO_TEST_CASE(options_differing_only_in_case_or_space_are_reported) {
  for (const char* text : {"la paz", "La  Paz", "La Paz ", "LA\u00A0PAZ"}) {
    Relation relation = capitals();
    relation.options.emplace_back(text);
    Said said;
    check_relation(relation, said.sink);
    BOOST_REQUIRE(!said.messages.empty());
    BOOST_TEST(
        said.messages.back().find("differs from option 2 'La Paz' in case or white space only") !=
        std::string::npos);
  }
  Relation relation = capitals();
  relation.options.emplace_back("Sucre");  // an option with its own id
  Said said;
  check_relation(relation, said.sink);
  BOOST_TEST(said.one("option 3 'Sucre' is option 1 again"));
}

BOOST_AUTO_TEST_CASE(options_that_look_alike_are_reported_with_their_difference) {
  const auto said_of = [](const char* text, const char* other) {
    Relation relation = capitals();
    relation.options = {"Paris", text, other};
    Said said;
    check_relation(relation, said.sink);
    return said.messages.empty() ? std::string() : said.messages.back();
  };
  const auto says = [](const std::string& message, const std::string& words) {
    return message.find(words) != std::string::npos;
  };
  BOOST_TEST(says(said_of("Z\u00FCrich", "Zu\u0308rich"), "in Unicode normal form only"));
  BOOST_TEST(says(said_of("N'Djamena", "N\u2019Djamena"), "in appearance (quotes"));
  BOOST_TEST(says(said_of("Lima", "Li\u200Bma"), "in appearance ("));
  BOOST_TEST(says(said_of("\uFF2C\uFF49\uFF4D\uFF41", "LIMA"), "in appearance ("));
  BOOST_TEST(says(said_of("1914-18", "1914\u201318"), "in appearance ("));
  BOOST_TEST(said_of("Lima", "Lime") == "");
  BOOST_TEST(said_of("Koln", "K\u00F6ln") == "");
}

// These fields come from a table that another program quoted, padded or otherwise changed.
BOOST_AUTO_TEST_CASE(suspicious_names_are_reported_once_per_kind) {
  Relation relation = capitals();
  relation.options = {"\"Paris\"", "\"Sucre\"", "\"La Paz\""};
  relation.facts[0].subject = "France ";
  relation.facts[1].subject = "Bolivia ";
  relation.training_file = "train.jsonl";
  relation.facts[1].part = FactPart::training;
  relation.facts.push_back({.subject = "Zu\u0308rich", .line = 3});
  Said said;
  check_relation(relation, said.sink);
  BOOST_REQUIRE(said.messages.size() == 3U);
  BOOST_TEST(
      said.messages[0] ==
      "P36.jsonl: P36: option '\"Paris\"' is in quotes (and 2 options more); remove them unless "
      "they belong to the name; plumb treats them as part of it");
  BOOST_TEST(
      said.messages[1] ==
      "P36.jsonl:1: P36: subject 'France ' begins or ends with white space (and 1 subject more); "
      "remove it");
  BOOST_TEST(
      said.messages[2].starts_with("P36.jsonl:3: P36: subject 'Zu\u0308rich' is not in Unicode's "
                                   "composed form, NFC; convert it to NFC"));
  relation.verbatim = true;  // contexts and completions are not names
  Said verbatim;
  check_relation(relation, verbatim.sink);
  BOOST_TEST(verbatim.messages.empty());
}

BOOST_AUTO_TEST_CASE(names_of_a_graph_are_checked_too) {
  KnowledgeGraph graph;
  graph.files = {"train.tsv", "test.tsv"};
  graph.entities = {{"a", "\"a\""},   {"b", "\"b\""},        {"c", "Turkey"}, {"d", "turkey"},
                    {"e", "O'Brien"}, {"f", "O\u2019Brien"}, {"g", "\"g\""},  {"h", "\"h\""}};
  graph.relations = {{"r", "part  of"}};
  graph.train = {{0, 0, 1, 1}};
  graph.test = {{1, 0, 0, 1}};
  Said said;
  check_graph(graph, said.sink);
  BOOST_REQUIRE(said.messages.size() == 3U);
  BOOST_TEST(said.messages[0].starts_with(
      "train.tsv: a: entity '\"a\"' is in quotes (and 3 entities more)"));
  BOOST_TEST(said.messages[1].starts_with(
      "train.tsv: r: relation 'part  of' has two consecutive white-space characters"));
  BOOST_TEST(said.messages[2].starts_with(
      "train.tsv: f: entity 'O\u2019Brien' differs from 'O'Brien' in appearance"));
}

BOOST_AUTO_TEST_CASE(blank_names_and_duplicate_domains_are_reported) {
  Relation relation = capitals();
  relation.options.emplace_back(" \u00A0");
  Said option;
  check_relation(relation, option.sink);
  BOOST_TEST(option.one("' is blank; give it a name, or remove it"));
  relation = capitals();
  relation.domains = {"geography", ""};
  Said blank;
  check_relation(relation, blank.sink);
  BOOST_TEST(blank.one("domain '' is blank"));
  relation.domains = {"geography", "Geography"};
  Said twice;
  check_relation(relation, twice.sink);
  BOOST_TEST(twice.one("domain 1 'Geography' differs from domain 0 'geography'"));
}

BOOST_AUTO_TEST_CASE(identifier_shared_by_two_subjects_is_reported) {
  Relation relation = capitals();
  relation.facts.push_back(
      {.subject_id = relation.facts[1].subject_id, .subject = "Peru", .answer = 0, .line = 9});
  Said said;
  check_relation(relation, said.sink);
  BOOST_TEST(said.one("P36.jsonl:9: P36: the identifier " + relation.facts[1].subject_id +
                      " belongs to 'Peru' here and to 'Bolivia' on line 2"));
}

BOOST_AUTO_TEST_CASE(duplicate_template_is_reported) {
  Relation relation = capitals();
  relation.templates.emplace_back("[X] is ruled from [Y].");
  relation.template_file = "metadata_relations.json";
  Said said;
  check_relation(relation, said.sink);
  BOOST_TEST(
      said.one("metadata_relations.json: P36: template 2 '[X] is ruled from [Y].' is "
               "template 0 again"));
}

BOOST_AUTO_TEST_CASE(control_characters_are_reported_in_escaped_form) {
  Relation relation = capitals();
  relation.facts[0].subject = "Fra\x1b[31mnce";
  Said subject;
  check_relation(relation, subject.sink);
  BOOST_TEST(subject.one("subject 'Fra\\u001b[31mnce' contains the control character U+001b"));
  relation = capitals();
  relation.options[1] = "Su\u202Ecre";
  relation.facts[1].subject_aliases = {"Bo\nlivia"};
  relation.domains = {"geo\u0085"};
  relation.templates[0] += "\t";
  Said others;
  check_relation(relation, others.sink);
  BOOST_TEST(others.messages.size() == 4U);
}

BOOST_AUTO_TEST_CASE(facts_of_many_prompts_stand_once) {
  MultiPromptRelation relation;
  relation.code = "P36";
  relation.file = "facts.jsonl";
  relation.template_file = "t.jsonl";
  relation.templates = {{"[X] is ruled from [Y]."}, {"[X] is  ruled from [Y]."}};
  relation.facts = {{{"Q142", {"France"}}, {{"Q90", {"Paris"}}}, 1},
                    {{"Q142", {"France"}}, {{"Q456", {"Lyon\x07"}}}, 2}};
  MultiPromptDataset dataset{.name = "d", .relations = {relation}, .files = {}};
  Said said;
  check_dataset(dataset, said.sink);
  BOOST_REQUIRE(said.messages.size() == 4U);
  BOOST_TEST(
      said.messages[0].starts_with("t.jsonl: P36: template '[X] is  ruled from [Y].' has two "
                                   "consecutive white-space characters"));
  BOOST_TEST(said.messages[1].starts_with("t.jsonl: P36: template 1"));
  BOOST_TEST(said.messages[2].starts_with("facts.jsonl:2: P36: object 'Lyon\\u0007'"));
  BOOST_TEST(said.messages[3].starts_with(
      "facts.jsonl:2: P36: the fact about 'France' appears on line 1 as well"));
}

BOOST_AUTO_TEST_CASE(identifiers_are_no_names) {
  KnowledgeGraph graph;
  graph.files = {"entities.txt", "test.tsv"};
  graph.relations = {{"r", "r"}};
  graph.entities = {
      {"0", "00260881"}, {"1", "/m/05lf"}, {"2", "Q90"}, {"3", "Paris"}, {"4", "1984"}};
  BOOST_TEST(unnamed_entities(graph) == 4U);
  Said said;
  check_graph(graph, said.sink);
  BOOST_TEST_REQUIRE(!said.messages.empty());
  BOOST_TEST(said.messages[0].starts_with(
      "entities.txt: 4 of 5 entities have an identifier as their name"));
  graph.entities[0].name = "dog";
  graph.entities[1].name = "cat";
  BOOST_TEST(unnamed_entities(graph) == 0U);
}

BOOST_AUTO_TEST_CASE(a_graph_is_checked_for_what_it_gives_away) {
  KnowledgeGraph graph;
  graph.files = {"train.tsv", "test.tsv"};
  graph.entities = {{"a", "a"}, {"b", "b"}};
  graph.relations = {{"r", "r"}};
  graph.train = {{0, 0, 1, 1}, {1, 0, 0, 2}};
  graph.test = {{1, 0, 1, 1}, {0, 0, 1, 2}, {1, 0, 1, 3}};
  BOOST_TEST(trained_on(graph) == std::vector<std::size_t>{1}, boost::test_tools::per_element());
  Said said;
  check_graph(graph, said.sink);
  BOOST_REQUIRE(said.messages.size() == 2U);
  BOOST_TEST(said.messages[0].starts_with("test.tsv:3: 'b', 'r', 'b' appears on line 1 as well"));
  BOOST_TEST(
      said.messages[1].starts_with("test.tsv:2: 'a', 'r', 'b' is also in the training part"));
  graph.valid = {{1, 0, 1, 1}};
  graph.test = {{1, 0, 1, 1}};
  graph.train.clear();
  Said validated;
  check_graph(graph, validated.sink);
  BOOST_TEST(validated.one("test.tsv:1: 'b', 'r', 'b' is also in the validation part"));
  graph.test.clear();
  Said empty;
  check_graph(graph, empty.sink);
  BOOST_TEST(empty.one("test.tsv: the test part has no triple"));
  graph.valid.clear();
  graph.entities.pop_back();
  graph.test = {{0, 0, 0, 1}};
  Said alone;
  check_graph(graph, alone.sink);
  BOOST_TEST(alone.one("the graph has only one entity"));
}

// A job stops at a fact that has only one choice.
BOOST_AUTO_TEST_CASE(a_fact_whose_only_choice_is_the_answer_is_reported) {
  const auto said = [](FactPart part, std::vector<std::uint32_t> offered) {
    Relation relation;
    relation.code = "capital";
    relation.options = {"Paris", "Rome"};
    Fact fact{.subject = "France", .line = 3};
    fact.part = part;
    fact.offered = std::move(offered);
    relation.facts = {fact};
    relation.file = "f.jsonl";
    std::vector<std::string> problems;
    check_relation(relation, [&](const Error& error) { problems.emplace_back(error.what()); });
    return problems;
  };
  const std::vector<std::string> expected{
      "f.jsonl:3: capital: 'France' has no wrong choice; add a wrong one to its choices, or remove "
      "the fact"};
  BOOST_TEST(said(FactPart::test, {0}) == expected, boost::test_tools::per_element());
  BOOST_TEST(said(FactPart::unsaid, {0}) == expected, boost::test_tools::per_element());
  BOOST_TEST(said(FactPart::training, {0}).empty());
  BOOST_TEST(said(FactPart::test, {0, 1}).empty());
  BOOST_TEST(said(FactPart::test, {}).empty());
}

BOOST_AUTO_TEST_SUITE_END()
