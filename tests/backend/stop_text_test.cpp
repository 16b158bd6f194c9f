// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/backend/stop_text.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/backend/tree_generator.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(stop_text)

namespace {

using Texts = std::vector<std::string>;
constexpr std::size_t none = std::string_view::npos;

std::size_t place(std::string_view text, const Texts& stops) {
  return stop_place(text, stops);
}

/// A model that has memorised one text, given as tokens; a token's id is its position. Its logits
/// assign probability 1 to the next token, and `generate` returns the text. Any single token is a
/// valid prompt.
struct Reciter {
  Texts pieces;

  Tokenization tokenize(std::string_view) const { return {}; }
  std::string detokenize(std::span<const TokenId> ids) const {
    std::string text;
    for (const TokenId id : ids) text += pieces[static_cast<std::size_t>(id)];
    return text;
  }
  std::optional<TokenId> bos() { return std::nullopt; }
  std::size_t vocabulary_size() { return pieces.size() + 1; }
  std::size_t context_length() { return 100; }
  bool ends(TokenId token) { return static_cast<std::size_t>(token) == pieces.size(); }
  void evaluate(std::span<const TokenId> sequence, const LogitsVisitor& visit) {
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      std::vector<float> row(vocabulary_size(), -100.0F);
      row[std::min(i, pieces.size())] = 0.0F;
      visit(static_cast<std::uint32_t>(i), row);
    }
  }
  /// The kind of generator that a user might write.
  std::vector<Continuation> generate(std::span<const TokenId>, const GenerationOptions& options) {
    Continuation made;
    for (std::size_t i = 0; i < pieces.size() && i < options.max_new_tokens; ++i) {
      made.tokens.push_back(static_cast<TokenId>(i));
      made.log_probabilities.push_back(0);
      if (end_at_stop(*this, made, options.stop)) break;
    }
    return {made};
  }
};
static_assert(Generator<Reciter> && CausalLm<Reciter>);

/// Compares the text that the generator returns with the text produced token by token from the
/// logits.
void writes(const Texts& pieces, const Texts& stops, const std::string& expected,
            std::size_t most = 16) {
  Reciter reciter{pieces};
  const GenerationOptions options{.max_new_tokens = most, .stop = stops};
  const Continuation own = reciter.generate(std::vector<TokenId>{0}, options).front();
  BOOST_TEST(reciter.detokenize(own.tokens) == expected);
  BOOST_TEST(own.log_probabilities.size() == own.tokens.size());
  TreeGenerator grown(reciter);
  const Continuation other = grown.generate(std::vector<TokenId>{0}, options).front();
  BOOST_TEST(reciter.detokenize(other.tokens) == expected);
  BOOST_TEST(other.log_probabilities.size() == other.tokens.size());
}

}  // namespace

BOOST_AUTO_TEST_CASE(white_space_at_the_begin_ends_nothing) {
  BOOST_TEST(place("\nParis\nRome", {"\n"}) == 6U);
  BOOST_TEST(place("Paris\nRome", {"\n"}) == 5U);
  BOOST_TEST(place("\n\n \u00A0\n", {"\n"}) == none);
  BOOST_TEST(place("", {"\n"}) == none);
  BOOST_TEST(place("\n\nParis", {"\n"}) == none);
  BOOST_TEST(place(" \n Paris \n", {"\n", " "}) == 8U);
}

BOOST_AUTO_TEST_CASE(the_first_of_several_stop_texts_ends) {
  BOOST_TEST(place("Paris. Rome\n", {"\n", "."}) == 5U);
  BOOST_TEST(place("Paris. Rome\n", {".", "\n"}) == 5U);
  BOOST_TEST(place("Paris Rome\n", {".", "\n"}) == 10U);
  BOOST_TEST(place("Paris. Rome\n", {}) == none);
  BOOST_TEST(place("Paris. Rome\n", {""}) == none);
}

// A stop text that extends beyond the leading white space ends the text, even if nothing precedes
// it.
BOOST_AUTO_TEST_CASE(other_characters_may_end_a_continuation_at_once) {
  BOOST_TEST(place("%Paris%", {"%"}) == 0U);
  BOOST_TEST(place("\n%Paris%", {"%"}) == 1U);
  BOOST_TEST(place("\nQ: Which", {"\nQ:"}) == 0U);
  BOOST_TEST(place("\n\nQ: Which", {"\nQ:"}) == 1U);
  BOOST_TEST(place("\n\nQ: Which", {"\n\n"}) == none);
}

BOOST_AUTO_TEST_CASE(a_model_that_begins_with_a_line_break_gives_its_answer) {
  writes({"\n", "Par", "is", "\n", "Rome"}, {"\n"}, "\nParis");
  writes({"\n\n", " Paris", ".\n", "Rome"}, {"\n"}, "\n\n Paris");  // the whole token is removed
  writes({"\n\nPar", "is", "\n"}, {"\n"}, "\n\nParis");
  writes({"Paris", "\n", "Rome"}, {"\n"}, "Paris");
  writes({"Paris", ",", " Rome"}, {"\n", ","}, "Paris");
  writes({"Paris", "\n", "Rome"}, {}, "Paris\nRome");
}

BOOST_AUTO_TEST_CASE(an_answer_may_be_cut_and_may_be_nothing_but_white_space) {
  writes({"\n", "Par", "is", "\n"}, {"\n"}, "\nPar", 2);
  writes({"\n", "\n", "\n", "Paris"}, {"\n"}, "\n\n\n", 3);
  writes({"\n", "\n"}, {"\n"}, "\n\n");  // the model ends after these tokens
  writes({}, {"\n"}, "");
  writes({"%", "Paris"}, {"%"}, "");
}

BOOST_AUTO_TEST_CASE(a_stop_text_may_begin_in_one_token_and_end_in_another) {
  writes({"Paris", "\n", "Q", ": ", "Rome"}, {"\nQ:"}, "Paris");
  writes({"Paris", "\n", "Quito", "\n", "Q", ":"}, {"\nQ:"}, "Paris\nQuito");
}

BOOST_AUTO_TEST_SUITE_END()
