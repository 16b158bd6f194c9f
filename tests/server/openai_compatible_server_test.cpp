// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/server/openai_compatible_server.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "support/dialects.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::FoundStandIn;
using test::says;
using test::speaking;

BOOST_AUTO_TEST_SUITE(openai_compatible_server_suite)

namespace {

/// A server whose vocabulary has five tokens.
SglangServer small_server() {
  const Json models = {{"data", Json::array({{{"id", "a/b/m"}, {"max_model_len", 77U}}})}};
  return {{models, "p"}, {Json({{"version", "8"}}), "p"}, "http://h", 5};
}

}  // namespace

BOOST_AUTO_TEST_CASE(server_reports_its_model_version_and_limits) {
  const SglangServer server = small_server();
  BOOST_TEST(server.facts().model == "m");
  BOOST_TEST(server.facts().version == "8");
  BOOST_TEST(server.facts().vocabulary == 5U);
  BOOST_TEST(server.facts().context == 77U);
  BOOST_TEST(!server.spells_tokens());
  BOOST_TEST(!server.gives_raw_vectors());
}

BOOST_AUTO_TEST_CASE(requests_name_the_model) {
  const SglangServer server = small_server();
  const HttpRequest embed = server.embed(std::vector<std::vector<TokenId>>{{1, 2}, {3}});
  BOOST_TEST(embed.route == "/v1/embeddings");
  BOOST_TEST(Json::parse(embed.body) ==
             Json({{"model", "a/b/m"}, {"input", {{1, 2}, {3}}}, {"encoding_format", "float"}}));
  const HttpRequest tokenize = server.tokenize("say \"a\"", false);
  BOOST_TEST(tokenize.route == "/tokenize");
  BOOST_TEST(Json::parse(tokenize.body) ==
             Json({{"model", "a/b/m"}, {"prompt", "say \"a\""}, {"add_special_tokens", false}}));
}

BOOST_AUTO_TEST_CASE(vectors_are_asked_and_read) {
  for (const char* const maker : {"vllm", "sglang"}) {
    BOOST_TEST_CONTEXT(maker) {
      auto options = speaking(maker);
      options.embeds = true;
      FoundStandIn found(options);
      const std::vector<std::vector<TokenId>> sequences{{1, 2}, {3}};
      const auto vectors =
          found.dialect->read_vectors(found.client.ask(found.dialect->embed(sequences)), 2);
      BOOST_TEST(vectors[0] == (std::vector<float>{3, -2, 2}), boost::test_tools::per_element());
      BOOST_TEST(vectors[1] == (std::vector<float>{4, -3, 1}), boost::test_tools::per_element());
    }
  }
}

BOOST_AUTO_TEST_CASE(vectors_are_put_in_the_order_of_their_index) {
  const SglangServer server = small_server();
  const auto read = [&](const char* body, std::size_t count) {
    return server.read_vectors({200, body}, count);
  };
  const auto vectors =
      read(R"({"data": [{"index": 1, "embedding": [3]}, {"index": 0, "embedding": [1, 2]}]})", 2);
  BOOST_TEST(vectors[0] == (std::vector<float>{1, 2}), boost::test_tools::per_element());
  BOOST_TEST(vectors[1] == (std::vector<float>{3}), boost::test_tools::per_element());
  BOOST_CHECK_EXCEPTION(read(R"({"data": [{"index": 0, "embedding": [1]}]})", 2), Error,
                        says(Fault::internal, "is not a list of 2 vectors"));
  BOOST_CHECK_EXCEPTION(
      read(R"({"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]})", 2),
      Error, says(Fault::internal, "has the wrong index"));
  BOOST_CHECK_EXCEPTION(read(R"({"data": [{"index": 4, "embedding": [1]}]})", 1), Error,
                        says(Fault::internal, "has the wrong index"));
  BOOST_CHECK_EXCEPTION(read("{}", 1), Error, says(Fault::internal, "data is missing"));
}

BOOST_AUTO_TEST_CASE(bare_tokens_spell_nothing) {
  const SglangServer server = small_server();
  const auto read = [&](const char* body) { return server.read_tokens({200, body}, "ab"); };
  const Tokenization made = read(R"({"tokens": [4, 2]})");
  BOOST_TEST(made.tokens.size() == 2U);
  BOOST_TEST(made.tokens[1].id == 2);
  BOOST_TEST(!made.spells_text);
  BOOST_CHECK_EXCEPTION(read(R"({"tokens": [5]})"), Error,
                        says(Fault::internal, "which is not in the vocabulary"));
  BOOST_CHECK_EXCEPTION(read(R"({"tokens": 4})"), Error, says(Fault::internal, "is not a list"));
}

BOOST_AUTO_TEST_SUITE_END()
