// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/multi_prompt_folder.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "support/any_text.hpp"
#include "support/errors.hpp"
#include "support/memory_disk.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(multi_prompt_folder)

namespace {

using Names = std::vector<std::string>;

const auto each = boost::test_tools::per_element();

/// Loads a folder and collects its problems, without the folder's path in the messages.
struct Folder : test::TemporaryFolder {
  [[nodiscard]] MultiPromptDataset load() const { return load_multi_prompt(path()); }

  MultiPromptDataset load_on(const std::filesystem::path& templates = {}) {
    problems.clear();
    const auto gather = [this](const Error& error) {
      BOOST_TEST((error.fault() == Fault::user));
      problems.push_back(std::string(error.what()).substr(path().string().size() + 1));
    };
    return load_multi_prompt(path(), gather, templates);
  }

  Names problems;
};

/// Two relations and three facts, one of which has two objects.
struct Many : Folder {
  Many() {
    write("facts.jsonl", facts);
    write("templates.jsonl", templates);
  }
  /// Checks that this line, appended to the valid ones, is reported with this message and skipped.
  void refuses(const std::string& line, const std::string& words) {
    write("facts.jsonl", facts + line + "\n");
    const MultiPromptDataset dataset = load_on();
    BOOST_REQUIRE(problems.size() == 1U);
    BOOST_TEST(problems[0].starts_with("facts.jsonl:4: " + words), problems[0]);
    BOOST_TEST(dataset.relations.size() == 2U);
    BOOST_TEST(dataset.relations[0].facts.size() == 2U);
    BOOST_TEST(dataset.relations[1].facts.size() == 1U);
  }

  const std::string facts =
      R"({"relation": "plays", "sub_id": "Q1203", "sub_label": "John Lennon",)"
      R"( "sub_aliases": ["John Winston Lennon"], "objects": [)"
      R"({"obj_id": "Q6607", "obj_label": "guitar"},)"
      R"( {"obj_id": "Q5994", "obj_label": "piano", "obj_aliases": ["pianoforte", "grand piano"]}]})"
      "\n"
      R"({"relation": "born", "sub_id": "Q1203", "sub_label": "John Lennon",)"
      R"( "objects": [{"obj_id": "Q24826", "obj_label": "Liverpool"}]})"
      "\n"
      R"({"relation": "plays", "sub_id": "Q2599", "sub_label": "Paul McCartney",)"
      R"( "objects": [{"obj_id": "Q46185", "obj_label": "bass guitar"}]})"
      "\n";
  const std::string templates =
      R"({"relation": "born", "template": "[X] was born in [Y]."})"
      "\n"
      R"({"relation": "plays", "template": "[X] plays the [Y].", "group": "plays-1"})"
      "\n"
      R"({"relation": "plays", "template": "What does [X] play? The [Y]", "group": "plays-1",)"
      R"( "origin": "generated"})"
      "\n"
      R"({"relation": "plays", "template": "Which instrument does [X] play? [Y].",)"
      R"( "group": "plays-2", "style": "question", "origin": "manual"})"
      "\n";
};

/// Two relations in the BEAR layout.
struct Bear : Folder {
  Bear() {
    write("metadata_relations.json", R"({
      "P36": {"templates": ["The capital of [X] is [Y].", "What is the capital of [X]? [Y]."]},
      "P30": {"templates": ["[X] is in [Y]."]}})");
    write("P36.jsonl",
          "{\"sub_id\": \"Q142\", \"sub_label\": \"France\", \"sub_aliases\": [\"FR\"], "
          "\"obj_id\": \"Q90\", \"obj_label\": \"Paris\", \"obj_aliases\": [\"City of Light\"]}\n"
          "{\"sub_id\": \"Q750\", \"sub_label\": \"Bolivia\", \"obj_id\": \"Q1491\", "
          "\"obj_label\": \"Sucre\"}\n"
          "{\"sub_id\": \"Q750\", \"sub_label\": \"Bolivia\", \"obj_id\": \"Q1489\", "
          "\"obj_label\": \"La Paz\"}\n");
    write("P30.jsonl",
          "{\"sub_label\": \"Chad\", \"obj_label\": \"Africa\"}\n"
          "{\"sub_label\": \"Peru\", \"obj_label\": \"South America\"}\n");
  }
};

