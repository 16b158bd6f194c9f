// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/answer_lemmas.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(answer_lemmas_suite)

namespace {

/// A folder in WordNet's format with two nouns and a verb.
struct SmallWordNet : test::TemporaryFolder {
  SmallWordNet() {
    write("index.noun", "guitar n 1 0 1 1 03467517  \nmouse n 1 0 1 1 02330245  \n");
    write("index.verb", "play v 1 0 1 1 01072949  \n");
    write("index.adj", "big a 1 0 1 1 01382086  \n");
    write("index.adv", "well r 1 0 1 1 00011093  \n");
    write("noun.exc", "mice mouse\n");
    for (const char* name : {"verb.exc", "adj.exc", "adv.exc"}) write(name, "");
  }
};

boost::test_tools::assertion_result wordnet_is_there(boost::unit_test::test_unit_id) {
  boost::test_tools::assertion_result there(std::filesystem::exists("/usr/share/wordnet"));
  there.message() << "/usr/share/wordnet is not there (install wordnet-base)";
  return there;
}

/// Returns whether the first text contains the second one as an answer.
bool holds(const AnswerLemmas& lemmas, const std::string& text, const std::string& answer) {
  return contains(NormalisedText(text, lemmas), NormalisedText(answer, lemmas));
}

}  // namespace

BOOST_AUTO_TEST_CASE(without_a_folder_words_stay_as_they_are) {
  const AnswerLemmas lemmas;
  BOOST_TEST(!lemmas.known());
  for (const std::string word : {"guitars", "mice", "", "são", "1960"}) {
    BOOST_TEST(lemmas(word) == word);
  }
  BOOST_TEST(!holds(lemmas, "He plays the guitars.", "guitar"));
  BOOST_TEST(holds(lemmas, "He plays the Guitar.", "guitar"));
}

BOOST_AUTO_TEST_CASE(with_a_folder_words_have_its_lemmas) {
  const SmallWordNet files;
  const AnswerLemmas lemmas(files.path());
  BOOST_TEST(lemmas.known());
  BOOST_TEST(lemmas("guitars") == "guitar");
  BOOST_TEST(lemmas("mice") == "mouse");
  BOOST_TEST(lemmas("plays") == "play");
  BOOST_TEST(lemmas("pianos") == "pianos");  // this index does not contain piano
  BOOST_TEST(holds(lemmas, "He plays the guitars.", "guitar"));
  BOOST_TEST(holds(lemmas, "a guitar", "Guitars!"));
  BOOST_TEST(!holds(lemmas, "a guitar", "guitar plays"));
}

BOOST_AUTO_TEST_CASE(one_can_be_chosen_while_the_program_runs_and_be_copied) {
  const SmallWordNet files;
  AnswerLemmas lemmas;
  const AnswerLemmas none = lemmas;
  lemmas = AnswerLemmas(files.path());
  const AnswerLemmas copy = lemmas;
  BOOST_TEST(none("mice") == "mice");
  BOOST_TEST(lemmas("mice") == "mouse");
  BOOST_TEST(copy("mice") == "mouse");
}

BOOST_AUTO_TEST_CASE(a_folder_without_wordnet_is_refused) {
  const test::TemporaryFolder folder;
  BOOST_CHECK_EXCEPTION(AnswerLemmas(folder.path()), Error,
                        says(Fault::user,
                             "index.noun: cannot be read; install WordNet (Debian's "
                             "wordnet-base), set `wordnet` to its folder, or set `wordnet` to none "
                             "to compare words as they are"));
}

// The paper's own example: the lemmas of "a guitar" are "a" and "guitar", and the only lemma of
// "guitars" is "guitar".
BOOST_AUTO_TEST_CASE(the_papers_answers_match_by_wordnet,
                     *boost::unit_test::precondition(wordnet_is_there)) {
  const AnswerLemmas lemmas(std::filesystem::path("/usr/share/wordnet"));
  BOOST_TEST(
      (NormalisedText("a guitar", lemmas).lemmas() == std::vector<std::string>{"a", "guitar"}));
  BOOST_TEST((NormalisedText("guitars", lemmas).lemmas() == std::vector<std::string>{"guitar"}));
  BOOST_TEST(holds(lemmas, "a guitar", "guitars"));
  BOOST_TEST(!holds(lemmas, "guitars", "a guitar"));
}

BOOST_AUTO_TEST_SUITE_END()
