// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/expression_parser.hpp"

#include <boost/test/unit_test.hpp>
#include <string_view>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(expression_parser)

namespace {

/// The only step of an expression.
ExpressionStep only_step(std::string_view expression) {
  const auto parsed = ExpressionParser(expression).parse();
  BOOST_REQUIRE((parsed.has_value() && parsed->size() == 1U && parsed->front().size() == 1U));
  return parsed->front().front();
}

}  // namespace

BOOST_AUTO_TEST_CASE(alternatives_contain_steps) {
  const auto parsed = ExpressionParser("ab?|(?:c|d)$").parse();
  BOOST_REQUIRE(parsed.has_value());
  BOOST_REQUIRE(parsed->size() == 2U);
  BOOST_TEST(parsed->at(0).size() == 2U);
  BOOST_TEST(parsed->at(0).at(1).least == 0U);
  BOOST_TEST((parsed->at(1).at(0).kind == ExpressionStep::Kind::group));
  BOOST_TEST(parsed->at(1).at(0).alternatives.size() == 2U);
  BOOST_TEST((parsed->at(1).at(1).kind == ExpressionStep::Kind::line_end));
  BOOST_TEST(!ExpressionParser("a(").parse().has_value());
}

BOOST_AUTO_TEST_CASE(repeats_have_limits) {
  const ExpressionStep step = only_step("x{2,5}");
  BOOST_TEST(step.least == 2U);
  BOOST_TEST(step.most == 5U);
  BOOST_TEST(!step.possessive);
  BOOST_TEST(only_step("x*+").possessive);
  BOOST_TEST(only_step("(?:xy)+").least == 1U);
}

BOOST_AUTO_TEST_CASE(sets_contain_characters) {
  const auto contains = [](std::string_view expression, char32_t c) {
    return only_step(expression).matches(c);
  };
  BOOST_TEST(contains("[a-c[x-z]]", U'y'));
  BOOST_TEST(!contains("[^a-c[x-z]]", U'y'));
  BOOST_TEST(contains("[\\p{L}&&[^a]]", U'b'));
  BOOST_TEST(!contains("[\\p{L}&&[^a]]", U'a'));
  BOOST_TEST(contains("\\w", U'²'));
  BOOST_TEST(!contains("[\\w]", U'²'));
  BOOST_TEST(contains("\\u6771", U'東'));
  const auto ignoring_case = ExpressionParser("(?i:s)").parse();
  BOOST_REQUIRE(ignoring_case.has_value());
  const ExpressionStep& s = ignoring_case->front().front().alternatives.front().front();
  for (const char32_t c : {U's', U'S', U'ſ'}) BOOST_TEST(s.matches(c));
}

BOOST_AUTO_TEST_SUITE_END()
