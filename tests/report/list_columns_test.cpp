// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/list_columns.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(list_columns_suite)

namespace {

/// Two relations, one with one fact and one with two, whose answers have these scores; a third
/// relation has no answers.
ListRun scored() {
  ListRun run;
  for (const char* code : {"P36", "P190", "P569"}) {
    run.asked.relations.push_back(
        {code,
         {{"[X]? [Y]"}},
         {{{"a", {"a"}}, {{"o", {"o"}}}}, {{"b", {"b"}}, {{"o", {"o"}}, {"u", {"u"}}}}}});
  }
  RecordedList good{0, "o", {1, 1, 1}, {1, 0.5, 2.0 / 3}, {0.5, 0.5, 0.5}, false, false};
  RecordedList none{1, "", {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, true, true};
  run.relations = {{good}, {good, none}, {}};
  return run;
}

}  // namespace

BOOST_AUTO_TEST_CASE(relations_stand_before_their_mean) {
  const auto groups = list_groups(scored(), {});
  BOOST_REQUIRE(groups.size() == 3U);
  BOOST_TEST(groups[0].name == "P36");
  BOOST_TEST(groups[0].objects == 1U);
  BOOST_TEST(groups[1].facts == 2U);
  BOOST_TEST(groups[1].objects == 3U);
  BOOST_TEST(groups[1].with_aliases.f1.value == 0.5);
  const ListGroup& mean = groups[2];
  BOOST_TEST(mean.name == "mean of relations");
  BOOST_TEST(mean.facts == 3U);
  BOOST_TEST(mean.with_aliases.precision.value == 0.75);  // the mean of 1 and ½, not of three facts
  BOOST_TEST(mean.main_label.recall.value == 0.375);
  BOOST_TEST(mean.script.f1_of_means == 0.375);
  BOOST_TEST(mean.cut == 1U);
  BOOST_TEST(mean.empty == 1U);
}

BOOST_AUTO_TEST_CASE(one_relation_is_its_own_mean) {
  ListRun run = scored();
  run.relations[1].clear();
  BOOST_TEST(list_groups(run, {}).size() == 1U);
}

BOOST_AUTO_TEST_CASE(every_number_has_its_key) {
  const auto groups = list_groups(scored(), {});
  const Json json = json_of(list_columns(), groups[2]);
  BOOST_TEST(json["name"] == "mean of relations");
  BOOST_TEST(json["f1"]["count"] == 3);
  BOOST_TEST(json["main_label_f1"]["value"].get<double>() == 0.5,
             boost::test_tools::tolerance(1e-12));
  BOOST_TEST(json["script_f1_of_means"] == 0.375);
  BOOST_TEST(json["empty"] == 1);
  EstimateCsv csv({"relation", "metric"});
  add_numbers(csv, {"all"}, list_columns(), groups[2]);
  BOOST_TEST(csv.text().find("all,script_f1_of_means,0.37500000,,,\n") != std::string::npos);
  BOOST_TEST(csv.text().find("all,cut,1,,,\n") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
