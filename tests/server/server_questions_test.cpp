// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/server/server_questions.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

#include "support/dialects.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::FoundStandIn;
using test::says;
using test::speaking;

BOOST_AUTO_TEST_SUITE(server_questions_suite)

BOOST_AUTO_TEST_CASE(every_dialect_answers_all_questions) {
  for (const char* const maker : test::all_makers) {
    FoundStandIn found(speaking(maker));
    const std::vector<std::vector<TokenId>> prefixes{found.ids("the"), found.ids("cat sat o"),
                                                     found.ids("dog")};
    std::vector<TokenId> all(found.made.model().vocabulary_size());
    std::iota(all.begin(), all.end(), 0);
    // The questions ask for one token, a token that ends inside a character, and the whole
    // vocabulary.
    const std::vector<std::vector<TokenId>> tokens{{'c'}, {0xC3}, all};
    std::vector<std::vector<double>> nats;
    for (const auto& of : tokens) nats.emplace_back(of.size());
    std::vector<NextTokenQuestion> questions;
    for (std::size_t q = 0; q < 3; ++q) questions.push_back({tokens[q], nats[q]});
    ask_questions(found.client, *found.dialect, found.tally, questions,
                  [&](std::size_t q) { return prefixes[q]; });
    for (std::size_t q = 0; q < 3; ++q) {
      for (std::size_t i = 0; i < tokens[q].size(); ++i) {
        const double expected = found.made.model().log_probability(prefixes[q], tokens[q][i]);
        BOOST_TEST(std::abs(nats[q][i] - expected) < 1e-12);
      }
    }
    BOOST_TEST(found.tally.tokens_sent >= 3 + 4 + 3U);
  }
}

BOOST_AUTO_TEST_CASE(requests_are_sent_in_the_order_of_the_questions) {
  std::mutex mutex;
  std::vector<std::string> bodies;
  auto options = speaking("sglang");
  options.spoil = [&](const test::StandInRequest& request, test::StandInReply&) {
    const std::lock_guard lock(mutex);
    if (request.route == "/generate") bodies.push_back(request.body);
  };
  FoundStandIn found(options, 1);
  const std::vector<TokenId> token{'a'};
  std::vector<double> nats(20);
  std::vector<NextTokenQuestion> questions;
  for (double& one : nats) questions.push_back({token, std::span(&one, 1)});
  ask_questions(found.client, *found.dialect, found.tally, questions,
                [](std::size_t q) { return std::vector<TokenId>{static_cast<TokenId>(q)}; });
  BOOST_TEST(bodies.size() == 20U);
  for (std::size_t q = 0; q < bodies.size(); ++q) {
    BOOST_TEST(bodies[q].find("\"input_ids\":[" + std::to_string(q) + "]") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(server_that_returns_no_log_probabilities_is_an_error) {
  auto options = speaking("llamacpp");
  options.spoil = [](const test::StandInRequest& request, test::StandInReply& reply) {
    if (request.route == "/completion") reply.body = "{\"tokens\":[]}";
  };
  FoundStandIn found(options);
  const std::vector<TokenId> token{'a'};
  double nats = 0;
  const NextTokenQuestion question{token, std::span(&nats, 1)};
  BOOST_CHECK_EXCEPTION(
      ask_questions(found.client, *found.dialect, found.tally, std::span(&question, 1),
                    [](std::size_t) {
                      return std::vector<TokenId>{1, 2};
                    }),
      Error, says(Fault::internal, "returns no log-probabilities after 2 tokens"));
}

BOOST_AUTO_TEST_SUITE_END()
