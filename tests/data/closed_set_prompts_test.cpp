// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/closed_set_prompts.hpp"

#include "plumb/detail/data/prompt_template_file.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(closed_set_prompts)

namespace {

using Names = std::vector<std::string>;

const auto each = boost::test_tools::per_element();

/// A relation "plays" with three instruments; tests add facts to it.
struct Plays : test::TemporaryFolder {
  Plays() {
    dataset.name = "music";
    dataset.files = {"plays.jsonl"};
    Relation relation;
    relation.code = "plays";
    relation.templates = {"[X] plays [Y].", "What does [X] play? [Y]."};
    relation.options = {"guitar", "piano", "violin"};
    relation.option_ids = {"Q1", "Q2", "Q3"};
    relation.file = "plays.jsonl";
    relation.template_file = "metadata.json";
    dataset.relations.push_back(relation);
  }
  void add(const std::string& id, const std::string& subject, const Names& aliases,
           std::size_t answer) {
    Relation& relation = dataset.relations.front();
    const std::size_t place = relation.facts.size();
    relation.facts.push_back({id, subject, aliases, answer, place, place + 1});
  }
  [[nodiscard]] PromptTemplateFile file(const std::string& text) const {
    return PromptTemplateFile(write("templates.jsonl", text));
  }
  /// Returns the dataset without its invalid parts, and stores the problems.
  MultiPromptDataset made_of(const PromptTemplateFile* templates = nullptr) {
    return multi_prompt_of(dataset, templates,
                           [this](const Error& error) { problems.emplace_back(error.what()); });
  }

