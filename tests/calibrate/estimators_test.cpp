// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/calibrate/estimators.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/predictions.hpp"

using namespace plumb::detail;
using test::answered;
using test::says;

BOOST_AUTO_TEST_SUITE(estimators)

namespace {

using Names = std::vector<std::string>;

/// A relation with one fact, `paraphrases` unmarked templates and the given markers.
RelationPredictions relation(const std::string& code, std::size_t paraphrases,
                             const Names& markers = {}) {
  return answered(code, {{0, {paraphrases + markers.size(), {0, 0.5}}}}, markers);
}

Names names_of(const std::vector<NamedEstimator>& estimators) {
  Names names;
  for (const NamedEstimator& estimator : estimators) names.push_back(estimator.name);
  return names;
}

Names with(Names names, const Names& more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

bool mentions(const Names& remarks, const std::string& words) {
  return std::ranges::any_of(
      remarks, [&](const std::string& remark) { return remark.find(words) != remark.npos; });
}

}  // namespace

BOOST_AUTO_TEST_CASE(three_paraphrases_allow_votes_of_two_and_three) {
  BOOST_TEST(
      names_of(all_estimators({relation("r", 3), relation("s", 4)})) ==
      (Names{"base", "margin", "average_vote2", "average_vote3", "average_min", "average_max",
             "consistency_vote2", "consistency_vote3", "consistency_min", "consistency_max"}));
}

BOOST_AUTO_TEST_CASE(weighted_templates_add_an_estimator) {
  auto weighs = relation("r", 2);
  weighs.weighted = {Prediction{}};
  Names remarks;
  const Names names = names_of(chosen_estimators({weighs, weighs}, {}, remarks));
  BOOST_TEST(names ==
             (Names{"base", "margin", "average_vote2", "average_min", "average_max", "weighted",
                    "consistency_vote2", "consistency_min", "consistency_max"}));
  BOOST_TEST(remarks.empty());
  const Names fewer = names_of(chosen_estimators({weighs, relation("s", 2)}, {}, remarks));
  BOOST_TEST((std::ranges::find(fewer, "weighted") == fewer.end()));
  BOOST_TEST(mentions(remarks, "Weighted is left out: not every relation has weighted templates"));
}

BOOST_AUTO_TEST_CASE(many_paraphrases_have_votes_up_to_six_and_unanimity) {
  const Names names = names_of(all_estimators({relation("r", 12), relation("s", 9)}));
  Names votes;
  std::ranges::copy_if(names, std::back_inserter(votes),
                       [](const std::string& name) { return name.starts_with("average_vote"); });
  BOOST_TEST(votes == (Names{"average_vote2", "average_vote3", "average_vote4", "average_vote5",
                             "average_vote6", "average_vote9"}));
}

BOOST_AUTO_TEST_CASE(markers_of_any_relation_stand_in_the_papers_order) {
  const auto relations =
      std::vector{relation("r", 1, {"100%", "certainly", "25%"}),
                  relation("s", 2, {"possibly", "0%", "25%", "50%", "certainly"})};
  const Names expected{"possibly", "certainly", "0%", "25%", "50%", "100%"};
  BOOST_TEST(markers_of(relations) == expected);
  const Names names = names_of(all_estimators(relations));
  BOOST_TEST(Names(names.end() - 6, names.end()) == expected);
  BOOST_TEST(markers_of({relation("r", 3)}).empty());
}

BOOST_AUTO_TEST_CASE(consistency_alone_is_discrete) {
  for (const auto& estimator : all_estimators({relation("r", 5, {"possibly"})})) {
    BOOST_TEST(estimator.discrete == estimator.name.starts_with("consistency_"), estimator.name);
  }
}

BOOST_AUTO_TEST_CASE(each_named_estimator_judges_like_its_type) {
  const auto relations = test::random_model({.markers = {"possibly"}}).predictions.relations;
  const auto same = [](const std::vector<Judgement>& a, const std::vector<Judgement>& b) {
    return std::ranges::equal(a, b, [](const Judgement& one, const Judgement& other) {
      return one.confidence == other.confidence && one.correct == other.correct &&
             one.answered == other.answered;
    });
  };
  const auto judged = [&](const std::string& name) {
    const auto all = all_estimators(relations);
    return std::ranges::find(all, name, &NamedEstimator::name)->judge(relations);
  };
  BOOST_TEST(same(judged("base"), Calibrator(Base{}).judge(relations)));
  BOOST_TEST(same(judged("margin"), Calibrator(Margin{}).judge(relations)));
  BOOST_TEST(same(judged("average_vote3"), Calibrator(Average(Vote{3})).judge(relations)));
  BOOST_TEST(same(judged("average_min"), Calibrator(Average(MinConfidence{})).judge(relations)));
  BOOST_TEST(same(judged("consistency_vote2"), Calibrator(Consistency(Vote{})).judge(relations)));
  BOOST_TEST(
      same(judged("consistency_max"), Calibrator(Consistency(MaxConfidence{})).judge(relations)));
  BOOST_TEST(same(judged("possibly"), Calibrator(Marked("possibly")).judge(relations)));
}

BOOST_AUTO_TEST_CASE(named_estimator_checks_like_its_type) {
  const NamedEstimator average = named(Average(Vote{3}));
  BOOST_TEST(average.name == "average_vote3");
  BOOST_TEST(!average.discrete);
  BOOST_CHECK_NO_THROW(average.check(relation("P36", 2)));
  BOOST_CHECK_EXCEPTION(average.check(relation("P36", 1)), Error,
                        says(Fault::user, "P36: average_vote3 needs at least two paraphrases"));
}

BOOST_AUTO_TEST_CASE(one_paraphrase_leaves_base_margin_and_markers_with_one_remark) {
  Names remarks;
  const auto chosen = chosen_estimators(
      {relation("r", 3, {"possibly"}), relation("s", 1, {"possibly"})}, {}, remarks);
  BOOST_TEST(names_of(chosen) == (Names{"base", "margin", "possibly"}));
  BOOST_TEST(remarks.size() == 1U);
  BOOST_TEST(mentions(remarks, "they need at least two paraphrases"));
}

BOOST_AUTO_TEST_CASE(marker_missing_from_a_relation_is_skipped_with_a_remark) {
  Names remarks;
  const auto relations =
      std::vector{relation("r", 2, {"possibly", "0%"}), relation("s", 2, {"possibly"})};
  const Names names = names_of(chosen_estimators(relations, {}, remarks));
  BOOST_TEST(names == with(names_of(all_estimators({relation("r", 2)})), {"possibly"}));
  BOOST_TEST(remarks.size() == 1U);
  BOOST_TEST(mentions(remarks, "Marker “0%” is left out"));
}

BOOST_AUTO_TEST_CASE(estimators_asked_for_come_in_the_order_of_tables) {
  Names remarks;
  const auto chosen =
      chosen_estimators({relation("r", 2)}, {"average_min", "base", "base"}, remarks);
  BOOST_TEST(names_of(chosen) == (Names{"base", "average_min"}));
  BOOST_TEST(remarks.empty());
}

BOOST_AUTO_TEST_CASE(what_is_asked_for_by_name_and_cannot_be_computed_is_an_error) {
  Names remarks;
  const auto one = std::vector{relation("P36", 1)};
  BOOST_CHECK_EXCEPTION(chosen_estimators(one, {"average_min"}, remarks), Error,
                        says(Fault::user, "P36: average_min needs at least two paraphrases"));
  const auto some = std::vector{relation("P36", 2, {"0%"}), relation("P17", 2)};
  BOOST_CHECK_EXCEPTION(chosen_estimators(some, {"base", "0%"}, remarks), Error,
                        says(Fault::user, "P17: has no template with the marker '0%'"));
  for (const std::string unknown : {"certainly", "average_vote3", "Base", ""}) {
    BOOST_CHECK_EXCEPTION(
        chosen_estimators(some, {"base", unknown}, remarks), Error,
        says(Fault::user, "`estimators`: '" + unknown +
                              "' is not an estimator of these results; choose from base, margin"));
  }
}

BOOST_AUTO_TEST_SUITE_END()
