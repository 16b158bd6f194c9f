// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/score/score_table.hpp"

#include <boost/test/unit_test.hpp>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(score_table_suite)

namespace {

bool same(const StatementScore& a, const StatementScore& b) {
  return a.log_likelihood == b.log_likelihood &&
         a.answer_log_likelihood == b.answer_log_likelihood && a.tokens == b.tokens &&
         a.answer_tokens == b.answer_tokens;
}

StatementScore numbered(std::size_t n) {
  const auto count = static_cast<std::uint32_t>(n);
  return {-1.0 * count, -0.5 * count, 100 + count, 10 + count};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_new_table_has_its_shape_and_holds_nothing) {
  const ScoreTable table(2, 3, 4);
  BOOST_TEST(table.facts() == 2U);
  BOOST_TEST(table.prompts() == 3U);
  BOOST_TEST(table.candidates() == 4U);
  BOOST_TEST(table.tokens.size() == 24U);
  BOOST_TEST(same(table.at(1, 2, 3), {}));
}

BOOST_AUTO_TEST_CASE(statements_count_through_candidates_then_prompts_then_facts) {
  ScoreTable table(2, 3, 4);
  for (std::size_t statement = 0; statement < 24; ++statement)
    table.set(statement, numbered(statement));
  std::size_t statement = 0;
  for (std::size_t fact = 0; fact < 2; ++fact) {
    for (std::size_t prompt = 0; prompt < 3; ++prompt) {
      const auto row = table.row(fact, prompt);
      BOOST_REQUIRE(row.size() == 4U);
      for (std::size_t candidate = 0; candidate < 4; ++candidate, ++statement) {
        BOOST_TEST(same(table.at(fact, prompt, candidate), numbered(statement)));
        BOOST_TEST(same(row[candidate], numbered(statement)));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_table_may_be_empty) {
  const ScoreTable table(0, 3, 4);
  BOOST_TEST(table.facts() == 0U);
  BOOST_TEST(table.candidates() == 4U);
  BOOST_TEST(ScoreTable(1, 1, 0).row(0, 0).empty());
}

BOOST_AUTO_TEST_SUITE_END()
