// SPDX-License-Identifier: Apache-2.0

#include "plumb/rank.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "plumb/candidate_scorer.hpp"
#include "plumb/dataset.hpp"
#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/model.hpp"
#include "support/errors.hpp"
#include "support/nats_by_hand.hpp"
#include "support/small_graph.hpp"

using namespace plumb;
namespace test = plumb::detail::test;
using test::elements;
using test::reader_of_elements;
using test::says;

BOOST_AUTO_TEST_SUITE(rank_door_suite)

namespace {

/// Embeds a text as its byte counts. Two entities therefore differ in any text that contains their
/// names.
struct LetterCounter : NgramModel {
  using NgramModel::NgramModel;
  static std::vector<double> letters(const std::string& text, bool with_bos) {
    std::vector<double> counts(257, 0.0);
    counts[256] = with_bos ? 1 : 0;
    for (const char c : text) ++counts[static_cast<unsigned char>(c)];
    return counts;
  }
  [[nodiscard]] std::size_t dimension() const { return 257; }
  [[nodiscard]] EmbeddingMatrix embed(std::span<const std::string> texts, bool with_bos) {
    EmbeddingMatrix rows(static_cast<Eigen::Index>(texts.size()), 257);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::vector<double> counts = letters(texts[i], with_bos);
      for (std::size_t d = 0; d < 257; ++d) {
        rows(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(d)) =
            static_cast<float>(counts[d]);
      }
    }
    return rows;
  }
};

}  // namespace

// The oracle scores each name on its own.
BOOST_AUTO_TEST_CASE(likelihood_ranks_are_those_of_scoring_every_name) {
  const KnowledgeGraph graph = elements();
  auto model = reader_of_elements<NgramTreeModel>();
  model.limits = {8192, 256, 256};
  const detail::RankResults made = rank(
      model, graph,
      {.methods = {RankMethod::likelihood}, .asked = {.limit = 8, .shots = 2}, .bos = Bos(true)});
  BOOST_REQUIRE(made.methods.size() == 1U);
  const std::vector<detail::EntityRank>& ranks = made.methods[0].ranks;
  BOOST_REQUIRE(ranks.size() == 8U);
  const detail::TriplePrompt prompt(graph, drawn_shots(graph, 2, 0), detail::QueryForm::paper);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const detail::GraphQuery query{graph.test[i], false};
    const std::string text = prompt.query(query);
    const double gold = test::nats_behind(
        model, text, detail::TriplePrompt::candidate(graph.entities[query.gold()]));
    std::size_t above = 0;
    for (const detail::Entity& entity : graph.entities) {
      above += test::nats_behind(model, text, detail::TriplePrompt::candidate(entity)) > gold + 1e-9
                   ? 1U
                   : 0U;
    }
    BOOST_TEST(ranks[i].raw.above == above);
    BOOST_TEST(ranks[i].score == gold, boost::test_tools::tolerance(1e-6));
  }
  BOOST_TEST(made.methods[0].realistic().queries == 8U);
}

// The oracle computes each cosine separately, in double precision.
BOOST_AUTO_TEST_CASE(cosine_ranks_are_those_of_every_cosine) {
  const KnowledgeGraph graph = elements();
  LetterCounter model("", 2);
  const detail::RankResults made =
      rank(model, graph, {.asked = {.limit = 6, .shots = 2}, .bos = Bos(true)});
  BOOST_REQUIRE(made.methods.size() == 1U);
  BOOST_TEST(made.methods[0].name == "deer");
  const detail::TriplePrompt prompt(graph, drawn_shots(graph, 2, 0), detail::QueryForm::reference);
  for (std::size_t i = 0; i < 6; ++i) {
    const detail::GraphQuery query{graph.test[i], false};
    const std::vector<double> asked = LetterCounter::letters(prompt.query(query), true);
    const auto cosine = [&](std::uint32_t entity) {
      const std::vector<double> of = LetterCounter::letters(
          entity_text(detail::EntityPrompt::eol, graph.entities[entity]), true);
      double product = 0, one = 0, other = 0;
      for (std::size_t d = 0; d < of.size(); ++d) {
        product += of[d] * asked[d];
        one += of[d] * of[d];
        other += asked[d] * asked[d];
      }
      return product / std::sqrt(one * other);
    };
    const double gold = cosine(query.gold());
    std::size_t above = 0;
    for (std::uint32_t e = 0; e < graph.entities.size(); ++e) {
      above += cosine(e) > gold + 1e-9 ? 1U : 0U;
    }
    BOOST_TEST(made.methods[0].ranks[i].raw.above == above);
    BOOST_TEST(made.methods[0].ranks[i].score == gold, boost::test_tools::tolerance(1e-5));
  }
}

