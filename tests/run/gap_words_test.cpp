// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/gap_words.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/prompt/statement.hpp"
#include "support/errors.hpp"
#include "support/hooked_model.hpp"
#include "support/word_mask_model.hpp"

using namespace plumb::detail;
using test::WordMaskModel;

BOOST_AUTO_TEST_SUITE(gap_words_suite)

namespace {

using Ids = std::vector<TokenId>;

Prompt filled(const std::string& word, const std::string& pattern = "[X] is [Y].") {
  return fill_template(pattern, "it", word, true);
}

WordMaskModel small() {
  return WordMaskModel(std::vector<std::string>{"it", "is", "red", "light", "."});
}

/// A tokenizer that merges a word with the full stop after it or with the space before it.
struct Joins : WordMaskModel {
  explicit Joins(bool with_space) : WordMaskModel(small()), joins_space(with_space) {}
  [[nodiscard]] Tokenization tokenize(std::string_view text) const {
    Tokenization made = WordMaskModel::tokenize(text);
    for (Token& token : made.tokens) {
      const auto next = token.bytes.end;
      if (!joins_space && next < text.size() && text[next] == '.') ++token.bytes.end;
      if (joins_space && token.bytes.begin > 0 && text[token.bytes.begin - 1] == ' ') {
        --token.bytes.begin;
      }
    }
    return made;
  }
  bool joins_space;
};

}  // namespace

BOOST_AUTO_TEST_CASE(an_answers_tokens_are_those_that_share_a_byte_with_it) {
  const WordMaskModel model = small();
  BOOST_TEST((answer_tokens(model, filled("red")) == Ids{model.id("red")}));
  BOOST_TEST(
      (answer_tokens(model, filled("light red")) == Ids{model.id("light"), model.id("red")}));
  BOOST_TEST(answer_tokens(model, filled("blue")).empty());  // unknown
  BOOST_TEST(answer_tokens(model, filled("light blue")).empty());
}

BOOST_AUTO_TEST_CASE(a_token_may_cover_the_space_before_a_word_and_nothing_behind_it) {
  const Joins space(true), stop(false);
  BOOST_TEST((answer_tokens(space, filled("red")) == Ids{space.id("red")}));
  BOOST_TEST(answer_tokens(stop, filled("red")).empty());
  BOOST_TEST((answer_tokens(stop, filled("red", "[Y] is [X].")) == Ids{stop.id("red")}));
}

BOOST_AUTO_TEST_CASE(a_token_past_the_vocabulary_is_refused) {
  struct Past : WordMaskModel {
    Past() : WordMaskModel(small()) {}
    [[nodiscard]] std::size_t vocabulary_size() const { return 4; }
  };
  BOOST_CHECK_EXCEPTION((void)answer_tokens(Past(), filled("red")), Error,
                        test::says(Fault::user, "outside the vocabulary of 4"));
}

BOOST_AUTO_TEST_CASE(a_gap_is_a_mask_in_the_frame) {
  const WordMaskModel model = small();
  const MaskedQuery query = gap_query(model, filled("[MASK]"));
  BOOST_TEST(
      (query.sequence == Ids{0, model.id("it"), model.id("is"), model.mask(), model.id("."), 1}));
  BOOST_TEST(query.position == 3U);
}

BOOST_AUTO_TEST_CASE(a_word_is_looked_at_once_for_each_pair_of_characters_around_it) {
  const WordMaskModel model = small();
  GapWords words(model);
  int looked = 0;
  const auto tokens = [&](const std::string& pattern, const std::string& word) {
    return words.tokens(filled("[MASK]", pattern), word, [&](const std::string& one) {
      ++looked;
      return filled(one, pattern);
    });
  };
  BOOST_TEST((tokens("[X] is [Y].", "red") == Ids{model.id("red")}));
  BOOST_TEST((tokens("so [X] is [Y].", "red") == Ids{model.id("red")}));
  BOOST_TEST(looked == 1);
  (void)tokens("[Y] is [X].", "red");   // at the start
  (void)tokens("[X] is [Y]", "red");    // at the end
  (void)tokens("[X] is [Y].", "blue");  // another word
  BOOST_TEST(looked == 4);
}

BOOST_AUTO_TEST_CASE(single_tokens_of_a_vocabulary_are_ascending_and_each_once) {
  const Joins model(false);
  GapWords words(model);
  const std::vector<std::string> all{"red", "is", "blue", "light red", "red"};
  BOOST_TEST((words.single_tokens(filled("x", "[Y] is [X]."), all) ==
              Ids{model.id("is"), model.id("red")}));
  BOOST_TEST(words.single_tokens(filled("x"), all).empty());  // all are merged with the full stop
  BOOST_TEST(words.was_single("is"));
  BOOST_TEST(!words.was_single("light red"));
}

BOOST_AUTO_TEST_SUITE_END()