  Dataset dataset;
  Names problems;
};

/// An entity as "id: name, name".
std::string spelt(const NamedEntity& entity) {
  std::string text = entity.id + ":";
  for (const std::string& name : entity.names) text += " " + name + ",";
  text.pop_back();
  return text;
}

/// Each fact as "subject → object; object".
Names spelt(const std::vector<ManyNamedFact>& facts) {
  Names lines;
  for (const ManyNamedFact& fact : facts) {
    std::string line = spelt(fact.subject) + " →";
    for (const NamedEntity& object : fact.objects) line += " " + spelt(object) + ";";
    line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

Names texts(const MultiPromptRelation& relation) {
  Names texts;
  for (const PromptTemplate& one : relation.templates) texts.push_back(one.text);
  return texts;
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(facts_of_one_subject_are_one_fact_with_several_objects, Plays) {
  add("J", "John", {"J. Lennon"}, 1);
  add("P", "Paul", {}, 2);
  add("J", "John", {"J. Lennon"}, 0);
  const MultiPromptDataset made = multi_prompt_of(dataset, nullptr);
  BOOST_TEST(made.name == "music");
  BOOST_REQUIRE(made.relations.size() == 1U);
  const MultiPromptRelation& relation = made.relations[0];
  BOOST_TEST(relation.code == "plays");
  BOOST_TEST(relation.file == "plays.jsonl");
  BOOST_TEST(relation.template_file == "metadata.json");
  BOOST_TEST(spelt(relation.facts) ==
                 (Names{"J: John, J. Lennon → Q2: piano; Q1: guitar", "P: Paul → Q3: violin"}),
             each);
  BOOST_TEST(relation.facts[0].line == 1U);
  BOOST_TEST(relation.facts[1].line == 2U);
  BOOST_TEST(relation.prompts() == 6U);
}

BOOST_FIXTURE_TEST_CASE(a_fact_that_stands_twice_is_one, Plays) {
  add("J", "John", {}, 1);
  add("J", "John", {"Johnny"}, 1);
  BOOST_TEST(spelt(multi_prompt_of(dataset, nullptr).relations[0].facts) ==
                 (Names{"J: John, Johnny → Q2: piano"}),
             each);
}

BOOST_FIXTURE_TEST_CASE(subjects_of_one_label_are_one_with_the_names_of_the_first, Plays) {
  add("J1", "John", {"Lennon"}, 1);
  add("J2", "John", {"Cale"}, 2);
  BOOST_TEST(spelt(multi_prompt_of(dataset, nullptr).relations[0].facts) ==
                 (Names{"J1: John, Lennon → Q2: piano; Q3: violin"}),
             each);
}

BOOST_FIXTURE_TEST_CASE(another_label_of_the_subject_is_one_more_name, Plays) {
  add("J", "John", {"Lennon"}, 1);
  add("J", "Johnny", {"Lennon", "", "Dr. Winston O'Boogie"}, 0);
  BOOST_TEST(spelt(multi_prompt_of(dataset, nullptr).relations[0].facts) ==
                 (Names{"J: John, Lennon, Johnny, Dr. Winston O'Boogie → Q2: piano; Q1: guitar"}),
             each);
}

BOOST_FIXTURE_TEST_CASE(subject_without_identifier_is_identified_by_its_label, Plays) {
  add("", "John", {}, 1);
  add("", "Paul", {}, 1);
  add("", "John", {}, 0);
  BOOST_TEST(spelt(multi_prompt_of(dataset, nullptr).relations[0].facts) ==
                 (Names{"John: John → Q2: piano; Q1: guitar", "Paul: Paul → Q2: piano"}),
             each);
}

BOOST_FIXTURE_TEST_CASE(objects_have_the_aliases_that_the_dataset_gives_them, Plays) {
  dataset.relations[0].option_aliases = {{}, {"pianoforte", "piano", ""}};
  add("J", "John", {}, 1);
  add("J", "John", {}, 0);
  Relation other;
  other.code = "made";
  other.templates = {"[X] is made of [Y]."};
  other.options = {"wood", "metal"};
  other.option_ids = {"W", "M"};
  // An object that is also a subject elsewhere.
  other.facts.push_back({"Q1", "guitars", {"six-string"}, 0});
  dataset.relations.push_back(other);
  BOOST_TEST(spelt(multi_prompt_of(dataset, nullptr).relations[0].facts) ==
                 (Names{"J: John → Q2: piano, pianoforte; Q1: guitar, six-string"}),
             each);
}

BOOST_FIXTURE_TEST_CASE(options_of_one_identifier_are_one_object, Plays) {
  dataset.relations[0].option_ids = {"Q1", "Q2", "Q2"};
  dataset.relations[0].options = {"guitar", "piano", "pianoforte"};
  add("J", "John", {}, 1);
  add("J", "John", {}, 2);
  BOOST_TEST(spelt(multi_prompt_of(dataset, nullptr).relations[0].facts) ==
                 (Names{"J: John → Q2: piano, pianoforte"}),
             each);
}

BOOST_FIXTURE_TEST_CASE(own_templates_are_manual_and_groups_of_their_own, Plays) {
  add("J", "John", {}, 1);
  dataset.relations[0].templates = {"[X] plays [Y].", "What does [X] play? [Y].",
                                    "Does [X] play [Y]?", "Which? [X] plays [Y]."};
  const MultiPromptRelation relation = multi_prompt_of(dataset, nullptr).relations.at(0);
  BOOST_TEST(texts(relation) == dataset.relations[0].templates, each);
  for (std::size_t t = 0; t < 4; ++t) {
    const PromptTemplate& one = relation.templates[t];
    BOOST_TEST(one.group.empty());
    BOOST_TEST((one.origin == TemplateOrigin::manual));
    BOOST_TEST((one.style == TemplateStyle::question) == (t == 1));
  }
}

BOOST_FIXTURE_TEST_CASE(equal_templates_of_a_closed_set_are_one, Plays) {
  add("J", "John", {}, 1);
  dataset.relations[0].templates = {"[X] plays [Y].", "[Y] is played by [X].", "[X] plays [Y]."};
  BOOST_TEST(texts(multi_prompt_of(dataset, nullptr).relations[0]) ==
                 (Names{"[X] plays [Y].", "[Y] is played by [X]."}),
             each);
}

BOOST_FIXTURE_TEST_CASE(an_own_template_with_two_answers_is_reported, Plays) {
  add("J", "John", {}, 1);
  dataset.relations[0].templates = {"[X] plays [Y], yes, [Y].", "[X] plays [Y]."};
  BOOST_CHECK_EXCEPTION((void)multi_prompt_of(dataset, nullptr), Error,
                        says(Fault::user,
                             "metadata.json: plays: template '[X] plays [Y], yes, [Y].' has more "
                             "than one [Y]"));
  BOOST_TEST(texts(made_of().relations.at(0)) == Names{"[X] plays [Y]."}, each);
  BOOST_TEST(problems.size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(a_file_of_templates_chooses_the_relations, Plays) {
  add("J", "John", {}, 1);
  Relation other = dataset.relations[0];
  other.code = "owns";
  dataset.relations.push_back(other);
  other.code = "sells";
  dataset.relations.push_back(other);
  const PromptTemplateFile given =
      file(R"({"relation": "sells", "template": "[X] sells [Y].", "group": "s"})"
           "\n"
           R"({"relation": "plays", "template": "[Y]: [X]", "origin": "generated"})");
  const MultiPromptDataset made = multi_prompt_of(dataset, &given);
  BOOST_REQUIRE(made.relations.size() == 2U);
  BOOST_TEST(made.relations[0].code == "plays");  // relations are in the dataset's order
  BOOST_TEST(texts(made.relations[0]) == Names{"[Y]: [X]"}, each);
  BOOST_TEST((made.relations[0].templates[0].origin == TemplateOrigin::generated));
  BOOST_TEST(made.relations[0].template_file == given.path());
  BOOST_TEST(made.relations[1].code == "sells");
  BOOST_TEST(made.relations[1].templates[0].group == "s");
  BOOST_CHECK((made.files == std::vector<std::filesystem::path>{"plays.jsonl", given.path()}));
}

BOOST_FIXTURE_TEST_CASE(templates_of_a_relation_without_facts_are_reported, Plays) {
  add("J", "John", {}, 1);
  const PromptTemplateFile given = file(R"({"relation": "plays", "template": "[Y]: [X]"})"
                                        "\n"
                                        R"({"relation": "eats", "template": "[Y]: [X]"})");
  BOOST_CHECK_EXCEPTION(
      (void)multi_prompt_of(dataset, &given), Error,
      says(Fault::user,
           "templates.jsonl:2: relation: 'eats' has no usable facts in music; add "
           "facts or remove the templates"));
  BOOST_TEST(made_of(&given).relations.size() == 1U);
  BOOST_TEST(problems.size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(a_relation_without_usable_templates_is_reported, Plays) {
  add("J", "John", {}, 1);
  const PromptTemplateFile given(write("templates.jsonl",
                                       "\n"
                                       R"({"relation": "plays", "template": "plays"})"),
                                 [](const Error&) {});
  BOOST_CHECK_EXCEPTION(
      (void)multi_prompt_of(dataset, &given), Error,
      says(Fault::user, "templates.jsonl:2: relation: relation plays has no usable template"));
  dataset.relations[0].templates.clear();
  BOOST_CHECK_EXCEPTION(
      (void)multi_prompt_of(dataset, nullptr), Error,
      says(Fault::user, "plays.jsonl: relation plays has no usable template; add one or remove"));
  BOOST_TEST(made_of().relations.empty());
}

BOOST_FIXTURE_TEST_CASE(a_name_of_white_space_is_no_name, Plays) {
  add("J", " ", {"John"}, 1);
  add("P", "Paul", {}, 2);
  BOOST_CHECK_EXCEPTION(
      (void)multi_prompt_of(dataset, nullptr), Error,
      says(Fault::user, "plays.jsonl:1: subject: has no name; add a name or remove the fact"));
  BOOST_TEST(spelt(made_of().relations.at(0).facts) == Names{"P: Paul → Q3: violin"}, each);
  dataset.relations[0].options[2] = "\t";
  BOOST_TEST(made_of().relations.empty());
  BOOST_TEST(problems.back() ==
             "plays.jsonl: relation plays has no usable fact; add one or remove the relation");
}

BOOST_FIXTURE_TEST_CASE(relations_of_sentences_are_excluded_and_reported, Plays) {
  add("Q5", "Lennon", {}, 0);
  Relation sentences = dataset.relations.front();
  sentences.code = "Squad";
  sentences.own_sentences = sentences.verbatim = true;
  dataset.relations.push_back(sentences);
  const MultiPromptDataset made = made_of();
  BOOST_TEST(problems.empty());
  BOOST_TEST(made.relations.size() == 1U);
  BOOST_TEST(made.left_out ==
             Names{"relations whose facts are sentences without subject names: Squad"});
  BOOST_TEST(!made.knows_origins);
}

BOOST_FIXTURE_TEST_CASE(texts_with_completions_are_no_facts, Plays) {
  add("0", "A text", {}, 1);
  dataset.relations[0].verbatim = true;
  BOOST_CHECK_EXCEPTION((void)multi_prompt_of(dataset, nullptr), Error,
                        says(Fault::user,
                             "plays.jsonl: plays: has texts and completions, not subjects and "
                             "objects with names; choose a dataset of facts"));
}

BOOST_AUTO_TEST_SUITE_END()