BOOST_AUTO_TEST_CASE(methods_are_compared_and_names_of_one_token_are_the_heads) {
  const KnowledgeGraph graph = elements();
  auto model = reader_of_elements<NgramTreeModel>();
  model.limits = {8192, 256, 256};
  const detail::RankResults made =
      rank(model, graph,
           {.methods = {RankMethod::lm_head, RankMethod::likelihood, RankMethod::deer},
            .asked = {.limit = 8, .shots = 1, .heads = true}});
  std::vector<std::string> names;
  for (const detail::RankedMethod& method : made.methods) names.push_back(method.name);
  BOOST_TEST(
      names == (std::vector<std::string>{"deer", "deer-single-token", "likelihood", "lm-head"}),
      boost::test_tools::per_element());
  BOOST_TEST(made.methods[3].narrowed);
  BOOST_TEST(made.methods[3].candidates < made.methods[2].candidates);
  BOOST_TEST(made.methods[2].ranks.size() == 16U);
  BOOST_TEST(!made.agreements.empty());
}

// Facts and triples built in memory have no line numbers, but the methods still rank the same
// queries.
BOOST_AUTO_TEST_CASE(methods_agree_on_queries_that_are_of_no_file) {
  std::vector<std::pair<std::string, std::string>> facts;
  for (int i = 0; i < 20; ++i) {
    facts.emplace_back("City " + std::to_string(i), "Land " + std::to_string(i % 3));
  }
  const Dataset dataset{"cities", {relation_of("country", {"[X] is in [Y]."}, facts)}};
  auto model = reader_of_elements<NgramTreeModel>();
  model.limits = {8192, 256, 256};
  const detail::RankingOptions options{.methods = {RankMethod::likelihood, RankMethod::deer},
                                       .asked = {.limit = 5, .shots = 1}};
  const detail::RankResults made = rank(model, dataset, options);
  BOOST_TEST_REQUIRE(made.agreements.size() == 1U);
  BOOST_TEST(made.agreements[0].shared.size() == 5U);
  for (const detail::EntityRank& one : made.methods[0].ranks) BOOST_TEST(one.line > 0U);

  KnowledgeGraph graph = graph_of(dataset, {});
  for (auto* part : {&graph.train, &graph.test}) {
    for (detail::Triple& triple : *part) triple.line = 0;
  }
  const detail::RankResults by_hand = rank(model, graph, options);
  BOOST_TEST_REQUIRE(by_hand.agreements.size() == 1U);
  BOOST_TEST(by_hand.agreements[0].shared.size() == 5U);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_ranked_is_refused) {
  NgramModel model("(a, b, c)", 3);
  BOOST_CHECK_EXCEPTION((void)rank(model, elements()), Error,
                        says(detail::Fault::user, "DEER needs hidden vectors"));
  KnowledgeGraph lonely = elements();
  lonely.entities.resize(1);
  BOOST_CHECK_EXCEPTION((void)rank(model, lonely, {.methods = {RankMethod::likelihood}}), Error,
                        says(detail::Fault::user, "the graph has only one entity"));
}

BOOST_AUTO_TEST_SUITE_END()
