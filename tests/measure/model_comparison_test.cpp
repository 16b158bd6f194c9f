// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/model_comparison.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/near.hpp"
#include "support/small_comparison.hpp"

using namespace plumb::detail;
using test::by_seed;
using test::ic;
using test::near;
using test::three_models;
using test::three_options;
using test::under_settings;

BOOST_AUTO_TEST_SUITE(comparison)

namespace {

/// A model with one relation and one fact, which is right under each of the settings.
ModelAnswers under(const std::string& name, const std::vector<Setting>& settings) {
  std::vector<std::pair<Setting, std::string>> marks;
  for (const Setting& setting : settings) marks.emplace_back(setting, "1");
  return {name, {under_settings("P1", marks)}};
}

std::string chosen(const std::vector<ModelAnswers>& models, const std::string& name = "") {
  return setting_name(shared_setting(models, name));
}

std::string names(const Comparison& made, const std::vector<std::size_t>& order) {
  std::string text;
  for (const std::size_t m : order) text += made.table.models[m] + " ";
  return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(many_shots_that_all_have_are_compared_by_default) {
  Setting spoken = ic(25), other = ic(25);
  spoken.by = "generation";
  other.separator = " is ";
  const Setting probe{"template"};
  const Setting eic{"eic", 90, " "};
  BOOST_TEST(chosen({under("a", {probe, ic(5), spoken, other, ic(25), ic(50), eic}),
                     under("b", {eic, ic(25), ic(5), other, spoken, probe})}) == "ic/25");
  BOOST_TEST(chosen({under("a", {spoken, other}), under("b", {spoken, other})}) ==
             "ic/25/\" is \"");
  BOOST_TEST(chosen({under("a", {eic, probe, ic(5)}), under("b", {probe, eic})}) == "eic");
}

BOOST_AUTO_TEST_CASE(a_setting_is_taken_by_name_if_all_have_it) {
  const std::vector<ModelAnswers> models{under("a", {ic(5), ic(25), ic(50)}),
                                         under("b", {ic(5), ic(25)})};
  BOOST_TEST(chosen(models, "ic/5") == "ic/5");
  BOOST_CHECK_EXCEPTION((void)chosen(models, "ic/50"), Error,
                        test::says(Fault::user,
                                   "`setting`: 'ic/50' is not a setting that all models have; "
                                   "choose one that they share: ic/5, ic/25"));
}

BOOST_AUTO_TEST_CASE(models_without_a_common_setting_are_refused_with_what_they_have) {
  BOOST_CHECK_EXCEPTION(
      (void)chosen({under("a", {ic(5), ic(25)}), under("b", {{"template"}}), {"c", {}}}), Error,
      test::says(Fault::user, "share no setting (a has ic/5 ic/25; b has template; c has none)"));
}

BOOST_AUTO_TEST_CASE(models_that_share_no_relation_are_refused) {
  std::vector<ModelAnswers> models = three_models();
  models.resize(2);
  for (RelationAnswers& relation : models[1].relations)
    relation.relation.code += " of another dataset";
  BOOST_CHECK_EXCEPTION((void)compare_answers(models, {}), Error,
                        test::says(Fault::user, "RUN: the runs share no relation, so nothing"));
}

BOOST_AUTO_TEST_CASE(all_measures_are_taken_of_the_same_models) {
  const Comparison made = compare_answers(three_models(), three_options());
  BOOST_TEST(setting_name(made.table.group) == "ic/50");
  BOOST_TEST(names(made, {made.models[0].model, made.models[1].model, made.models[2].model}) ==
             "ant bee cat ");
  BOOST_TEST(near(made.models[0].spread.overall.accuracy.value, 2.0 / 3));
  BOOST_TEST(near(made.models[1].spread.overall.accuracy.value, 0.5));
  BOOST_TEST(near(made.models[2].spread.overall.accuracy.value, 1.0 / 6));
  BOOST_TEST(made.table.relations[made.relations[0].relation] == "P4");
  BOOST_TEST(made.table.relations[made.relations[3].relation] == "P1");
  BOOST_TEST(near(made.relations[3].accuracy.value, 0.25));
  // The indices of cat, ant and bee are 0, 1 and 2.
  BOOST_TEST(near(made.subsumption[1][2].rate.value, (0.5 + 0.5 + 0.75) / 3));
  BOOST_TEST(near(made.subsumption[2][1].rate.value, (1 + 0.5 + 1) / 3));
  BOOST_TEST(made.subsumption[0][1].empty == 1U);
  BOOST_TEST(made.correlations[1][2].count == 3U);
  BOOST_TEST((made.families.families == std::vector<std::string>{"F & G"}));
  BOOST_TEST(made.families.means[0][0].value == made.correlations[0][1].value);
  BOOST_TEST(made.pairs.size() == 1U);
  BOOST_TEST(made.pairs[0].base == 1U);
  BOOST_TEST(made.pairs[0].tuned == 2U);
  BOOST_TEST(near(made.pairs[0].difference.value, 0.5 - 2.0 / 3));
  BOOST_TEST(made.pairs[0].tuned_given_base.rate.low == made.subsumption[2][1].rate.low);
}

BOOST_AUTO_TEST_CASE(names_that_are_no_models_are_refused) {
  ComparisonOptions families = three_options(), pairs = three_options();
  families.families["dog"] = "F";
  pairs.pairs.push_back({"dog", "ant"});
  BOOST_CHECK_EXCEPTION(
      (void)compare_answers(three_models(), families), Error,
      test::says(Fault::user,
                 "`families`: 'dog' is not among the models; use one of cat, ant, bee"));
  BOOST_CHECK_EXCEPTION((void)compare_answers(three_models(), pairs), Error,
                        test::says(Fault::user, "`pairs`: 'dog' is not among the models"));
}

BOOST_AUTO_TEST_CASE(models_stand_by_family_then_by_accuracy) {
  ComparisonOptions options = three_options();
  BOOST_TEST(names(compare_answers(three_models(), options),
                   models_by_family(compare_answers(three_models(), options))) == "ant cat bee ");
  options.families = {{"bee", "F"}, {"cat", "F"}};
  const Comparison other = compare_answers(three_models(), options);
  BOOST_TEST(names(other, models_by_family(other)) == "ant bee cat ");
  options.families = {};
  const Comparison none = compare_answers(three_models(), options);
  BOOST_TEST(names(none, models_by_family(none)) == "ant bee cat ");
}

BOOST_AUTO_TEST_CASE(exclusions_and_differences_between_models_are_reported) {
  const auto remarks = [](const std::vector<ModelAnswers>& models) {
    std::string text;
    ComparisonOptions options;
    options.bootstrap.resamples = 0;
    for (const std::string& remark : compare_answers(models, options).remarks) text += remark;
    return text;
  };
  BOOST_TEST(
      remarks(three_models()).starts_with("1 relation of 4 missing from at least one model"));
  BOOST_TEST(remarks({{"a", {by_seed("P1", {"11"})}}, {"b", {by_seed("P1", {"11"})}}}) == "");
  BOOST_TEST(remarks({{"a", {by_seed("P1", {"11"})}}, {"b", {by_seed("P1", {"111"})}}})
                 .starts_with("The models were asked about different facts"));
  BOOST_TEST(remarks({{"a", {by_seed("P1", {"11"})}}, {"b", {by_seed("P1", {"11", "11"})}}})
                 .starts_with("The models were run with different seeds"));
  BOOST_TEST(remarks({{"a", {by_seed("P1", {"11", "00"}), by_seed("P2", {"00", "01"})}},
                      {"b", {by_seed("P1", {"11", "11"}), by_seed("P2", {"11", "11"})}}}) ==
             "Combinations of relation and variant in which a model knows nothing are left out of "
             "its subsumption: "
             "a in 2 of 4.");
  const Comparison made = compare_answers(three_models(), three_options());
  BOOST_TEST(made.remarks.back() == "Models without a family: bee.");
}

BOOST_AUTO_TEST_SUITE_END()
