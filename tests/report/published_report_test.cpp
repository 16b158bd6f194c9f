// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/published_report.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/markup.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::holds;

BOOST_AUTO_TEST_SUITE(published_report_suite)

namespace {

PublishedNumber number(const std::string& name) {
  PublishedNumber one;
  one.table = "4";
  one.model = "m";
  one.name = name;
  one.value = 0.5;
  one.printed = "0.5";
  one.decimals = 1;
  return one;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_folder_has_numbers_page_and_what_was_not_met) {
  const test::TemporaryFolder folder;
  const PublishedReport report =
      published_report(compare_with_published({number("x"), number("<none>")},
                                              {{"n", "", {{"x", {0.25, 0.2, 0.3, 4}}}}}),
                       {{"command", "compare"}});
  report.write(folder.path());
  const Json metrics = Json::parse(test::slurp(folder / "metrics.json"));
  BOOST_TEST(metrics.at("numbers").size() == 1U);
  BOOST_TEST(holds(test::slurp(folder / "published.csv"), "\n4,m,,,,x,0.5,n,no,"));
  BOOST_TEST(holds(test::slurp(folder / "published.csv"), ",0.25000000,"));
  BOOST_TEST(holds(test::slurp(folder / "without_counterpart.csv"), "\n4,m,,,,<none>,0.5,"));
  const std::string page = test::slurp(folder / "report.html");
  BOOST_TEST(holds(page, "Published numbers next to 1 run"));
  BOOST_TEST(holds(page, "Published numbers without a counterpart"));
  BOOST_TEST(holds(page, "&lt;none&gt;"));
  BOOST_TEST(!holds(page, "<none>"));
  BOOST_TEST(holds(page, "No published model is called n"));
  const std::string table = report.table();
  BOOST_TEST(holds(table, "0.250 [0.200, 0.300]"));
  BOOST_TEST(holds(table, "\n1 published number that the run does not have:\n  table 4: <none>\n"));
  BOOST_TEST(report.notes().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_terminal_names_the_first_twelve_that_are_not_met) {
  std::vector<PublishedNumber> numbers;
  for (int i = 0; i < 14; ++i) numbers.push_back(number("x" + std::to_string(i)));
  numbers.push_back(number("x0"));  // of another model; shown once
  const PublishedReport report = published_report(
      compare_with_published(numbers, {{"a", "", {}}, {"b", "", {}}}), Json::object());
  const std::string table = report.table();
  BOOST_TEST(
      table.starts_with("15 published numbers that none of the runs has (each name once, over all "
                        "models):\n  table 4: x0\n"));
  BOOST_TEST(holds(table, "  table 4: x11\n  … and 2 more, in without_counterpart.csv\n"));
  BOOST_TEST(!holds(table, "x12"));
}

BOOST_AUTO_TEST_SUITE_END()
