// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/generation_predictions.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "plumb/detail/calibrate/calibration_study.hpp"
#include "support/errors.hpp"
#include "support/small_multi_prompt.hpp"

using namespace plumb::detail;
using test::GenerationFolder;
using test::says;

BOOST_AUTO_TEST_SUITE(generation_predictions)

namespace {

/// Two facts with one object each under three templates; the first fact's subject has two names.
MultiPromptDataset capitals() {
  MultiPromptDataset data{"capitals", {}, {}};
  MultiPromptRelation& relation = data.relations.emplace_back();
  relation.code = "capital";
  relation.templates = {
      {.text = "The capital of [X] is [Y]."}, {.text = "[X]: [Y]"}, {.text = "[X], [Y]"}};
  relation.facts = {{{"Q142", {"France", "République française"}}, {{"Q90", {"Paris"}}}, 1},
                    {{"Q38", {"Italy"}}, {{"Q220", {"Rome", "Roma"}}}, 2}};
  return data;
}

/// France is queried under templates 0 and 1 with both names, Italy under all three templates with
/// its only name.
struct Capitals : GenerationFolder {
  Capitals() : GenerationFolder(capitals()) {
    setting("zero-shot", {answer(0, {0, 0, 0}, "Paris"), answer(0, {0, 0, 1}, "Lyon"),
                          answer(0, {0, 1, 0}, "the Paris", 2), answer(0, {0, 1, 1}, "Paris"),
                          answer(0, {1, 0, 0}, "Milan", 3), answer(0, {1, 1, 0}, "Roma"),
                          answer(0, {1, 2, 0}, "Rome")});
  }
  [[nodiscard]] std::vector<ScoredModel> read(const ReadingOptions& options = {}) const {
    return read_generation_models("m", path(), options, AnswerLemmas());
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(templates_that_all_facts_have_are_paraphrases, Capitals) {
  const auto models = read();
  BOOST_REQUIRE(models.size() == 1U);
  const ScoredModel& model = models[0];
  BOOST_TEST(model.predictions.name == "m zero-shot");
  BOOST_TEST((model.asked_by == AskedBy::templates));
  BOOST_REQUIRE(model.predictions.relations.size() == 1U);
  const RelationPredictions& made = model.predictions.relations[0];
  BOOST_TEST(made.paraphrases == 2U);
  BOOST_TEST(!made.closed_set);
  BOOST_REQUIRE(made.facts() == 2U);
  BOOST_TEST(made.relation.facts[1].subject == "Italy");
  const auto check = [&](std::size_t fact, std::size_t place, bool right, double tokens) {
    const Prediction& one = made.row(fact)[place];
    BOOST_TEST(one.correct == right);
    BOOST_TEST((one.option == 0U) == right);
    BOOST_TEST(std::abs(one.confidence - std::exp(-tokens)) < 1e-12);
  };
  check(0, 0, true, 1);
  check(0, 1, true, 2);
  check(1, 0, false, 3);
  check(1, 1, true, 1);
  // The omitted prompts are the two with France's second name, and Italy's prompt under the third
  // template.
  BOOST_TEST(model.notes.back().find("3 prompts left out") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(they_have_no_margin_and_no_options, Capitals) {
  const ModelCalibration made = calibrate_model(read()[0], {.bins = 2});
  BOOST_TEST(made.accuracy.value == 0.5);
  BOOST_TEST(made.paraphrase_accuracy.value == 0.75);
  BOOST_TEST(made.estimator("margin") == nullptr);
  BOOST_TEST(made.estimator("sampled") == nullptr);
  BOOST_TEST(!made.brier_one_hot.exists());
  BOOST_TEST(!made.static_calibration.has_value());
  BOOST_TEST(made.reductions.empty());
  const double error = ((1 - std::exp(-1)) * (1 - std::exp(-1)) + std::exp(-6)) / 2;
  BOOST_TEST(std::abs(estimate_of(made.estimator("base")->metrics, CalibrationMetric::brier).value -
                      error) < 1e-12);
  // France has the same answer under both templates. Italy's two answers differ, so its vote fails.
  const EstimatorResult* votes = made.estimator("consistency_vote2");
  BOOST_REQUIRE(votes != nullptr);
  BOOST_TEST(votes->failures == 1U);
  const std::vector<std::string>& said = made.remarks;
  BOOST_TEST(ranges::any_of(
      said, [](const std::string& text) { return text.find("Margin is left out") == 0; }));
  BOOST_CHECK_EXCEPTION((void)calibrate_model(read()[0], {.estimators = {"margin"}}), Error,
                        says(Fault::user, "capital: has generated answers, which have no margin"));
}

BOOST_FIXTURE_TEST_CASE(isotonic_recalibration_needs_no_options, Capitals) {
  for (const RecalibrationResult& one : calibrate_model(read()[0], {.bins = 2}).recalibration) {
    BOOST_TEST(one.map != "temperature");
  }
  BOOST_TEST(!calibrate_model(read()[0], {.bins = 2}).recalibration.empty());
}

BOOST_FIXTURE_TEST_CASE(samples_of_every_fact_are_an_estimator, Capitals) {
  write_samples("zero-shot", {samples(0, {0, 0, 0}, {{"Paris", 3}, {"Lyon", 1}})});
  BOOST_TEST(read()[0].predictions.relations[0].sampled.empty());
  write_samples("zero-shot", {samples(0, {0, 0, 0}, {{"Paris", 3}, {"Lyon", 1}}),
                              samples(0, {1, 2, 0}, {{"Rome", 1}, {"Turin", 1}})});
  BOOST_TEST(read()[0].predictions.relations[0].sampled[0].confidence == 0.75);
  // Rows are ordered by template, so the second fact's row comes first here.
  write_samples("zero-shot", {samples(0, {1, 0, 0}, {{"Milan", 1}, {"Turin", 1}}),
                              samples(0, {0, 1, 0}, {{"Paris", 3}, {"Lyon", 1}})});
  BOOST_TEST(read()[0].predictions.relations[0].sampled[0].confidence == 0.75);
  BOOST_TEST(!read()[0].predictions.relations[0].sampled[1].correct);
  write_samples("zero-shot", {samples(0, {0, 0, 0}, {{"Paris", 3}, {"Lyon", 1}}),
                              samples(0, {1, 2, 0}, {{"Rome", 1}, {"Turin", 1}})});
  const auto models = read();
  BOOST_REQUIRE(models[0].predictions.relations[0].sampled.size() == 2U);
  const ModelCalibration made = calibrate_model(models[0], {.bins = 2});
  const EstimatorResult* sampled = made.estimator("sampled");
  BOOST_REQUIRE(sampled != nullptr);
  using enum CalibrationMetric;
  BOOST_TEST(std::abs(estimate_of(sampled->metrics, mean_confidence).value - 0.625) < 1e-12);
  BOOST_TEST(estimate_of(sampled->metrics, accuracy).value == 1.0);
}

BOOST_FIXTURE_TEST_CASE(what_was_not_asked_is_refused, Capitals) {
  BOOST_CHECK_EXCEPTION((void)read({.kinds = {.base = 2}}), Error,
                        says(Fault::user, "capital: template 2 was not used for every fact"));
  BOOST_CHECK_EXCEPTION((void)read({.relations = {"P9"}}), Error,
                        says(Fault::user, "'P9' is not in the results of m"));
}

BOOST_AUTO_TEST_CASE(a_relation_without_a_common_template_is_refused) {
  GenerationFolder folder(capitals());
  folder.setting("zero-shot",
                 {folder.answer(0, {0, 0, 0}, "Paris"), folder.answer(0, {1, 1, 0}, "Rome")});
  BOOST_CHECK_EXCEPTION((void)read_generation_models("m", folder.path(), {}, AnswerLemmas()), Error,
                        says(Fault::user, "capital: no template was used for every fact; exclude"));
}

BOOST_AUTO_TEST_SUITE_END()
