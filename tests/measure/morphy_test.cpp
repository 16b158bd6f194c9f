// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/morphy.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using namespace plumb::detail::test;

BOOST_AUTO_TEST_SUITE(morphy_suite)

namespace {

/// The lines of an index; each word is listed with the number of its senses that occur in tagged
/// texts.
std::string index_of(const std::vector<std::pair<std::string, int>>& words) {
  std::string text = "  1 This software and database is being provided to you,  \n  2 \n";
  for (const auto& [word, tagged] : words) {
    text += word + " n 1 2 @ ~ 1 " + std::to_string(tagged) + " 03467517  \n";
  }
  return text;
}

/// A folder in WordNet's format with a few words of each part of speech.
struct SmallWordNet {
  TemporaryFolder folder;

  SmallWordNet() {
    folder.write("index.noun",
                 index_of({{"guitar", 1},  {"trumpet", 1}, {"trumpets", 0},    {"physic", 0},
                           {"physics", 1}, {"wale", 0},    {"wales", 0},       {"rose", 2},
                           {"leaf", 3},    {"leave", 1},   {"man", 9},         {"wa", 0},
                           {"ha", 0},      {"hi", 1},      {"ga", 0},          {"gas", 5},
                           {"bus", 1},     {"box", 3},     {"church", 3},      {"dish", 2},
                           {"buzz", 1},    {"city", 3},    {"glass", 4},       {"as", 0},
                           {"running", 2}, {"comic", 1},   {"comic_strip", 1}, {"doe", 0},
                           {"axe", 0},     {"axis", 2},    {"postman", 0},     {"anabas", 0}}));
    folder.write("index.verb", index_of({{"be", 13},
                                         {"have", 19},
                                         {"rise", 15},
                                         {"leave", 14},
                                         {"run", 41},
                                         {"speak", 4},
                                         {"try", 7},
                                         {"bake", 2},
                                         {"do", 13}}));
    folder.write("index.adj",
                 index_of({{"big", 9}, {"around", 1}, {"tall", 2}, {"nice", 3}, {"good", 19}}));
    folder.write("index.adv", index_of({{"well", 9}, {"quickly", 2}}));
    folder.write("noun.exc",
                 "anabases anabasis\naxes ax axis\nbus bus\ncomics comic_strip comic\nis is\n"
                 "leaves leaf leave\nmen man\n");
    folder.write("verb.exc", "has have\nleaves leave\nran run\nrose rise\nwas be\n");
    folder.write("adj.exc", "arounder arounder\nbetter good\nbigger big\n");
    folder.write("adv.exc", "better well\nbest well\n");
  }
};

void check(const Morphy& morphy, const std::vector<std::pair<std::string, std::string>>& pairs) {
  for (const auto& [word, lemma] : pairs) {
    BOOST_TEST(morphy.lemma(word) == lemma, word << " -> " << morphy.lemma(word));
  }
}

boost::test_tools::assertion_result wordnet_is_there(boost::unit_test::test_unit_id) {
  boost::test_tools::assertion_result there(std::filesystem::exists("/usr/share/wordnet"));
  there.message() << "/usr/share/wordnet is not there (install wordnet-base)";
  return there;
}

}  // namespace

BOOST_AUTO_TEST_CASE(rules_of_detachment_give_the_base_that_the_index_has) {
  const SmallWordNet files;
  check(Morphy(files.folder.path()), {{"guitars", "guitar"},
                                      {"buses", "bus"},
                                      {"boxes", "box"},
                                      {"buzzes", "buzz"},
                                      {"churches", "church"},
                                      {"dishes", "dish"},
                                      {"postmen", "postman"},
                                      {"cities", "city"},
                                      {"speaks", "speak"},
                                      {"tries", "try"},
                                      {"baked", "bake"},
                                      {"baking", "bake"},
                                      {"speaking", "speak"},
                                      {"tallest", "tall"},
                                      {"taller", "tall"},
                                      {"nicest", "nice"},
                                      {"quickly", "quickly"},
                                      {"pianos", "pianos"}});  // this index does not contain piano
}

BOOST_AUTO_TEST_CASE(exceptions_come_first_noun_before_verb_before_adjective_before_adverb) {
  const SmallWordNet files;
  check(Morphy(files.folder.path()), {{"men", "man"},
                                      {"leaves", "leaf"},  // not "leave", the verb's lemma
                                      {"was", "be"},       // not "wa", a noun
                                      {"has", "have"},     // not "ha", a noun
                                      {"ran", "run"},
                                      {"bigger", "big"},
                                      {"better", "good"},  // not "well", the adverb's lemma
                                      {"best", "well"}});
}

