// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/prompt/many_shot.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(many_shot_suite)

namespace {

using Texts = std::vector<std::string>;

const std::vector<SubjectObject> capitals{{"France", "Paris"}, {"Italy", "Rome"}, {"Chad", "é"}};

Texts answers(const Prompt& prompt) {
  Texts texts;
  for (const ByteSpan span : prompt.answer) {
    texts.push_back(prompt.text.substr(span.begin, span.end - span.begin));
  }
  return texts;
}

/// The prompt's text, split at its cuts.
Texts pieces(const Prompt& prompt) {
  Texts texts;
  std::size_t begin = 0;
  for (const auto& [cut, separator] : prompt.cuts) {
    texts.push_back(prompt.text.substr(begin, cut - begin));
    begin = cut;
  }
  texts.push_back(prompt.text.substr(begin));
  return texts;
}

/// One token per part; the parts cover consecutive byte ranges.
Tokenization tokens(const Texts& parts) {
  Tokenization result;
  std::size_t at = 0;
  for (const std::string& part : parts) {
    result.tokens.push_back({static_cast<TokenId>(result.tokens.size()), {at, at + part.size()}});
    at += part.size();
  }
  return result;
}

std::ptrdiff_t merged(const ManyShot& form, const std::vector<SubjectObject>& pairs,
                      const Texts& parts) {
  const Prompt prompt = form.sequence(pairs);
  std::string text;
  for (const std::string& part : parts) text += part;
  BOOST_REQUIRE(text == prompt.text);
  return merged_token(form, prompt, tokens(parts));
}

}  // namespace

BOOST_AUTO_TEST_CASE(pairs_stand_in_a_row_with_one_space_between_all) {
  const Prompt prompt = ManyShot{}.sequence(capitals);
  BOOST_TEST(prompt.text == "France Paris Italy Rome Chad é");
  BOOST_TEST(answers(prompt) == (Texts{"Paris", "Rome", "é"}));
  BOOST_TEST((prompt.answer.front() == ByteSpan{7, 12}));
  BOOST_TEST(prompt.cuts.empty());
  BOOST_TEST(ManyShot{}.sequence(std::span(capitals).first(1)).text == "France Paris");
  const Prompt none = ManyShot{}.sequence({});
  BOOST_TEST(none.text.empty());
  BOOST_TEST(none.answer.empty());
}

// A tokenizer may merge spaces at the end of a subject with the separator before one choice but not
// before another. These spaces therefore always belong to the continuation.
BOOST_AUTO_TEST_CASE(spaces_at_a_subjects_end_are_not_given) {
  const std::vector<SubjectObject> shots{{" France ", "Paris "}};
  const Prompt asked = ManyShot{}.question(shots, "Tie  ", "5");
  BOOST_TEST(asked.text == " France  Paris  Tie   5");
  BOOST_TEST(asked.text.substr(0, asked.given) == " France  Paris  Tie");
  BOOST_TEST(answers(asked) == (Texts{"5"}));
  BOOST_TEST(ManyShot{}.opening(shots, "Tie  ").text == " France  Paris  Tie  ");
  BOOST_TEST(ManyShot{}.opening(shots, "Tie  ").given == 19U);
  BOOST_TEST(ManyShot{}.question(Prompt{}, "Two  Words", "x").given == 10U);
  // If parts are tokenised separately, the separator and everything before it count as given.
  const ManyShot apart{" ", ",", Join::ids};
  const Prompt by_ids = apart.question(shots, "Tie ", "5");
  BOOST_TEST(by_ids.text.substr(0, by_ids.given) == " France  Paris ,Tie  ");
  BOOST_TEST(pieces(by_ids) == (Texts{" France ", " ", "Paris ", ",", "Tie ", " ", "5"}));
}

