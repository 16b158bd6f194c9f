// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/rank_comparison_report.hpp"

#include <boost/test/unit_test.hpp>
#include <set>
#include <string>

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
  BOOST_TEST(holds(page, "Models by relations, by deer"));
}

BOOST_AUTO_TEST_SUITE_END()
