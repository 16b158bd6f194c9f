// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/server/vllm_server.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "support/dialects.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::FoundStandIn;
using test::read_one;
using test::says;
using test::speaking;

BOOST_AUTO_TEST_SUITE(vllm_server_suite)

BOOST_AUTO_TEST_CASE(given_tokens_are_asked_and_read) {
  test::check_given_tokens("vllm", "/v1/completions");
}

BOOST_AUTO_TEST_CASE(continuations_are_greedy_or_drawn) {
  test::check_continuations("vllm", 8);
}

BOOST_AUTO_TEST_CASE(a_server_that_ignores_given_tokens_is_refused) {
  auto options = speaking("vllm");
  options.ignores_token_ids = true;
  FoundStandIn found(options);
  const std::vector<TokenId> tokens{'a'};
  std::vector<double> nats(1);
  const HttpReply reply =
      found.client.ask(test::ask_after(*found.dialect, tokens, tokens, QueryMode::normal));
  BOOST_CHECK_EXCEPTION((void)test::read_after(*found.dialect, reply, tokens, nats, found.tally),
                        Error,
                        says(Fault::user,
                             "use a vLLM version whose completions support "
                             "logprob_token_ids"));
}

BOOST_AUTO_TEST_CASE(no_more_tokens_go_into_one_request_than_vllm_takes) {
  const FoundStandIn found(speaking("vllm"));
  BOOST_TEST(found.dialect->together(3, QueryMode::normal) == 3U);
  BOOST_TEST(found.dialect->together(1000, QueryMode::full_distribution) == 128U);
}

BOOST_AUTO_TEST_CASE(many_prefixes_share_a_request) {
  FoundStandIn found(speaking("vllm"));
  const std::vector<std::vector<TokenId>> prefixes{found.ids("the"), found.ids("cat sat o")};
  const std::vector<TokenId> first{'a', 'b'}, second{'b', 'n'};
  std::vector<double> nats(4);
  const std::vector<AskedPrefix> asked{{prefixes[0], first, std::span(nats).first(2)},
                                       {prefixes[1], second, std::span(nats).last(2)}};
  const HttpRequest request = found.dialect->ask(asked, QueryMode::normal);
  BOOST_TEST(Json::parse(request.body)["logprob_token_ids"] == Json({'a', 'b', 'n'}));
  BOOST_TEST(
      !found.dialect->read(found.client.ask(request), asked, QueryMode::normal, found.tally));
  for (std::size_t i = 0; i < 4; ++i) {
    const TokenId token = i < 2 ? first[i] : second[i - 2];
    const double expected = found.made.model().log_probability(prefixes[i / 2], token);
    BOOST_TEST(std::abs(nats[i] - expected) < 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(computed_tokens_of_several_cached_prompts_are_unknown) {
  FoundStandIn found(speaking("vllm"));
  const std::vector<TokenId> tokens{'a'};
  std::vector<double> nats(2);
  // A block of the prefix cache has 16 tokens.
  for (const auto& [length, count, is_unknown] :
       {std::tuple{16U, 2U, false}, std::tuple{17U, 1U, false}, std::tuple{17U, 2U, true}}) {
    const std::vector<AskedPrefix> asked(
        count, {std::vector<TokenId>(length, 'a'), tokens, std::span(nats).first(1)});
    const HttpRequest request = found.dialect->ask(asked, QueryMode::normal);
    (void)found.dialect->read(found.client.ask(request), asked, QueryMode::normal, found.tally);
    BOOST_TEST(found.tally.computed_is_unknown.load() == is_unknown);
  }
}

BOOST_AUTO_TEST_CASE(sequences_give_their_own_tokens) {
  FoundStandIn found(speaking("vllm"));
  std::vector<AskedSequence> sequences{{found.ids("the cat sat"), {}}, {found.ids("dog"), {}}};
  const HttpReply reply = found.client.ask(found.dialect->ask_sequences(sequences));
  found.dialect->read_sequences(reply, sequences, found.tally);
  for (const AskedSequence& one : sequences) {
    BOOST_TEST(one.nats.size() == one.tokens.size());
    for (std::size_t i = 1; i < one.tokens.size(); ++i) {
      const std::vector<TokenId> prefix(one.tokens.begin(),
                                        one.tokens.begin() + static_cast<int>(i));
      const double expected = found.made.model().log_probability(prefix, one.tokens[i]);
      BOOST_TEST(std::abs(one.nats[i] - expected) < 1e-12);
    }
  }
  sequences[1].next = {'c', 'a'};
  const HttpRequest request = found.dialect->ask_sequences(sequences);
  BOOST_TEST(Json::parse(request.body)["logprob_token_ids"] == Json({'a', 'c'}));
  found.dialect->read_sequences(found.client.ask(request), sequences, found.tally);
  BOOST_TEST(sequences[0].next_nats.empty());
  BOOST_TEST_REQUIRE(sequences[1].next_nats.size() == 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const double expected =
        found.made.model().log_probability(sequences[1].tokens, sequences[1].next[i]);
    BOOST_TEST(std::abs(sequences[1].next_nats[i] - expected) < 1e-12);
  }
  std::vector<AskedSequence> only{{{5, 6}, {}}};
  for (const auto& [body, words] :
       {std::pair{R"({"choices":[]})", "is not a list of 1"},
        std::pair{R"({"choices":[{"index":1}]})", "has the wrong index"},
        std::pair{R"({"choices":[{}]})", "is missing"},
        std::pair{R"({"choices":[{"prompt_logprobs":[null]}]})", "is not a list of 2 tokens"},
        std::pair{R"({"choices":[{"prompt_logprobs":[null,{"7":{"logprob":-1}}]}]})",
                  "lacks token 6"},
        std::pair{R"({"choices":[{"prompt_logprobs":[null,{"6":{"logprob":null}}]}]})",
                  "is not a log-probability"}}) {
    BOOST_CHECK_EXCEPTION(found.dialect->read_sequences({200, body}, only, found.tally), Error,
                          says(Fault::internal, words));
  }
}

BOOST_AUTO_TEST_CASE(invalid_replies_are_reported) {
  const FoundStandIn found(speaking("vllm"));
  const auto reply = [](const std::string& top) {
    return R"({"choices":[{"logprobs":{"top_logprobs":[)" + top + "]}}]}";
  };
  BOOST_TEST(read_one(*found.dialect, reply(R"({"token_id:5": -2, "token_id:6": -1})"), 5) == -2.0);
  BOOST_TEST(std::isinf(read_one(*found.dialect, reply(R"({"token_id:5": -9999.0})"), 5)));
  for (const auto& [body, words] :
       {std::pair{reply(R"({" the": -2})"), "is not \"token_id:N\""},
        std::pair{reply(R"({"token_id:5x": -2})"), "is not \"token_id:N\""},
        std::pair{reply(R"({"token_id:99999": -2})"), "which is not in the vocabulary"},
        std::pair{reply(R"({"token_id:5": 2})"), "is not a log-probability"},
        std::pair{reply(R"({"token_id:5": null})"), "is not a log-probability"},
        std::pair{reply("3"), "is not an object"}, std::pair{std::string("{}"), "is missing"},
        std::pair{std::string("{\"choices\": []}"), "is not a list of 1"},
        std::pair{std::string("<p>"), "a page (HTML)"}}) {
    BOOST_CHECK_EXCEPTION(read_one(*found.dialect, body, 5), Error, says(Fault::internal, words));
  }
}

BOOST_AUTO_TEST_SUITE_END()
