// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/graph_folder.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(graph_folder)

namespace {

using Names = std::vector<std::string>;

struct GraphFolder : test::TemporaryFolder {
  [[nodiscard]] KnowledgeGraph load() const { return load_graph(path()); }

  /// Checks that this line of the file is rejected with this message.
  void refuses(const std::string& name, std::size_t line, const std::string& words) const {
    const std::string at = (path() / name).string() + ":" + std::to_string(line) + ": ";
    BOOST_CHECK_EXCEPTION((void)load(), Error, says(Fault::user, at + words));
  }
};

/// WN18RR in KG-BERT's layout, with name and description on the same line.
struct KgBert : GraphFolder {
  KgBert() {
    write("entity2text.txt",
          "02\tdeer, a ruminant, with antlers\n"
          "01\tanimal, a living organism\n"
          "03\tmoose, a large deer\n");
    write("relation2text.txt", "_hypernym\thypernym\n_has_part\thas part\n");
    write("train.tsv", "02\t_hypernym\t01\n03\t_hypernym\t02\n");
    write("dev.tsv", "03\t_has_part\t02\n");
    write("test.tsv", "03\t_hypernym\t01\n");
  }
};

/// FB15k-237 in KG-BERT's layout, with descriptions in a separate file.
struct WithLongTexts : KgBert {
  WithLongTexts() {
    write("entity2text.txt", "02\tdeer\n01\tanimal\n03\tmoose\n");
    write("entity2textlong.txt",
          "02\tA ruminant, with antlers.\n"
          "01\tA living organism.\n"
          "03\tA large deer.\n");
  }
};

struct Plain : GraphFolder {
  Plain() {
    write("train.txt", "Albert_Einstein\tborn_in\tUlm\nUlm\t_part_of\tGermany\n");
    write("valid.txt", "Albert_Einstein\tlives_in\tBern\n");
    write("test.txt", "Bern\t_part_of\tSwitzerland\n");
  }
};

struct Yago : GraphFolder {
  Yago() {
    write("train.txt",
          "Ada_Lovelace\thasGender\tfemale\n"
          "Ada_Lovelace\twasBornIn\tLondon\n"
          "Alan_Turing\thasGender\tmale\n");
    write("valid.txt", "Alan_Turing\twasBornIn\tLondon\n");
    write("test.txt", "Ada_Lovelace\tdiedIn\tLondon\nGrace_Hopper\thasGender\tfemale\n");
  }
};

Names ids(const KnowledgeGraph& graph) {
  Names ids;
  for (const Entity& entity : graph.entities) ids.push_back(entity.id);
  return ids;
}

Names names(const KnowledgeGraph& graph) {
  Names names;
  for (const Entity& entity : graph.entities) names.push_back(entity.name);
  return names;
}

Names descriptions(const KnowledgeGraph& graph) {
  Names descriptions;
  for (const Entity& entity : graph.entities) descriptions.push_back(entity.description);
  return descriptions;
}

/// Each triple as "head relation tail@line", with identifiers.
Names spelt(const KnowledgeGraph& graph, const std::vector<Triple>& triples) {
  Names spelt;
  for (const Triple& triple : triples) {
    spelt.push_back(graph.entities[triple.head].id + " " + graph.relations[triple.relation].id +
                    " " + graph.entities[triple.tail].id + "@" + std::to_string(triple.line));
  }
  return spelt;
}

const auto each = boost::test_tools::per_element();

}  // namespace

BOOST_FIXTURE_TEST_CASE(kg_berts_layout_is_read, KgBert) {
  const KnowledgeGraph graph = load();
  BOOST_TEST(graph.name == path().filename().string());
  // Entities are in the order of the file.
  BOOST_TEST(ids(graph) == (Names{"02", "01", "03"}), each);
  BOOST_TEST(names(graph) == (Names{"deer", "animal", "moose"}), each);
  BOOST_REQUIRE(graph.relations.size() == 2U);
  BOOST_TEST(graph.relations[0].id == "_hypernym");
  BOOST_TEST(graph.relations[0].name == "hypernym");
  BOOST_TEST(graph.relations[1].id == "_has_part");
  BOOST_TEST(graph.relations[1].name == "has part");
  BOOST_TEST(spelt(graph, graph.train) == (Names{"02 _hypernym 01@1", "03 _hypernym 02@2"}), each);
  BOOST_TEST(spelt(graph, graph.valid) == (Names{"03 _has_part 02@1"}), each);
  BOOST_TEST(spelt(graph, graph.test) == (Names{"03 _hypernym 01@1"}), each);
  BOOST_TEST(graph.trivial == 0U);
}

