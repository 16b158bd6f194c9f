// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/rank_comparison_report.hpp"

#include <boost/test/unit_test.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/markup.hpp"
#include "support/small_rank_comparison.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::holds;
using test::slurp;

BOOST_AUTO_TEST_SUITE(rank_comparison_report_suite)

BOOST_AUTO_TEST_CASE(numbers_tables_and_page_are_written) {
  const test::TemporaryFolder out;
  const auto report = rank_comparison_report(test::small_rank_comparison(), {{"seed", 0}});
  report.write(out.path());
  BOOST_TEST((test::names_in(out.path()) == std::set<std::string>{"figures", "metrics.csv",
                                                                  "metrics.json", "rank_pairs.csv",
                                                                  "ranks.csv", "report.html"}));
  const Json deer = Json::parse(slurp(out / "metrics.json")).at("methods").at("deer");
  BOOST_TEST(deer.at("models").at("a").at("raw").at("queries") == 3);
  BOOST_TEST(deer.at("models").at("b").at("filtered").at("mean_rank").at("count") == 3);
  BOOST_TEST((deer.at("differences").at(0).at("models") == Json{"b", "a"}));
  BOOST_TEST(slurp(out / "ranks.csv")
                 .starts_with("method,part,line,asks,head,relation,tail,candidates,a,b\n"
                              "deer,test,1,tail,h0,even,t0,10,1.0,2.0\n"));
  BOOST_TEST(holds(slurp(out / "rank_pairs.csv"), "deer,b,a,first_higher,"));
  BOOST_TEST(holds(slurp(out / "metrics.csv"), "deer,a,raw,even,mean_rank,"));
}

BOOST_AUTO_TEST_CASE(page_and_terminal_have_models_and_pairs) {
  const auto report = rank_comparison_report(test::small_rank_comparison(), {{"seed", 0}});
  const std::string text = report.table();
  BOOST_TEST(text.find("model by deer") < text.find("first − second"));
  BOOST_TEST(report.tables().size() == 2U);
  const test::TemporaryFolder out;
  report.write(out.path());
  const std::string page = slurp(out / "report.html");
  BOOST_TEST(holds(page, "Models by deer"));
  BOOST_TEST(holds(page, "Pairs of models by deer"));
  BOOST_TEST(holds(page, "Models and relations, by deer"));
}

// One table compares each model's two methods, starting with the smallest model; the other shows
// how the numbers change with model size.
BOOST_AUTO_TEST_CASE(agreements_and_sizes_have_tables_of_their_own) {
  std::vector<RankedModel> models;
  for (const auto& [name, parameters] : {std::pair{"large", 7e9}, {"small", 1e8}}) {
    RankResults results =
        rank_results({test::ranked("deer", {1, 2, 4}), test::ranked("likelihood", {1, 3, 3})}, {});
    models.push_back({.name = name,
                      .methods = std::move(results.methods),
                      .agreements = std::move(results.agreements),
                      .family = "A",
                      .parameters = parameters});
  }
  const auto report = rank_comparison_report(compare_ranks(std::move(models), {}), {{"seed", 0}});
  const Json json = report.metrics();
  const Json& agreement = json.at("agreement").at("deer+likelihood").at("small");
  BOOST_TEST(agreement.at("queries") == 3);
  BOOST_TEST(agreement.at("log_rank").at("r").at("value").get<double>() > 0.8);
  BOOST_TEST(json.at("monotone_share") == 1.0);
  BOOST_TEST((json.at("sizes").at(0).at("models") == Json{"small", "large"}));
  BOOST_TEST(json.at("methods").at("deer").at("models").at("large").at("parameters") == 7e9);
  const std::string text = report.table();
  BOOST_TEST(holds(text, "deer+likelihood"));
  BOOST_TEST(holds(text, "series of a number by model size never fall"));
  const test::TemporaryFolder out;
  report.write(out.path());
  const std::string page = slurp(out / "report.html");
  BOOST_TEST(page.find("<bdi>small</bdi>: <bdi>deer+likelihood</bdi>") <
             page.find("<bdi>large</bdi>: <bdi>deer+likelihood</bdi>"));
  BOOST_TEST(holds(page, "Do the numbers grow with model size?"));
}

BOOST_AUTO_TEST_SUITE_END()
