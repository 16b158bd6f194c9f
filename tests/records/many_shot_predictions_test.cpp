// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/many_shot_predictions.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "plumb/detail/calibrate/calibration_study.hpp"
#include "support/errors.hpp"
#include "support/many_shot_folder.hpp"

using namespace plumb::detail;
using test::ManyShotFolder;
using test::says;

BOOST_AUTO_TEST_SUITE(many_shot_predictions)

namespace {

std::vector<ScoredModel> read(const ManyShotFolder& folder, const ReadingOptions& options = {}) {
  return read_many_shot_models("m", folder.path(), options);
}

const Setting one_shot{"ic", 1, " ", "choice", 0};

/// A row whose choices are options in the given order, with probabilities that need not sum to 1.
std::string row(std::size_t instance, std::size_t seed, const Choices& choices,
                const std::vector<double>& probabilities) {
  std::vector<StatementScore> scores(probabilities.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i].continuation.log_likelihood = std::log(probabilities[i]);
  }
  Setting setting = one_shot;
  setting.variant = seed;
  return recorded_choice_line(setting, test::numbered_fact(instance), choices, scores);
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(each_method_and_number_of_shots_is_a_model, test::SmallManyShot) {
  const auto models = read(*this);
  std::vector<std::string> names;
  for (const ScoredModel& model : models) names.push_back(model.predictions.name);
  BOOST_TEST(names == (std::vector<std::string>{"m ic/1", "m ic/5", "m hgp"}));
  const ScoredModel& one = models[0];
  BOOST_TEST(one.dataset == "d");
  BOOST_TEST(one.reduction == "sum");
  BOOST_TEST(one.span == "continuation");
  BOOST_TEST((one.asked_by == AskedBy::shots));
  BOOST_TEST((models[2].asked_by == AskedBy::templates));
  BOOST_REQUIRE(one.predictions.relations.size() == 2U);
  BOOST_TEST(models[2].predictions.relations.size() == 1U);
  const RelationPredictions& p1 = one.predictions.relations[0];
  BOOST_TEST(p1.relation.code == "P1");
  BOOST_TEST(p1.paraphrases == 2U);
  BOOST_REQUIRE(p1.facts() == 4U);
  // The correctness of the answers with one shot is 1000 under seed 0 and 1100 under seed 1.
  BOOST_TEST(p1.row(1)[0].correct == false);
  BOOST_TEST(p1.row(1)[1].correct == true);
  BOOST_TEST(std::abs(p1.row(0)[0].confidence - 0.82) < 1e-9);
  BOOST_TEST(std::abs(one.base[0].of(p1.relation, 2)[1] - std::log(0.82)) < 1e-9);
}

BOOST_AUTO_TEST_CASE(choices_are_matched_by_option_if_their_order_or_number_differs) {
  ManyShotFolder folder;
  folder.relation("P1");
  // The same answer, "no", is the last choice in one row and the first in another. Under seed 1,
  // the second fact has one choice fewer.
  folder.files().write("P1_choices.jsonl",
                       row(1, 0, {{0, 1}, 1}, {0.3, 0.6}) + row(1, 1, {{1, 0}, 0}, {0.6, 0.2}) +
                           row(2, 0, {{0, 1}, 0}, {0.1, 0.4}) + row(2, 1, {{0}, 0}, {0.4}));
  const auto models = read(folder);
  BOOST_REQUIRE(models.size() == 1U);
  const RelationPredictions& made = models[0].predictions.relations[0];
  BOOST_TEST(made.row(0)[0].option == 1U);
  BOOST_TEST(made.row(0)[1].option == 1U);
  BOOST_TEST(made.row(0)[0].correct);
  const BaseScores& base = models[0].base[0];
  BOOST_TEST(!base.has_all_options());
  BOOST_TEST(base.candidate(0, 1) == 1U);
  const ReadingOptions second{.kinds = {.base = 1}};
  const auto by_seed = read(folder, second);
  const BaseScores& other = by_seed[0].base[0];
  BOOST_TEST(other.of(made.relation, 0).size() == 2U);
  BOOST_TEST(other.of(made.relation, 1).size() == 1U);
  BOOST_TEST(other.candidate(0, 1) == 0U);
  BOOST_TEST(other.option(1, 0) == 0U);
}

BOOST_FIXTURE_TEST_CASE(they_are_calibrated_as_a_closed_set_is, test::SmallManyShot) {
  const auto models = read(*this);
  const ModelCalibration made = calibrate_model(models[0], {.bins = 2});
  // Under seed 0, 2 of the 6 facts are answered correctly; the confidence of every answer is 0.82.
  BOOST_TEST(std::abs(made.accuracy.value - 2.0 / 6) < 1e-12);
  BOOST_TEST(std::abs(made.paraphrase_accuracy.value - 2.0 / 6) < 1e-12);
  const EstimatorResult* base = made.estimator("base");
  BOOST_REQUIRE(base != nullptr);
  using enum CalibrationMetric;
  BOOST_TEST(std::abs(estimate_of(base->metrics, ace).value - (0.82 - 2.0 / 6)) < 1e-9);
  const double error = (2 * 0.18 * 0.18 + 4 * 0.82 * 0.82) / 6;
  BOOST_TEST(std::abs(estimate_of(base->metrics, CalibrationMetric::brier).value - error) < 1e-9);
  BOOST_TEST(std::abs(made.brier_one_hot.value - 2 * error) < 1e-9);
  BOOST_TEST(std::abs(made.brier_one_hot_per_option.value - error) < 1e-9);
  BOOST_TEST(made.estimator("margin") != nullptr);
  BOOST_TEST(made.estimator("average_min") != nullptr);
  BOOST_TEST(made.option_counts.empty());
  BOOST_TEST(!made.recalibration.empty());
  BOOST_TEST(made.templates[1].example == "shots drawn with seed 1");
  // Each fact has only one prompt, so estimators over paraphrases are omitted.
  BOOST_TEST(calibrate_model(models[2], {.bins = 2}).estimator("average_min") == nullptr);
}

BOOST_FIXTURE_TEST_CASE(relations_and_seeds_are_chosen_by_name, test::SmallManyShot) {
  BOOST_TEST(read(*this, {.relations = {"P2"}})[0].predictions.relations.size() == 1U);
  BOOST_CHECK_EXCEPTION((void)read(*this, {.relations = {"P9"}}), Error,
                        says(Fault::user, "'P9' is not in the results of m"));
  BOOST_CHECK_EXCEPTION(
      (void)read(*this, {.kinds = {.base = 7}}), Error,
      says(Fault::user, "ic/1 of P1 has no seed or template 7; drop `base-template`"));
}

BOOST_AUTO_TEST_CASE(missing_and_duplicate_rows_are_refused) {
  ManyShotFolder folder;
  folder.relation("P1");
  const std::string first = row(0, 0, {{0, 1}, 0}, {0.5, 0.2});
  folder.files().write("P1_choices.jsonl", first + first);
  BOOST_CHECK_EXCEPTION((void)read(folder), Error,
                        says(Fault::user, "P1_choices.jsonl:2: the fact already has a row under"));
  folder.files().write("P1_choices.jsonl", first + row(0, 1, {{0, 1}, 0}, {0.5, 0.2}) +
                                               row(1, 0, {{0, 1}, 1}, {0.5, 0.2}));
  BOOST_CHECK_EXCEPTION(
      (void)read(folder), Error,
      says(Fault::user, "P1_choices.jsonl:3: the fact lacks a row under some seed"));
}

BOOST_AUTO_TEST_SUITE_END()