BOOST_FIXTURE_TEST_CASE(graph_lists_the_files_it_was_read_from, WithLongTexts) {
  write("entities.txt", "01\n02\n03\n");
  write("README.txt", "not read");
  Names files;
  for (const auto& file : load().files) {
    BOOST_TEST(file.parent_path() == path());
    files.push_back(file.filename().string());
  }
  std::ranges::sort(files);
  BOOST_TEST(files == (Names{"dev.tsv", "entities.txt", "entity2text.txt", "entity2textlong.txt",
                             "relation2text.txt", "test.tsv", "train.tsv"}),
             each);
}

BOOST_FIXTURE_TEST_CASE(graph_name_does_not_depend_on_how_the_path_is_written, KgBert) {
  BOOST_TEST(load_graph(path() / "").name == path().filename().string());
  BOOST_TEST(load_graph(path() / ".").name == path().filename().string());
}

BOOST_FIXTURE_TEST_CASE(a_text_is_split_at_its_first_comma_and_space, KgBert) {
  BOOST_TEST(descriptions(load()) ==
                 (Names{"a ruminant, with antlers", "a living organism", "a large deer"}),
             each);
  write("entity2text.txt", "01\t1,2-ethanediol, a solvent\n02\tdeer,moose\n03\t a , b, c\n");
  const KnowledgeGraph graph = load();
  BOOST_TEST(names(graph) == (Names{"1,2-ethanediol", "deer,moose", " a "}), each);
  BOOST_TEST(descriptions(graph) == (Names{"a solvent", "-", "b, c"}), each);
}

BOOST_FIXTURE_TEST_CASE(an_empty_description_is_a_dash, KgBert) {
  write("entity2text.txt", "01\tanimal\n02\tdeer, \n03\tmoose,\n");
  const KnowledgeGraph graph = load();
  BOOST_TEST(names(graph) == (Names{"animal", "deer", "moose,"}), each);
  BOOST_TEST(descriptions(graph) == (Names{"-", "-", "-"}), each);
}

BOOST_FIXTURE_TEST_CASE(long_texts_are_the_descriptions, WithLongTexts) {
  write("entity2text.txt", "02\tdeer, a ruminant\n01\tanimal\n03\tWashington, D.C.\n");
  const KnowledgeGraph graph = load();
  BOOST_TEST(names(graph) == (Names{"deer, a ruminant", "animal", "Washington, D.C."}), each);
  BOOST_TEST(descriptions(graph) ==
                 (Names{"A ruminant, with antlers.", "A living organism.", "A large deer."}),
             each);
}

BOOST_FIXTURE_TEST_CASE(a_long_text_that_is_missing_or_empty_is_a_dash, WithLongTexts) {
  write("entity2textlong.txt", "03\t\n99\tof no entity\n02\tA ruminant.\n");
  const KnowledgeGraph graph = load();
  BOOST_TEST(descriptions(graph) == (Names{"A ruminant.", "-", "-"}), each);
  BOOST_TEST(graph.entities.size() == 3U);
}

BOOST_FIXTURE_TEST_CASE(a_list_of_entities_gives_their_order, WithLongTexts) {
  write("entities.txt", "03\n01\n02\n");
  const KnowledgeGraph graph = load();
  BOOST_TEST(ids(graph) == (Names{"03", "01", "02"}), each);
  BOOST_TEST(names(graph) == (Names{"moose", "animal", "deer"}), each);
  BOOST_TEST(descriptions(graph) ==
                 (Names{"A large deer.", "A living organism.", "A ruminant, with antlers."}),
             each);
  BOOST_TEST(spelt(graph, graph.test) == (Names{"03 _hypernym 01@1"}), each);
}