std::string fact_line(const std::string& objects) {
  return R"({"relation": "plays", "sub_id": "Q1", "sub_label": "Ringo", "objects": )" + objects +
         "}";
}

/// Everything that the relations contain, one text per line.
Names spelt(const MultiPromptDataset& dataset) {
  Names lines;
  const auto entity = [](const NamedEntity& one) {
    std::string text = one.id;
    for (const std::string& name : one.names) text += "|" + name;
    return text;
  };
  for (const MultiPromptRelation& relation : dataset.relations) {
    lines.push_back(relation.code);
    for (const PromptTemplate& one : relation.templates) {
      lines.push_back(one.text + "|" + one.group + "|" + style_word(one.style) + "|" +
                      origin_word(one.origin));
    }
    for (const ManyNamedFact& fact : relation.facts) {
      std::string line = entity(fact.subject);
      for (const NamedEntity& object : fact.objects) line += " → " + entity(object);
      lines.push_back(line);
    }
  }
  return lines;
}

Names file_names(const MultiPromptDataset& dataset) {
  Names names;
  for (const auto& file : dataset.files) names.push_back(file.filename().string());
  return names;
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(facts_and_templates_are_read_in_the_order_of_the_facts, Many) {
  BOOST_TEST(is_multi_prompt(path()));
  const MultiPromptDataset dataset = load();
  BOOST_TEST(dataset.name == path().filename().string());
  BOOST_TEST(
      spelt(dataset) ==
          (Names{"plays", "[X] plays the [Y].|plays-1|cloze|manual",
                 "What does [X] play? The [Y]|plays-1|cloze|generated",
                 "Which instrument does [X] play? [Y].|plays-2|question|manual",
                 "Q1203|John Lennon|John Winston Lennon → Q6607|guitar → "
                 "Q5994|piano|pianoforte|grand piano",
                 "Q2599|Paul McCartney → Q46185|bass guitar", "born",
                 "[X] was born in [Y].||cloze|manual", "Q1203|John Lennon → Q24826|Liverpool"}),
      each);
  const MultiPromptRelation& plays = dataset.relations[0];
  BOOST_TEST(plays.facts[1].line == 3U);
  BOOST_TEST(plays.file == *this / "facts.jsonl");
  BOOST_TEST(plays.template_file == *this / "templates.jsonl");
  BOOST_TEST(plays.prompts() == 9U);
  BOOST_TEST(file_names(dataset) == (Names{"facts.jsonl", "templates.jsonl"}), each);
}

BOOST_FIXTURE_TEST_CASE(folder_path_can_end_with_a_slash, Many) {
  BOOST_TEST(load_multi_prompt(path() / "").name == path().filename().string());
}

BOOST_FIXTURE_TEST_CASE(what_is_written_is_read_again, Many) {
  const MultiPromptDataset dataset = load();
  const Many again;
  again.write("facts.jsonl", facts_jsonl(dataset));
  again.write("templates.jsonl", templates_jsonl(dataset));
  BOOST_TEST(spelt(again.load()) == spelt(dataset), each);
  BOOST_TEST(facts_jsonl(again.load()) == facts_jsonl(dataset));
  BOOST_TEST(templates_jsonl(again.load()) == templates_jsonl(dataset));
}

BOOST_AUTO_TEST_CASE(a_dataset_is_written_one_fact_and_one_template_a_line) {
  MultiPromptDataset dataset{"many", {}, {}};
  dataset.relations.push_back(
      {"P36",
       {{"[X]: \"[Y]\""},
        {"Its capital, [X]? [Y]", "a", TemplateStyle::question, TemplateOrigin::generated}},
       {{{"Q79", {"Égypte", "Misr"}}, {{"Q85", {"Le Caire"}}, {"Q87", {"Alexandria", "Alex"}}}}}});
  BOOST_TEST(facts_jsonl(dataset) ==
             R"({"relation":"P36","sub_id":"Q79","sub_label":"Égypte","sub_aliases":["Misr"],)"
             R"("objects":[{"obj_id":"Q85","obj_label":"Le Caire","obj_aliases":[]},)"
             R"({"obj_id":"Q87","obj_label":"Alexandria","obj_aliases":["Alex"]}]})"
             "\n");
  BOOST_TEST(templates_jsonl(dataset) ==
             R"({"relation":"P36","template":"[X]: \"[Y]\"","style":"cloze","origin":"manual"})"
             "\n"
             R"({"relation":"P36","template":"Its capital, [X]? [Y]","group":"a",)"
             R"("style":"question","origin":"generated"})"
             "\n");
  BOOST_TEST(facts_jsonl({}).empty());
  BOOST_TEST(templates_jsonl({}).empty());
}

