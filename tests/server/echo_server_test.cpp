// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/server/echo_server.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/server/server_connection.hpp"
#include "support/dialects.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::FoundStandIn;
using test::read_one;
using test::says;
using test::speaking;

BOOST_AUTO_TEST_SUITE(echo_server_suite)

namespace {

struct Listing : NgramModel {
  using NgramModel::NgramModel;
  [[nodiscard]] std::vector<SpecialToken> special_tokens() const { return {{"<bos>", *bos()}}; }
};

ServerTokenizer tokenizer_with(std::vector<std::string> pieces) {
  const auto of = std::make_shared<const Listing>(test::StandInModel::text, 2, std::move(pieces));
  return server_tokenizer(of, of->vocabulary_size(), "a file");
}
/// The stand-in's own tokenizer.
ServerTokenizer right_tokenizer() {
  return tokenizer_with({"the ", "cat", " sat"});
}

ServerOptions connecting(const test::StandInServer& server, ServerTokenizer tokenizer) {
  ServerOptions options;
  options.url = server.url();
  options.http = test::quick_http();
  options.tokenizer = std::move(tokenizer);
  return options;
}

}  // namespace

BOOST_AUTO_TEST_CASE(given_tokens_are_prompts_that_end_with_them) {
  for (const bool with_next : {true, false}) {
    auto options = speaking("echo");
    options.echoes_next = with_next;
    FoundStandIn found(options);
    const std::vector<std::vector<TokenId>> prefixes{found.ids("the"), found.ids("cat sat o")};
    const std::vector<TokenId> first{'a', 'b'}, second{'n'};
    std::vector<double> nats(3);
    const std::vector<AskedPrefix> asked{{prefixes[0], first, std::span(nats).first(2)},
                                         {prefixes[1], second, std::span(nats).last(1)}};
    const HttpRequest request = found.dialect->ask(asked, QueryMode::normal);
    const Json body = Json::parse(request.body);
    BOOST_TEST(body["prompt"].size() == 3U);
    BOOST_TEST(body["echo"] == true);
    BOOST_TEST(
        !found.dialect->read(found.client.ask(request), asked, QueryMode::normal, found.tally));
    for (std::size_t i = 0; i < 3; ++i) {
      const double expected =
          found.made.model().log_probability(prefixes[i / 2], i < 2 ? first[i] : second[0]);
      BOOST_TEST(std::abs(nats[i] - expected) < 1e-12);
    }
  }
}

BOOST_AUTO_TEST_CASE(sequences_give_their_own_tokens) {
  FoundStandIn found(speaking("echo"));
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
}

BOOST_AUTO_TEST_CASE(a_connection_checks_the_server_and_its_tokenizer) {
  const test::StandInModel model(speaking("echo"));
  const test::StandInServer server(model);
  ServerConnection connection(connecting(server, right_tokenizer()));
  BOOST_TEST(connection.answers());
  BOOST_TEST(connection.texts_compared() == 4U);
  BOOST_TEST(!connection.check().is_whole);
  BOOST_TEST(connection.facts().kind == "echo (echo)");
  BOOST_TEST(!connection.dialect().reports_generated_ids());
  // Token 256 is "The " in this tokenizer and "the " on the server.
  BOOST_CHECK_EXCEPTION(
      ServerConnection(connecting(server, tokenizer_with({"The ", "cat", " sat"}))), Error,
      says(Fault::user, "use the tokenizer of the model that the server runs"));
}

BOOST_AUTO_TEST_CASE(scaled_probabilities_are_refused) {
  auto options = speaking("echo");
  options.shift = -9;  // the top five of 260 tokens then total less than 5/260
  const test::StandInModel model(options);
  const test::StandInServer server(model);
  BOOST_CHECK_EXCEPTION(ServerConnection(connecting(server, right_tokenizer())), Error,
                        says(Fault::user, "next-token probabilities add up to"));
}

BOOST_AUTO_TEST_CASE(a_server_that_does_not_echo_is_found_out) {
  const auto reply = [](const std::string& nats) {
    return HttpReply{200, R"({"choices":[{"logprobs":{"token_logprobs":)" + nats + "}}]}"};
  };
  BOOST_TEST(EchoServer::echoes(reply("[null, -2.5, -1]")));
  BOOST_TEST(EchoServer::echoes(reply("[null, -2.5]")));
  BOOST_TEST(!EchoServer::echoes(reply("[-1]")));  // only the generated token
  BOOST_TEST(!EchoServer::echoes(reply("[-1, -2]")));
  BOOST_TEST(!EchoServer::echoes(reply("[null, null]")));
  BOOST_TEST(!EchoServer::echoes(reply("[null, -1, -1, -1]")));
  BOOST_TEST(!EchoServer::echoes(reply("null")));
  BOOST_TEST(!EchoServer::echoes({200, R"({"choices":[{"text":"a"}]})"}));
  BOOST_TEST(!EchoServer::echoes({200, "<p>"}));
  BOOST_TEST(!EchoServer::echoes({404, "{}"}));
}

BOOST_AUTO_TEST_CASE(wrong_replies_are_refused) {
  const FoundStandIn found(speaking("echo"));
  const auto reply = [](const std::string& nats) {
    return R"({"choices":[{"logprobs":{"token_logprobs":)" + nats + "}}]}";
  };
  BOOST_TEST(read_one(*found.dialect, reply("[null, -2, -9]"), 5) == -2.0);
  for (const auto& [body, words] :
       {std::pair{reply("[null]"), "is not a list of 2 tokens"},
        std::pair{reply("[null, 1]"), "log-probability"},
        std::pair{reply("[null, null]"), "log-probability"},
        std::pair{reply("[null, -1, -1, -1]"), "is not a list of 2 tokens"},
        std::pair{std::string(R"({"choices":[]})"), "list of 1"},
        std::pair{std::string("{}"), "is missing"}}) {
    BOOST_CHECK_EXCEPTION((void)read_one(*found.dialect, body, 5), Error,
                          says(Fault::internal, words));
  }
}

BOOST_AUTO_TEST_SUITE_END()