BOOST_FIXTURE_TEST_CASE(wordnet_identifiers_are_names_once_they_are_cleaned, KgBert) {
  write("entity2text.txt",
        "01\t__white-tail_deer_NN_1, a deer\n02\t__run_VB_12\n03\t__big_JJ_1, large, or so\n");
  const KnowledgeGraph graph = load();
  BOOST_TEST(names(graph) == (Names{"white-tail deer", "run", "big"}), each);
  BOOST_TEST(descriptions(graph) == (Names{"a deer", "-", "large, or so"}), each);
}

BOOST_AUTO_TEST_CASE(only_wordnet_identifiers_are_cleaned) {
  const auto cleaned = [](const char* text) { return without_wordnet_tags(text); };
  BOOST_TEST(cleaned("__white-tail_deer_NN_1") == "white-tail deer");
  BOOST_TEST(cleaned("__quickly_RB_2") == "quickly");
  BOOST_TEST(cleaned("__NN_NN_1") == "NN");
  BOOST_TEST(cleaned("__a__b_VB_10") == "a  b");
  for (const char* other : {"",
                            "_",
                            "__",
                            "___",
                            "__5",
                            "__NN_1",
                            "deer",
                            "white-tail_deer_NN_1",
                            "_deer_NN_1",
                            "__deer_NN_",
                            "__deer_NN_x",
                            "__deer_NN_1x",
                            "__deer_NN",
                            "__deer_1",
                            "__deer_XX_1",
                            "__deer_nn_1",
                            "__deer_NNS_1",
                            "__deerNN_1",
                            " __deer_NN_1",
                            "__deer_NN_1 "}) {
    BOOST_TEST(cleaned(other) == other);
  }
}

BOOST_FIXTURE_TEST_CASE(a_plain_folder_names_entities_as_they_are_met, Plain) {
  const KnowledgeGraph graph = load();
  BOOST_TEST(ids(graph) == (Names{"Albert_Einstein", "Ulm", "Germany", "Bern", "Switzerland"}),
             each);
  BOOST_TEST(names(graph) == (Names{"Albert Einstein", "Ulm", "Germany", "Bern", "Switzerland"}),
             each);
  BOOST_TEST(descriptions(graph) == Names(5), each);
  Names relations;
  for (const GraphRelation& relation : graph.relations) {
    relations.push_back(relation.id + ": " + relation.name);
  }
  BOOST_TEST(relations == (Names{"born_in: born in", "_part_of: part of", "lives_in: lives in"}),
             each);
  BOOST_TEST(spelt(graph, graph.train) ==
                 (Names{"Albert_Einstein born_in Ulm@1", "Ulm _part_of Germany@2"}),
             each);
  BOOST_TEST(spelt(graph, graph.valid) == (Names{"Albert_Einstein lives_in Bern@1"}), each);
  BOOST_TEST(spelt(graph, graph.test) == (Names{"Bern _part_of Switzerland@1"}), each);
  BOOST_TEST(graph.files.size() == 3U);
  BOOST_TEST(graph.trivial == 0U);
}

BOOST_FIXTURE_TEST_CASE(a_plain_folder_may_hold_wordnet_identifiers, Plain) {
  write("train.txt", "__white-tail_deer_NN_1\t_hypernym\t__deer_NN_1\n");
  const KnowledgeGraph graph = load();
  BOOST_TEST(graph.entities[0].id == "__white-tail_deer_NN_1");
  BOOST_TEST(graph.entities[0].name == "white-tail deer");
  BOOST_TEST(graph.entities[1].name == "deer");
  BOOST_TEST(graph.relations[0].name == "hypernym");
}

