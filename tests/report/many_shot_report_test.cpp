// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/many_shot_report.hpp"

#include <boost/test/unit_test.hpp>
#include <set>
#include <string>

#include "support/errors.hpp"
#include "support/many_shot_folder.hpp"
#include "support/markup.hpp"
#include "support/small_calibration.hpp"

using namespace plumb::detail;
using test::count_of;
using test::holds;
using test::in_order;
using test::ManyShotFolder;
using test::names_in;
using test::says;
using test::slurp;
using test::SmallManyShot;
using test::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(many_shot_report_suite)

BOOST_FIXTURE_TEST_CASE(report_writes_the_expected_files_and_nothing_else, SmallManyShot) {
  const TemporaryFolder out, with_injection;
  const ManyShotReport report = many_shot_report(path(), {.seed = 7, .resamples = 50});
  report.write(out.path());
  const std::set<std::string> always{"figures",      "metrics.json",      "metrics.csv",
                                     "accuracy.csv", "accuracy_at_k.csv", "report.html"};
  BOOST_TEST((names_in(out.path()) == always));
  BOOST_TEST(slurp(out / "metrics.csv") == many_shot_metrics_csv(report.results()));
  BOOST_TEST(slurp(out / "accuracy.csv") == many_shot_accuracy_csv(report.results()));
  BOOST_TEST(slurp(out / "accuracy_at_k.csv") == accuracy_at_k_csv(report.results()));
  inject("P1");
  many_shot_report(path()).write(with_injection.path());
  BOOST_TEST(names_in(with_injection.path()).contains("injection.csv"));
}

BOOST_FIXTURE_TEST_CASE(metrics_json_records_bootstrap_and_interval, SmallManyShot) {
  const TemporaryFolder out;
  const ManyShotReport report = many_shot_report(path(), {.seed = 7, .resamples = 50});
  report.write(out.path());
  Json json = Json::parse(slurp(out / "metrics.json"));
  BOOST_TEST(json.at("bootstrap").at("seed") == 7);
  BOOST_TEST(json.at("bootstrap").at("resamples") == 50);
  BOOST_TEST(json.at("interval") == 0.95);
  json.erase("bootstrap");
  json.erase("interval");
  json.erase("notes");
  BOOST_TEST(json == to_json(report.results()));
}

BOOST_FIXTURE_TEST_CASE(writing_again_gives_the_same_bytes, SmallManyShot) {
  inject("P1");
  const TemporaryFolder one, two;
  many_shot_report(path(), {.seed = 7, .resamples = 50}).write(one.path());
  many_shot_report(path(), {.seed = 7, .resamples = 50}).write(two.path());
  BOOST_TEST((test::all_contents(one.path()) == test::all_contents(two.path())));
  many_shot_report(path(), {.seed = 8, .resamples = 50}).write(two.path());
  BOOST_TEST(slurp(one / "metrics.json") != slurp(two / "metrics.json"));
}

BOOST_AUTO_TEST_CASE(injections_of_several_relations_share_one_table) {
  ManyShotFolder folder;
  folder.inject("P1");
  folder.inject("P2");
  const TemporaryFolder out;
  many_shot_report(folder.path(), {.seed = 7, .resamples = 50}).write(out.path());
  const std::string csv = slurp(out / "injection.csv");
  BOOST_TEST(csv.starts_with("relation,"));
  BOOST_TEST(count_of(csv, "relation,") == 1U);
  BOOST_TEST(count_of(csv, "\n") == 1U + 2U * 5U * 10U);
  BOOST_TEST(count_of(csv, "\nP2,") == 50U);
}

BOOST_FIXTURE_TEST_CASE(the_page_has_the_settings_of_the_run, SmallManyShot) {
  const TemporaryFolder out;
  many_shot_report(path()).write(out.path());
  BOOST_TEST(!holds(slurp(out / "report.html"), "<h2>Settings</h2>"));
  settings({{"model", "m.gguf"}, {"dataset", "d"}, {"shots", {1, 5}}, {"weights", nullptr}});
  many_shot_report(path()).write(out.path());
  const std::string html = slurp(out / "report.html");
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(test::between(html, "<title>", "</title>") == "m.gguf on d");
  BOOST_TEST(holds(html, "<tr><td>shots</td><td><bdi>[1,5]</bdi></td></tr>"));
  BOOST_TEST(!holds(html, "<td>weights</td>"));
}