BOOST_AUTO_TEST_CASE(each_separator_has_its_place) {
  const ManyShot form{" lies in ", ".\n"};
  const Prompt prompt = form.sequence(capitals);
  BOOST_TEST(prompt.text == "France lies in Paris.\nItaly lies in Rome.\nChad lies in é");
  BOOST_TEST(answers(prompt) == (Texts{"Paris", "Rome", "é"}));
  const Prompt bare = ManyShot{"", ""}.sequence(capitals);
  BOOST_TEST(bare.text == "FranceParisItalyRomeChadé");
  BOOST_TEST(answers(bare) == (Texts{"Paris", "Rome", "é"}));
}

BOOST_AUTO_TEST_CASE(in_a_question_the_choice_alone_is_the_answer) {
  const ManyShot form{": ", "; "};
  const Prompt prompt = form.question(std::span(capitals).first(2), "Peru", "Lima");
  BOOST_TEST(prompt.text == "France: Paris; Italy: Rome; Peru: Lima");
  BOOST_TEST(answers(prompt) == Texts{"Lima"});
  const Prompt first = form.question(std::span<const SubjectObject>{}, "Peru", "Lima");
  BOOST_TEST(first.text == "Peru: Lima");
  BOOST_TEST((first.answer == std::vector{ByteSpan{6, 10}}));
  // The separator belongs to the continuation.
  BOOST_TEST(first.given == 4U);
  BOOST_TEST(prompt.text.substr(0, prompt.given) == "France: Paris; Italy: Rome; Peru");
}

BOOST_AUTO_TEST_CASE(a_question_after_a_built_sequence_is_the_same) {
  for (const Join join : {Join::text, Join::ids}) {
    const ManyShot form{" - ", ", ", join};
    for (std::size_t count = 0; count <= capitals.size(); ++count) {
      const auto shots = std::span(capitals).first(count);
      const Prompt whole = form.question(shots, "Peru", "Lima");
      const Prompt after = form.question(form.sequence(shots), "Peru", "Lima");
      BOOST_TEST(after.text == whole.text);
      BOOST_TEST((after.answer == whole.answer));
      BOOST_TEST((after.cuts == whole.cuts));
      BOOST_TEST(after.given == whole.given);
      // Context sharing depends on this: the question begins with its shots.
      const Prompt context = form.sequence(shots);
      BOOST_TEST(whole.text.starts_with(context.text));
      BOOST_TEST(whole.text.starts_with(form.opening(shots, "Peru").text));
    }
  }
}

BOOST_AUTO_TEST_CASE(an_opening_ends_with_the_subject_and_has_no_answer) {
  const ManyShot form{": ", "; "};
  const Prompt prompt = form.opening(std::span(capitals).first(2), "Peru");
  BOOST_TEST(prompt.text == "France: Paris; Italy: Rome; Peru");
  BOOST_TEST(prompt.answer.empty());
  BOOST_TEST(prompt.cuts.empty());
  BOOST_TEST(form.opening({}, "Peru").text == "Peru");
  BOOST_TEST(prompt.given == prompt.text.size());
}

BOOST_AUTO_TEST_CASE(joined_by_ids_every_part_is_cut_from_the_next) {
  const ManyShot form{" ", ",", Join::ids};
  const Prompt sequence = form.sequence(std::span(capitals).first(2));
  BOOST_TEST(sequence.text == "France Paris,Italy Rome");
  BOOST_TEST(pieces(sequence) == (Texts{"France", " ", "Paris", ",", "Italy", " ", "Rome"}));
  BOOST_TEST(answers(sequence) == (Texts{"Paris", "Rome"}));
  const Prompt question = form.question(std::span(capitals).first(1), "Chad", "é");
  BOOST_TEST(pieces(question) == (Texts{"France", " ", "Paris", ",", "Chad", " ", "é"}));
  std::vector<bool> separators;
  for (const Cut& cut : question.cuts) separators.push_back(cut.separator);
  BOOST_TEST(separators == (std::vector<bool>{true, false, true, false, true, false}));
  // Only the object's own tokens are scored: the separator before the object counts as given.
  BOOST_TEST(question.text.substr(0, question.given) == "France Paris,Chad ");
  BOOST_TEST(pieces(form.question(Prompt{}, "Chad", "é")) == (Texts{"Chad", " ", "é"}));
  BOOST_TEST(pieces(form.opening(std::span(capitals).first(1), "Chad")) ==
             (Texts{"France", " ", "Paris", ",", "Chad"}));
  BOOST_TEST(form.opening({}, "Chad").cuts.empty());
}