BOOST_AUTO_TEST_CASE(an_exception_counts_if_the_index_has_its_base) {
  const SmallWordNet files;
  check(Morphy(files.folder.path()), {{"axes", "axis"},     // this index does not contain ax
                                      {"comics", "comic"},  // a collocation is not a lemma
                                      {"is", "is"}});
}

// morphy(7WN): "If it is found the first base form is returned". The rules apply only to words that
// are not found.
BOOST_AUTO_TEST_CASE(no_rule_is_tried_for_an_exception) {
  const SmallWordNet files;
  check(Morphy(files.folder.path()), {{"anabases", "anabasis"},    // not a form of "anabas", a fish
                                      {"arounder", "arounder"}});  // not a comparative of "around"
}

BOOST_AUTO_TEST_CASE(a_rule_leaves_something_of_the_word) {
  const SmallWordNet files;
  check(Morphy(files.folder.path()), {{"menful", "menful"}});  // not "man", as for "postmen"
}

BOOST_AUTO_TEST_CASE(a_word_of_an_index_stays) {
  const SmallWordNet files;
  check(Morphy(files.folder.path()), {{"rose", "rose"},  // "rose" is also the base of the plural
                                      {"running", "running"},
                                      {"gas", "gas"},
                                      {"as", "as"},
                                      {"glass", "glass"},
                                      {"buss", "buss"},
                                      {"physics", "physics"},
                                      {"wales", "wales"}});
}

BOOST_AUTO_TEST_CASE(a_plural_noun_of_the_index_gives_way_to_a_singular_met_more_often) {
  const SmallWordNet files;
  check(Morphy(files.folder.path()), {{"trumpets", "trumpet"}, {"trumpet", "trumpet"}});
}

BOOST_AUTO_TEST_CASE(a_detached_base_has_at_least_three_letters) {
  const SmallWordNet files;
  check(Morphy(files.folder.path()), {{"his", "his"}, {"does", "doe"}, {"s", "s"}, {"", ""}});
}

BOOST_AUTO_TEST_CASE(measures_in_ful_take_their_plural_inside) {
  const SmallWordNet files;
  check(Morphy(files.folder.path()),
        {{"boxesful", "boxful"}, {"glassful", "glassful"}, {"ful", "ful"}});
}

BOOST_AUTO_TEST_CASE(words_come_back_in_lower_case) {
  const SmallWordNet files;
  const Morphy morphy(files.folder.path());
  check(morphy, {{"GUITARS", "guitar"},
                 {"Was", "be"},
                 {"Pelé", "pelé"},
                 {"ΑΘΉΝΑ", "αθήνα"},
                 {"МОСКВА", "москва"},
                 {"東京", "東京"},
                 {"\xFFs", "\xFFs"}});
  BOOST_TEST(morphy("Guitars") == "guitar");
}

BOOST_AUTO_TEST_CASE(lines_may_end_as_they_do_on_windows) {
  const SmallWordNet files;
  std::string text = slurp(files.folder / "verb.exc");
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) {
    text.insert(at, "\r");
  }
  files.folder.write("verb.exc", text);
  check(Morphy(files.folder.path()), {{"was", "be"}});
}

BOOST_AUTO_TEST_CASE(a_copy_and_a_moved_one_know_what_the_first_knew) {
  const SmallWordNet files;
  Morphy first(files.folder.path());
  const Morphy copy = first;
  const Morphy moved = std::move(first);
  for (const Morphy* morphy : {&copy, &moved})
    check(*morphy, {{"guitars", "guitar"}, {"was", "be"}});
}

BOOST_AUTO_TEST_CASE(error_for_a_missing_file_suggests_a_fix) {
  for (const std::string name : {"index.noun", "index.verb", "index.adj", "index.adv", "noun.exc",
                                 "verb.exc", "adj.exc", "adv.exc"}) {
    const SmallWordNet files;
    std::filesystem::remove(files.folder / name);
    BOOST_CHECK_EXCEPTION(
        Morphy(files.folder.path()), Error,
        says(Fault::user,
             (files.folder / name).string() +
                 ": cannot be read; install WordNet (Debian's wordnet-base), set `wordnet` to "
                 "its folder, or set `wordnet` to none to compare words as they are"));
  }
}

