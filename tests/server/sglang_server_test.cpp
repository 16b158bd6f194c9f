// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/server/sglang_server.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/dialects.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::FoundStandIn;
using test::read_one;
using test::says;
using test::speaking;

BOOST_AUTO_TEST_SUITE(sglang_server_suite)

BOOST_AUTO_TEST_CASE(given_tokens_are_asked_and_read) {
  test::check_given_tokens("sglang", "/generate");
}

BOOST_AUTO_TEST_CASE(continuations_are_greedy_or_drawn) {
  // SGLang's seeds have 31 bits.
  test::check_continuations("sglang", 4);
}

BOOST_AUTO_TEST_CASE(a_server_that_ignores_given_tokens_is_refused) {
  auto options = speaking("sglang");
  options.ignores_token_ids = true;
  FoundStandIn found(options);
  const std::vector<TokenId> tokens{'a'};
  std::vector<double> nats(1);
  const HttpReply reply =
      found.client.ask(test::ask_after(*found.dialect, tokens, tokens, QueryMode::normal));
  BOOST_CHECK_EXCEPTION((void)test::read_after(*found.dialect, reply, tokens, nats, found.tally),
                        Error,
                        says(Fault::user,
                             "use an SGLang version that supports "
                             "token_ids_logprob"));
}

BOOST_AUTO_TEST_CASE(invalid_replies_are_reported) {
  const FoundStandIn found(speaking("sglang"));
  BOOST_TEST(found.dialect->together(1000, QueryMode::full_distribution) == 1000U);
  const auto reply = [](const std::string& rows) {
    return R"({"meta_info":{"output_token_ids_logprobs":[)" + rows + "]}}";
  };
  BOOST_TEST(read_one(*found.dialect, reply(R"([[-2, 5, null], [-1, 6, "x"]])"), 5) == -2.0);
  for (const auto& [body, words] :
       {std::pair{reply("[[-2, 6, null]]"), "lacks token 5"},
        std::pair{reply("[[-2, 99999, null]]"), "which is not in the vocabulary"},
        std::pair{reply("[[null, 5, null]]"), "is not a log-probability"},
        std::pair{reply("[[-2]]"), "is not a list of [nats, id, text]"},
        std::pair{reply("[3]"), "is not a list of [nats, id, text]"},
        std::pair{std::string("{\"meta_info\""), "not JSON"}}) {
    BOOST_CHECK_EXCEPTION(read_one(*found.dialect, body, 5), Error, says(Fault::internal, words));
  }
}

BOOST_AUTO_TEST_SUITE_END()
