// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/report.hpp"

#include <boost/test/unit_test.hpp>
#include <memory>
#include <string>
#include <vector>

#include "plumb/detail/report/bar_chart.hpp"
#include "support/memory_disk.hpp"
#include "support/small_report.hpp"

using namespace plumb::detail;
using test::MemoryDisk;
using test::small_report;

BOOST_AUTO_TEST_SUITE(report_suite)

BOOST_AUTO_TEST_CASE(notes_stand_next_to_the_numbers_in_metrics_json) {
  MemoryDisk disk;
  disk.put("out/old", "");
  const Report report = small_report("7", {"one", "two"});
  const Report copy = report;
  copy.write(disk / "out");
  const Json metrics = Json::parse(disk.text("/out/metrics.json"));
  BOOST_TEST((metrics == Json{{"text", "7"}, {"notes", {"one", "two"}}}));
  BOOST_TEST(report.metrics() == metrics);
  BOOST_TEST((report.notes() == std::vector<std::string>{"one", "two"}));
  BOOST_TEST(disk.text("/out/report.html") == "7");
  BOOST_TEST(disk.text("/out/numbers.csv") == "7");
  BOOST_TEST(report.table() == "7\n");
}

BOOST_AUTO_TEST_CASE(a_table_that_a_report_has_no_more_is_removed) {
  MemoryDisk disk;
  disk.put("out/pairs.csv", "of an earlier report");
  const auto files = [] {
    return std::vector<ReportFile>{{"pairs.csv", "", true}, {"numbers.csv", "a"}};
  };
  small_report("x", {}, files).write(disk / "out");
  BOOST_TEST(!disk.files.contains("/out/pairs.csv"));
  BOOST_TEST(disk.text("/out/numbers.csv") == "a");
}

BOOST_AUTO_TEST_CASE(a_report_of_a_body_keeps_what_was_measured) {
  struct Body {
    int number = 5;
    [[nodiscard]] const int& results() const { return number; }
    [[nodiscard]] static Json metrics() { return Json::object(); }
    [[nodiscard]] static std::vector<ReportFile> files() { return {}; }
    [[nodiscard]] static std::string page() { return ""; }
    [[nodiscard]] static std::vector<std::string> notes() { return {}; }
    [[nodiscard]] static std::string table(const TableWidth& width) {
      return std::to_string(width.characters);
    }
  };
  const ReportOf<int> report = report_of<int>(std::make_shared<const Body>());
  BOOST_TEST(report.results() == 5);
  BOOST_TEST(report.table({40}) == "40");
}

BOOST_AUTO_TEST_CASE(each_figure_of_the_page_is_a_file_and_earlier_ones_are_removed) {
  MemoryDisk disk;
  disk.put("out/figures/of-an-earlier-report.svg", "");
  disk.put("out/figures/mine.txt", "a note");
  small_report("<p>" + bar_chart({{"P36", {}}}, "Accuracy, all") + "</p>").write(disk / "out");
  BOOST_TEST(disk.text("/out/figures/accuracy-all.svg").starts_with("<?xml"));
  BOOST_TEST(!disk.files.contains("/out/figures/of-an-earlier-report.svg"));
  BOOST_TEST(disk.files.contains("/out/figures/mine.txt"));
  small_report("no picture").write(disk / "out");
  BOOST_TEST(!disk.files.contains("/out/figures/accuracy-all.svg"));
}

BOOST_AUTO_TEST_CASE(tables_are_exported_in_every_format) {
  const NumberTable table{{{"n", "n", ""}}, {{{std::size_t{7}}, {""}}}};
  struct Body {
    int number = 5;
    NumberTable shown;
    [[nodiscard]] const int& results() const { return number; }
    [[nodiscard]] static Json metrics() { return Json::object(); }
    [[nodiscard]] static std::vector<ReportFile> files() { return {}; }
    [[nodiscard]] static std::string page() { return ""; }
    [[nodiscard]] static std::vector<std::string> notes() { return {}; }
    [[nodiscard]] std::vector<NamedTable> tables() const {
      return {{"one", shown, "below\n"}, {"two", shown}};
    }
  };
  const Report report = report_of<int>(std::make_shared<const Body>(Body{5, table}));
  using enum TableFormat;
  BOOST_TEST(report.table() == "n\n─\n7\nbelow\n\nn\n─\n7\n");
  BOOST_TEST(report.table_as(terminal) == report.table());
  BOOST_TEST(exported_tables(report.tables(), terminal) == report.table());
  BOOST_TEST(report.table_as(csv) == "n\n7\n\nn\n7\n");
  BOOST_TEST(
      (Json::parse(report.table_as(json)) == Json{{"one", {{{"n", 7}}}}, {"two", {{{"n", 7}}}}}));
  BOOST_TEST(report.table_as(markdown) ==
             "<!-- one -->\n\n| n |\n| :-- |\n| 7 |\n\n<!-- two -->\n\n| n |\n| :-- |\n| 7 |\n");
  BOOST_TEST(report.table_as(latex).starts_with("% one\n\\begin{tabular}{l}\n\\toprule\n"));
}

BOOST_AUTO_TEST_CASE(words_alone_have_no_other_format) {
  const Report report = small_report("7");
  BOOST_TEST(report.tables().empty());
  BOOST_TEST(report.table_as(TableFormat::terminal) == "7\n");
  BOOST_CHECK_THROW((void)report.table_as(TableFormat::csv), Error);
}

BOOST_AUTO_TEST_SUITE_END()
