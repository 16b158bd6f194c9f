// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/fixed_study_job.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/small_many_shot.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::reader_of_births;

BOOST_AUTO_TEST_SUITE(fixed_study_job)

BOOST_AUTO_TEST_CASE(a_study_is_replayed_into_its_own_shape) {
  const test::TemporaryFolder folder;
  ManyShotSettings settings;
  settings.fixed = folder.write("study.json", R"({"relation": "birth", "separator": " ",
    "shots": [["Person Ae", "1804"]], "choices": ["1800", "1801"],
    "test": [{"subject": "Person Aa", "answer": "1800", "scores": [0, 0]}]})");
  NgramTreeModel model = reader_of_births();
  FixedStudyJob job(model, settings, read_fixed_file(settings.fixed), {.model = "reader"});
  const JobPlan plan = job.plan();
  const auto finished = run_job(job, {folder / "run"});
  BOOST_TEST(plan.front().count == 2U);
  BOOST_TEST(plan.front().cost->tokens_one_by_one == finished.summary.cost.tokens_one_by_one);
  BOOST_TEST(plan.front().cost->tokens_fed == finished.summary.cost.tokens_fed);
  const Json made = read_json_object(folder / "run/fixed.json");
  BOOST_TEST(made.at("model") == "reader");
  BOOST_TEST(made.at("test").at(0).at("scores").size() == 2U);
  BOOST_TEST(finished.report.table().find("birth") != std::string::npos);
  BOOST_TEST(finished.summary.fresh_statements == 2U);
  FixedStudyJob again(model, settings, read_fixed_file(settings.fixed), {.model = "reader"});
  BOOST_TEST(run_job(again, {folder / "run", true}).summary.fresh_statements == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
