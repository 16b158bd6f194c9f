// SPDX-License-Identifier: Apache-2.0
#include "plumb/records/probe_study.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/results_folder.hpp"
#include "support/small_run.hpp"

using namespace plumb;
using test::row;

BOOST_AUTO_TEST_SUITE(probe_study_suite)

namespace {

const std::vector<std::string> three_options{"Paris", "Rome", "Cairo"};
const std::vector<std::string> templates{"[X]: [Y].", "[Y] of [X].", "[X] has [Y]."};

}  // namespace

BOOST_AUTO_TEST_CASE(templates_are_the_variants_of_one_setting) {
  test::ResultsFolder folder;
  folder.add("P36", three_options, templates, Json::object(),
             {row("Italy", 5, 2, 1, {-1, -2, -3}), row("France", 3, 2, 0, {-3, -2, -1}),
              row("France", 3, 0, 0, {std::log(0.5), std::log(0.25), std::log(0.25)}),
              row("Italy", 5, 0, 1, {-2, -1, -3})});
  const StudiedModel model = probe_study(folder.path(), "tiny");
  BOOST_TEST(model.name == "tiny");
  BOOST_TEST(model.relations.size() == 1U);
  const StudiedRelation& relation = model.relations[0];
  BOOST_TEST(relation.code == "P36");
  BOOST_TEST(relation.facts.size() == 2U);
  BOOST_TEST(relation.facts[0].instance == 3U);
  BOOST_TEST(relation.facts[0].subject == "France");
  BOOST_TEST(relation.facts[0].answer == "Paris");
  BOOST_TEST(relation.facts[1].answer == "Rome");
  BOOST_TEST(relation.settings.size() == 2U);
  for (const SettingAnswers& made : relation.settings) {
    BOOST_TEST((made.setting.group() == Setting{"template"}.group()));
  }
  BOOST_TEST(relation.settings[0].setting.variant == 0U);
  BOOST_TEST(relation.settings[1].setting.variant == 2U);
  const auto& first = relation.settings[0].answers;
  BOOST_TEST(first[0].correct);
  BOOST_TEST(std::abs(first[0].confidence - 0.5) < 1e-12);
  BOOST_TEST(first[1].correct);
  const auto& third = relation.settings[1].answers;
  BOOST_TEST(third[0].option == 2U);
  BOOST_TEST(!third[0].correct);
  BOOST_TEST(!third[1].correct);
}

BOOST_AUTO_TEST_CASE(relations_keep_their_order_and_empty_ones_are_left_out) {
  test::ResultsFolder folder;
  folder.add("P2", three_options, templates, Json::object(), {row("a", 0, 0, 0, {-1, -2, -3})});
  folder.add("P3", three_options, templates, Json::object(), {});
  folder.add("P1", three_options, templates, Json::object(), {row("b", 0, 0, 0, {-1, -2, -3})});
  const StudiedModel model = probe_study(folder.path(), "tiny");
  BOOST_TEST(model.relations.size() == 2U);
  BOOST_TEST(model.relations[0].code == "P2");
  BOOST_TEST(model.relations[1].code == "P1");
}

BOOST_AUTO_TEST_CASE(a_fact_with_texts_of_its_own_has_its_own_answer) {
  test::ResultsFolder folder;
  Json line = Json::parse(row("story", 0, 0, 1, {-1, -2, -3}));
  line["choices"] = {"one end", "another end", "no end"};
  folder.add("news", three_options, templates, Json::object(), {line.dump()});
  BOOST_TEST(probe_study(folder.path(), "").relations[0].facts[0].answer == "another end");
}

BOOST_AUTO_TEST_CASE(what_is_no_finished_run_is_refused) {
  const test::TemporaryFolder folder;
  BOOST_CHECK_EXCEPTION((void)probe_study(folder.path(), ""), Error,
                        test::says(Fault::user, "holds no finished results"));
}

BOOST_AUTO_TEST_CASE(equal_scores_for_all_options_are_ties_that_are_not_known) {
  test::ResultsFolder folder;
  folder.add("P36", three_options, templates, Json::object(),
             {row("France", 0, 0, 0, {-2, -2, -2}), row("Italy", 1, 0, 1, {-3, -3, -3}),
              row("Egypt", 2, 0, 2, {-4, -4, -5})});
  const StudiedModel model = probe_study(folder.path(), "level");
  const auto& answers = model.relations[0].settings[0].answers;
  for (const Prediction& answer : answers) {
    BOOST_TEST(answer.is_tie());
    BOOST_TEST(!answer.correct);
  }
  BOOST_TEST(answers[0].accuracy() == 1.0 / 3);
  BOOST_TEST(answers[0].accuracy_first_wins() == 1.0);
  BOOST_TEST(answers[1].accuracy() == 1.0 / 3);
  BOOST_TEST(answers[1].accuracy_first_wins() == 0.0);
  BOOST_TEST(answers[2].accuracy() == 0.0);
}

BOOST_AUTO_TEST_SUITE_END()
