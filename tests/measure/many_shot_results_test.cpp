// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/many_shot_results.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "plumb/detail/records/many_shot_answers.hpp"
#include "support/errors.hpp"
#include "support/many_shot_folder.hpp"
#include "support/measured_folders.hpp"
#include "support/near.hpp"
#include "support/small_calibration.hpp"

using namespace plumb::detail;
using test::few_resamples;
using test::ManyShotFolder;
using test::names;
using test::near;
using test::results;
using test::says;
using test::SmallManyShot;

BOOST_AUTO_TEST_SUITE(many_shot_results_suite)

namespace {

using Words = std::vector<std::string>;

Setting ic(std::size_t shots, const std::string& separator = " ", std::size_t seed = 0) {
  return {"ic", shots, separator, "choice", seed};
}

const Setting hgp{"hgp", 0, "", "choice", 0};

}  // namespace

BOOST_FIXTURE_TEST_CASE(every_group_has_its_mean_over_relations_and_its_spread, SmallManyShot) {
  const ManyShotResults made = results(*this);
  BOOST_TEST((names(made.groups) ==
              Words{"ic/1", "ic/5", "hgp", "ic/5/generation", "ic/5/generation-aliases"}));
  const GroupSpread& one = made.groups[0];
  BOOST_TEST(near(one.overall.accuracy.value, (3.0 / 8 + 1.0 / 4) / 2));
  BOOST_TEST(one.overall.accuracy.count == 6U);
  // This is the standard deviation of 3/8 and 1/4.
  BOOST_TEST(near(one.overall.sd.value(), std::sqrt(2 * 0.0625 * 0.0625)));
  BOOST_TEST(one.overall.variants == 2U);
  BOOST_REQUIRE(one.relations.size() == 2U);
  BOOST_TEST(near(one.relations[0].second.accuracy.value, 3.0 / 8));
  BOOST_TEST(near(one.relations[0].second.sd.value(), std::sqrt(2 * 0.125 * 0.125)));
  BOOST_TEST(near(made.groups[1].overall.accuracy.value, (7.0 / 8 + 1) / 2));
  BOOST_TEST(near(made.groups[2].overall.accuracy.value, 1.0 / 4));
  BOOST_TEST(!made.groups[2].overall.sd);
  BOOST_TEST(near(made.groups[3].overall.accuracy.value, 3.0 / 8));
  BOOST_TEST(near(made.groups[4].overall.accuracy.value, 6.0 / 8));
  BOOST_TEST(near(made.groups[4].overall.sd.value(), 0));
}

BOOST_FIXTURE_TEST_CASE(groups_stand_side_by_side_over_the_relations_that_have_them_all,
                        SmallManyShot) {
  const ManyShotResults made = results(*this);
  // Generated answers are excluded.
  BOOST_TEST((names(made.side_by_side) == Words{"ic/1", "ic/5", "hgp"}));
  const std::vector<double> expected{3.0 / 8, 7.0 / 8, 1.0 / 4};
  for (std::size_t i = 0; i < 3; ++i) {
    BOOST_REQUIRE(made.side_by_side[i].relations.size() == 1U);
    BOOST_TEST(made.side_by_side[i].relations[0].first == "P1");
    BOOST_TEST(near(made.side_by_side[i].overall.accuracy.value, expected[i]));
  }
}

BOOST_AUTO_TEST_CASE(no_relation_with_all_groups_leaves_nothing_side_by_side) {
  ManyShotFolder folder;
  folder.choose("P1", ic(5), "10");
  folder.choose("P2", hgp, "10");
  BOOST_TEST(results(folder).side_by_side.empty());
  BOOST_TEST(results(folder).groups.size() == 2U);
}

// Separators found in only one relation must not exclude the other groups from the comparison.
BOOST_AUTO_TEST_CASE(other_separators_do_not_count_for_standing_side_by_side) {
  ManyShotFolder folder;
  folder.choose("P1", ic(5), "10");
  folder.choose("P1", ic(5, " in "), "11");
  folder.choose("P1", hgp, "10");
  folder.choose("P2", ic(5), "11");
  folder.choose("P2", hgp, "00");
  const ManyShotResults made = results(folder);
  BOOST_TEST((names(made.side_by_side) == Words{"ic/5", "hgp"}));
  BOOST_TEST(made.side_by_side[0].relations.size() == 2U);
  BOOST_TEST(near(made.side_by_side[0].overall.accuracy.value, 0.75));
}