BOOST_FIXTURE_TEST_CASE(names_stand_once_with_the_label_first, Many) {
  write("facts.jsonl", facts + R"({"relation": "born", "sub_id": "Q2", "sub_label": "Ringo",)"
                               R"( "sub_aliases": ["", "Starkey", "Ringo", "  ", "Starkey"],)"
                               R"( "objects": [{"obj_id": "Q24826", "obj_label": "Liverpool",)"
                               R"( "obj_aliases": ["Liverpool", "Lpool"]}]})");
  BOOST_TEST(spelt(load()).back() == "Q2|Ringo|Starkey → Q24826|Liverpool|Lpool");
}

BOOST_FIXTURE_TEST_CASE(fact_without_relation_or_named_subject_is_rejected, Many) {
  const std::string objects = R"("objects": [{"obj_id": "Q1", "obj_label": "drums"}]})";
  refuses(R"({"sub_id": "Q2", "sub_label": "Ringo", )" + objects, "relation: is missing");
  refuses(R"({"relation": ["plays"], "sub_id": "Q2", "sub_label": "Ringo", )" + objects,
          "relation: is not a string");
  refuses(R"({"relation": "plays", "sub_label": "Ringo", )" + objects,
          "sub_id: is missing; write \"sub_id\": \"…\"");
  refuses(R"({"relation": "plays", "sub_id": 2, "sub_label": "Ringo", )" + objects,
          "sub_id: is not a string");
  refuses(R"({"relation": "plays", "sub_id": "Q2", )" + objects, "sub_label: is missing");
  refuses(
      R"({"relation": "plays", "sub_id": "Q2", "sub_label": " ", "sub_aliases": ["R"], )" + objects,
      "sub_label: is empty");
  for (const char* aliases : {"\"R\"", "[\"R\", 7]"}) {
    refuses(R"({"relation": "plays", "sub_id": "Q2", "sub_label": "Ringo", "sub_aliases": )" +
                std::string(aliases) + ", " + objects,
            "sub_aliases: is not a list of strings; write [\"…\", …] or remove it");
  }
}

BOOST_FIXTURE_TEST_CASE(fact_without_named_objects_is_rejected, Many) {
  refuses(R"({"relation": "plays", "sub_id": "Q2", "sub_label": "Ringo"})",
          "objects: is missing; write [{\"obj_id\": \"…\", \"obj_label\": \"…\"}, …]");
  refuses(fact_line(R"({"obj_id": "Q1", "obj_label": "drums"})"), "objects: is not a list");
  refuses(fact_line("[]"), "objects: is empty");
  refuses(fact_line(R"([{"obj_id": "Q1", "obj_label": "drums"}, "bongos"])"),
          "objects[1]: is not an object");
  refuses(fact_line(R"([{"obj_label": "drums"}])"),
          "objects[0].obj_id: is missing; write \"obj_id\": \"…\"");
  refuses(fact_line(R"([{"obj_id": "Q1", "obj_label": "drums"}, {"obj_id": "Q2"}])"),
          "objects[1].obj_label: is missing");
  refuses(fact_line(R"([{"obj_id": "Q1", "obj_label": ""}])"), "objects[0].obj_label: is empty");
  refuses(fact_line(R"([{"obj_id": "Q1", "obj_label": "drums", "obj_aliases": "drum kit"}])"),
          "objects[0].obj_aliases: is not a list of strings");
  refuses(fact_line(R"([{"obj_id": "Q1", "obj_label": "dru\nms"}])"),
          "objects[0].obj_label: contains a line break; write it on one line, because a prompt is "
          "one line");
  refuses(fact_line(R"([{"obj_id": "Q1", "obj_label": "drums", "obj_aliases": ["drum\rkit"]}])"),
          "objects[0].obj_aliases: contains a line break");
}

