// SPDX-License-Identifier: Apache-2.0
#include "plumb/server/server_connection.hpp"

#include <boost/test/unit_test.hpp>
#include <memory>
#include <optional>
#include <string>

#include "support/dialects.hpp"
#include "support/errors.hpp"

using namespace plumb;
using test::says;
using test::speaking;
using test::StandInModel;
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
                        says(Fault::internal, "the server was lost: other, not tiny"));
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
                        says(Fault::user, "`tokenizer`: other.gguf cuts"));
}

BOOST_AUTO_TEST_SUITE_END()
