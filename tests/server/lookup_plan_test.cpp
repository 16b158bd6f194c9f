// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/server/lookup_plan.hpp"

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "support/dialects.hpp"

using namespace plumb::detail;
using test::FoundStandIn;
using test::speaking;

BOOST_AUTO_TEST_SUITE(lookup_plan_suite)

namespace {

/// Lookups for random statements, including duplicates and prefixes of other statements.
struct RandomLookups {
  explicit RandomLookups(std::size_t statements) {
    RandomStream random(7, "lookups");
    for (std::size_t s = 0; s < statements; ++s) {
      NodeId node = tree.add(TokenTree::root, 256);
      for (std::size_t depth = 1 + random.below(6); depth-- > 0;) {
        const auto token = static_cast<TokenId>('a' + random.below(4));
        lookups.push_back({node, token});
        if (depth > 0) node = tree.add(node, token);
      }
    }
    std::stable_sort(lookups.begin(), lookups.end(),
                     [](const auto& a, const auto& b) { return a.node < b.node; });
  }
  TokenTree tree;
  std::vector<TokenLookup> lookups;
};

}  // namespace

BOOST_AUTO_TEST_CASE(sequences_answer_every_lookup_of_a_tree) {
  FoundStandIn found(speaking("vllm"));
  // Without tokens after the sequences, with one or two, and with as many as vLLM allows.
  const std::vector<std::size_t> limits{0, 1, 2, 128};
  for (std::size_t kind = 0; kind < 3 * limits.size(); ++kind) {
    const std::size_t statements = std::array{1, 5, 60}[kind % 3], most_next = limits[kind / 3];
    const RandomLookups made(statements);
    const LookupSequences plan(made.tree, made.lookups, most_next);
    std::vector<AskedSequence> sequences = plan.sequences();
    BOOST_TEST(sequences.size() == plan.size());
    BOOST_TEST(plan.size() <= statements);
    std::size_t tokens = 0, longest = 0;
    for (const AskedSequence& one : sequences) {
      tokens += one.tokens.size();
      longest = std::max(longest, one.tokens.size());
      BOOST_TEST(one.next.size() <= most_next);
      BOOST_TEST(one.next.empty() == (most_next == 0));
    }
    BOOST_TEST(tokens == plan.tokens());
    BOOST_TEST(longest == plan.longest());
    ask_sequences(found.client, *found.dialect, found.tally, sequences);
    std::vector<double> nats(made.lookups.size());
    plan.read(sequences, nats);
    for (std::size_t i = 0; i < nats.size(); ++i) {
      const double expected = found.made.model().log_probability(
          made.tree.prefix(made.lookups[i].node), made.lookups[i].token);
      BOOST_TEST(std::abs(nats[i] - expected) < 1e-12);
    }
  }
}

BOOST_AUTO_TEST_CASE(sequences_that_differ_in_their_last_token_are_one) {
  TokenTree tree;
  const NodeId name = tree.add(TokenTree::root, 'x'), verb = tree.add(name, 'y');
  std::vector<TokenLookup> lookups{{name, 'y'}};
  for (TokenId token = 0; token < 5; ++token) lookups.push_back({verb, token});
  const NodeId longer = tree.add(verb, 4);
  lookups.push_back({longer, '.'});
  const LookupSequences plan(tree, lookups, 3);
  const std::vector<AskedSequence> sequences = plan.sequences();
  BOOST_TEST_REQUIRE(sequences.size() == 3U);  // four options in two parts, and the longer one
  using Ids = std::vector<TokenId>;
  BOOST_TEST(sequences[0].tokens == (Ids{'x', 'y'}));
  BOOST_TEST(sequences[0].next == (Ids{0, 1, 2}));
  BOOST_TEST(sequences[1].next == Ids{3});
  BOOST_TEST(sequences[2].tokens == (Ids{'x', 'y', 4}));
  BOOST_TEST(sequences[2].next == Ids{'.'});
  BOOST_TEST(plan.tokens() == 7U);
  BOOST_TEST(plan.longest() == 3U);
}

