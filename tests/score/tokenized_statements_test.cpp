// SPDX-License-Identifier: Apache-2.0
#include "plumb/score/tokenized_statements.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

using namespace plumb;

namespace {

/// Ids 10, 11, … over consecutive bytes of the given lengths.
Tokenization pieces(const std::vector<std::size_t>& lengths) {
  Tokenization result;
  std::size_t at = 0;
  for (const std::size_t length : lengths) {
    result.tokens.push_back({static_cast<TokenId>(10 + result.tokens.size()), {at, at + length}});
    at += length;
  }
  return result;
}

/// One letter a token: "A" where it is the answer's.
std::string answers(const TokenizedStatements& statements, std::size_t statement) {
  std::string text;
  for (std::size_t t = 0; t < statements.tokens(statement).size(); ++t) {
    text += statements.is_answer(statement, t) ? 'A' : '.';
  }
  return text;
}

std::vector<TokenId> ids(const TokenizedStatements& statements, std::size_t statement) {
  const auto tokens = statements.tokens(statement);
  return {tokens.begin(), tokens.end()};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tokenized_statements_suite)

BOOST_AUTO_TEST_CASE(statements_keep_their_tokens_apart) {
  TokenizedStatements statements;
  BOOST_TEST(statements.size() == 0U);
  statements.add({}, pieces({1, 1, 1}), std::nullopt);
  statements.add({}, pieces({}), std::nullopt);
  statements.add({}, pieces({2}), std::nullopt);
  BOOST_TEST(statements.size() == 3U);
  BOOST_TEST(ids(statements, 0) == (std::vector<TokenId>{10, 11, 12}));
  BOOST_TEST(ids(statements, 1).empty());
  BOOST_TEST(ids(statements, 2) == std::vector<TokenId>{10});
}

BOOST_AUTO_TEST_CASE(bos_comes_first_and_is_never_the_answers) {
  TokenizedStatements statements;
  statements.add({"ab", {{0, 1}}}, pieces({1, 1}), TokenId{7});
  statements.add({}, pieces({}), TokenId{7});
  BOOST_TEST(ids(statements, 0) == (std::vector<TokenId>{7, 10, 11}));
  BOOST_TEST(answers(statements, 0) == ".A.");
  BOOST_TEST(ids(statements, 1) == std::vector<TokenId>{7});
  BOOST_TEST(answers(statements, 1) == ".");
}

// "Rome is old" as "Ro|me is| |old"; a token that reaches into the answer from either side is its
// too.
BOOST_AUTO_TEST_CASE(a_token_is_the_answers_when_their_bytes_overlap) {
  const std::vector<std::pair<ByteSpan, std::string>> cases{
      {{0, 4}, "AA.."}, {{0, 2}, "A..."},  {{2, 3}, ".A.."}, {{8, 11}, "...A"},  {{7, 8}, "..A."},
      {{6, 9}, ".AAA"}, {{0, 11}, "AAAA"}, {{4, 4}, "...."}, {{11, 20}, "...."},
  };
  for (const auto& [span, expected] : cases) {
    TokenizedStatements statements;
    statements.add({"Rome is old", {span}}, pieces({2, 5, 1, 3}), std::nullopt);
    BOOST_TEST(answers(statements, 0) == expected);
  }
}

BOOST_AUTO_TEST_CASE(several_answer_spans_count_together) {
  TokenizedStatements statements;
  statements.add({"a b a", {{0, 1}, {4, 5}}}, pieces({1, 1, 1, 1, 1}), TokenId{7});
  statements.add({"a b a", {}}, pieces({1, 1, 1, 1, 1}), std::nullopt);
  BOOST_TEST(answers(statements, 0) == ".A...A");
  BOOST_TEST(answers(statements, 1) == ".....");
}

BOOST_AUTO_TEST_CASE(tokens_without_bytes_are_nobodys) {
  TokenizedStatements statements;
  statements.add({"ab", {{0, 2}}}, pieces({1, 0, 1}), std::nullopt);
  BOOST_TEST(answers(statements, 0) == "A.A");
}

BOOST_AUTO_TEST_CASE(tokens_that_do_not_spell_the_text_hold_no_answer) {
  Tokenization lowered = pieces({2, 2});
  lowered.spells_text = false;
  TokenizedStatements statements;
  statements.add({"ROME", {{0, 4}}}, lowered, std::nullopt);
  BOOST_TEST(answers(statements, 0) == "..");
}

BOOST_AUTO_TEST_SUITE_END()