BOOST_AUTO_TEST_CASE(malformed_file_is_rejected_with_file_and_line) {
  const SmallWordNet files;
  const auto broken = [&](const std::string& name, const std::string& text,
                          const std::string& words) {
    const std::string kept = slurp(files.folder / name);
    files.folder.write(name, text);
    BOOST_CHECK_EXCEPTION(Morphy(files.folder.path()), Error,
                          says(Fault::user, (files.folder / name).string() + words));
    files.folder.write(name, kept);
  };
  broken("index.adj", "  1 licence\nbig a 1\n", ":2: is not a line of a WordNet index; ");
  broken("index.adj", "big a one 0 1 1 01382086\n", ":1: is not a line of a WordNet index; ");
  broken("index.adj", "big a 1 2 ! & 1x 1 01382086\n", ":1: is not a line of a WordNet index; ");
  broken("index.adj", "  1 licence\n", ": contains no words; ");
  broken("index.adj", "", ": contains no words; ");
  broken("adj.exc", "bigger big\nbetter\n", ":2: contains no base form; ");
}

// Each pair was looked up by hand in the files of WordNet 3.0.
BOOST_AUTO_TEST_CASE(words_of_wordnet_have_their_lemmas,
                     *boost::unit_test::precondition(wordnet_is_there)) {
  const Morphy morphy;
  check(morphy, {{"guitars", "guitar"},
                 {"guitar", "guitar"},
                 {"a", "a"},
                 {"was", "be"},
                 {"were", "be"},
                 {"been", "be"},
                 {"is", "be"},
                 {"has", "have"},
                 {"had", "have"},
                 {"did", "do"},
                 {"went", "go"},
                 {"spoken", "speak"},
                 {"speaks", "speak"},
                 {"men", "man"},
                 {"women", "woman"},
                 {"children", "child"},
                 {"mice", "mouse"},
                 {"feet", "foot"},
                 {"wolves", "wolf"},
                 {"lives", "life"},
                 {"countries", "country"},
                 {"churches", "church"},
                 {"Germans", "german"},
                 {"Romans", "roman"},
                 {"languages", "language"},
                 {"trumpets", "trumpet"},
                 {"organs", "organ"},
                 {"glasses", "glass"},
                 {"genera", "genus"},
                 {"genus", "genus"},
                 {"taxis", "taxi"},
                 {"bigger", "big"},
                 {"tallest", "tall"},
                 {"comics", "comic"},
                 {"guilders", "guilder"},  // its first base, "guilde", is in no index
                 {"scots", "scot"},
                 {"works", "work"},
                 // The expected lemmas were returned by morphstr in WordNet's own library for forms
                 // that are in no index.
                 {"anabases", "anabasis"},
                 {"arses", "arsis"},
                 {"bitting", "bit"},
                 {"co-opted", "coopt"},
                 {"androsphinges", "androsphinx"},
                 {"antae", "anta"},
                 {"popes", "pope"}});
  for (const std::string stays : {"us",
                                  "as",
                                  "his",
                                  "this",
                                  "gas",
                                  "bus",
                                  "rose",
                                  "wales",
                                  "laos",
                                  "mars",
                                  "kansas",
                                  "paris",
                                  "athens",
                                  "texas",
                                  "philippines",
                                  "netherlands",
                                  "physics",
                                  "mathematics",
                                  "politics",
                                  "species",
                                  "series",
                                  "omen",
                                  "glass",
                                  "congress",
                                  "chinese",
                                  "running",
                                  "better",
                                  "tokyo",
                                  "zürich",
                                  "1960",
                                  "xyzzys",
                                  "las",
                                  "tvs",
                                  "starest",
                                  "menful",
                                  "all-arounder",
                                  "northeasterner"}) {
    BOOST_TEST(morphy.lemma(stays) == stays, stays << " -> " << morphy.lemma(stays));
  }
}

BOOST_AUTO_TEST_CASE(a_noun_of_wordnet_and_its_lemma_have_one_lemma,
                     *boost::unit_test::precondition(wordnet_is_there)) {
  const Morphy morphy;
  std::ifstream stream("/usr/share/wordnet/index.noun");
  std::size_t words = 0;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(' ')) continue;
    const std::string lemma = morphy.lemma(line.substr(0, line.find(' ')));
    BOOST_REQUIRE(morphy.lemma(lemma) == lemma);
    ++words;
  }
  BOOST_TEST(words > 100'000U);
}

BOOST_AUTO_TEST_SUITE_END()
