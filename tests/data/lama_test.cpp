// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/lama.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "plumb/detail/data/check_and_complete.hpp"
#include "plumb/detail/data/load.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(lama_suite)

namespace {

struct Lama : test::TemporaryFolder {
  Lama() {
    write("relations.jsonl",
          "{\"relation\": \"P36\", \"template\": \"The capital of [X] is [Y] .\"}\n"
          "{\"relation\": \"place_of_birth\", \"template\": \"[X] was born in [Y] .\"}\n"
          "{\"relation\": \"P30\", \"template\": \"[X] is located in [Y] .\"}\n"
          "{\"relation\": \"P36\", \"template\": \"[Y] , capital of [X] .\"}\n");
    write("TREx/P36.jsonl",
          "{\"uuid\": \"u1\", \"sub_label\": \"France\", \"sub_uri\": \"Q142\", "
          "\"obj_label\": \"Paris\", \"obj_uri\": \"Q90\", \"evidences\": []}\n"
          "{\"uuid\": \"u2\", \"sub_label\": \"Italy\", \"obj_label\": \"Rome\"}\n");
    write("P30.jsonl",
          "{\"sub_label\": \"Chad\", \"obj_label\": \"Africa\"}\n"
          "{\"sub_label\": \"Peru\", \"obj_label\": \"Americas\"}\n");
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(relations_are_read_from_either_place, Lama) {
  BOOST_TEST(is_lama(path()));
  const Dataset dataset = load_lama(path());
  // The relation place_of_birth has no facts, as in LAMA itself, so it is absent.
  BOOST_REQUIRE(dataset.relations.size() == 2U);
  const Relation& capitals = dataset.relations[0];
  BOOST_TEST(capitals.code == "P36");
  BOOST_TEST(capitals.templates ==
             (std::vector<std::string>{"The capital of [X] is [Y] .", "[Y] , capital of [X] ."}));
  BOOST_TEST(capitals.options == (std::vector<std::string>{"Paris", "Rome"}));
  BOOST_TEST(capitals.option_ids == (std::vector<std::string>{"Q90", "P36-1"}));
  BOOST_TEST(capitals.facts[0].subject_id == "Q142");
  BOOST_TEST(capitals.facts[1].subject_id == "u2");
  BOOST_TEST(dataset.relations[1].code == "P30");
  BOOST_TEST(dataset.files.size() == 3U);
}

BOOST_FIXTURE_TEST_CASE(a_line_needs_its_relation_and_template, Lama) {
  write("relations.jsonl",
        "{\"relation\": \"P36\", \"template\": \"[X] [Y]\"}\n{\"template\": \"[X] [Y]\"}\n");
  BOOST_CHECK_EXCEPTION(load_lama(path()), Error,
                        says(Fault::user,
                             "relations.jsonl:2: relation: is missing; write "
                             "a relation and a template on each line"));
  write("relations.jsonl", "{\"relation\": \"P36\"}\n");
  BOOST_CHECK_EXCEPTION(
      load_lama(path()), Error,
      says(Fault::user, "relations.jsonl:1: template: is missing; write a relation"));
}

BOOST_FIXTURE_TEST_CASE(a_template_without_a_placeholder_is_reported_at_its_line, Lama) {
  write("relations.jsonl", "\n{\"relation\": \"P36\", \"template\": \"The capital is [Y] .\"}\n");
  BOOST_CHECK_EXCEPTION(load_lama(path()), Error,
                        says(Fault::user,
                             "relations.jsonl:2: template: template 'The capital is [Y] .' "
                             "has no [X]; write [X] in"));
}

BOOST_FIXTURE_TEST_CASE(a_broken_fact_is_reported_and_left_out, Lama) {
  write("P30.jsonl",
        "{\"sub_label\": \"Chad\", \"obj_label\": \"Africa\"}\n{\"obj_label\": \"Asia\"}\n"
        "{\"sub_label\": \"Peru\", \"obj_label\": \"Americas\"}\n");
  BOOST_CHECK_EXCEPTION(load_lama(path()), Error,
                        says(Fault::user, "P30.jsonl:2: sub_label: the fact has no subject; add"));
  const Dataset dataset = load_lama(path(), [](const Error&) {});
  const Relation& continents = dataset.relations.at(1);
  BOOST_TEST(continents.facts.size() == 2U);
  BOOST_TEST(continents.facts[1].instance == 2U);
}

BOOST_AUTO_TEST_CASE(error_names_the_missing_relation_list) {
  const test::TemporaryFolder folder;
  BOOST_TEST(!is_lama(folder.path()));
  BOOST_CHECK_EXCEPTION(load_lama(folder.path()), Error,
                        says(Fault::user, "relations.jsonl: cannot be read; check that it exists"));
}

BOOST_FIXTURE_TEST_CASE(every_part_is_read, Lama) {
  write("Google_RE/place_of_birth_test.jsonl",
        "{\"pred\": \"/people/person/place_of_birth\", \"sub\": \"/m/09gb0bw\", \"sub_label\": "
        "\"Peter F. Martin\", \"sub_aliases\": [], \"obj_label\": \"Rhode Island\", "
        "\"masked_sentences\": [\"…\"], \"uuid\": \"g1\"}\n"
        "{\"sub_label\": \"Albert Coppé\", \"obj_label\": \"Bruges\", \"uuid\": \"g2\"}\n");
  write(
      "ConceptNet/test.jsonl",
      "{\"sub\": \"alive\", \"pred\": \"HasSubevent\", \"obj_label\": \"think\", \"uuid\": \"c1\", "
      "\"masked_sentences\": [\"Two [MASK] [MASK].\", \"When you are alive you [MASK].\"]}\n"
      "{\"pred\": \"IsA\", \"obj_label\": \"a fish\", \"masked_sentences\": [\"cod is [MASK].\"]}\n"
      "{\"pred\": \"HasSubevent\", \"obj_label\": \"eat\", \"masked_sentences\": [\"[MASK].\"]}\n"
      "{\"pred\": \"IsA\", \"obj_label\": \"a cow\", \"masked_sentences\": [\"an ox is "
      "[MASK].\"]}\n");
  write("Squad/test.jsonl",
        "{\"id\": \"s_0\", \"sub_label\": \"Squad\", \"obj_label\": \"gold\", "
        "\"masked_sentences\": [\"The "
        "[MASK] color was used.\"]}\n"
        "{\"id\": \"s_1\", \"obj_label\": \"2\", \"masked_sentences\": [\"There are [MASK].\"]}\n");
  const Dataset dataset = load_lama(path());
  std::vector<std::string> codes;
  for (const Relation& relation : dataset.relations) codes.push_back(relation.code);
  BOOST_TEST(codes == (std::vector<std::string>{"P36", "place_of_birth", "P30", "HasSubevent",
                                                "IsA", "Squad"}),
             boost::test_tools::per_element());
  BOOST_TEST(dataset.left_out.empty());
  const Relation& born = dataset.relations[1];
  BOOST_TEST(born.templates == std::vector<std::string>{"[X] was born in [Y] ."});
  BOOST_TEST(born.facts[0].subject == "Peter F. Martin");
  BOOST_TEST(born.facts[0].subject_id == "g1");
  BOOST_TEST(!born.own_sentences);
  const Relation& events = dataset.relations[3];
  BOOST_TEST(events.own_sentences);
  BOOST_TEST(events.verbatim);
  BOOST_TEST(events.templates == std::vector<std::string>{"[X]"});
  BOOST_TEST(events.options == (std::vector<std::string>{"think", "eat"}));
  BOOST_TEST(events.facts[0].subject == "When you are alive you [Y].");
  BOOST_TEST(events.facts[0].subject_id == "c1");
  BOOST_TEST(dataset.relations[5].facts[1].subject_id == "s_1");
  // One part of LAMA can be loaded on its own if its list of templates is next to it.
  BOOST_TEST(load_lama(*this / "Google_RE").relations.size() == 1U);
  BOOST_TEST(load_lama(*this / "Squad").relations.size() == 1U);
  BOOST_TEST(load_lama(*this / "ConceptNet").relations.size() == 2U);
}

BOOST_FIXTURE_TEST_CASE(relations_without_facts_are_reported, Lama) {
  BOOST_TEST(
      load_lama(path()).left_out ==
      std::vector<std::string>{"relations of relations.jsonl without facts: place_of_birth"});
}

// In its published form, relations.jsonl lists only the relations of T-REx. The rows have Wikidata
// items in sub_w and obj_w (null if there is none) and Freebase items in sub and obj.
BOOST_AUTO_TEST_CASE(google_re_has_the_templates_of_lamas_program) {
  const test::TemporaryFolder folder;
  folder.write("relations.jsonl",
               "{\"relation\": \"P36\", \"template\": \"The capital of [X] is [Y] .\"}\n");
  const auto row = [](const std::string& subject, const std::string& item,
                      const std::string& object, const std::string& object_item) {
    return "{\"pred\": \"/people/person/place_of_birth\", \"sub\": \"/m/09gb0bw\", \"obj\": "
           "\"/m/0n6dc\", \"evidences\": [], \"judgments\": [], \"sub_w\": " +
           item + ", \"sub_label\": \"" + subject +
           "\", \"sub_aliases\": [], \"obj_w\": " + object_item + ", \"obj_label\": \"" + object +
           "\", \"obj_aliases\": [], \"uuid\": \"of " + subject +
           "\", \"masked_sentences\": [\"… [MASK] …\"]}\n";
  };
  folder.write("Google_RE/place_of_birth_test.jsonl",
               row("Peter F. Martin", "\"Q7174001\"", "Newport", "\"Q671\"") +
                   row("Lonnie Lynn", "null", "Chicago", "null") +
                   row("Ann", "null", "Newport, Wales", "\"Q671\"") +
                   row("Bob", "null", "Newport", "\"Q671\""));
  folder.write("Google_RE/date_of_birth_test.jsonl",
               row("Lonnie Lynn", "null", "1943", "null") +
                   row("Peter F. Martin", "\"Q7174001\"", "1941", "null"));
  folder.write("TREx/P47.jsonl", "{\"sub_label\": \"Chad\", \"obj_label\": \"Niger\"}\n");
  const Dataset whole = load_lama(folder.path());
  BOOST_REQUIRE(whole.relations.size() == 2U);
  const Relation& place = whole.relations[0];
  BOOST_TEST(place.code == "place_of_birth");
  BOOST_TEST(place.templates == std::vector<std::string>{"[X] was born in [Y] ."});
  BOOST_TEST(place.facts[0].subject_id == "Q7174001");
  BOOST_TEST(place.facts[1].subject_id == "of Lonnie Lynn");
  // An answer is identified by its label. If two labels share an identifier, the identifier is
  // assigned to the first label.
  BOOST_TEST(place.option_ids ==
             (std::vector<std::string>{"Q671", "place_of_birth-1", "place_of_birth-2"}));
  BOOST_TEST(place.options == (std::vector<std::string>{"Newport", "Chicago", "Newport, Wales"}));
  BOOST_TEST(place.facts[2].answer == 2U);
  BOOST_TEST(place.facts[3].answer == 0U);
  BOOST_CHECK_NO_THROW((void)check_and_complete(place));
  BOOST_TEST(whole.relations[1].templates == std::vector<std::string>{"[X] (born [Y])."});
  BOOST_TEST(
      whole.left_out == (std::vector<std::string>{"relations of relations.jsonl without facts: P36",
                                                  "facts of relations without a template: P47"}),
      boost::test_tools::per_element());
  // Loads only one part, once with the list of templates next to it and once without.
  BOOST_TEST(load_lama(folder / "Google_RE").relations.size() == 2U);
  std::filesystem::remove(folder / "relations.jsonl");
  BOOST_TEST(is_lama(folder / "Google_RE"));
  BOOST_TEST(!is_lama(folder / "TREx"));
  const Dataset part = load_lama(folder / "Google_RE");
  BOOST_TEST(part.relations.size() == 2U);
  BOOST_TEST(part.left_out.empty());
}

BOOST_AUTO_TEST_CASE(parts_that_need_no_list_are_read_without_one) {
  const test::TemporaryFolder folder;
  const auto row = [](const std::string& subject, const std::string& object) {
    return "{\"sub_label\": \"" + subject + "\", \"obj_label\": \"" + object + "\"}\n";
  };
  folder.write("Google_RE/place_of_birth_test.jsonl", row("A", "Newport") + row("B", "Chicago"));
  BOOST_TEST(is_lama(folder.path()));
  const Dataset dataset = load_lama(folder.path());
  BOOST_REQUIRE(dataset.relations.size() == 1U);
  BOOST_TEST(dataset.relations[0].templates.at(0) == "[X] was born in [Y] .");
  // T-REx's facts need the list, so the folder is not read without them. Neither is a folder with
  // other data.
  const auto with = [&](const std::string& file) {
    const test::TemporaryFolder other;
    other.write("Google_RE/place_of_birth_test.jsonl", row("A", "Newport") + row("B", "Chicago"));
    other.write(file, row("France", "Paris") + row("Italy", "Rome"));
    return is_lama(other.path());
  };
  BOOST_TEST(!with("TREx/P36.jsonl"));
  BOOST_TEST(!with("facts.tsv"));
  BOOST_TEST(!with("other/facts.jsonl"));
  BOOST_TEST(with(".cache/facts.jsonl"));
}

BOOST_FIXTURE_TEST_CASE(a_relation_of_two_parts_is_reported, Lama) {
  write("TREx_UHN/P36.jsonl",
        "{\"sub_label\": \"Chad\", \"obj_label\": \"N'Djamena\"}\n{\"sub_label\": \"Peru\", "
        "\"obj_label\": \"Lima\"}\n");
  BOOST_CHECK_EXCEPTION(
      (void)load_lama(path()), Error,
      says(Fault::user, "TREx_UHN/P36.jsonl: contains facts of P36, and so does"));
  const Dataset unhelpful = load_lama(*this / "TREx_UHN");
  BOOST_TEST(unhelpful.name == "TREx_UHN");
  BOOST_REQUIRE(unhelpful.relations.size() == 1U);
  BOOST_TEST(unhelpful.relations[0].facts[0].subject == "Chad");
}

BOOST_FIXTURE_TEST_CASE(sentences_of_a_single_object_leave_no_choice, Lama) {
  write("ConceptNet/test.jsonl",
        "{\"pred\": \"IsA\", \"obj_label\": \"fish\", \"masked_sentences\": [\"cod is [MASK].\"]}\n"
        "{\"pred\": \"NotDesires\", \"obj_label\": \"pain\", \"masked_sentences\": [\"No "
        "[MASK].\"]}\n"
        "{\"pred\": \"IsA\", \"obj_label\": \"cow\", \"masked_sentences\": [\"ox is [MASK].\"]}\n");
  const Dataset dataset = load_lama(*this / "ConceptNet");
  BOOST_REQUIRE(dataset.relations.size() == 1U);
  BOOST_TEST(dataset.relations[0].code == "IsA");
  BOOST_TEST(dataset.left_out ==
             std::vector<std::string>{"relations of ConceptNet with a single object: NotDesires"});
}

BOOST_FIXTURE_TEST_CASE(a_sentence_has_one_gap, Lama) {
  write("Squad/test.jsonl", "{\"obj_label\": \"2\", \"masked_sentences\": [\"There are two.\"]}\n");
  BOOST_CHECK_EXCEPTION(
      (void)load_lama(*this / "Squad"), Error,
      says(Fault::user, "Squad/test.jsonl:1: masked_sentences: has no sentence with"));
}

namespace {

/// Two languages of mLAMA, modelled on its README and on its loader in Hugging Face's `datasets`.
struct MLama : test::TemporaryFolder {
  MLama() {
    write("de/templates.jsonl",
          "{\"relation\": \"P36\", \"template\": \"Die Hauptstadt von [X] ist [Y].\"}\n"
          "{\"relation\": \"place_of_birth\", \"template\": \"[X] wurde in [Y] geboren.\"}\n");
    write("de/P36.jsonl",
          "{\"uuid\": \"u1\", \"lineid\": 7, \"sub_label\": \"Frankreich\", \"sub_uri\": \"Q142\", "
          "\"obj_label\": \"Paris\", \"obj_uri\": \"Q90\"}\n"
          "{\"uuid\": \"u2\", \"lineid\": 9, \"sub_label\": \"Italien\", \"sub_uri\": \"Q38\", "
          "\"obj_label\": \"Rom\", \"obj_uri\": \"Q220\"}\n");
    write("de/P19.jsonl", "{\"sub_label\": \"X\", \"obj_label\": \"Y\"}\n");
    write("en/P36.jsonl", "{\"sub_label\": \"Paris\", \"obj_label\": \"France\"}\n");
    write("en/templates.jsonl", "{\"relation\": \"P36\", \"template\": \"[Y] is in [X].\"}\n");
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_language_of_mlama_is_read_by_its_own_templates, MLama) {
  BOOST_TEST(is_lama(path() / "de"));
  const Dataset dataset = load_dataset(path() / "de");
  BOOST_TEST(dataset.name == "de");
  BOOST_REQUIRE(dataset.relations.size() == 1U);
  const Relation& capitals = dataset.relations[0];
  BOOST_TEST(capitals.templates == std::vector<std::string>{"Die Hauptstadt von [X] ist [Y]."});
  BOOST_TEST(capitals.options == (std::vector<std::string>{"Paris", "Rom"}));
  BOOST_TEST(capitals.facts[1].subject_id == "Q38");
  BOOST_REQUIRE(capitals.facts[1].further.size() == 1U);
  BOOST_TEST(capitals.facts[1].further[0].first == "lineid");
  BOOST_TEST(capitals.facts[1].further[0].second == "9");
  BOOST_TEST(dataset.left_out ==
             (std::vector<std::string>{"relations of templates.jsonl without facts: place_of_birth",
                                       "facts of relations without a template: P19"}));
}

BOOST_FIXTURE_TEST_CASE(the_folder_of_mlamas_languages_names_them, MLama) {
  BOOST_CHECK_EXCEPTION(
      load_dataset(path()), Error,
      says(Fault::user,
           "contains a folder for each language of mLAMA: de, en; pass one of them, such as " +
               (path() / "de").string()));
}

BOOST_AUTO_TEST_CASE(a_dataset_of_many_prompts_is_no_language_of_mlama) {
  const test::TemporaryFolder folder;
  folder.write("templates.jsonl", "{\"relation\": \"P36\", \"template\": \"[X] [Y]\"}\n");
  folder.write("facts.jsonl", "{}\n");
  BOOST_TEST(!is_lama(folder.path()));
  folder.write("other/templates.jsonl", "{\"text\": \"[X]\"}\n");
  BOOST_TEST(!is_lama(folder / "other"));
  // Neither templates next to a table of facts nor a path that is not a folder is recognised as
  // LAMA.
  folder.write("table/templates.jsonl", "{\"relation\": \"P36\", \"template\": \"[X] [Y]\"}\n");
  folder.write("table/facts.tsv", "a\tP36\tb\n");
  BOOST_TEST(!is_lama(folder / "table"));
  BOOST_TEST(mlama_languages(folder / "facts.jsonl").empty());
}

BOOST_AUTO_TEST_SUITE_END()