BOOST_AUTO_TEST_CASE(short_statements_are_sequences_and_long_shared_prefixes_are_not) {
  const FoundStandIn found(speaking("vllm"));
  const ServerCosts even{.request = 1e-3, .prompt = 1e-3, .token = 1e-3};
  const auto cheaper = [&](std::size_t shared, std::size_t branches, std::size_t length,
                           const ServerCosts& costs) {
    TokenTree tree;
    NodeId prefix = TokenTree::root;
    for (std::size_t t = 0; t < shared; ++t) prefix = tree.add(prefix, 'p');
    std::vector<TokenLookup> lookups;
    for (std::size_t b = 0; b < branches; ++b) {
      NodeId node = prefix;
      for (std::size_t t = 0; t < length; ++t) {
        const auto token = static_cast<TokenId>(b);
        lookups.push_back({node, token});
        if (t + 1 < length) node = tree.add(node, token);
      }
    }
    std::stable_sort(lookups.begin(), lookups.end(),
                     [](const auto& a, const auto& b) { return a.node < b.node; });
    std::vector<NodeId> nodes;
    std::vector<NextTokenQuestion> questions;
    std::vector<TokenId> tokens(lookups.size());
    for (std::size_t i = 0; i < lookups.size(); ++i) {
      if (nodes.empty() || nodes.back() != lookups[i].node) {
        nodes.push_back(lookups[i].node);
        questions.push_back({std::span(tokens).subspan(i, 1), {}});
      } else {
        questions.back().tokens =
            std::span(questions.back().tokens.data(), questions.back().tokens.size() + 1);
      }
    }
    const LookupSequences sequences(tree, lookups, 0);
    return sequences_are_cheaper(*found.dialect, costs, tree, sequences, nodes, questions, 8);
  };
  BOOST_TEST(cheaper(6, 10, 4, even));
  BOOST_TEST(!cheaper(400, 10, 4, even));
  BOOST_TEST(!cheaper(6, 200, 1, even));  // one prefix in two requests, or 200 sequences
  // Sequences need fewer prompts; the longest may have 511 tokens in a context of 512.
  const ServerCosts of_prompts{.request = 0, .prompt = 1, .token = 0};
  BOOST_TEST(cheaper(507, 2, 4, of_prompts));
  BOOST_TEST(!cheaper(508, 2, 4, of_prompts));
  // Asking for one token after each of 100 prefixes takes two requests; 100 sequences take one.
  const ServerCosts of_requests{.request = 1, .prompt = 0, .token = 1e-9};
  BOOST_TEST(cheaper(6, 1000, 2, of_requests));
}

BOOST_AUTO_TEST_CASE(a_sequence_too_many_begins_another_request) {
  FoundStandIn found(speaking("vllm"));
  std::vector<AskedSequence> sequences(130, AskedSequence{{'a', 'b'}, {}});
  const std::size_t before = found.server.requests();
  ask_sequences(found.client, *found.dialect, found.tally, sequences);
  BOOST_TEST(found.server.requests() - before == 3U);  // with 64, 64 and 2 sequences
  for (const AskedSequence& one : sequences) BOOST_TEST(one.nats.size() == 2U);
  std::vector<AskedSequence> longer(50, AskedSequence{std::vector<TokenId>(500, 'a'), {}});
  const std::size_t then = found.server.requests();
  ask_sequences(found.client, *found.dialect, found.tally, longer);
  BOOST_TEST(found.server.requests() - then == 2U);  // with 32 sequences (16,000 tokens) and 18
}

BOOST_AUTO_TEST_CASE(a_request_looks_up_no_more_tokens_than_vllm_allows) {
  FoundStandIn found(speaking("vllm"));
  std::vector<AskedSequence> sequences;
  for (TokenId token = 0; token < 60; ++token) {  // 180 different tokens
    sequences.push_back({{'a', 'b'}, {}, {token, 60 + token, 120 + token}, {}});
  }
  const std::size_t before = found.server.requests();
  ask_sequences(found.client, *found.dialect, found.tally, sequences);
  BOOST_TEST(found.server.requests() - before == 2U);
  for (const AskedSequence& one : sequences) {
    BOOST_TEST_REQUIRE(one.next_nats.size() == 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      const double expected = found.made.model().log_probability(one.tokens, one.next[i]);
      BOOST_TEST(std::abs(one.next_nats[i] - expected) < 1e-12);
    }
  }
}

BOOST_AUTO_TEST_CASE(parts_of_many_options_share_requests) {
  const FoundStandIn found(speaking("vllm"));
  TokenTree tree;
  std::vector<TokenLookup> lookups;
  for (TokenId subject = 0; subject < 40; ++subject) {
    const NodeId name = tree.add(TokenTree::root, subject);
    for (TokenId option = 0; option < 200; ++option) lookups.push_back({name, option});
  }
  const LookupSequences plan(tree, lookups, 128);
  BOOST_TEST(plan.size() == 80U);  // with 128 and 72 options
  const std::vector<AskedSequence> sequences = plan.sequences();
  const auto requests = sequence_requests(*found.dialect, 8, sequences);
  BOOST_TEST_REQUIRE(requests.size() == 2U);
  for (const auto& request : requests) {
    BOOST_TEST(request.size() == 40U);
    for (const std::size_t s : request) {
      BOOST_TEST(sequences[s].next.size() == sequences[request.front()].next.size());
    }
  }
}

BOOST_AUTO_TEST_CASE(costs_are_those_of_the_server) {
  using std::chrono::milliseconds;
  auto options = speaking("vllm");
  // Each request takes 20 ms, each prompt 10 ms and each token half a millisecond.
  options.spoil = [](const test::StandInRequest& request, test::StandInReply& reply) {
    if (request.body.find("prompt_logprobs") == std::string::npos) return;
    const auto prompts = nlohmann::json::parse(request.body).at("prompt");
    std::size_t tokens = 0;
    for (const auto& one : prompts) tokens += one.size();
    reply.delay = milliseconds(20 + 10 * prompts.size() + tokens / 2);
  };
  FoundStandIn found(options);
  const ServerCosts costs = measure_costs(found.client, *found.dialect, found.tally);
  BOOST_TEST(costs.token > 0.0003);
  BOOST_TEST(costs.prompt > 0.005);
  BOOST_TEST(costs.prompt > 5 * costs.token);
  BOOST_TEST(costs.request > 0.005);
}

BOOST_AUTO_TEST_SUITE_END()