BOOST_FIXTURE_TEST_CASE(an_object_stands_once_in_a_fact, Many) {
  refuses(fact_line(R"([{"obj_id": "Q1", "obj_label": "drums"},)"
                    R"( {"obj_id": "Q1", "obj_label": "drum kit"}])"),
          "objects[1].obj_id: 'Q1' is duplicated in the fact; put its names in one object");
}

BOOST_FIXTURE_TEST_CASE(a_subject_stands_once_in_a_relation, Many) {
  refuses(
      R"({"relation": "plays", "sub_id": "Q1203", "sub_label": "J. Lennon",)"
      R"( "objects": [{"obj_id": "Q1", "obj_label": "harmonica"}]})",
      "sub_id: 'Q1203' is duplicated in relation plays, first on line 1; put all its objects on "
      "one line");
  // The two subjects have the same label but different identifiers.
  write("facts.jsonl", facts +
                           R"({"relation": "plays", "sub_id": "Q9", "sub_label": "John Lennon",)"
                           R"( "objects": [{"obj_id": "Q1", "obj_label": "drums"}]})");
  BOOST_TEST(load().relations[0].facts.size() == 3U);
}

BOOST_FIXTURE_TEST_CASE(a_line_that_is_no_object_is_reported, Many) {
  refuses("not json", "not JSON (byte ");
  refuses("[1]", "is JSON but not an object");
  refuses("{\"relation\": \"pl\xC3ys\"}", "not UTF-8 at byte 17");
}

