// SPDX-License-Identifier: Apache-2.0
#include "plumb/server/vllm_server.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "support/dialects.hpp"
#include "support/errors.hpp"

using namespace plumb;
using test::FoundStandIn;
using test::says;
using test::speaking;

BOOST_AUTO_TEST_SUITE(vllm_server_suite)

namespace {

double read_one(const FoundStandIn& found, const std::string& body, TokenId token) {
  double nats = 0;
  ServerTally tally;
  BOOST_TEST(found.dialect->read({200, body}, std::span(&token, 1), std::span(&nats, 1), tally));
  return nats;
}

}  // namespace

BOOST_AUTO_TEST_CASE(given_tokens_are_asked_and_read) {
  FoundStandIn found(speaking("vllm"));
  const std::vector<TokenId> prefix = found.ids("the c"), tokens{'a', 'z', 256};
  const HttpRequest request = found.dialect->ask(prefix, tokens, AskHow::plainly);
  BOOST_TEST(request.route == "/v1/completions");
  std::vector<double> nats(3);
  BOOST_TEST(found.dialect->read(found.client.ask(request), tokens, nats, found.tally));
  for (std::size_t i = 0; i < 3; ++i) {
    const double expected = found.made.model().log_probability(prefix, tokens[i]);
    BOOST_TEST(std::abs(nats[i] - expected) < 1e-12);
  }
  BOOST_TEST(found.tally.tokens_computed == 1U);
}

BOOST_AUTO_TEST_CASE(a_server_that_ignores_given_tokens_is_refused) {
  auto options = speaking("vllm");
  options.ignores_token_ids = true;
  FoundStandIn found(options);
  const std::vector<TokenId> tokens{'a'};
  std::vector<double> nats(1);
  const HttpReply reply = found.client.ask(found.dialect->ask(tokens, tokens, AskHow::plainly));
  BOOST_CHECK_EXCEPTION((void)found.dialect->read(reply, tokens, nats, found.tally), Error,
                        says(Fault::user, "use a vLLM whose completions take logprob_token_ids"));
}

BOOST_AUTO_TEST_CASE(continuations_are_greedy_or_drawn) {
  FoundStandIn found(speaking("vllm"));
  const std::vector<TokenId> prompt = found.ids("the d");
  for (const std::optional<std::uint32_t> seed :
       {std::optional<std::uint32_t>(), std::optional<std::uint32_t>(8)}) {
    const HttpReply reply = found.client.ask(found.dialect->generate(prompt, 5, seed));
    const ServerContinuation made = found.dialect->read_continuation(reply, found.tally);
    const std::uint64_t drawn = seed ? *seed : 0;
    const Continuation expected =
        found.made.model().generate(prompt, {seed ? 1U : 0U, 5, {}, drawn}).front();
    BOOST_TEST(made.tokens == expected.tokens, boost::test_tools::per_element());
    BOOST_TEST(made.log_probabilities.size() == made.tokens.size());
    for (std::size_t i = 0; i < made.tokens.size(); ++i) {
      BOOST_TEST(std::abs(made.log_probabilities[i] - expected.log_probabilities[i]) < 1e-12);
    }
    BOOST_TEST(made.ended == (made.tokens.size() < 5));
  }
}

BOOST_AUTO_TEST_CASE(vectors_are_normalised_ones_by_the_common_route) {
  auto options = speaking("vllm");
  options.embeds = true;
  FoundStandIn found(options);
  BOOST_TEST(!found.dialect->gives_raw_vectors());
  BOOST_TEST(!found.dialect->spells_tokens());
  const std::vector<std::vector<TokenId>> sequences{{1, 2}, {3}};
  const auto vectors =
      found.dialect->read_vectors(found.client.ask(found.dialect->embed(sequences)), 2);
  BOOST_TEST(vectors[0] == (std::vector<float>{3, -2, 2}), boost::test_tools::per_element());
  BOOST_TEST(vectors[1] == (std::vector<float>{4, -3, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(no_more_tokens_go_into_one_request_than_vllm_takes) {
  const FoundStandIn found(speaking("vllm"));
  BOOST_TEST(found.dialect->together(3, AskHow::plainly) == 3U);
  BOOST_TEST(found.dialect->together(1000, AskHow::wholly) == 128U);
}

BOOST_AUTO_TEST_CASE(wrong_replies_are_said) {
  const FoundStandIn found(speaking("vllm"));
  const auto reply = [](const std::string& top) {
    return R"({"choices":[{"logprobs":{"top_logprobs":[)" + top + "]}}]}";
  };
  BOOST_TEST(read_one(found, reply(R"({"token_id:5": -2, "token_id:6": -1})"), 5) == -2.0);
  BOOST_TEST(std::isinf(read_one(found, reply(R"({"token_id:5": -9999.0})"), 5)));
  for (const auto& [body, words] :
       {std::pair{reply(R"({" the": -2})"), "is no \"token_id:N\""},
        std::pair{reply(R"({"token_id:5x": -2})"), "is no \"token_id:N\""},
        std::pair{reply(R"({"token_id:99999": -2})"), "which the vocabulary lacks"},
        std::pair{reply(R"({"token_id:5": 2})"), "is no log-probability"},
        std::pair{reply(R"({"token_id:5": null})"), "is no log-probability"},
        std::pair{reply("3"), "is no object"}, std::pair{std::string("{}"), "is missing"},
        std::pair{std::string("{\"choices\": []}"), "is missing"},
        std::pair{std::string("<p>"), "a page (HTML)"}}) {
    BOOST_CHECK_EXCEPTION(read_one(found, body, 5), Error, says(Fault::internal, words));
  }
}

BOOST_AUTO_TEST_SUITE_END()
