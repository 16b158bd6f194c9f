// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/relation_builder.hpp"

#include <boost/test/unit_test.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(relation_builder_suite)

namespace {

/// A builder that continues after a problem and stores the message.
struct Kept {
  std::vector<std::string> problems;
  ProblemSink sink = [this](const Error& error) {
    BOOST_TEST((error.fault() == Fault::user));
    problems.emplace_back(error.what());
  };
  RelationBuilder builder{"P36", sink};

  void fact(const char* json, std::size_t line = 1) {
    builder.add_fact(Json::parse(json), {"P36.jsonl", line});
  }
  std::optional<Relation> finish() { return std::move(builder).finish({.file = "P36.jsonl"}); }
  [[nodiscard]] std::string only_problem() const {
    BOOST_TEST(problems.size() == 1U);
    return problems.empty() ? "" : problems.front();
  }
};

struct KeptWithOptions : Kept {
  KeptWithOptions() {
    builder.add_template("The capital of [X] is [Y].", {});
    builder.set_options({"Paris", "Rome", "Cairo"}, {"Q90", "Q220", "Q85"}, {});
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(facts_answer_by_index_identifier_or_label, KeptWithOptions) {
  fact(R"({"sub_label": "Italy", "answer_idx": 1})");
  fact(
      R"({"sub_id": "Q142", "sub_label": "France", "obj_id": "Q90", "sub_aliases": ["la France"]})");
  fact(R"({"sub_uri": "Q79", "sub_label": "Egypt", "obj_label": "Cairo"})");
  fact(R"({"sub_label": "Latium", "answer_idx": 1, "obj_id": "Q220", "obj_label": "Rome"})");
  const auto relation = finish();
  BOOST_TEST(problems.empty());
  BOOST_REQUIRE(relation.has_value());
  BOOST_REQUIRE(relation->facts.size() == 4U);
  for (const auto& [place, answer] :
       std::vector<std::pair<std::size_t, std::size_t>>{{0, 1}, {1, 0}, {2, 2}, {3, 1}}) {
    BOOST_TEST(relation->facts[place].answer == answer);
    BOOST_TEST(relation->facts[place].instance == place);
  }
  BOOST_TEST(relation->facts[1].subject_id == "Q142");
  BOOST_TEST(relation->facts[1].subject_aliases == std::vector<std::string>{"la France"});
  BOOST_TEST(relation->facts[2].subject_id == "Q79");
  BOOST_TEST(relation->facts[0].subject_id == "");
  BOOST_TEST(!is_one_to_one(*relation));
}

BOOST_FIXTURE_TEST_CASE(a_known_identifier_is_one_option_with_several_names, Kept) {
  builder.take_known_ids();
  builder.add_template("[X] is in [Y].", {});
  fact(R"({"sub_label": "Statue", "obj_label": "New York City", "obj_id": "Q60"})");
  fact(R"({"sub_label": "Wall Street", "obj_label": "New York", "obj_id": "Q60"})");
  fact(R"({"sub_label": "Louvre", "obj_label": "Paris", "obj_id": "Q90"})");
  const auto relation = finish();
  BOOST_TEST(problems.empty());
  BOOST_REQUIRE(relation.has_value());
  BOOST_TEST(relation->options == (std::vector<std::string>{"New York City", "Paris"}));
  BOOST_TEST(relation->option_ids == (std::vector<std::string>{"Q60", "Q90"}));
  BOOST_TEST(relation->facts[1].answer == 0U);
  BOOST_TEST(relation->option_aliases.at(0) == std::vector<std::string>{"New York"});
}

// "New York" is known as another name of option 0.
BOOST_FIXTURE_TEST_CASE(choices_may_be_other_labels_of_an_option, Kept) {
  builder.take_known_ids();
  builder.needs_no_template();
  fact(R"({"sub_label": "Statue", "obj_label": "New York City", "obj_id": "Q60",
           "choices": ["New York City", "London"]})");
  fact(R"({"sub_label": "Wall Street", "obj_label": "New York", "obj_id": "Q60",
           "choices": ["New York", "London"]})");
  const auto relation = finish();
  BOOST_REQUIRE(relation.has_value());
  BOOST_TEST(relation->options == (std::vector<std::string>{"New York City", "London"}));
  BOOST_TEST((relation->facts[1].offered == std::vector<std::uint32_t>{0, 1}));
}

// Types and numbers are no identifiers of one entity.
BOOST_FIXTURE_TEST_CASE(other_identifiers_than_wikidatas_merge_no_labels, Kept) {
  builder.take_known_ids();
  builder.add_template("[X] is in [Y].", {});
  fact(R"({"sub_label": "A", "obj_label": "1949", "obj_id": "date"})");
  fact(R"({"sub_label": "B", "obj_label": "1950", "obj_id": "date"})");
  const auto relation = finish();
  BOOST_REQUIRE(relation.has_value());
  BOOST_TEST(relation->options == (std::vector<std::string>{"1949", "1950"}));
}

BOOST_FIXTURE_TEST_CASE(other_labels_of_an_identifier_are_its_aliases, Kept) {
  builder.take_options_by_id();
  builder.add_template("[X] is in [Y].", {});
  fact(R"({"sub_label": "Statue", "obj_label": "New York City", "obj_id": "Q60"})");
  fact(R"({"sub_label": "Wall Street", "obj_label": "NYC", "obj_id": "Q60"})");
  fact(R"({"sub_label": "Louvre", "obj_label": "Paris", "obj_id": "Q90"})");
  const auto relation = finish();
  BOOST_REQUIRE(relation.has_value());
  BOOST_TEST(relation->options == (std::vector<std::string>{"New York City", "Paris"}));
  BOOST_TEST(relation->option_aliases.at(0) == std::vector<std::string>{"NYC"});
}

BOOST_FIXTURE_TEST_CASE(without_fixed_options_each_new_object_is_one, Kept) {
  builder.add_template("[X]: [Y]", {});
  fact(R"({"sub_label": "France", "obj_label": "Paris", "obj_uri": "Q90"})");
  fact(R"({"sub_label": "Italy", "obj_label": "Rome"})");
  fact(R"({"sub_label": "Gaul", "obj_label": "Paris"})");
  builder.add_fact("Egypt", "Cairo", {});
  const auto relation = finish();
  BOOST_REQUIRE(relation.has_value());
  BOOST_TEST(relation->options == (std::vector<std::string>{"Paris", "Rome", "Cairo"}));
  BOOST_TEST(relation->option_ids == (std::vector<std::string>{"Q90", "P36-1", "P36-2"}));
  BOOST_TEST(relation->facts[2].answer == 0U);
  BOOST_TEST(relation->facts[3].answer == 2U);
}

BOOST_FIXTURE_TEST_CASE(a_template_needs_both_placeholders, Kept) {
  builder.add_template("The capital is [Y].", {"templates.json", 4, "P36"});
  builder.add_template("The capital of [X].", {"templates.json", 5, "P36"});
  const std::string remedy = "; write [X] in the subject's place and [Y] in the answer's";
  BOOST_TEST(
      problems == (std::vector<std::string>{
                      "templates.json:4: P36: template 'The capital is [Y].' has no [X]" + remedy,
                      "templates.json:5: P36: template 'The capital of [X].' has no [Y]" + remedy}),
      boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(options_are_distinct_and_not_empty, Kept) {
  builder.set_options({"Paris", "", "Paris"}, {}, {"metadata.json", 0, "P36"});
  BOOST_TEST(
      problems == (std::vector<std::string>{
                      "metadata.json: P36: option 1 is empty; give it a label",
                      "metadata.json: P36: option 'Paris' is duplicated; keep one of them and "
                      "renumber answer_idx, or distinguish them by answer_space_ids"}),
      boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(a_fact_without_its_subject_is_left_out_and_its_place_kept,
                        KeptWithOptions) {
  fact(R"({"obj_label": "Paris"})", 1);
  fact(R"({"sub_label": "", "obj_label": "Paris"})", 2);
  fact(R"({"sub_label": 7, "obj_label": "Paris"})", 3);
  fact(R"({"sub_label": "Italy", "obj_label": "Rome"})", 4);
  BOOST_REQUIRE(problems.size() == 3U);
  for (std::size_t line = 1; line <= 3; ++line) {
    BOOST_TEST(problems[line - 1] == "P36.jsonl:" + std::to_string(line) +
                                         ": sub_label: the fact has no subject; "
                                         "add a non-empty string sub_label");
  }
  const auto relation = finish();
  BOOST_REQUIRE((relation && relation->facts.size() == 1U));
  BOOST_TEST(relation->facts[0].instance == 3U);
}

BOOST_FIXTURE_TEST_CASE(a_fact_without_its_answer_is_left_out, KeptWithOptions) {
  fact(R"({"sub_label": "Italy"})", 9);
  BOOST_TEST(only_problem() ==
             "P36.jsonl:9: obj_label: the fact has no answer; add a "
             "non-empty string obj_label");
}

BOOST_FIXTURE_TEST_CASE(an_answer_must_be_among_the_options, KeptWithOptions) {
  fact(R"({"sub_label": "Peru", "obj_label": "Lima"})", 2);
  fact(R"({"sub_label": "Peru", "obj_id": "Q2868"})", 3);
  const std::string remedy = " options of P36; add it to answer_space_labels or correct the line";
  BOOST_TEST(problems == (std::vector<std::string>{
                             "P36.jsonl:2: obj_label: answer 'Lima' is not among the 3" + remedy,
                             "P36.jsonl:3: obj_id: answer 'Q2868' is not among the 3" + remedy}),
             boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(an_answer_index_must_be_one, KeptWithOptions) {
  for (const std::string index : {"3", "-1", "1.0", "\"1\"", "null", "18446744073709551615"}) {
    problems.clear();
    fact((R"({"sub_label": "Italy", "answer_idx": )" + index + "}").c_str(), 5);
    BOOST_TEST(
        only_problem() ==
        "P36.jsonl:5: answer_idx: " + index +
            " is not among the 3 options of P36; use an index in this range, counted from 0");
  }
}

BOOST_FIXTURE_TEST_CASE(redundant_answer_fields_must_agree, KeptWithOptions) {
  fact(R"({"sub_label": "Italy", "answer_idx": 1, "obj_label": "Paris"})", 6);
  BOOST_TEST(only_problem() ==
             "P36.jsonl:6: answer_idx: 1 is 'Rome', but obj_label is 'Paris'; make "
             "the two agree");
  problems.clear();
  fact(R"({"sub_label": "Italy", "answer_idx": 1, "obj_id": "Q90"})", 7);
  BOOST_TEST(only_problem() ==
             "P36.jsonl:7: obj_id: is 'Paris', but answer_idx is 1; make the two agree");
  problems.clear();
  fact(R"({"sub_label": "Italy", "obj_id": "Q220", "obj_label": "Paris"})", 8);
  BOOST_TEST(only_problem() ==
             "P36.jsonl:8: obj_id: is 'Rome', but obj_label is 'Paris'; make the two agree");
}

BOOST_FIXTURE_TEST_CASE(aliases_are_a_list_of_strings, KeptWithOptions) {
  fact(R"({"sub_label": "Italy", "answer_idx": 1, "sub_aliases": "Italia"})", 2);
  BOOST_TEST(only_problem() ==
             "P36.jsonl:2: sub_aliases: is not a list of strings; write [\"…\", …] or remove it");
}

BOOST_FIXTURE_TEST_CASE(missing_aliases_may_be_null, KeptWithOptions) {
  fact(R"({"sub_label": "Italy", "answer_idx": 1, "sub_aliases": null, "obj_aliases": null})", 2);
  BOOST_TEST(problems.empty());
}

BOOST_FIXTURE_TEST_CASE(fact_can_specify_its_split, KeptWithOptions) {
  fact(R"({"sub_label": "Italy", "answer_idx": 1, "split": "train"})", 1);
  fact(R"({"sub_label": "France", "answer_idx": 0, "split": "test"})", 2);
  fact(R"({"sub_label": "Egypt", "answer_idx": 2})", 3);
  BOOST_TEST(problems.empty());
  for (const std::string part : {"\"dev\"", "\"Train\"", "\"\"", "null", "1", "[\"test\"]"}) {
    problems.clear();
    fact((R"({"sub_label": "Gaul", "answer_idx": 0, "split": )" + part + "}").c_str(), 4);
    BOOST_TEST(only_problem() ==
               "P36.jsonl:4: split: " + part + " is not a part; write train or test");
  }
  const auto relation = finish();
  BOOST_REQUIRE((relation && relation->facts.size() == 3U));
  BOOST_TEST((relation->facts[0].part == FactPart::training));
  BOOST_TEST((relation->facts[1].part == FactPart::test));
  BOOST_TEST((relation->facts[2].part == FactPart::unsaid));
}

BOOST_FIXTURE_TEST_CASE(choices_are_options_and_the_answer_is_always_among_them, KeptWithOptions) {
  fact(R"({"sub_label": "Italy", "answer_idx": 1, "choices": ["Cairo", "Rome", "Cairo"]})");
  fact(R"({"sub_label": "Egypt", "answer_idx": 2, "choices": ["Rome", "Paris"]})");
  fact(R"({"sub_label": "France", "answer_idx": 0, "choices": ["Paris"]})");
  fact(R"({"sub_label": "Gaul", "answer_idx": 0})");
  BOOST_TEST(problems.empty());
  const auto relation = finish();
  BOOST_REQUIRE((relation && relation->facts.size() == 4U));
  using Options = std::vector<std::uint32_t>;
  BOOST_TEST(relation->facts[0].offered == (Options{1, 2}));
  BOOST_TEST(relation->facts[1].offered == (Options{0, 1, 2}));
  BOOST_TEST(relation->facts[2].offered == Options{0});
  BOOST_TEST(relation->facts[3].offered.empty());
  // The facts have no option texts of their own.
  for (const Fact& fact : relation->facts) BOOST_TEST(fact.choices.empty());
  BOOST_TEST(relation->options.size() == 3U);
}

BOOST_FIXTURE_TEST_CASE(choices_that_are_not_labels_of_options_are_refused, KeptWithOptions) {
  for (const std::string choices : {"[]", "\"Rome\"", "[1]", "[\"Rome\", 1]", "null", "{}"}) {
    problems.clear();
    fact((R"({"sub_label": "Italy", "answer_idx": 1, "choices": )" + choices + "}").c_str(), 7);
    BOOST_TEST(only_problem() == "P36.jsonl:7: choices: is not a list of labels; write [\"…\", …]");
  }
  for (const auto& [label, words] :
       {std::pair("Lima",
                  "'Lima' is not among the options; add it to answer_space_labels or "
                  "remove it"),
        std::pair("", "a choice is empty; write its text or remove it"),
        std::pair(" ", "a choice is blank; write its text or remove it")}) {
    problems.clear();
    fact((R"({"sub_label": "Italy", "answer_idx": 1, "choices": ["Rome", ")" + std::string(label) +
          "\"]}")
             .c_str(),
         8);
    BOOST_TEST(only_problem() == "P36.jsonl:8: choices: " + std::string(words));
  }
  problems.clear();
  BOOST_TEST(!finish());  // no fact is left
}

BOOST_FIXTURE_TEST_CASE(without_fixed_options_each_new_choice_is_one, Kept) {
  builder.add_template("[X]: [Y]", {});
  fact(R"({"sub_label": "France", "obj_label": "Paris", "obj_id": "Q90", "choices": ["Rome"]})");
  fact(R"({"sub_label": "Italy", "obj_label": "Rome", "choices": ["Cairo", "Paris", "Rome"]})");
  fact(R"({"sub_label": "Egypt", "obj_label": "Cairo", "choices": [""]})", 3);
  BOOST_TEST(only_problem() ==
             "P36.jsonl:3: choices: a choice is empty; write its text or remove it");
  const auto relation = finish();
  BOOST_REQUIRE((relation && relation->facts.size() == 2U));
  BOOST_TEST(relation->options == (std::vector<std::string>{"Paris", "Rome", "Cairo"}));
  BOOST_TEST(relation->option_ids == (std::vector<std::string>{"Q90", "P36-1", "P36-2"}));
  BOOST_TEST(relation->facts[0].offered == (std::vector<std::uint32_t>{0, 1}));
  BOOST_TEST(relation->facts[1].answer == 1U);
  BOOST_TEST(relation->facts[1].offered == (std::vector<std::uint32_t>{0, 1, 2}));
}

BOOST_FIXTURE_TEST_CASE(a_relation_may_do_without_templates, Kept) {
  builder.needs_no_template();
  fact(R"({"sub_label": "France", "obj_label": "Paris"})");
  fact(R"({"sub_label": "Italy", "obj_label": "Rome"})");
  const auto relation = finish();
  BOOST_TEST(problems.empty());
  BOOST_REQUIRE(relation.has_value());
  BOOST_TEST(relation->templates.empty());
}

BOOST_FIXTURE_TEST_CASE(without_templates_it_still_needs_facts, Kept) {
  builder.needs_no_template();
  BOOST_TEST(!finish());
  BOOST_TEST(only_problem() ==
             "P36.jsonl: relation P36 has no usable fact; add one or remove the relation");
}

BOOST_FIXTURE_TEST_CASE(a_relation_needs_a_template, Kept) {
  fact(R"({"sub_label": "France", "obj_label": "Paris"})");
  BOOST_TEST(!finish());
  BOOST_TEST(only_problem() ==
             "P36.jsonl: relation P36 has no usable template; add one or remove the relation");
}

BOOST_FIXTURE_TEST_CASE(a_relation_needs_a_fact, KeptWithOptions) {
  BOOST_TEST(!finish());
  BOOST_TEST(only_problem() ==
             "P36.jsonl: relation P36 has no usable fact; add one or remove the relation");
}

BOOST_FIXTURE_TEST_CASE(a_relation_needs_a_second_option, Kept) {
  builder.add_template("[X] [Y]", {});
  fact(R"({"sub_label": "France", "obj_label": "Paris"})");
  BOOST_TEST(!finish());
  BOOST_TEST(only_problem() ==
             "P36.jsonl: relation P36 has no usable second option; add one or remove the relation");
}

BOOST_AUTO_TEST_CASE(a_relation_name_can_be_a_file_name) {
  for (const std::string code : {"", "capital/of", "..", ".hidden", "a\tb"}) {
    std::string problem;
    const ProblemSink sink = [&](const Error& error) { problem = error.what(); };
    BOOST_TEST(!RelationBuilder(code, sink).finish({.file = "a.tsv"}));
    BOOST_TEST(problem == "a.tsv: relation name '" + code +
                              "' is empty, starts with a dot or contains a '/' or a control "
                              "character; rename it, because results files are named after it");
  }
}

BOOST_FIXTURE_TEST_CASE(errors_use_plain_field_names_for_a_table_with_plain_names, Kept) {
  builder.use_plain_names();
  fact(R"({"obj_label": "Paris"})", 2);
  BOOST_TEST(only_problem() ==
             "P36.jsonl:2: subject: the fact has no subject; add a non-empty string "
             "subject");
  problems.clear();
  fact(R"({"sub_label": "France", "obj_label": "Paris", "obj_aliases": "P"})", 3);
  BOOST_TEST(only_problem().starts_with("P36.jsonl:3: object_aliases: is not a list of strings"));
}

BOOST_AUTO_TEST_SUITE_END()