BOOST_AUTO_TEST_CASE(parts_have_either_ending) {
  for (const char* valid : {"dev.tsv", "dev.txt", "valid.tsv", "valid.txt"}) {
    for (const char* ending : {".tsv", ".txt"}) {
      GraphFolder folder;
      folder.write(std::string("train") + ending, "a\tr\tb\n");
      folder.write(valid, "b\tr\tc\n");
      folder.write(std::string("test") + ending, "c\tr\ta\n");
      const KnowledgeGraph graph = folder.load();
      BOOST_TEST(spelt(graph, graph.train) == (Names{"a r b@1"}), each);
      BOOST_TEST(spelt(graph, graph.valid) == (Names{"b r c@1"}), each);
      BOOST_TEST(spelt(graph, graph.test) == (Names{"c r a@1"}), each);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(a_folder_needs_no_validation_triples, KgBert) {
  std::filesystem::remove(*this / "dev.tsv");
  const KnowledgeGraph graph = load();
  BOOST_TEST(graph.valid.empty());
  BOOST_TEST(graph.train.size() == 2U);
  BOOST_TEST(graph.test.size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(yago_loses_the_triples_whose_tail_is_a_gender, Yago) {
  const KnowledgeGraph graph = load();
  BOOST_TEST(graph.trivial == 3U);
  BOOST_TEST(spelt(graph, graph.train) == (Names{"Ada_Lovelace wasBornIn London@2"}), each);
  BOOST_TEST(spelt(graph, graph.valid) == (Names{"Alan_Turing wasBornIn London@1"}), each);
  BOOST_TEST(spelt(graph, graph.test) == (Names{"Ada_Lovelace diedIn London@1"}), each);
  BOOST_TEST(ids(graph) ==
                 (Names{"Ada_Lovelace", "female", "London", "Alan_Turing", "male", "Grace_Hopper"}),
             each);
  BOOST_TEST(names(graph)[0] == "Ada Lovelace");
  BOOST_TEST(descriptions(graph) == Names(6, "_"), each);
}

BOOST_FIXTURE_TEST_CASE(yago_is_recognized_by_its_relation_in_any_part, Yago) {
  write("train.txt", "Ada_Lovelace\twasBornIn\tLondon\n");
  BOOST_TEST(load().trivial == 1U);
  BOOST_TEST(load().entities[0].description == "_");
  write("test.txt", "Ada_Lovelace\tdiedIn\tLondon\nmale\tis\tfemale\n");
  const KnowledgeGraph other = load();
  BOOST_TEST(other.trivial == 0U);
  BOOST_TEST(other.test.size() == 2U);
  BOOST_TEST(other.entities[0].description.empty());
}

BOOST_FIXTURE_TEST_CASE(kg_berts_layout_keeps_its_genders_and_descriptions, KgBert) {
  write("entity2text.txt", "02\tAda\nmale\tmale\nfemale\tfemale\n");
  write("relation2text.txt", "hasGender\thas gender\n");
  for (const char* part : {"train.tsv", "dev.tsv", "test.tsv"}) {
    write(part, "02\thasGender\tfemale\n");
  }
  const KnowledgeGraph graph = load();
  BOOST_TEST(graph.trivial == 0U);
  BOOST_TEST(graph.test.size() == 1U);
  BOOST_TEST(descriptions(graph) == Names(3, "-"), each);
}

BOOST_FIXTURE_TEST_CASE(empty_lines_line_ends_and_a_byte_order_mark_are_passed_over, KgBert) {
  write("entity2text.txt",
        "\xEF\xBB\xBF"
        "02\tdeer\r\n\r\n01\tanimal\r\n\n03\tmoose");
  write("relation2text.txt",
        "\xEF\xBB\xBF"
        "_hypernym\thypernym\r\n");
  write("dev.tsv", "");
  write("test.tsv", "\n\n03\t_hypernym\t01\r\n\r\n\n02\t_hypernym\t01");
  write("train.tsv",
        "\xEF\xBB\xBF"
        "02\t_hypernym\t01\n");
  write("entities.txt",
        "\xEF\xBB\xBF"
        "01\r\n\r\n02\n03");
  const KnowledgeGraph graph = load();
  BOOST_TEST(names(graph) == (Names{"animal", "deer", "moose"}), each);
  BOOST_TEST(graph.relations[0].name == "hypernym");
  BOOST_TEST(spelt(graph, graph.test) == (Names{"03 _hypernym 01@3", "02 _hypernym 01@6"}), each);
  BOOST_TEST(spelt(graph, graph.train) == (Names{"02 _hypernym 01@1"}), each);
}

BOOST_FIXTURE_TEST_CASE(spaces_and_other_alphabets_are_kept, KgBert) {
  write("entity2text.txt", "02\tŁódź , город\n01\t animal\n 03\t\"moose\"\n");
  write("train.tsv", "02\t_hypernym\t 03\n");
  write("dev.tsv", "");
  write("test.tsv", "01\t_hypernym\t02\n");
  const KnowledgeGraph graph = load();
  BOOST_TEST(ids(graph) == (Names{"02", "01", " 03"}), each);
  BOOST_TEST(names(graph) == (Names{"Łódź ", " animal", "\"moose\""}), each);
  BOOST_TEST(graph.entities[0].description == "город");
}

BOOST_FIXTURE_TEST_CASE(a_triple_may_stand_twice, KgBert) {
  write("test.tsv", "03\t_hypernym\t01\n03\t_hypernym\t01\n03\t_hypernym\t03\n");
  const KnowledgeGraph graph = load();
  BOOST_TEST(spelt(graph, graph.test) ==
                 (Names{"03 _hypernym 01@1", "03 _hypernym 01@2", "03 _hypernym 03@3"}),
             each);
}

BOOST_AUTO_TEST_CASE(a_folder_needs_training_and_test_triples) {
  const auto refused = [](const GraphFolder& folder) {
    BOOST_CHECK_EXCEPTION(
        (void)folder.load(), Error,
        says(Fault::user, folder.path().string() +
                              ": is not a knowledge graph; add train.tsv and test.tsv, "
                              "with a head, a relation and a tail on each line"));
  };
  refused(GraphFolder());
  for (const char* missing : {"train.tsv", "test.tsv"}) {
    const KgBert folder;
    std::filesystem::remove(folder / missing);
    refused(folder);
    std::filesystem::create_directory(folder / missing);  // a folder in place of the file
    refused(folder);
  }
  for (const char* missing : {"train.txt", "test.txt"}) {
    const Plain folder;
    std::filesystem::remove(folder / missing);
    refused(folder);
  }
  const test::TemporaryFolder folder;
  BOOST_CHECK_EXCEPTION((void)load_graph(folder / "absent"), Error,
                        says(Fault::user, "absent: is not a knowledge graph"));
}

BOOST_FIXTURE_TEST_CASE(files_without_triples_are_no_graph, KgBert) {
  for (const char* part : {"train.tsv", "dev.tsv", "test.tsv"}) write(part, "\n");
  BOOST_CHECK_EXCEPTION((void)load(), Error,
                        says(Fault::user, path().string() + ": is not a knowledge graph"));
}

BOOST_FIXTURE_TEST_CASE(missing_file_of_relation_names_is_reported, KgBert) {
  std::filesystem::remove(*this / "relation2text.txt");
  BOOST_CHECK_EXCEPTION(
      (void)load(), Error,
      says(Fault::user, (*this / "relation2text.txt").string() +
                            ": cannot be read; write each relation's identifier, a tab and its "
                            "name"));
}

BOOST_FIXTURE_TEST_CASE(a_header_of_each_part_is_no_triple, Plain) {
  const KnowledgeGraph without = load();
  write("train.txt",
        "head\trelation\ttail\nAlbert_Einstein\tborn_in\tUlm\nUlm\t_part_of\tGermany\n");
  write("valid.txt",
        "\xEF\xBB\xBFSubject\tPredicate\tObject\r\nAlbert_Einstein\tlives_in\tBern\r\n");
  const KnowledgeGraph with = load();
  BOOST_TEST(with.entities.size() == without.entities.size());
  BOOST_TEST(with.relations.size() == without.relations.size());
  BOOST_TEST(with.train.size() == without.train.size());
  BOOST_TEST(with.valid.size() == without.valid.size());
  BOOST_TEST(with.train[0].line == 2U);
  BOOST_TEST(with.entities[0].id == "Albert_Einstein");
}

BOOST_FIXTURE_TEST_CASE(header_determines_the_column_order_of_a_graph_file, KgBert) {
  write("test.tsv", "source\ttarget\ttype\n03\t01\t_hypernym\n");
  const KnowledgeGraph graph = load();
  BOOST_REQUIRE(graph.test.size() == 1U);
  BOOST_TEST(graph.entities[graph.test[0].head].id == "03");
  BOOST_TEST(graph.entities[graph.test[0].tail].id == "01");
  BOOST_TEST(graph.relations[graph.test[0].relation].id == "_hypernym");
  // A part without a header is read in the usual column order, because its identifiers are listed
  // in the other files.
  BOOST_TEST(spelt(graph, graph.train) == (Names{"02 _hypernym 01@1", "03 _hypernym 02@2"}), each);
}

BOOST_AUTO_TEST_CASE(a_line_has_its_number_of_fields) {
  struct {
    const char *file, *sound, *few, *many;
    std::size_t fields;
  } const lists[] = {{"entity2text.txt", "02\tdeer\n", "01 animal", "01\tanimal\tx", 2},
                     {"entity2textlong.txt", "02\tdeer\n", "01", "01\tanimal\tx", 2},
                     {"relation2text.txt", "_hypernym\tx\n", "_has_part", "_has_part\ty\tz", 2},
                     {"train.tsv", "02\t_hypernym\t01\n", "02\t01", "02\t_hypernym\t01\t", 3},
                     {"dev.tsv", "02\t_hypernym\t01\n", "02\t_hypernym", "02\tx\t01\ty", 3},
                     {"test.tsv", "02\t_hypernym\t01\n", "02 _hypernym 01", "02\tx\t01\ty", 3}};
  for (const auto& list : lists) {
    for (const char* line : {list.few, list.many}) {
      const WithLongTexts folder;
      const auto found = static_cast<std::size_t>(std::ranges::count(std::string(line), '\t')) + 1;
      folder.write(list.file, list.sound + ("\n" + std::string(line)) + "\n" + list.sound);
      folder.refuses(list.file, 3,
                     std::to_string(found) + " fields instead of " + std::to_string(list.fields) +
                         "; separate the fields with one tab each");
    }
  }
}

BOOST_FIXTURE_TEST_CASE(a_plain_line_has_three_fields, Plain) {
  write("valid.txt", "a\tr\tb\n\na\tr\n");
  refuses("valid.txt", 3, "2 fields instead of 3; separate the fields with one tab each");
}

BOOST_FIXTURE_TEST_CASE(all_fields_of_a_line_are_counted, Plain) {
  write("valid.txt", "a\tr\tb\tc\td\n");
  refuses("valid.txt", 1, "5 fields instead of 3");
}

BOOST_AUTO_TEST_CASE(a_line_is_utf8) {
  for (const char* file : {"entity2text.txt", "entity2textlong.txt", "relation2text.txt",
                           "entities.txt", "train.tsv", "dev.tsv", "test.tsv"}) {
    const WithLongTexts folder;
    folder.write(file, "\nC\xF4te\n");
    folder.refuses(file, 2, "is not UTF-8; convert the file");
  }
  const Plain folder;
  folder.write("test.txt", "a\tr\tC\xF4te\n");
  folder.refuses("test.txt", 1, "is not UTF-8; convert the file");
}

BOOST_FIXTURE_TEST_CASE(an_entity_has_an_identifier_and_a_name, KgBert) {
  write("entity2text.txt", "02\tdeer\n\tanimal\n");
  refuses("entity2text.txt", 2, "an identifier is empty; add it or remove the line");
  for (const char* text : {"", " ", ", a living organism"}) {
    write("entity2text.txt", "02\tdeer\n01\t" + std::string(text) + "\n");
    refuses("entity2text.txt", 2, "'01' has an empty name; name it or remove it");
  }
}

BOOST_FIXTURE_TEST_CASE(a_plain_triple_has_three_names, Plain) {
  write("test.txt", "a\tr\tb\n\tr\tb\n");
  refuses("test.txt", 2, "an identifier is empty; add it or remove the line");
  write("test.txt", "a\tr\tb\na\tr\t\n");
  refuses("test.txt", 2, "an identifier is empty; add it or remove the line");
  write("test.txt", "a\tr\tb\na\t\tb\n");
  refuses("test.txt", 2, "'' has an empty name; name it");
  // A name that consists only of underscores counts as empty.
  write("test.txt", "a\tr\tb\n___\tr\tb\n");
  refuses("test.txt", 2, "'___' has an empty name; name it or remove it");
  write("test.txt", "a\tr\tb\na\t_\tb\n");
  refuses("test.txt", 2, "'_' has an empty name; name it");
}

BOOST_FIXTURE_TEST_CASE(an_entity_stands_once, KgBert) {
  write("entity2text.txt", "02\tdeer\n01\tanimal\n02\tmoose\n");
  refuses("entity2text.txt", 3, "'02' is duplicated; remove one of the lines");
  write("entities.txt", "01\n02\n");
  refuses("entity2text.txt", 3, "'02' is duplicated; remove one of the lines");
}

BOOST_FIXTURE_TEST_CASE(entities_may_share_a_name, KgBert) {
  write("entity2text.txt", "02\tdeer, one\n01\tanimal\n03\tdeer, another\n");
  BOOST_TEST(names(load()) == (Names{"deer", "animal", "deer"}), each);
}

BOOST_FIXTURE_TEST_CASE(a_listed_entity_has_a_text_and_is_listed_once, KgBert) {
  const std::string words =
      " has no text or is duplicated; write it once, and add its text to entity2text.txt";
  write("entities.txt", "01\n02\n\n99\n");
  refuses("entities.txt", 4, "'99'" + words);
  write("entities.txt", "01\n02\n03\n01\n");
  refuses("entities.txt", 4, "'01'" + words);
  write("entities.txt", "01\t02\n");
  refuses("entities.txt", 1, "'01\t02'" + words);
}

BOOST_FIXTURE_TEST_CASE(an_empty_name_is_refused_where_it_stands, KgBert) {
  write("entity2text.txt", "02\tdeer\n01\t\n03\tmoose\n");
  write("entities.txt", "01\n02\n03\n");
  refuses("entity2text.txt", 2, "'01' has an empty name; name it or remove it");
}

BOOST_FIXTURE_TEST_CASE(a_relation_has_a_name_and_stands_once, KgBert) {
  write("relation2text.txt", "_hypernym\thypernym\n_has_part\t\n");
  refuses("relation2text.txt", 2, "'_has_part' has an empty name; name it");
  write("relation2text.txt", "_hypernym\thypernym\n_has_part\thas part\n_hypernym\tx\n");
  refuses("relation2text.txt", 3, "'_hypernym' is duplicated; remove one of the lines");
}

BOOST_AUTO_TEST_CASE(what_a_triple_names_is_in_the_lists) {
  for (const char* part : {"train.tsv", "dev.tsv", "test.tsv"}) {
    const KgBert folder;
    folder.write(part, "02\t_hypernym\t01\n99\t_hypernym\t01\n");
    folder.refuses(part, 2,
                   "entity '99' is not in the list; add it to entity2text.txt or remove the "
                   "triple");
    folder.write(part, "02\t_hypernym\t01\n\n01\t_hypernym\t02 \n");
    folder.refuses(part, 3,
                   "entity '02 ' is not in the list; add it to entity2text.txt or remove the "
                   "triple");
    folder.write(part, "02\thypernym\t01\n");
    folder.refuses(part, 1,
                   "relation 'hypernym' is not in the list; add it to relation2text.txt or "
                   "remove the triple");
  }
}

BOOST_FIXTURE_TEST_CASE(an_entity_that_is_not_listed_is_missed_in_the_list, KgBert) {
  write("entities.txt", "01\n02\n");
  refuses("train.tsv", 2,
          "entity '03' is not in the list; add it to entities.txt or remove the triple");
}

BOOST_AUTO_TEST_CASE(a_folder_of_triples_has_a_training_and_a_test_part) {
  BOOST_TEST(is_graph_folder(KgBert().path()));
  BOOST_TEST(is_graph_folder(Plain().path()));
  GraphFolder folder;
  folder.write("train.tsv", "a\tr\tb\n");
  BOOST_TEST(!is_graph_folder(folder.path()));
  BOOST_TEST(!is_graph_folder(folder.path() / "train.tsv"));
  folder.write("test.txt", "a\tr\tb\n");
  BOOST_TEST(is_graph_folder(folder.path()));
}

// Without this error, a second file for the same part would be silently ignored.
BOOST_FIXTURE_TEST_CASE(a_part_that_is_not_read_is_refused, Plain) {
  for (const char* name :
       {"train.tsv", "dev.txt", "validation.txt", "test.csv", "Valid.TSV", "train.jsonl"}) {
    write(name, "a\tr\tb\n");
    BOOST_CHECK_EXCEPTION(
        (void)load(), Error,
        says(Fault::user, "looks like a part of the graph, but is not read; write each"));
    std::filesystem::remove(path() / name);
  }
  write("train.txt.json", "{}");
  write("test_notes.tsv", "x");
  BOOST_TEST(load().test.size() == 1U);
}

// If the header of a file with identifiers and texts were not skipped, it would become an entity or
// a relation.
BOOST_FIXTURE_TEST_CASE(headers_of_texts_are_passed_over, WithLongTexts) {
  const auto with_header = [&](const std::string& name, const std::string& header) {
    write(name, header + "\n" + read_text(*this / name));
  };
  with_header("entity2text.txt", "entity\ttext");
  with_header("relation2text.txt", "\xEF\xBB\xBFRelation ID\tname");
  with_header("entity2textlong.txt", "id\tdescription");
  const KnowledgeGraph graph = load();
  BOOST_TEST(ids(graph) == (Names{"02", "01", "03"}), each);
  BOOST_TEST(graph.relations.size() == 2U);
  BOOST_TEST(descriptions(graph)[0] == "A ruminant, with antlers.");
  write("entities.txt", "entity\n01\n02\n03\n");
  BOOST_TEST(ids(load()) == (Names{"01", "02", "03"}), each);
  // A header inside a file shows that files were concatenated.
  write("relation2text.txt", "_hypernym\thypernym\nrelation\ttext\n_has_part\thas part\n");
  refuses("relation2text.txt", 2, "is a header inside the file; remove the line");
}

BOOST_FIXTURE_TEST_CASE(entities_that_are_called_so_are_no_header, KgBert) {
  write("entity2text.txt",
        "entity\tsomething that exists, a thing\n02\tdeer\n01\tanimal\n03\tmoose\n");
  BOOST_TEST(ids(load()) == (Names{"entity", "02", "01", "03"}), each);
}

BOOST_FIXTURE_TEST_CASE(a_header_inside_a_part_is_refused, Plain) {
  for (const char* header : {"head\trelation\ttail", "Subject\tPredicate\tObject", "h\tr\tt"}) {
    write("train.txt", std::string("Ulm\t_part_of\tGermany\n") + header + "\nUlm\tin\tBavaria\n");
    refuses("train.txt", 2, "is a header inside the file; remove the line");
  }
  // The same applies if the file also begins with a header.
  write("train.txt", "head\ttail\trelation\nUlm\tGermany\tin\nhead\ttail\trelation\n");
  write("valid.txt", "head\trelation\ttail\nUlm\tin\tBern\n");
  write("test.txt", "head\trelation\ttail\nBern\tin\tUlm\n");
  refuses("train.txt", 3, "is a header inside the file");
  // In a graph whose names are letters, a triple may look like a header; here, it is accepted
  // because another triple has the same relation.
  write("train.txt", "a\tr\tb\nh\tr\tt\n");
  write("valid.txt", "b\tr\ta\n");
  write("test.txt", "b\tr\tt\n");
  BOOST_TEST(load().train.size() == 2U);
}

BOOST_FIXTURE_TEST_CASE(a_header_inside_a_part_of_listed_entities_is_refused, KgBert) {
  write("train.tsv", "02\t_hypernym\t01\nhead\trelation\ttail\n");
  refuses("train.tsv", 2, "is a header inside the file; remove the line");
}

// If the columns were read in the usual order, "Lima" would become a relation.
BOOST_FIXTURE_TEST_CASE(a_part_without_the_header_that_orders_another_is_refused, Plain) {
  write("train.txt", "head\ttail\trelation\nFrance\tParis\tcap\n");
  write("valid.txt", "head\ttail\trelation\nItaly\tRome\tcap\n");
  write("test.txt", "Peru\tLima\tcap\n");
  refuses("test.txt", 1,
          "has no header, but the columns of valid.txt are not in the order head, relation, "
          "tail; add the header to each part");
  write("train.txt", "France\tParis\tcap\n");
  refuses("train.txt", 1, "has no header, but the columns of valid.txt are");
  // The parts are accepted if the header has the usual order or every part has a header.
  write("train.txt", "head\trelation\ttail\nFrance\tcap\tParis\n");
  write("test.txt", "tail\thead\trelation\nLima\tPeru\tcap\n");
  BOOST_TEST(spelt(load(), load().test) == Names{"Peru cap Lima@2"}, each);
  write("valid.txt", "Italy\tcap\tRome\n");
  write("test.txt", "Peru\tcap\tLima\n");
  BOOST_TEST(spelt(load(), load().test) == Names{"Peru cap Lima@1"}, each);
}

BOOST_AUTO_TEST_SUITE_END()
