// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/answer_match.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "plumb/detail/measure/morphy.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(answer_match_suite)

namespace {

using List = std::vector<std::string>;

/// A lemma function that removes a final "s" and drops the word "a".
std::string small_lemma(std::string_view word) {
  if (word == "a") return "";
  return std::string(word.ends_with('s') ? word.substr(0, word.size() - 1) : word);
}

bool holds(std::string_view text, std::string_view answer) {
  return contains(NormalisedText(text), NormalisedText(answer));
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_text_is_the_list_of_its_lemmas) {
  BOOST_TEST(NormalisedText("A Guitar, or two").lemmas() == (List{"a", "guitar", "or", "two"}));
  BOOST_TEST(NormalisedText("Guitars", small_lemma).lemmas() == (List{"guitar"}));
  // The lemma function drops "a".
  BOOST_TEST(NormalisedText("a guitar", small_lemma).lemmas() == (List{"guitar"}));
  BOOST_TEST(NormalisedText().lemmas() == List{});
  BOOST_TEST(NormalisedText("?").lemmas() == List{});
  BOOST_TEST(NormalisedText("a", small_lemma).empty());
  BOOST_TEST(NormalisedText("New York").spaced() == " new york ");
  BOOST_TEST(NormalisedText("…").spaced() == "");
  BOOST_TEST((NormalisedText("U.S.") == NormalisedText("us")));
  BOOST_TEST((NormalisedText("a b") != NormalisedText("ab")));
}

BOOST_AUTO_TEST_CASE(a_lemmatiser_is_anything_that_makes_text_of_a_word) {
  static_assert(Lemmatiser<SameWord>);
  static_assert(Lemmatiser<Morphy>);
  static_assert(Lemmatiser<decltype(&small_lemma)>);
  static_assert(Lemmatiser<std::function<std::string(std::string_view)>>);
  static_assert(!Lemmatiser<int>);
  static_assert(!Lemmatiser<decltype([](std::string_view) { return 1; })>);
}

BOOST_AUTO_TEST_CASE(an_answer_is_a_contiguous_part_of_the_text) {
  BOOST_TEST(holds("the city of New York.", "new york"));
  BOOST_TEST(holds("New York", "New York"));
  BOOST_TEST(holds("York, New York", "york new"));
  BOOST_TEST(!holds("New in York", "New York"));
  BOOST_TEST(!holds("York New", "New York"));
  BOOST_TEST(!holds("New", "New York"));
  BOOST_TEST(!holds("Newark", "new"));  // only whole lemmas match
  BOOST_TEST(!holds("renew", "new"));
  BOOST_TEST(holds("new new york", "new york"));
}

BOOST_AUTO_TEST_CASE(an_empty_list_matches_only_an_empty_one) {
  BOOST_TEST(holds("", ""));
  BOOST_TEST(holds("...", "?"));
  BOOST_TEST(!holds("Paris", ""));
  BOOST_TEST(!holds("", "Paris"));
  const NormalisedText none, paris("Paris");
  BOOST_TEST(matches_either_way(none, none));
  BOOST_TEST(!matches_either_way(none, paris));
  BOOST_TEST(!matches_either_way(paris, none));
}

BOOST_AUTO_TEST_CASE(two_outputs_match_if_either_holds_the_other) {
  const NormalisedText a("a guitar", small_lemma), b("guitars", small_lemma), c("piano");
  const NormalisedText long_text("the guitar is loud", small_lemma);
  BOOST_TEST(matches_either_way(a, b));
  BOOST_TEST(matches_either_way(b, long_text));
  BOOST_TEST(matches_either_way(long_text, b));
  BOOST_TEST(!matches_either_way(a, c));
}

// The oracle is std::search over the lists of lemmas.
BOOST_AUTO_TEST_CASE(random_texts_agree_with_a_search_of_the_lists) {
  RandomStream random(7, "answer match");
  const auto draw = [&](std::size_t longest) {
    std::string text;
    for (std::size_t left = random.below(longest + 1); left > 0; --left) {
      text += std::vector<std::string>{"a", "b", "ab", "ba", "a b"}[random.below(5)] + " ";
    }
    return NormalisedText(text);
  };
  std::size_t found = 0;
  for (int i = 0; i < 5000; ++i) {
    const NormalisedText text = draw(6), answer = draw(3);
    const List in = text.lemmas(), part = answer.lemmas();
    const bool expected =
        part.empty() ? in.empty()
                     : std::search(in.begin(), in.end(), part.begin(), part.end()) != in.end();
    BOOST_REQUIRE(contains(text, answer) == expected);
    found += expected ? 1 : 0;
  }
  BOOST_TEST(found > 500U);
  BOOST_TEST(found < 4500U);
}

BOOST_AUTO_TEST_CASE(names_that_normalise_to_nothing_are_dropped_and_listed) {
  const List names{"?", "Guitars", "", "guitar", "Six-string", "A"};
  const UsableAnswers usable = usable_answers(names, small_lemma);
  BOOST_TEST(usable.dropped == (std::vector<std::size_t>{0, 2, 5}));
  // The name "guitar" duplicates name 1, "Guitars".
  BOOST_TEST(usable.names == (std::vector<std::size_t>{1, 4}));
  BOOST_REQUIRE(usable.answers.size() == 2U);
  BOOST_TEST(usable.answers[0].lemmas() == (List{"guitar"}));
  BOOST_TEST(usable.answers[1].lemmas() == (List{"six", "string"}));
  BOOST_TEST(contains_any(NormalisedText("two guitars", small_lemma), usable));
  BOOST_TEST(contains_any(NormalisedText("a six-string"), usable));
  BOOST_TEST(!contains_any(NormalisedText("six pianos"), usable));
  BOOST_TEST(!contains_any(NormalisedText(""), usable));
}

BOOST_AUTO_TEST_CASE(nothing_holds_an_object_without_a_usable_name) {
  const UsableAnswers usable = usable_answers(List{"?", "-"});
  BOOST_TEST(usable.answers.empty());
  BOOST_TEST(!contains_any(NormalisedText(""), usable));
  BOOST_TEST(!contains_any(NormalisedText("?"), usable));
  BOOST_TEST(!contains_any(NormalisedText("Paris"), usable));
}

BOOST_AUTO_TEST_SUITE_END()