BOOST_FIXTURE_TEST_CASE(the_terminal_table_has_a_row_for_each_group, SmallManyShot) {
  const ManyShotReport report = many_shot_report(path(), {.seed = 7, .resamples = 50});
  const std::string table = report.table();
  for (const char* group :
       {"\nic/1 ", "\nic/5 ", "\nhgp ", "\nic/5/generation ", "\nic/5/generation-aliases "}) {
    BOOST_TEST(count_of(table, group) == 1U, group);
  }
  const std::string row = test::between(table, "\nic/5 ", "\n");
  BOOST_TEST(in_order(row, {"2", "6", "0.938 [", "0.088", "2"}));
  BOOST_TEST(in_order(test::between(table, "\nhgp ", "\n"), {"1", "4", "0.250 [", "–", "1"}));
  BOOST_TEST(in_order(table, {"fewest shots", "95%", "ic/5: 5"}));
  BOOST_TEST(report.notes().size() == 2U);
}

BOOST_FIXTURE_TEST_CASE(the_terminal_has_a_table_for_each_injection, SmallManyShot) {
  BOOST_TEST(!holds(many_shot_report(path()).table(), "injected"));
  inject("P1");
  const std::string table = many_shot_report(path()).table();
  BOOST_TEST(in_order(table, {"\nic/5 ", "fewest shots", "\n\nprobability, P1 ", "\ncorrect ",
                              "\nincorrect, block "}));
}

BOOST_AUTO_TEST_CASE(shots_to_reach_95_percent_are_omitted_without_right_answers) {
  ManyShotFolder folder;
  folder.choose("P1", {"ic", 1, " ", "choice", 0}, "00");
  folder.choose("P1", {"ic", 5, " ", "choice", 0}, "00");
  const std::string table = many_shot_report(folder.path()).table();
  BOOST_TEST(holds(table, "\nic/5 "));
  BOOST_TEST(!holds(table, " reach 95%"));
}

BOOST_AUTO_TEST_CASE(a_folder_that_is_no_run_is_refused) {
  const TemporaryFolder empty;
  BOOST_CHECK_EXCEPTION((void)many_shot_report(empty.path()), Error,
                        says(Fault::user, "contains no finished many-shot run"));
}

// The two choices are tied for all three facts; the right choice is the first, the second and the
// first. The accuracy is 1/2, or 2/3 if the first choice wins ties. Continuations have no ties.
BOOST_AUTO_TEST_CASE(ties_are_counted_warned_of_and_shown_with_the_first_wins) {
  ManyShotFolder folder;
  const Setting one{"ic", 1, " ", "choice", 0};
  folder.choose("P1", one, "000", 0.5);
  folder.generate("P1", one, "100");
  const ManyShotReport report = many_shot_report(folder.path(), {.seed = 7, .resamples = 50});
  BOOST_REQUIRE(report.notes().size() == 1U);
  BOOST_TEST(report.notes()[0].starts_with("Warning: 3 of 3 answers (100.0%) are ties"));
  const std::string table = report.table();
  BOOST_TEST(holds(table, "accuracy (first wins)"));
  BOOST_TEST(in_order(test::between(table, "\nic/1 ", "\n"), {"0.500 [", "1", "3", "0.667 ["}));
  BOOST_TEST(
      in_order(test::between(table, "\nic/1/generation ", "\n"), {"0.333 [", "–", "0.333 ["}));
  const TemporaryFolder out;
  report.write(out.path());
  const std::string html = slurp(out / "report.html");
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(holds(html, ">Accuracy (first wins)<"));
  const Json metrics = Json::parse(slurp(out / "metrics.json"));
  BOOST_TEST(metrics.at("ties") == 3);
  BOOST_TEST(metrics.at("answers") == 3);
  const Json& setting = metrics.at("settings").at("ic/1");
  BOOST_TEST(setting.at("accuracy").at("value") == 0.5);
  BOOST_TEST(setting.at("accuracy_first_wins").at("value") == 2.0 / 3);
  BOOST_TEST(setting.at("relations").at("P1").at("ties") == 3);
  BOOST_TEST(metrics.at("settings").at("ic/1/generation").at("ties") == 0);
}

BOOST_FIXTURE_TEST_CASE(without_ties_the_first_wins_is_not_shown, SmallManyShot) {
  const ManyShotReport report = many_shot_report(path(), {.seed = 7, .resamples = 50});
  BOOST_TEST(holds(report.table(), "ties"));
  BOOST_TEST(!holds(report.table(), "first wins"));
}

BOOST_AUTO_TEST_SUITE_END()
