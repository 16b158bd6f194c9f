// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/server/server_connection.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "support/dialects.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;
using test::speaking;
using test::StandInModel;
using test::StandInRequest;
using test::StandInServer;

BOOST_AUTO_TEST_SUITE(server_connection_suite)

namespace {

ServerOptions at(const StandInServer& server) {
  ServerOptions options;
  options.url = server.url();
  options.http = test::quick_http();
  return options;
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_found_at_connect) {
  auto options = speaking("llamacpp");
  options.embeds = true;
  const StandInServer server{StandInModel(options)};
  ServerConnection connection(at(server));
  BOOST_TEST(connection.facts().kind == "llama-server");
  BOOST_TEST(connection.answers());
  BOOST_TEST(connection.dimension() == 3U);
  BOOST_TEST(connection.given() == nullptr);
  BOOST_TEST(connection.texts_compared() == 0U);
  BOOST_TEST(*connection.bos() == 259);
  BOOST_TEST(connection.identity().size() == 16U);
  BOOST_TEST(connection.check().sum_off < 1e-9);
  BOOST_TEST(connection.ids_of("the a", true) == (std::vector<TokenId>{259, 256, 'a'}),
             boost::test_tools::per_element());
  BOOST_TEST(connection.ids_of("the a", false).size() == 2U);
}

// llama.cpp reports token 11 as BOS if a BPE model has none; in Qwen's vocabularies, it is ",".
BOOST_AUTO_TEST_CASE(an_ordinary_token_is_not_bos) {
  auto options = speaking("llamacpp");
  options.spoil = [](const StandInRequest& request, test::StandInReply& reply) {
    if (request.route != "/props") return;
    Json props = Json::parse(reply.body);
    props["bos_token"] = ",";
    props["chat_template"] = "{{ bos_token }}{{ messages[0].content }}";
    reply.body = props.dump();
  };
  const StandInServer server{StandInModel(options)};
  ServerConnection connection(at(server));
  BOOST_TEST(!connection.bos().has_value());
  BOOST_TEST(*connection.adds_bos() == false);
  BOOST_TEST(connection.ids_of("the a", true).size() == 2U);
  BOOST_TEST(connection.chat_template()->tokens.at("bos_token").empty());
  BOOST_TEST(!connection.chat_template()->text.empty());
}

// llama-server reports a ChatML template for a model without a template.
BOOST_AUTO_TEST_CASE(a_template_with_markers_that_are_plain_text_is_not_the_models) {
  for (const bool is_special : {false, true}) {
    auto options = speaking("llamacpp");
    options.spoil = [is_special](const StandInRequest& request, test::StandInReply& reply) {
      if (request.route == "/props") {
        Json props = Json::parse(reply.body);
        props["chat_template"] = "<|im_start|>{{ messages[0].content }}";
        reply.body = props.dump();
      }
      if (!is_special || request.route != "/tokenize") return;
      const Json body = Json::parse(request.body);
      if (body["content"] == "<|im_start|>" && body["parse_special"] == true) {
        reply.body = R"({"tokens": [{"id": 259, "piece": "<|im_start|>"}]})";
      }
    };
    const StandInServer server{StandInModel(options)};
    ServerConnection connection(at(server));
    BOOST_TEST(connection.chat_template()->text.empty() == !is_special);
    BOOST_TEST(connection.chat_template()->tokens.at("bos_token") == "<bos>");
  }
}

BOOST_AUTO_TEST_CASE(by_default_a_llama_server_gets_two_more_requests_than_slots) {
  const auto concurrency = [](std::size_t slots, std::optional<std::size_t> given) {
    auto options = speaking("llamacpp");
    options.slots = slots;
    const StandInServer server{StandInModel(options)};
    ServerOptions asked = at(server);
    asked.http.concurrency = given;
    return ServerConnection(std::move(asked)).client().concurrency();
  };
  BOOST_TEST(concurrency(0, {}) == 8U);  // the server does not report its slots
  BOOST_TEST(concurrency(16, {}) == 18U);
  BOOST_TEST(concurrency(1, {}) == 3U);
  BOOST_TEST(concurrency(16, 3) == 3U);
  BOOST_TEST(concurrency(1, 3) == 3U);
}

BOOST_AUTO_TEST_CASE(nothing_is_asked_again_where_the_server_was_never_lost) {
  const StandInServer server{StandInModel(speaking("llamacpp"))};
  ServerConnection connection(at(server));
  const std::size_t before = server.requests();
  connection.refuse_other_model();
  BOOST_TEST(server.requests() == before);
}

BOOST_AUTO_TEST_CASE(a_server_that_came_back_is_taken_where_it_is_the_same) {
  std::optional<StandInServer> server(StandInModel(speaking("llamacpp")));
  const std::uint16_t port = server->port();
  ServerConnection connection(at(*server));
  server.reset();
  server.emplace(StandInModel(speaking("llamacpp")), port);
  (void)connection.client().ask({"/props", ""});
  connection.refuse_other_model();
  BOOST_TEST(server->requests() > 1U);
  server.reset();
  auto other = speaking("llamacpp");
  other.name = "other";
  server.emplace(StandInModel(other), port);
  (void)connection.client().ask({"/props", ""});
  BOOST_CHECK_EXCEPTION(connection.refuse_other_model(), Error,
                        says(Fault::internal,
                             "after the connection was lost, a different model is answering: "
                             "other, not tiny"));
}

namespace {

/// Two models at one address, as behind a proxy. `second` determines which model answers. While
/// `fails` is counting down, requests fail with `status`.
struct Proxied {
  explicit Proxied(const StandInModel& first, const StandInModel& other)
      : server([this, first, other](const StandInRequest& request) {
          if (fails > 0 && fails-- > 0) return StandInModel::error(status, "passing");
          return second ? other(request) : first(request);
        }) {}
  std::atomic<bool> second{false};
  std::atomic<int> fails{0};
  std::atomic<unsigned> status{502};
  StandInServer server;
};

const StandInModel& tiny() {
  static const StandInModel made(speaking("llamacpp"));
  return made;
}
/// Two stand-ins: the same model under a different name, and a different model under the same name.
const StandInModel& renamed() {
  static const StandInModel made = [] {
    auto options = speaking("llamacpp");
    options.name = "other";
    return StandInModel(options);
  }();
  return made;
}
const StandInModel& retrained() {
  static const StandInModel made(
      speaking("llamacpp"),
      std::string(StandInModel::text) + "the cat ran. the cat ran. the cat ran. ");
  return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_proxy_that_lost_its_server_may_have_another_behind_it) {
  for (const unsigned status : {500U, 502U, 503U, 504U}) {
    for (const StandInModel* const other : {&renamed(), &retrained(), &tiny()}) {
      Proxied proxied(tiny(), *other);
      ServerConnection connection(at(proxied.server));
      proxied.second = true;
      proxied.status = status;
      proxied.fails = 1;
      (void)connection.client().ask({"/props", ""});
      if (other == &tiny()) {
        connection.refuse_other_model();
      } else {
        BOOST_CHECK_EXCEPTION(
            connection.refuse_other_model(), Error,
            says(Fault::internal, other == &renamed()
                                      ? "is answering: other, not tiny; finished work"
                                      : "is answering: it has the same name, tiny, but "
                                        "continues fixed texts differently"));
      }
    }
  }
  Proxied busy(tiny(), tiny());
  ServerConnection connection(at(busy.server));
  busy.status = 429;
  busy.fails = 1;
  (void)connection.client().ask({"/props", ""});
  const std::size_t before = busy.server.requests();
  connection.refuse_other_model();
  BOOST_TEST(busy.server.requests() == before);
}

BOOST_AUTO_TEST_CASE(at_the_end_a_model_that_was_changed_without_a_failure_is_found) {
  for (const StandInModel* const other : {&renamed(), &retrained()}) {
    Proxied proxied(tiny(), *other);
    ServerConnection connection(at(proxied.server));
    connection.refuse_other_model_at_end();
    proxied.second = true;
    connection.refuse_other_model();
    BOOST_CHECK_EXCEPTION(
        connection.refuse_other_model_at_end(), Error,
        says(Fault::internal, "the answers now come from a different model than at the start: " +
                                  std::string(other == &renamed() ? "other, not tiny"
                                                                  : "it has the same name, tiny")));
  }
  auto of_sglang = speaking("sglang");
  Proxied proxied(tiny(), StandInModel(of_sglang));
  ServerOptions options = at(proxied.server);
  struct Listing : NgramModel {
    using NgramModel::NgramModel;
    [[nodiscard]] std::vector<SpecialToken> special_tokens() const { return {}; }
  };
  const auto of = std::make_shared<const Listing>(StandInModel::text, 2,
                                                  std::vector<std::string>{"the ", "cat", " sat"});
  options.tokenizer = server_tokenizer(of, of->vocabulary_size(), "given");
  ServerConnection connection(options);
  proxied.second = true;
  BOOST_CHECK_EXCEPTION(connection.refuse_other_model_at_end(), Error,
                        says(Fault::internal,
                             "tiny (SGLang), not tiny (llama-server); the results may mix both "
                             "models"));
}

BOOST_AUTO_TEST_CASE(at_connect_there_is_no_run_to_resume) {
  std::string url;
  {
    const StandInServer server{tiny()};
    url = server.url();
  }
  ServerOptions options;
  options.url = url;
  options.http = test::quick_http();
  BOOST_CHECK_EXCEPTION(ServerConnection{options}, Error, [](const Error& error) {
    const std::string text = error.what();
    return error.fault() == Fault::internal &&
           text.ends_with("; check that it is running at this URL and has loaded its model") &&
           text.find("kept") == text.npos;
  });
}

BOOST_AUTO_TEST_CASE(a_tokenizer_of_another_model_is_refused) {
  const StandInServer server{StandInModel(speaking("llamacpp"))};
  ServerOptions options = at(server);
  struct Listing : NgramModel {
    using NgramModel::NgramModel;
    [[nodiscard]] std::vector<SpecialToken> special_tokens() const { return {}; }
  };
  const auto of = std::make_shared<const Listing>("a", 2, std::vector<std::string>{"capital"});
  options.tokenizer = server_tokenizer(of, of->vocabulary_size(), "other.gguf");
  BOOST_CHECK_EXCEPTION(ServerConnection{options}, Error,
                        says(Fault::user, "`tokenizer`: other.gguf splits"));
}

BOOST_AUTO_TEST_SUITE_END()
