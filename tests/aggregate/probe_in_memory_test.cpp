// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/aggregate/probe_in_memory.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/score/causal_scorer.hpp"
#include "support/errors.hpp"
#include "support/nats_by_hand.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(probe_in_memory_suite)

namespace {

Dataset capitals() {
  Relation capital;
  capital.code = "capital";
  capital.templates = {"The capital of [X] is [Y].", "I'm 75% confident the capital of [X] is [Y].",
                       "[Y] is the capital of [X]."};
  capital.options = {"Paris", "Seoul"};
  capital.option_ids = {"Q90", "Q8684"};
  capital.facts = {{"Q142", "France", {}, 0, 0}, {"Q884", "Korea", {}, 1, 1}};
  return {"capitals", {capital}, {}};
}

NgramTreeModel reader() {
  NgramTreeModel model("The capital of France is Paris. The capital of Korea is Seoul.", 8);
  model.limits = {400, 16, 64};
  return model;
}

/// Prefers the option with more letters.
struct LongerIsTruer {
  [[nodiscard]] std::vector<StatementScore> score(const Query& query) const {
    std::vector<StatementScore> scores;
    for (const Prompt& prompt : query.candidates) {
      scores.push_back({{static_cast<double>(prompt.text.size()), 1}});
    }
    return scores;
  }
};

/// Gives every candidate the same score.
struct Always {
  StatementScore score_of_each;
  [[nodiscard]] std::vector<StatementScore> score(const Query& query) const {
    return std::vector<StatementScore>(query.candidates.size(), score_of_each);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(every_cell_is_the_prediction_of_its_statements) {
  NgramTreeModel model = reader();
  CausalScorer scorer(model);
  std::vector<std::pair<std::size_t, std::size_t>> heard;
  const ModelPredictions made = probe_in_memory(
      scorer, capitals(),
      {.name = "reader",
       .on_progress = [&](std::size_t scored, std::size_t of) { heard.emplace_back(scored, of); },
       .block_statements = 6});
  BOOST_TEST(made.name == "reader");
  BOOST_REQUIRE(made.relations.size() == 1U);
  const RelationPredictions& relation = made.relations[0];
  BOOST_TEST(relation.paraphrases == 2U);  // followed by one template with a marker
  BOOST_TEST(relation.template_at(1) == 2U);
  BOOST_TEST(relation.roles[2].marker == "75%");
  BOOST_REQUIRE(relation.cells.size() == 6U);
  const auto expected = [&](const std::string& paris, const std::string& seoul,
                            std::size_t answer) {
    return predict(std::vector{test::nats_by_hand(model, paris), test::nats_by_hand(model, seoul)},
                   answer);
  };
  const Prediction france =
      expected("The capital of France is Paris.", "The capital of France is Seoul.", 0);
  BOOST_TEST(relation.row(0)[0].correct);
  BOOST_TEST(relation.row(0)[0].confidence == france.confidence,
             boost::test_tools::tolerance(1e-6));
  const Prediction korea =
      expected("Paris is the capital of Korea.", "Seoul is the capital of Korea.", 1);
  BOOST_TEST(relation.row(1)[1].confidence == korea.confidence, boost::test_tools::tolerance(1e-6));
  BOOST_TEST(relation.row(1)[1].option == korea.option);
  BOOST_TEST((heard == std::vector<std::pair<std::size_t, std::size_t>>{{1, 2}, {2, 2}}));
}

BOOST_AUTO_TEST_CASE(blocks_change_nothing_but_how_much_is_fed) {
  NgramTreeModel apart = reader(), together = reader();
  CausalScorer one(apart), all(together);
  const auto separate = probe_in_memory(one, capitals(), {.block_statements = 1});
  const auto shared = probe_in_memory(all, capitals());
  for (std::size_t i = 0; i < 6; ++i) {
    BOOST_TEST(separate.relations[0].cells[i].confidence == shared.relations[0].cells[i].confidence,
               boost::test_tools::tolerance(1e-9));
  }
  BOOST_TEST(together.tokens_fed < apart.tokens_fed);
}

BOOST_AUTO_TEST_CASE(any_scorer_and_any_builder_will_do) {
  LongerIsTruer scorer;
  Dataset dataset = capitals();
  dataset.relations[0].options[1] = "Seoul, the capital";
  const auto made = probe_in_memory(scorer, dataset);
  for (const Prediction& cell : made.relations[0].cells) BOOST_TEST(cell.option == 1U);
  BOOST_TEST(!made.relations[0].row(0)[0].correct);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_asked_is_refused) {
  LongerIsTruer scorer;
  Dataset dataset = capitals();
  BOOST_CHECK_EXCEPTION(
      (void)probe_in_memory(scorer, dataset, {.scoring = {Reduction::mean, Span::answer}}), Error,
      says(Fault::user,
           "capital: 'France', template 0, option 'Paris' has no scored token in its answer"));
  BOOST_CHECK_EXCEPTION((void)probe_in_memory(scorer, dataset, {.kinds = {.base = 1}}), Error,
                        says(Fault::user, "template 1, which Base and Margin use"));
  dataset.relations[0].facts[1].answer = 2;
  BOOST_CHECK_EXCEPTION(
      (void)probe_in_memory(scorer, dataset), Error,
      says(Fault::user, "capital: the answer or the choices of 'Korea' do not match 2 options"));
  dataset.relations[0].facts[1].answer = 1;
  Always never{{-std::numeric_limits<double>::infinity(), 0, 1, 0}};
  BOOST_CHECK_EXCEPTION(
      (void)probe_in_memory(never, dataset), Error,
      says(Fault::internal,
           "capital: the score of 'France', template 0, option 'Paris' is -infinity; one of its "
           "tokens has probability 0"));
  Always uncounted{{-1, 0, 0, 0}};
  BOOST_CHECK_EXCEPTION((void)probe_in_memory(uncounted, dataset), Error,
                        says(Fault::user, "your own scorer must count tokens in StatementScore"));
  BOOST_CHECK_EXCEPTION((void)probe_in_memory(scorer, Dataset{"empty", {}, {}}), Error,
                        says(Fault::user, "empty: the dataset has no relations; add one"));
}

BOOST_AUTO_TEST_CASE(facts_of_a_program_are_numbered_and_checked_before_anything_is_scored) {
  LongerIsTruer scorer;
  Dataset dataset = capitals();
  dataset.relations[0].facts[1].instance = 0;
  const Relation made = probe_in_memory(scorer, dataset).relations[0].relation;
  BOOST_TEST(made.facts[1].instance == 1U);
  BOOST_TEST(is_one_to_one(made));
  dataset.relations.push_back(dataset.relations[0]);
  dataset.relations[1].code = "city";
  dataset.relations[1].options[0] = "";
  std::size_t scored = 0;
  BOOST_CHECK_EXCEPTION(
      (void)probe_in_memory(scorer, dataset,
                            {.on_progress = [&](std::size_t done, std::size_t) { scored = done; }}),
      Error, says(Fault::user, "city: an option is empty"));
  BOOST_TEST(scored == 0U);
}

BOOST_AUTO_TEST_CASE(templates_with_weights_answer_together) {
  LongerIsTruer scorer;
  Dataset dataset = capitals();
  dataset.relations[0].options[1] = "New Seoul";
  BOOST_TEST(probe_in_memory(scorer, dataset).relations[0].weighted.empty());
  dataset.relations[0].template_weights = {0.5, 0.25, 0.25};
  const auto made = probe_in_memory(scorer, dataset).relations[0].weighted;
  BOOST_REQUIRE(made.size() == 2U);
  // Under every template, the option with 9 letters scores 4 more than the one with 5, so the means
  // differ by 4 too.
  const double odds = std::exp(4.0);
  for (const Prediction& one : made) {
    BOOST_TEST(one.option == 1U);
    BOOST_TEST(one.confidence == odds / (odds + 1), boost::test_tools::tolerance(1e-12));
  }
  BOOST_TEST(!made[0].correct);
  BOOST_TEST(made[1].correct);
}

BOOST_AUTO_TEST_CASE(options_scores_are_kept_where_they_are_asked_for) {
  LongerIsTruer scorer;
  Dataset dataset = capitals();
  dataset.relations[0].options[1] = "New Seoul";
  const auto without = probe_in_memory(scorer, dataset).relations;
  BOOST_TEST(without[0].scores.empty());
  const auto with = probe_in_memory(scorer, dataset, {.keep_scores = true}).relations;
  BOOST_TEST(with[0].scores.size() == 2U * 3U * 2U);
  const FactPredictions korea{with[0], 1};
  // The row contains templates 0 and 2, then the marked template 1; each score is the length of the
  // text.
  const std::vector<double> base{30, 34}, turned{30, 34}, marked{48, 52};
  const auto list = [&](std::size_t place) {
    const auto scores = korea.scores(place);
    return std::vector<double>(scores.begin(), scores.end());
  };
  BOOST_TEST(list(0) == base);
  BOOST_TEST(list(1) == turned);
  BOOST_TEST(list(2) == marked);
  BOOST_TEST(korea.scores().data() == korea.scores(0).data());
  BOOST_TEST(predict(korea.scores(2), 1).confidence == with[0].row(1)[2].confidence);
}

/// Reports the probabilities of all bytes except one.
struct Unreporting : NgramLookupModel {
  Unreporting() : NgramLookupModel("The capital of France is Paris.", 8) {}
  void look_up(const TokenTree& tree, std::span<const TokenLookup> lookups, std::span<double> out) {
    NgramLookupModel::look_up(tree, lookups, out);
    for (std::size_t i = 0; i < lookups.size(); ++i) {
      if (lookups[i].token == hidden) out[i] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  TokenId hidden = 0;
};

BOOST_AUTO_TEST_CASE(a_fact_that_the_engine_did_not_report_is_left_out) {
  Unreporting model;
  CausalScorer all(model);
  MemoryProbeOptions options;
  options.keep_scores = true;
  const auto whole = probe_in_memory(all, capitals(), options);
  BOOST_TEST(whole.unreported_facts == 0U);
  model.hidden = 'F';  // a letter that only "France" contains
  CausalScorer scorer(model);
  const auto made = probe_in_memory(scorer, capitals(), options);
  BOOST_TEST(made.unreported_facts == 1U);
  BOOST_REQUIRE(made.relations[0].facts() == 1U);
  BOOST_TEST(made.relations[0].relation.facts[0].subject == "Korea");
  BOOST_REQUIRE(made.relations[0].cells.size() == 3U);
  const std::size_t from = whole.relations[0].scores.size() / 2;
  BOOST_TEST(std::vector<double>(whole.relations[0].scores.begin() + static_cast<int>(from),
                                 whole.relations[0].scores.end()) == made.relations[0].scores,
             boost::test_tools::per_element());
  model.hidden = 'c';  // a letter that every statement contains
  const auto none = probe_in_memory(scorer, capitals(), options);
  BOOST_TEST(none.unreported_facts == 2U);
  BOOST_TEST(none.relations[0].cells.empty());
}

BOOST_AUTO_TEST_SUITE_END()