BOOST_FIXTURE_TEST_CASE(broken_templates_are_reported_by_their_lines, Many) {
  write("templates.jsonl", templates + R"({"relation": "born", "template": "[X] was born."})");
  const MultiPromptDataset dataset = load_on();
  BOOST_REQUIRE(problems.size() == 1U);
  BOOST_TEST(problems[0].starts_with("templates.jsonl:5: template: template '[X] was born.' has"));
  BOOST_TEST(dataset.relations[1].templates.size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(every_relation_has_facts_and_templates, Many) {
  write("facts.jsonl", facts + R"({"relation": "died", "sub_id": "Q1", "sub_label": "John",)"
                               R"( "objects": [{"obj_id": "Q60", "obj_label": "New York"}]})");
  write("templates.jsonl", templates + R"({"relation": "wed", "template": "[X] wed [Y]."})");
  const MultiPromptDataset dataset = load_on();
  BOOST_REQUIRE(problems.size() == 2U);
  BOOST_TEST(problems[0] ==
             "facts.jsonl:4: relation: relation died has no usable template; add one or remove the "
             "relation");
  BOOST_TEST(problems[1] == "templates.jsonl:5: relation: 'wed' has no usable facts in " +
                                (*this / "facts.jsonl").string() +
                                "; add facts or remove the templates");
  BOOST_TEST(dataset.relations.size() == 2U);
}

BOOST_FIXTURE_TEST_CASE(a_relation_whose_lines_are_all_broken_is_reported_too, Many) {
  write("facts.jsonl", facts + R"({"relation": "died", "sub_id": "Q1", "sub_label": "John"})");
  write("templates.jsonl", templates + R"({"relation": "died", "template": "[X] died in [Y]."})");
  BOOST_TEST(load_on().relations.size() == 2U);
  BOOST_REQUIRE(problems.size() == 2U);
  BOOST_TEST(problems[1].starts_with("facts.jsonl:4: relation: relation died has no usable fact"));
}

BOOST_FIXTURE_TEST_CASE(a_relations_name_can_name_a_file, Many) {
  write("facts.jsonl", facts + R"({"relation": "a/b", "sub_id": "Q1", "sub_label": "John",)"
                               R"( "objects": [{"obj_id": "Q60", "obj_label": "New York"}]})");
  write("templates.jsonl", templates + R"({"relation": "a/b", "template": "[X] [Y]"})");
  BOOST_CHECK_EXCEPTION((void)load(), Error,
                        says(Fault::user, "facts.jsonl:4: relation: relation name 'a/b' is empty"));
}

BOOST_FIXTURE_TEST_CASE(a_folder_without_templates_or_facts_is_refused, Many) {
  std::filesystem::remove(*this / "templates.jsonl");
  BOOST_TEST(is_multi_prompt(path()));
  BOOST_CHECK_EXCEPTION((void)load(), Error,
                        says(Fault::user, "templates.jsonl: cannot be read; check that it exists"));
  write("templates.jsonl", "");
  write("facts.jsonl", "");
  BOOST_CHECK_EXCEPTION((void)load(), Error,
                        says(Fault::user, path().string() + ": the dataset is empty; it needs"));
}

BOOST_FIXTURE_TEST_CASE(templates_from_elsewhere_choose_the_relations, Many) {
  const auto other =
      write("other.jsonl", R"({"relation": "born", "template": "[X] comes from [Y]."})");
  std::filesystem::remove(*this / "templates.jsonl");  // not needed for this test
  const MultiPromptDataset dataset = load_multi_prompt(path(), throw_problem, other);
  BOOST_TEST(spelt(dataset) == (Names{"born", "[X] comes from [Y].||cloze|manual",
                                      "Q1203|John Lennon → Q24826|Liverpool"}),
             each);
  BOOST_TEST(dataset.relations[0].template_file == other);
  BOOST_TEST(file_names(dataset) == (Names{"facts.jsonl", "other.jsonl"}), each);
}

BOOST_FIXTURE_TEST_CASE(closed_sets_are_no_such_folders, Bear) {
  BOOST_TEST(!is_multi_prompt(path()));
  write("facts.jsonl",
        "{\"sub_label\": \"a\", \"obj_label\": \"b\"}");  // could be the file of a relation
  BOOST_TEST(!is_multi_prompt(path()));
  const test::TemporaryFolder choices;
  choices.write("facts.jsonl", R"({"subject": "a", "object": "b"})");
  BOOST_TEST(!is_multi_prompt(choices.path()));
  BOOST_TEST(!is_multi_prompt(choices / "facts.jsonl"));
  BOOST_TEST(!is_multi_prompt(choices / "none"));
}

BOOST_FIXTURE_TEST_CASE(a_closed_set_is_asked_with_its_own_templates, Bear) {
  BOOST_TEST(spelt(load()) == (Names{"P36", "The capital of [X] is [Y].||cloze|manual",
                                     "What is the capital of [X]? [Y].||question|manual",
                                     "Q142|France|FR → Q90|Paris|City of Light",
                                     "Q750|Bolivia → Q1491|Sucre → Q1489|La Paz", "P30",
                                     "[X] is in [Y].||cloze|manual", "Chad|Chad → P30-0|Africa",
                                     "Peru|Peru → P30-1|South America"}),
             each);
  BOOST_TEST(!prompt_file_of(path()));
  BOOST_TEST(file_names(load()) == (Names{"metadata_relations.json", "P36.jsonl", "P30.jsonl"}),
             each);
}

BOOST_FIXTURE_TEST_CASE(a_closed_sets_prompts_choose_its_relations, Bear) {
  write("prompts/templates.jsonl",
        R"({"relation": "P36", "template": "[X] is ruled from [Y].", "group": "a"})");
  BOOST_REQUIRE(prompt_file_of(path()).has_value());
  BOOST_TEST(*prompt_file_of(path()) == *this / "prompts" / "templates.jsonl");
  BOOST_TEST(spelt(load()) == (Names{"P36", "[X] is ruled from [Y].|a|cloze|manual",
                                     "Q142|France|FR → Q90|Paris|City of Light",
                                     "Q750|Bolivia → Q1491|Sucre → Q1489|La Paz"}),
             each);
  BOOST_TEST(file_names(load()) ==
                 (Names{"metadata_relations.json", "P36.jsonl", "P30.jsonl", "templates.jsonl"}),
             each);
  const auto other = write("other.jsonl", R"({"relation": "P30", "template": "[Y] has [X]."})");
  const MultiPromptDataset dataset = load_multi_prompt(path(), throw_problem, other);
  BOOST_REQUIRE(dataset.relations.size() == 1U);
  BOOST_TEST(dataset.relations[0].code == "P30");
}

BOOST_FIXTURE_TEST_CASE(a_closed_set_that_was_converted_is_the_same, Bear) {
  const MultiPromptDataset dataset = load();
  const Folder again;
  again.write("facts.jsonl", facts_jsonl(dataset));
  again.write("templates.jsonl", templates_jsonl(dataset));
  BOOST_TEST(spelt(again.load()) == spelt(dataset), each);
}

BOOST_AUTO_TEST_CASE(a_table_that_has_no_templates_takes_given_ones) {
  const test::TemporaryFolder folder;
  folder.write("born.jsonl", R"({"subject": "Brian May", "object": "1947"})"
                             "\n"
                             R"({"subject": "Roger Taylor", "object": "1949"})");
  BOOST_CHECK_EXCEPTION((void)load_multi_prompt(folder.path()), Error,
                        says(Fault::user, "born.jsonl: relation born has no usable template"));
  const test::TemporaryFolder other;
  const auto templates = other.write("templates.jsonl", R"({"relation": "born",)"
                                                        R"( "template": "[X] was born in [Y]."})");
  const MultiPromptDataset dataset = load_multi_prompt(folder.path(), throw_problem, templates);
  BOOST_TEST(dataset.relations.at(0).facts.size() == 2U);
}

BOOST_AUTO_TEST_CASE(what_is_no_dataset_is_refused) {
  const test::TemporaryFolder folder;
  BOOST_CHECK_EXCEPTION((void)load_multi_prompt(folder.path()), Error,
                        says(Fault::user, "is not a dataset that plumb recognises"));
  BOOST_CHECK_EXCEPTION((void)load_multi_prompt(folder / "none"), Error,
                        says(Fault::user, "none: does not exist"));
}

// The dataset has as many facts, relations and templates as MyriadLAMA.
BOOST_AUTO_TEST_CASE(a_dataset_as_large_as_myriad_lama_is_read_whole) {
  MultiPromptDataset dataset{"large", {}, {}};
  std::size_t facts = 0;
  for (std::size_t r = 0; r < 41; ++r) {
    MultiPromptRelation relation{"P" + std::to_string(r), {}, {}};
    for (std::size_t t = 0; t < 100; ++t) {
      relation.templates.push_back({"[X] has, as they say " + std::to_string(t) + ", [Y]."});
    }
    for (; facts < 24643 * (r + 1) / 41; ++facts) {
      const std::string name = "entity " + std::to_string(facts);
      relation.facts.push_back({{"Q" + std::to_string(facts), {name, "the " + name}}, {}});
      for (const char* id : {"A", "B"}) {
        relation.facts.back().objects.push_back({id, {name + id, "the " + name + id}});
      }
    }
    dataset.relations.push_back(std::move(relation));
  }
  const test::TemporaryFolder folder;
  folder.write("facts.jsonl", facts_jsonl(dataset));
  folder.write("templates.jsonl", templates_jsonl(dataset));
  const MultiPromptDataset read = load_multi_prompt(folder.path());
  std::size_t prompts = 0;
  for (const MultiPromptRelation& relation : read.relations) prompts += relation.prompts();
  BOOST_TEST(prompts == 24643U * 2U * 100U);
  BOOST_TEST(facts_jsonl(read) == facts_jsonl(dataset));
}

BOOST_FIXTURE_TEST_CASE(myriad_lama_is_read_as_published, Folder) {
  write("train.jsonl",
        R"({"uuid": "u1", "rel_uri": "P36", "sub_ent": "France", "obj_ents": ["Paris"], )"
        R"("template": "[X]: [Y]", "is_manual": false})"
        "\n");
  BOOST_TEST(is_multi_prompt(path()));
  const MultiPromptDataset dataset = load();
  BOOST_TEST(
      spelt(dataset) == (Names{"P36", "[X]: [Y]||cloze|generated", "u1|France → Paris|Paris"}),
      each);
  write("given/templates.jsonl",
        "{\"relation\": \"P36\", \"template\": \"The capital of [X] is [Y].\"}\n");
  const MultiPromptDataset given = load_on(*this / "given/templates.jsonl");
  BOOST_TEST(problems.empty());
  BOOST_REQUIRE(given.relations.size() == 1U);
  BOOST_TEST(given.relations[0].templates.at(0).text == "The capital of [X] is [Y].");
  BOOST_TEST(given.files.size() == 2U);
}

// The random texts avoid everything that the reader rejects: blank texts, line breaks, and
// duplicate names and identifiers.
BOOST_AUTO_TEST_CASE(random_datasets_are_the_same_once_written_and_read) {
  RandomStream random(73, "datasets");
  for (int round = 0; round < 40; ++round) {
    std::size_t unique = 0;
    const auto text = [&] {
      std::string made = std::to_string(unique++) + test::any_text(random);
      std::erase_if(made, [](char c) { return c == '\n' || c == '\r'; });
      return made;
    };
    const auto entity = [&] {
      NamedEntity made{"Q" + text(), {text()}};
      for (std::size_t n = 0; n < random.below(3); ++n) made.names.push_back(text());
      return made;
    };
    MultiPromptDataset dataset{"again", {}, {}};
    for (std::size_t r = 0; r < 1 + random.below(3); ++r) {
      MultiPromptRelation& relation = dataset.relations.emplace_back();
      relation.code = "r" + std::to_string(r);
      for (std::size_t t = 0; t < 1 + random.below(3); ++t) {
        PromptTemplate made{text() + "[X]" + std::to_string(unique++) + ", [Y]"};
        if (random.below(2) == 0) made.group = text();
        if (random.below(2) == 0) {
          made.text = text() + "[X] is what? [Y].";
          made.style = TemplateStyle::question;
        }
        if (random.below(2) == 0) made.origin = TemplateOrigin::generated;
        relation.templates.push_back(std::move(made));
      }
      for (std::size_t f = 0; f < 1 + random.below(4); ++f) {
        ManyNamedFact& fact = relation.facts.emplace_back();
        fact.subject = entity();
        for (std::size_t o = 0; o < 1 + random.below(3); ++o) fact.objects.push_back(entity());
      }
    }
    const std::string facts = facts_jsonl(dataset), templates = templates_jsonl(dataset);
    test::MemoryDisk disk;
    disk.put("again/facts.jsonl", facts);
    disk.put("again/templates.jsonl", templates);
    const MultiPromptDataset read = load_multi_prompt(disk / "again");
    BOOST_TEST(facts_jsonl(read) == facts);
    BOOST_TEST(templates_jsonl(read) == templates);
    BOOST_REQUIRE(read.relations.size() == dataset.relations.size());
    BOOST_CHECK(read.relations[0].facts[0].subject.names ==
                dataset.relations[0].facts[0].subject.names);
  }
}

BOOST_AUTO_TEST_SUITE_END()