BOOST_FIXTURE_TEST_CASE(the_curve_has_its_points_and_the_shots_that_are_enough, SmallManyShot) {
  const ManyShotResults made = results(*this);
  BOOST_REQUIRE(made.curves.size() == 1U);
  const ShotsCurve& curve = made.curves[0];
  BOOST_TEST(curve.like.method == "ic");
  BOOST_REQUIRE(curve.points.size() == 2U);
  BOOST_TEST(curve.points[0].group.shots == 1U);
  BOOST_TEST(near(curve.points[0].overall.accuracy.value, 5.0 / 16));
  BOOST_TEST(near(curve.points[1].overall.accuracy.value, 15.0 / 16));
  BOOST_TEST(curve.shots_for_95.value() == 5U);
}

BOOST_AUTO_TEST_CASE(curves_are_of_ic_lke_alone_one_for_each_separator) {
  ManyShotFolder folder;
  for (const std::string separator : {" ", " in "}) {
    folder.choose("P1", ic(1, separator), separator == " " ? "1101" : "0000");
    folder.choose("P1", ic(5, separator), separator == " " ? "1101" : "0000");
  }
  folder.choose("P1", {"eic", 50, " ", "choice", 0}, "1100");
  folder.choose("P1", hgp, "1100");
  const ManyShotResults made = results(folder);
  BOOST_REQUIRE(made.curves.size() == 2U);
  BOOST_TEST(made.curves[0].like.separator == " ");
  BOOST_TEST(made.curves[0].shots_for_95.value() == 1U);
  BOOST_TEST(made.curves[1].like.separator == " in ");
  BOOST_TEST(!made.curves[1].shots_for_95);  // no answer is right at the highest shot count
  ManyShotFolder one;
  one.choose("P1", ic(50), "10");
  BOOST_TEST(results(one).curves.empty());  // a single point is not a curve
}

// With confidence 0.82, each of the twelve answers is above 0.8, but none is above 0.85.
BOOST_FIXTURE_TEST_CASE(accuracy_at_k_is_of_the_most_shots_and_of_templates, SmallManyShot) {
  const ManyShotResults made = results(*this);
  BOOST_REQUIRE(made.at_k.size() == 2U);
  BOOST_TEST(setting_name(made.at_k[0].first) == "ic/5");
  BOOST_TEST(setting_name(made.at_k[1].first) == "hgp");
  const auto& levels = made.at_k[0].second;
  BOOST_REQUIRE(levels.size() == 20U);
  for (std::size_t k = 0; k < 20; ++k) {
    BOOST_TEST(near(levels[k].threshold, 0.05 * static_cast<double>(k)));
    BOOST_TEST(levels[k].answers == (k <= 16 ? 12U : 0U));
    BOOST_TEST(levels[k].accuracy.count == (k <= 16 ? 6U : 0U));
    if (k <= 16) BOOST_TEST(near(levels[k].accuracy.value, 11.0 / 12));
  }
  BOOST_TEST(made.at_k[1].second[11].answers == 4U);  // above 0.55
  BOOST_TEST(made.at_k[1].second[13].answers == 0U);  // not above 0.65
}

BOOST_FIXTURE_TEST_CASE(chance_choices_and_remarks_are_those_of_the_folder, SmallManyShot) {
  const ManyShotResults made = results(*this);
  BOOST_TEST(near(chance_of(made, made.groups[0]).value(), 0.5));
  BOOST_TEST(made.choices == 12U);
  BOOST_TEST(made.choices_beginning_another == 1U);
  BOOST_TEST((made.remarks ==
              Words{"a remark on <some>: P1 here", "skipped for having fewer than 9 facts: P3 3"}));
  BOOST_TEST(made.injections.empty());
  note("P2", {"a remark on <some>", "there"});
  BOOST_TEST(results(*this).remarks[0] == "a remark on <some>: P1 here, P2 there");
}

