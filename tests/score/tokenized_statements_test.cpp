// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/score/tokenized_statements.hpp"

#include <boost/test/unit_test.hpp>
#include <optional>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/backend/text_tokens.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(tokenized_statements_suite)

namespace {

/// Tokens with the ids 10, 11, … that cover consecutive byte ranges of the given lengths.
Tokenization pieces(const std::vector<std::size_t>& lengths) {
  Tokenization result;
  std::size_t at = 0;
  for (const std::size_t length : lengths) {
    result.tokens.push_back({static_cast<TokenId>(10 + result.tokens.size()), {at, at + length}});
    at += length;
  }
  return result;
}

std::vector<TokenId> ids(const TokenizedStatements& statements, std::size_t statement) {
  std::vector<TokenId> all;
  for (std::size_t t = 0; t < statements.length(statement); ++t) {
    all.push_back(statements.token(statement, t));
  }
  return all;
}

std::vector<TokenId> rest(const TokenizedStatements& statements, std::size_t statement) {
  const auto tokens = statements.rest(statement);
  return {tokens.begin(), tokens.end()};
}

/// One character per token; "A" marks the answer's tokens.
std::string answers(const TokenizedStatements& statements, std::size_t statement) {
  std::string text(statements.length(statement), '.');
  for (const std::uint32_t t : statements.answer(statement)) text.at(t) = 'A';
  return text;
}

/// Adds a statement with these ids; the answer is the token at position `answer`.
void add(TokenizedStatements& statements, const std::vector<TokenId>& tokens, std::size_t answer,
         std::optional<TokenId> bos = std::nullopt) {
  Tokenization tokenization;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    tokenization.tokens.push_back({tokens[i], {i, i + 1}});
  }
  statements.add({std::string(tokens.size(), 'x'), {{answer, answer + 1}}},
                 after_bos(tokenization, bos));
}

}  // namespace

BOOST_AUTO_TEST_CASE(statements_keep_their_tokens_apart) {
  TokenizedStatements statements;
  BOOST_TEST(statements.size() == 0U);
  statements.add({}, pieces({1, 1, 1}));
  statements.add({}, pieces({}));
  statements.add({}, pieces({2}));
  BOOST_TEST(statements.size() == 3U);
  BOOST_TEST(ids(statements, 0) == (std::vector<TokenId>{10, 11, 12}));
  BOOST_TEST(ids(statements, 1).empty());
  BOOST_TEST(ids(statements, 2) == std::vector<TokenId>{10});
}

BOOST_AUTO_TEST_CASE(bos_comes_first_and_is_never_the_answers) {
  TokenizedStatements statements;
  statements.add({"ab", {{0, 1}}}, after_bos(pieces({1, 1}), 7));
  statements.add({}, after_bos(pieces({}), 7));
  BOOST_TEST(ids(statements, 0) == (std::vector<TokenId>{7, 10, 11}));
  BOOST_TEST(answers(statements, 0) == ".A.");
  BOOST_TEST(ids(statements, 1) == std::vector<TokenId>{7});
  BOOST_TEST(answers(statements, 1) == ".");
}

// "Rome is old" is tokenised as "Ro|me is| |old"; a token that overlaps the answer on either side
// belongs to it.
BOOST_AUTO_TEST_CASE(a_token_is_the_answers_when_their_bytes_overlap) {
  const std::vector<std::pair<ByteSpan, std::string>> cases{
      {{0, 4}, "AA.."}, {{0, 2}, "A..."},  {{2, 3}, ".A.."}, {{8, 11}, "...A"},  {{7, 8}, "..A."},
      {{6, 9}, ".AAA"}, {{0, 11}, "AAAA"}, {{4, 4}, "...."}, {{11, 20}, "...."},
  };
  for (const auto& [span, expected] : cases) {
    TokenizedStatements statements;
    statements.add({"Rome is old", {span}}, pieces({2, 5, 1, 3}));
    BOOST_TEST(answers(statements, 0) == expected);
  }
}

BOOST_AUTO_TEST_CASE(several_answer_spans_count_together) {
  TokenizedStatements statements;
  statements.add({"a b a", {{0, 1}, {4, 5}}}, after_bos(pieces({1, 1, 1, 1, 1}), 7));
  statements.add({"a b a", {}}, pieces({1, 1, 1, 1, 1}));
  BOOST_TEST(answers(statements, 0) == ".A...A");
  BOOST_TEST(answers(statements, 1) == ".....");
}

BOOST_AUTO_TEST_CASE(tokens_without_bytes_are_nobodys) {
  TokenizedStatements statements;
  statements.add({"ab", {{0, 2}}}, pieces({1, 0, 1}));
  BOOST_TEST(answers(statements, 0) == "A.A");
}

BOOST_AUTO_TEST_CASE(tokens_that_do_not_spell_the_text_hold_no_answer) {
  Tokenization lowered = pieces({2, 2});
  lowered.spells_text = false;
  TokenizedStatements statements;
  statements.add({"ROME", {{0, 4}}}, lowered);
  BOOST_TEST(answers(statements, 0) == "..");
}

