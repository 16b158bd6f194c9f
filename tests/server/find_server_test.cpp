// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/server/find_server.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/dialects.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;
using test::speaking;
using test::StandInModel;
using test::StandInReply;
using test::StandInRequest;
using test::StandInServer;

BOOST_AUTO_TEST_SUITE(find_server_suite)

namespace {

void find(const StandInServer& server, std::size_t vocabulary = 0) {
  HttpClient client(parse_server_url(server.url()), test::quick_http());
  (void)find_server(client, vocabulary);
}

}  // namespace

BOOST_AUTO_TEST_CASE(server_kind_is_detected_from_its_model_list) {
  for (const auto& [maker, kind, version] :
       {std::tuple{"llamacpp", "llama-server", "b1"}, std::tuple{"vllm", "vLLM", "9.9"},
        std::tuple{"sglang", "SGLang", "8.8"}}) {
    const test::FoundStandIn found(speaking(maker));
    const ServerFacts& facts = found.dialect->facts();
    BOOST_TEST(facts.kind == kind);
    BOOST_TEST(facts.version == version);
    BOOST_TEST(facts.model == "tiny");
    BOOST_TEST(facts.context == 512U);
    BOOST_TEST(facts.vocabulary == found.made.model().vocabulary_size());
  }
}

BOOST_AUTO_TEST_CASE(server_that_reports_no_token_bytes_requires_a_tokenizer) {
  for (const char* const maker : {"vllm", "sglang", "echo"}) {
    const StandInServer server{StandInModel(speaking(maker))};
    BOOST_CHECK_EXCEPTION(find(server), Error, says(Fault::user, "`tokenizer`: "));
  }
  find(StandInServer{StandInModel(speaking("llamacpp"))});
}

BOOST_AUTO_TEST_CASE(other_servers_are_refused) {
  const StandInServer ollama{StandInModel(speaking("library"))};
  BOOST_CHECK_EXCEPTION(
      find(ollama, 9), Error,
      says(Fault::user, "is a server made by 'library' that reports no log-probabilities"));
  const StandInServer page([](const StandInRequest&) { return StandInReply{"<html></html>"}; });
  BOOST_CHECK_EXCEPTION(find(page, 9), Error, says(Fault::internal, "a page (HTML), not JSON"));
  const StandInServer none([](const StandInRequest&) { return StandInModel::error(404, "no"); });
  BOOST_CHECK_EXCEPTION(find(none, 9), Error, says(Fault::user, "has no /v1/models"));
  const StandInServer list([](const StandInRequest&) { return StandInReply{"[1]"}; });
  BOOST_CHECK_EXCEPTION(find(list, 9), Error, says(Fault::user, "is a server made by ''"));
}

BOOST_AUTO_TEST_CASE(a_llama_server_must_tell_its_vocabulary) {
  const StandInServer server([](const StandInRequest& request) {
    return StandInReply{
        request.route == "/props" ? "{}" : R"({"data": [{"id": "m", "owned_by": "llamacpp"}]})"};
  });
  BOOST_CHECK_EXCEPTION(find(server), Error, says(Fault::internal, "n_vocab is missing"));
}

BOOST_AUTO_TEST_SUITE_END()