BOOST_AUTO_TEST_CASE(joined_by_ids_without_separators_subject_and_object_are_still_apart) {
  const Prompt prompt = ManyShot{"", "", Join::ids}.sequence(std::span(capitals).first(2));
  BOOST_TEST(prompt.text == "FranceParisItalyRome");
  // An empty piece has no tokens, so only the four labels are left.
  Texts held;
  for (const std::string& piece : pieces(prompt)) {
    if (!piece.empty()) held.push_back(piece);
  }
  BOOST_TEST(held == (Texts{"France", "Paris", "Italy", "Rome"}));
  BOOST_TEST(std::ranges::is_sorted(prompt.cuts, {}, &Cut::at));
}

BOOST_AUTO_TEST_CASE(a_token_may_hold_a_separator_with_either_neighbour) {
  const std::vector<SubjectObject> pairs{{"ab", "cd"}, {"ef", "gh"}};
  BOOST_TEST(merged({}, pairs, {"ab", " ", "cd", " ", "ef", " ", "gh"}) == -1);
  BOOST_TEST(merged({}, pairs, {"ab", " cd", " ef", " gh"}) == -1);
  BOOST_TEST(merged({}, pairs, {"ab ", "cd ", "ef ", "gh"}) == -1);
  BOOST_TEST(merged({}, pairs, {"a", "b ", "c", "d ", "e", "f", " g", "h"}) == -1);
  BOOST_TEST(merged_token({}, {}, {}) == -1);
}

BOOST_AUTO_TEST_CASE(a_token_over_object_and_subject_is_found) {
  const std::vector<SubjectObject> pairs{{"ab", "cd"}, {"ef", "gh"}};
  BOOST_TEST(merged({}, pairs, {"a", "b c", "d", " ef", " gh"}) == 1);  // a token spans a separator
  // A token extends into the next pair.
  BOOST_TEST(merged({}, pairs, {"ab", " cd e", "f", " ", "gh"}) == 1);
  BOOST_TEST(merged({}, pairs, {"ab", " cd", " e", "f gh"}) == 3);  // the token is in a later pair
  // The first of several such tokens counts.
  BOOST_TEST(merged({}, pairs, {"ab cd", " ef gh"}) == 0);
  BOOST_TEST(merged({}, pairs, {"ab cd ef gh"}) == 0);
}

BOOST_AUTO_TEST_CASE(without_a_separator_any_byte_of_both_is_a_merge) {
  const std::vector<SubjectObject> pairs{{"ab", "cd"}, {"ef", "gh"}};
  const ManyShot bare{"", ""};
  BOOST_TEST(merged(bare, pairs, {"ab", "cd", "ef", "gh"}) == -1);
  BOOST_TEST(merged(bare, pairs, {"a", "bc", "d", "ef", "gh"}) == 1);
  BOOST_TEST(merged(bare, pairs, {"ab", "c", "de", "f", "gh"}) == 2);
  const ManyShot half{"", ", "};  // each separator is checked separately
  BOOST_TEST(merged(half, pairs, {"ab", "cd, ", "ef", "gh"}) == -1);
  BOOST_TEST(merged(half, pairs, {"ab", "cd, e", "f", "gh"}) == 1);
  BOOST_TEST(merged(half, pairs, {"ab", "cd", ", ", "efg", "h"}) == 3);
  const ManyShot other{", ", ""};
  BOOST_TEST(merged(other, pairs, {"ab", ", cd", "ef", ", gh"}) == -1);
  BOOST_TEST(merged(other, pairs, {"a", "b, c", "d", "ef", ", gh"}) == 1);
  BOOST_TEST(merged(other, pairs, {"ab, ", "c", "de", "f, ", "gh"}) == 2);
}

BOOST_AUTO_TEST_SUITE_END()
