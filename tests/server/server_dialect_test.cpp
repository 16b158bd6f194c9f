// SPDX-License-Identifier: Apache-2.0
#include "plumb/server/server_dialect.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "support/errors.hpp"

using namespace plumb;
using test::says;

BOOST_AUTO_TEST_SUITE(server_dialect_suite)

BOOST_AUTO_TEST_CASE(ids_are_written_as_json) {
  BOOST_TEST(detail::json_ids({}) == "[]");
  BOOST_TEST(detail::json_ids(std::vector<TokenId>{5}) == "[5]");
  BOOST_TEST(detail::json_ids(std::vector<TokenId>{5, 0, 123456}) == "[5,0,123456]");
}

BOOST_AUTO_TEST_CASE(vectors_are_put_in_the_order_of_their_index) {
  const auto read = [](const char* body, std::size_t count) {
    return detail::read_openai_vectors(parse_reply(body, "p"), count);
  };
  const auto vectors =
      read(R"({"data": [{"index": 1, "embedding": [3]}, {"index": 0, "embedding": [1, 2]}]})", 2);
  BOOST_TEST(vectors[0] == (std::vector<float>{1, 2}), boost::test_tools::per_element());
  BOOST_TEST(vectors[1] == (std::vector<float>{3}), boost::test_tools::per_element());
  BOOST_CHECK_EXCEPTION(read(R"({"data": [{"index": 0, "embedding": [1]}]})", 2), Error,
                        says(Fault::internal, "is no list of 2 vectors"));
  BOOST_CHECK_EXCEPTION(
      read(R"({"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]})", 2),
      Error, says(Fault::internal, "has a wrong index"));
  BOOST_CHECK_EXCEPTION(read(R"({"data": [{"index": 4, "embedding": [1]}]})", 1), Error,
                        says(Fault::internal, "has a wrong index"));
  BOOST_CHECK_EXCEPTION(read("{}", 1), Error, says(Fault::internal, "data is missing"));
}

BOOST_AUTO_TEST_CASE(bare_tokens_spell_nothing) {
  const Tokenization made = detail::read_bare_tokens(parse_reply(R"({"tokens": [4, 2]})", "p"), 5);
  BOOST_TEST(made.tokens.size() == 2U);
  BOOST_TEST(made.tokens[1].id == 2);
  BOOST_TEST(!made.spells_text);
  BOOST_CHECK_EXCEPTION(detail::read_bare_tokens(parse_reply(R"({"tokens": [4]})", "p"), 4), Error,
                        says(Fault::internal, "which the vocabulary lacks"));
  BOOST_CHECK_EXCEPTION(detail::read_bare_tokens(parse_reply(R"({"tokens": 4})", "p"), 4), Error,
                        says(Fault::internal, "is no list"));
}

BOOST_AUTO_TEST_SUITE_END()