// Each relation counts once, however many rows it has.
BOOST_AUTO_TEST_CASE(chance_is_the_mean_over_the_relations_shown) {
  ManyShotResults made;
  made.chance_by_relation = {{"A", 0.5}, {"B", 0.1}, {"C", 0.9}};
  GroupSpread group;
  group.relations = {{"A", {}}, {"B", {}}};
  BOOST_TEST(near(chance_of(made, group).value(), 0.3));
  BOOST_TEST(!chance_of(made, GroupSpread{}).has_value());
}

BOOST_AUTO_TEST_CASE(injections_are_measured_by_relation) {
  ManyShotFolder folder;
  folder.inject("P1");
  const ManyShotResults made = results(folder);
  BOOST_TEST(made.groups.empty());
  BOOST_TEST(made.at_k.empty());
  BOOST_TEST(made.chance_by_relation.empty());
  BOOST_REQUIRE(made.injections.size() == 1U);
  BOOST_TEST(made.injections[0].relation == "P1");
  BOOST_REQUIRE(made.injections[0].panels.size() == 5U);
  // The mean is (1 + … + 10) / 10 / 20.
  BOOST_TEST(near(made.injections[0].panels[0].correct.value, 5.5 / 20));
  BOOST_TEST(made.injections[0].panels[1].injected.count == 2U);
}

BOOST_AUTO_TEST_CASE(a_folder_that_is_none_is_refused) {
  const test::TemporaryFolder empty;
  BOOST_CHECK_EXCEPTION((void)many_shot_results(read_many_shot_run(empty.path()), few_resamples),
                        Error, says(Fault::user, "contains no finished many-shot run"));
  ManyShotFolder folder;
  folder.choose("P1", ic(5), "10");
  folder.files().write("P1_injection.json", "{}");
  BOOST_CHECK_EXCEPTION((void)results(folder), Error,
                        says(Fault::user, "P1_injection.json: is not an injection experiment"));
}

// There are two draws of 20 facts with 4 choices each. The better one has 8 right answers, so P =
// 0.1018 (R: 1 - pbinom(7, 20, 0.25)), which is corrected for two tries. Generated answers do not
// count as guesses.
BOOST_AUTO_TEST_CASE(run_at_chance_level_is_reported_with_its_test) {
  const auto answered = [](std::size_t right, std::size_t facts) {
    return std::string(right, '1') + std::string(facts - right, '0');
  };
  ManyShotFindings run;
  Setting written = ic(1);
  written.by = "generation";
  run.answers.relations = {test::under_settings("P1", {{ic(1, " ", 0), answered(5, 20)},
                                                       {ic(1, " ", 1), answered(8, 20)},
                                                       {written, answered(20, 20)}})};
  for (std::size_t i = 0; i < 20; ++i) run.chance_by_fact["P1"][i] = 0.25;
  const auto test = chance_test(run);
  BOOST_REQUIRE(test.has_value());
  BOOST_TEST(test->answers == 20U);
  BOOST_TEST(near(test->right, 8));
  BOOST_TEST(near(test->expected, 5));
  BOOST_TEST(std::abs(test->p - 2 * 0.1018119) < 1e-6);
  const auto said = [&] { return many_shot_results(run, few_resamples).remarks; };
  BOOST_REQUIRE(said().size() == 1U);
  BOOST_TEST(said().front().starts_with(
      "Warning: the run is indistinguishable from guessing: 8.0 of 20 answers right"));
  for (std::size_t i = 0; i < 12; ++i) test::cell(run.answers.relations[0], 1, i).correct = true;
  BOOST_TEST(said().empty());
  // Half of the facts have two choices, the other half a hundred. With 15 of 40 right, P = 0.029;
  // if every fact had the mean chance, P would be 0.063.
  run.answers.relations = {test::under_settings("P1", {{ic(1), answered(15, 40)}})};
  for (std::size_t i = 0; i < 40; ++i) {
    run.chance_by_fact["P1"][i] = i < 20 ? 1.0 / 2 : 1.0 / 100;
  }
  BOOST_TEST(std::abs(chance_test(run)->p - 0.029) < 1e-3);
  BOOST_TEST(said().empty());
}

BOOST_AUTO_TEST_SUITE_END()
