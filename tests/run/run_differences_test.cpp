// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/run_differences.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/temporary_folder.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(run_differences_suite)

BOOST_AUTO_TEST_CASE(runs_with_the_same_difference_share_one_remark) {
  const test::TemporaryFolder folder;
  std::vector<ResultFolder> runs;
  for (const auto& [name, bos] : {std::pair{"a", "yes"}, {"b", "no"}, {"c", "no"}}) {
    folder.write(std::string(name) + "/run.json",
                 Json{{"settings", {{"command", "probe"}, {"bos", bos}}}}.dump());
    runs.push_back({name, folder / name});
  }
  const std::vector<std::string> remarks = run_differences(runs, false);
  BOOST_TEST_REQUIRE(remarks.size() == 1U);
  BOOST_TEST(remarks[0] ==
             "b, c were asked differently from a, so their numbers may not be comparable: bos "
             "\"no\" instead of \"yes\"");
  runs.pop_back();
  BOOST_TEST(run_differences(runs, false)[0].starts_with("b was asked differently from a"));
  runs.pop_back();
  BOOST_TEST(run_differences(runs, false).empty());
}

BOOST_AUTO_TEST_CASE(draws_of_shots_differ_by_seed_alone) {
  const test::TemporaryFolder folder;
  const auto compared = [&](const Json& first, const Json& second) {
    std::vector<ResultFolder> runs;
    for (const auto& [name, more] : {std::pair{"a", first}, {"b", second}}) {
      Json settings = {{"command", "probe"}, {"shots", 3}};
      settings.update(more);
      folder.write(std::string(name) + "/run.json", Json{{"settings", settings}}.dump());
      runs.push_back({name, folder / name});
    }
    return run_differences(runs, false);
  };
  BOOST_TEST(compared({{"shot_seed", 0}}, {{"shot_seed", 1}}).empty());
  const auto otherwise = compared({{"shot_seed", 0}, {"special_tokens", "parse"}},
                                  {{"shot_seed", 1}, {"special_tokens", "plain"}});
  BOOST_TEST_REQUIRE(otherwise.size() == 1U);
  BOOST_TEST(otherwise[0].find("special_tokens plain instead of parse") != std::string::npos);
  BOOST_TEST(otherwise[0].find("shot_seed 1 instead of 0") != std::string::npos);
  const auto by_rule = compared({{"pll", "original"}}, {{"pll", "within-word"}});
  BOOST_TEST_REQUIRE(by_rule.size() == 1U);
  BOOST_TEST(by_rule[0].ends_with("pll \"within-word\" instead of \"original\""));
  BOOST_TEST(compared({{"templates", {0, 1}}}, {{"templates", {1, 2}}}).empty());
  const auto by_template = compared({{"templates", {0}}}, {{"templates", {1}}});
  BOOST_TEST_REQUIRE(by_template.size() == 1U);
  BOOST_TEST(by_template[0].ends_with("templates [1] instead of [0]"));
}

BOOST_AUTO_TEST_SUITE_END()
