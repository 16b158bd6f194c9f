// SPDX-License-Identifier: Apache-2.0

#include "plumb/probe.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "plumb/candidate_scorer.hpp"
#include "plumb/dataset.hpp"
#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/score/causal_scorer.hpp"
#include "plumb/model.hpp"
#include "plumb/prompt_builder.hpp"
#include "plumb/tensors.hpp"
#include "support/errors.hpp"
#include "support/nats_by_hand.hpp"

using namespace plumb;
namespace test = plumb::detail::test;
using test::says;

BOOST_AUTO_TEST_SUITE(probe_door_suite)

namespace {

const std::string read = "The capital of France is Paris. The capital of Korea is Seoul.";

Dataset door_capitals() {
  return {"capitals",
          {relation_of("capital", {"The capital of [X] is [Y].", "[Y] is the capital of [X]."},
                       {{"France", "Paris"}, {"Korea", "Seoul"}})}};
}

/// A model that knows nothing about Korea.
struct Partly {
  [[nodiscard]] std::vector<StatementScore> score(const Query& query) const {
    std::vector<StatementScore> scores;
    for (const Prompt& prompt : query.candidates) {
      const bool unknown = prompt.text.find("Korea") != std::string::npos;
      const double nats = unknown ? std::nan("") : -1.0 * static_cast<double>(prompt.text.size());
      scores.push_back({.statement = {.log_likelihood = nats, .tokens = 2},
                        .unreported_tokens = unknown ? 1U : 0U});
    }
    return scores;
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(answers_are_the_log_likelihoods_of_every_sentence) {
  NgramTreeModel model(read, 8);
  model.limits = {400, 16, 64};
  CausalScorer scorer(model);
  const Answers answers = probe(scorer, door_capitals(), {.name = "reader", .block_statements = 4});
  BOOST_TEST(answers.name == "reader");
  const Answers::Table& table = answers.tables.at(0);
  BOOST_REQUIRE(table.log_likelihoods.size() == 8U);
  const std::vector<std::string> sentences{
      "The capital of France is Paris.", "The capital of France is Seoul.",
      "Paris is the capital of France.", "Seoul is the capital of France.",
      "The capital of Korea is Paris.",  "The capital of Korea is Seoul.",
      "Paris is the capital of Korea.",  "Seoul is the capital of Korea."};
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    BOOST_TEST(table.log_likelihoods[i] == test::nats_by_hand(model, sentences[i]),
               boost::test_tools::tolerance(1e-6));
    BOOST_TEST(table.tokens[i] == sentences[i].size());  // each byte is a token
    BOOST_TEST(table.bytes[i] == sentences[i].size());
  }
  BOOST_TEST(metrics_of(answers).overall.facts == 2U);
}

BOOST_AUTO_TEST_CASE(span_determines_the_counted_tokens_and_bytes) {
  NgramModel model(read, 8);
  CausalScorer scorer(model);
  const Answers answers = probe(scorer, door_capitals(), {.span = Span::answer, .templates = {1}});
  const Answers::Table& table = answers.tables.at(0);
  BOOST_TEST(table.templates() == 1U);
  BOOST_TEST(table.settings[0].variant == 1U);
  BOOST_TEST(table.tokens[0] == 5U);
  BOOST_TEST(table.bytes[0] == 5U);
  BOOST_TEST(table.log_likelihoods[0] == test::nats_by_hand(model, "Paris"),
             boost::test_tools::tolerance(1e-6));
  const Answers rest =
      probe(scorer, door_capitals(), {.span = Span::continuation, .templates = {0}});
  BOOST_TEST(rest.tables[0].bytes[0] == std::string(" Paris.").size());
}

BOOST_AUTO_TEST_CASE(a_scorer_made_for_a_span_is_asked_for_it) {
  NgramModel model(read, 8);
  CausalScorer all(model), answers_alone(model, Bos(), Span::answer);
  const Answers one = probe(all, door_capitals(), {.span = Span::answer});
  const Answers other = probe(answers_alone, door_capitals());
  BOOST_TEST((other.scoring.span == Span::answer));
  BOOST_TEST(one.tables[0].log_likelihoods == other.tables[0].log_likelihoods,
             boost::test_tools::per_element());
  BOOST_TEST((probe(all, door_capitals()).scoring.span == Span::statement));
}

BOOST_AUTO_TEST_CASE(facts_that_were_not_reported_are_left_out_and_counted) {
  Partly scorer;
  const Answers answers = probe(scorer, door_capitals());
  BOOST_TEST(answers.unreported_facts == 1U);
  BOOST_TEST(answers.tables[0].facts() == 1U);
  BOOST_TEST(answers.tables[0].log_likelihoods.size() == 4U);
  BOOST_TEST(metrics_of(answers).overall.facts == 1U);
}

BOOST_AUTO_TEST_CASE(a_template_that_is_not_there_is_refused_before_scoring) {
  Partly scorer;
  BOOST_CHECK_EXCEPTION(
      (void)probe(scorer, door_capitals(), {.templates = {2}}), Error,
      says(detail::Fault::user, "template 2 is not one of capital's 2 templates"));
  Dataset wrong = door_capitals();
  wrong.relations[0].templates[0] = "no place";
  BOOST_CHECK_EXCEPTION((void)probe(scorer, wrong), Error, says(detail::Fault::user, "has no [X]"));
}

BOOST_AUTO_TEST_SUITE_END()