BOOST_AUTO_TEST_CASE(the_places_of_the_answers_tokens_ascend) {
  TokenizedStatements statements;
  statements.add({"a b a", {{4, 5}, {0, 1}, {0, 2}}}, after_bos(pieces({1, 1, 1, 1, 1}), 7));
  const auto places = statements.answer(0);
  BOOST_TEST((std::vector<std::uint32_t>(places.begin(), places.end()) ==
              std::vector<std::uint32_t>{1, 2, 5}));
}

BOOST_AUTO_TEST_CASE(without_a_context_nothing_is_shared) {
  TokenizedStatements statements;
  BOOST_TEST(statements.context().empty());
  add(statements, {1, 2}, 0);
  BOOST_TEST(statements.shared(0) == 0U);
  BOOST_TEST(rest(statements, 0) == (std::vector<TokenId>{1, 2}));
}

BOOST_AUTO_TEST_CASE(a_statement_keeps_how_much_of_the_context_it_begins_with_and_its_rest) {
  struct Case {
    std::vector<TokenId> tokens;
    std::size_t shared;
    std::vector<TokenId> rest;
  };
  const std::vector<Case> cases{
      {{1, 2, 3, 8, 9}, 3, {8, 9}},  // continues the context
      {{1, 2, 9, 3}, 2, {9, 3}},     // branches off; a later token that matches again is not shared
      {{9, 2, 3}, 0, {9, 2, 3}},     // shares nothing
      {{1, 2, 3}, 3, {}},            // is the context
      {{1}, 1, {}},                  // lies within it
      {{}, 0, {}},
      {{1, 2, 3, 1, 2, 3}, 3, {1, 2, 3}},
  };
  TokenizedStatements statements;
  statements.set_context({1, 2, 3});
  for (const Case& each : cases) add(statements, each.tokens, 0);
  BOOST_REQUIRE(statements.size() == cases.size());
  BOOST_TEST(statements.context().size() == 3U);
  for (std::size_t s = 0; s < cases.size(); ++s) {
    BOOST_TEST(statements.shared(s) == cases[s].shared);
    BOOST_TEST(rest(statements, s) == cases[s].rest);
    BOOST_TEST(statements.length(s) == cases[s].tokens.size());
    BOOST_TEST(ids(statements, s) == cases[s].tokens);
  }
}

BOOST_AUTO_TEST_CASE(the_contexts_first_token_may_be_bos) {
  TokenizedStatements statements;
  statements.set_context({7, 1, 2});
  add(statements, {1, 2, 3}, 2, TokenId{7});
  add(statements, {2}, 0, TokenId{7});
  add(statements, {7, 1, 2}, 0);  // without BOS, but the same tokens
  BOOST_TEST(statements.shared(0) == 3U);
  BOOST_TEST(statements.shared(1) == 1U);
  BOOST_TEST(statements.shared(2) == 3U);
  BOOST_TEST(ids(statements, 0) == (std::vector<TokenId>{7, 1, 2, 3}));
}

BOOST_AUTO_TEST_CASE(an_answer_is_counted_from_the_statements_first_token_wherever_it_stands) {
  TokenizedStatements statements;
  statements.set_context({7, 1, 2, 3});
  add(statements, {1, 2, 3, 4}, 3, TokenId{7});  // after the context
  add(statements, {1, 2, 3, 4}, 1, TokenId{7});  // within it
  add(statements, {1, 5, 6}, 2, TokenId{7});     // after the place where it branches off
  BOOST_TEST(answers(statements, 0) == "....A");
  BOOST_TEST(answers(statements, 1) == "..A..");
  BOOST_TEST(answers(statements, 2) == "...A");
}

BOOST_AUTO_TEST_CASE(a_continuation_is_counted_from_the_bos) {
  TokenizedStatements statements;
  const Tokenization abc{{{'a', {0, 1}}, {'b', {1, 2}}, {'c', {2, 3}}}, true};
  statements.add({"abc", {}}, after_bos(abc, 7), 3);
  statements.add({"abc", {}}, abc, 1);
  statements.add({"abc", {}}, after_bos(abc, 7));
  BOOST_TEST(statements.continuation(0) == 3U);
  BOOST_TEST(statements.continuation(1) == 1U);
  BOOST_TEST(statements.continuation(2) == 0U);  // nothing is given
}

BOOST_AUTO_TEST_CASE(a_statement_begins_behind_what_stands_before_it) {
  TokenizedStatements statements;
  const Tokenization abc{{{'a', {0, 1}}, {'b', {1, 2}}, {'c', {2, 3}}}, true};
  statements.add({"abc", {}}, abc, 2, 1);
  statements.add({"abc", {}}, abc);
  BOOST_TEST(statements.begin(0) == 1U);
  BOOST_TEST(statements.begin(1) == 0U);
  BOOST_TEST(statements.length(0) == 3U);
}

BOOST_AUTO_TEST_SUITE_END()
