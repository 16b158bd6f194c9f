// SPDX-License-Identifier: Apache-2.0

// Which options does each system have? Options are structs with defaults; set only the members you
// want to change.
//
// Prints:
//   tokens of the answer, per byte: accuracy 0.625
//   margin, without a bootstrap of a thousand: ACE 0.448
//   two shots, three choices: 0.500 over 4
//   rank of the true entity among 11, one fact shown: 0.455
//   two facts of the same relation before each sentence: 0.000 over 8
//   worst difference of a model from itself: 0.000 nats

#include <cstdio>
#include <utility>

#include "own_engine.hpp"
#include "plumb/calibrator.hpp"
#include "plumb/candidate_scorer.hpp"
#include "plumb/compare.hpp"
#include "plumb/dataset.hpp"
#include "plumb/many_prompts.hpp"
#include "plumb/many_shot.hpp"
#include "plumb/probe.hpp"
#include "plumb/rank.hpp"

int main() {
  const plumb::Dataset dataset{"cities",
                               {plumb::relation_of("country", {"[X] is in [Y]."},
                                                   {{"Oslo", "Norway"},
                                                    {"Lima", "Peru"},
                                                    {"Bergen", "Norway"},
                                                    {"Cusco", "Peru"},
                                                    {"Turku", "Finland"},
                                                    {"Vaasa", "Finland"},
                                                    {"Narvik", "Norway"},
                                                    {"Piura", "Peru"}})}};
  EngineModel model;

  // Pass the span to the scorer, so that it looks up only the tokens of that span.
  plumb::CausalScorer scorer(model, plumb::Bos(), plumb::Span::answer);
  plumb::ProbeOptions per_byte;
  per_byte.reduction = plumb::Reduction::bytes;
  const plumb::Answers answers = plumb::probe(scorer, dataset, per_byte);
  std::printf("tokens of the answer, per byte: accuracy %.3f\n",
              plumb::metrics_of(answers).overall.accuracy.value);

  plumb::CalibrateOptions quick;
  quick.bins = 2;
  quick.resamples = 100;
  const auto judged = plumb::judge(answers, plumb::Margin{}, quick);
  std::printf("margin, without a bootstrap of a thousand: ACE %.3f\n",
              plumb::calibrate(judged, quick)[plumb::CalibrationMetric::ace].value);

  plumb::ManyShotOptions shots;
  shots.shots = {{2}};
  shots.choices = 3;
  shots.training = 4;
  plumb::CausalScorer continuing(model);
  const auto shown = plumb::accuracy_spreads(plumb::many_shot(continuing, dataset, shots)).front();
  std::printf("two shots, three choices: %.3f over %zu\n", shown.overall.accuracy.value,
              shown.overall.accuracy.count);

  // A closed set as a graph: its facts are triples, and all answers are candidates. The second
  // argument selects relations; empty means all.
  const plumb::KnowledgeGraph graph = plumb::graph_of(dataset, {});
  plumb::RankingOptions ranking;
  ranking.methods = {plumb::RankMethod::likelihood};
  ranking.asked.shots = 1;
  const auto ranks = plumb::rank(model, graph, ranking);
  std::printf("rank of the true entity among %zu, one fact shown: %.3f\n",
              ranks.methods[0].candidates, ranks.methods[0].realistic().mean_reciprocal_rank.value);

  plumb::ManyPromptsOptions few_shot;
  few_shot.settings = {plumb::FewShotSetting{
      .source = plumb::ShotSource::relation, .shots = 2, .form = plumb::PromptForm::mask}};
  few_shot.max_new_tokens = 6;
  const auto said = plumb::metrics_of(plumb::many_prompts(model, dataset, few_shot));
  std::printf("two facts of the same relation before each sentence: %.3f over %zu\n",
              said.ways[0].coverage.average.value, said.ways[0].facts);

  plumb::CompareOptions seeded;
  seeded.seed = 7;
  std::printf("worst difference of a model from itself: %.3f nats\n",
              plumb::compare(answers, answers, seeded).worst_nats);
}
