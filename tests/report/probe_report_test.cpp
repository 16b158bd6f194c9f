// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/probe_report.hpp"

#include <boost/test/unit_test.hpp>
#include <set>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/markup.hpp"
#include "support/results_folder.hpp"

using namespace plumb::detail;
using test::holds;
using test::row;
using test::slurp;

BOOST_AUTO_TEST_SUITE(probe_report_suite)

namespace {

const std::vector<std::string> templates{"[X]: [Y].", "[Y] of [X]."};

/// Two relations in lm-pub-quiz's format: one of the two facts in capital is answered correctly,
/// and so is the only fact in river.
struct Results {
  Results() {
    folder.add("capital", {"Paris", "Rome", "Cairo"}, templates,
               {{"domains", {"Geography"}}, {"cardinality", "multiple instances per answer"}},
               {row("France", 0, 0, 0, {-1, -2, -3}), row("Italy", 1, 0, 1, {-1, -2, -3})});
    folder.add("river", {"Nile", "Rhine"}, templates,
               {{"cardinality", "single instance per answer"}}, {row("Cairo", 0, 0, 0, {-1, -2})});
  }

  std::string page() const {
    probe_report(folder.path()).write(out.path());
    return slurp(out / "report.html");
  }
  void settings(const Json& values) const {
    folder.files().write("run.json", Json{{"status", "complete"}, {"settings", values}}.dump());
  }

  test::ResultsFolder folder;
  test::TemporaryFolder out;
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(only_four_files_and_the_figures_are_written, Results) {
  probe_report(folder.path()).write(out.path());
  BOOST_TEST(
      (test::names_in(out.path()) == std::set<std::string>{"accuracy.csv", "figures", "metrics.csv",
                                                           "metrics.json", "report.html"}));
}

BOOST_FIXTURE_TEST_CASE(writing_again_gives_the_same_bytes, Results) {
  const test::TemporaryFolder other;
  probe_report(folder.path()).write(out.path());
  probe_report(folder.path()).write(other.path());
  for (const char* name : {"accuracy.csv", "metrics.json", "report.html"}) {
    BOOST_TEST(slurp(out / name) == slurp(other / name));
  }
}

BOOST_FIXTURE_TEST_CASE(metrics_json_holds_the_pooled_numbers_and_each_template, Results) {
  probe_report(folder.path(), {.seed = 7, .resamples = 50}).write(out.path());
  const Json json = Json::parse(slurp(out / "metrics.json"));
  BOOST_TEST(json.at("bootstrap").at("seed") == 7);
  BOOST_TEST(json.at("bootstrap").at("resamples") == 50);
  BOOST_TEST(json.at("interval") == 0.95);
  BOOST_TEST(json.at("all_templates").at("overall").at("accuracy").at("value") == 2.0 / 3);
  BOOST_TEST(json.at("templates").at("0") == json.at("all_templates"));
  BOOST_TEST(json.at("templates").size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(the_csv_has_a_line_for_each_bar, Results) {
  probe_report(folder.path()).write(out.path());
  const std::string csv = slurp(out / "accuracy.csv");
  BOOST_TEST(csv.starts_with("group,name,template,facts,accuracy,low,high,chance\n"));
  // Wilson's interval for 1/2: (½ + z²/4 ± z √(⅛ + z²/16)) / (1 + z²/2).
  BOOST_TEST(holds(csv, "\nrelation,capital,0,2,0.500000,0.094531,0.905469,0.333333\n"));
  BOOST_TEST(holds(csv, "\nrelation,river,0,1,1.000000,0.206549,1.000000,0.500000\n"));
  BOOST_TEST(holds(csv, "\ndomain,Geography,0,2,0.500000,"));
  BOOST_TEST(holds(csv, "\ncardinality,1:1,0,1,1.000000,"));
  BOOST_TEST(holds(csv, "\noverall,all facts,0,3,0.666667,"));
  BOOST_TEST(holds(csv, "\noverall,mean of relations,0,3,0.750000,"));
}

BOOST_FIXTURE_TEST_CASE(several_templates_stand_by_themselves_and_together, Results) {
  folder.add("capital", {"Paris", "Rome"}, templates, Json::object(),
             {row("France", 0, 0, 0, {-1, -2}), row("France", 0, 1, 0, {-2, -1})});
  const std::string html = page();
  const Json json = Json::parse(slurp(out / "metrics.json"));
  const auto capital = [&](const Json& group) {
    return group.at("relations").at("capital").at("accuracy").at("value").get<double>();
  };
  BOOST_TEST(capital(json.at("templates").at("0")) == 1.0);
  BOOST_TEST(capital(json.at("templates").at("1")) == 0.0);
  BOOST_TEST(capital(json.at("all_templates")) == 0.5);
  BOOST_TEST(holds(slurp(out / "accuracy.csv"), "\nrelation,capital,all,1,0.500000,"));
  BOOST_TEST(holds(html, "Accuracy by template"));
}

BOOST_FIXTURE_TEST_CASE(the_terminal_table_has_a_row_for_each_group, Results) {
  const std::string table = probe_report(folder.path()).table();
  BOOST_TEST(holds(table, "\ncapital "));
  BOOST_TEST(holds(table, "0.500 [0.095, 0.905]"));
  for (const char* group : {"\nGeography ", "\n1:1 ", "\nN:1 ", "\nall facts ", "\nmean of rel"}) {
    BOOST_TEST(holds(table, group));
  }
}

BOOST_FIXTURE_TEST_CASE(the_page_is_well_formed_and_fetches_nothing, Results) {
  settings({{"model", "tiny.gguf"}, {"dataset", "small"}, {"limit", 3}, {"weights", nullptr}});
  const std::string html = page();
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(test::between(html, "<title>", "</title>") == "tiny.gguf on small");
  BOOST_TEST(holds(html, "<tr><td>limit</td><td><bdi>3</bdi></td></tr>"));
  BOOST_TEST(!holds(html, "http:"));
  BOOST_TEST(!holds(html, "https:"));
}

BOOST_FIXTURE_TEST_CASE(a_folder_of_lm_pub_quiz_goes_by_its_own_name, Results) {
  const std::string name = folder.path().filename().string();
  BOOST_TEST(test::between(page(), "<title>", "</title>") == name);
  // with a trailing slash, as completed by a shell
  probe_report(folder.path() / "").write(out.path());
  const std::string html = slurp(out / "report.html");
  BOOST_TEST(test::between(html, "<title>", "</title>") == name);
  BOOST_TEST(!holds(html, "<h2>Settings</h2>"));
}

BOOST_FIXTURE_TEST_CASE(quantised_weights_are_spoken_of_when_the_run_had_them, Results) {
  BOOST_TEST(!holds(page(), "Quantised weights"));
  settings({{"quantized", false}, {"weights", "F32"}});
  BOOST_TEST(!holds(page(), "Quantised weights"));
  settings({{"quantized", true}, {"weights", "Q4_1"}});
  BOOST_TEST(holds(page(), "Quantised weights (Q4_1)"));
}

BOOST_FIXTURE_TEST_CASE(notes_of_relations_stand_once_on_the_page, Results) {
  BOOST_TEST(!holds(page(), "class=\"note\""));
  const Json info = {{"note", "Read <this> first."}};
  folder.add("capital", {"Paris", "Rome"}, templates, info, {row("France", 0, 0, 0, {-1, -2})});
  folder.add("river", {"Nile", "Rhine"}, templates, info, {row("Cairo", 0, 0, 0, {-1, -2})});
  folder.add("sea", {"Red", "Dead"}, templates, {{"note", "And that."}},
             {row("Eilat", 0, 0, 0, {-1, -2})});
  const std::string html = page();
  const std::string first = "<p class=\"note\">Read &lt;this&gt; first.</p>";
  const std::size_t at = html.find(first);
  BOOST_TEST(at != std::string::npos);
  BOOST_TEST(html.find(first, at + 1) == std::string::npos);
  BOOST_TEST(holds(html, "<p class=\"note\">And that.</p>"));
}

BOOST_FIXTURE_TEST_CASE(labels_of_any_kind_are_escaped, Results) {
  folder.add("<P36>", {"\"x\" & <y>", "🇪🇬 القاهرة"}, {"<[X]> [Y]"}, {{"domains", {"R&D <i>"}}},
             {row("</script><b>", 0, 0, 1, {-1, -2})});
  settings({{"model", "<i>.gguf"}, {"dataset", "\"d\" & co"}});
  const std::string html = page();
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(holds(html, "<bdi>&lt;P36&gt;</bdi>"));
  BOOST_TEST(holds(html, ">R&amp;D &lt;i&gt;</text>"));
  BOOST_TEST(holds(html, "<bdi>&lt;i&gt;.gguf on &quot;d&quot; &amp; co</bdi>"));
  BOOST_TEST(!holds(html, "<P36>"));
  BOOST_TEST(!holds(html, "<i>"));
  const Json data = Json::parse(test::between(html, "id=\"scores\">", "</script>"));
  BOOST_TEST(data.at("relations").at(2).at("options").at(1) == "🇪🇬 القاهرة");
}

BOOST_AUTO_TEST_CASE(relations_without_rows_have_dashes_and_not_zeros) {
  test::ResultsFolder folder;
  folder.add("capital", {"Paris", "Rome"}, templates, Json::object(), {});
  const ProbeReport report = probe_report(folder.path());
  const test::TemporaryFolder out;
  report.write(out.path());
  const std::string html = slurp(out / "report.html");
  BOOST_TEST(holds(html, "<span>Accuracy</span><b>–</b>"));
  BOOST_TEST(!holds(html, ">0.000<"));
  BOOST_TEST(!holds(report.table(), "0.000"));
  BOOST_TEST(report.results().overall.accuracy.count == 0U);
  BOOST_TEST(!holds(slurp(out / "accuracy.csv"), "0.000"));
}

BOOST_AUTO_TEST_CASE(a_folder_without_finished_results_is_refused) {
  const test::TemporaryFolder folder;
  BOOST_CHECK_EXCEPTION((void)probe_report(folder.path()), Error,
                        test::says(Fault::user, "contains no finished results"));
}

// For two facts, all three options are tied, and the right one is listed first for one of them: the
// accuracy is 1/3, or 1/2 if the first option wins ties. The ends of Wilson's interval for 1/3 over
// 2 facts solve (1/3 − p)² = z² p (1 − p) / 2.
BOOST_AUTO_TEST_CASE(ties_are_counted_warned_of_and_shown_with_the_first_wins) {
  test::ResultsFolder level;
  level.add("capital", {"Paris", "Rome", "Cairo"}, templates, Json::object(),
            {row("France", 0, 0, 0, {-2, -2, -2}), row("Italy", 1, 0, 1, {-3, -3, -3})});
  const ProbeReport report = probe_report(level.path());
  BOOST_TEST(report.notes().back().starts_with("Warning: 2 of 2 answers (100.0%) are ties"));
  const std::string table = report.table();
  BOOST_TEST(holds(table, "accuracy (first wins) [95%]\n"));
  const std::string line = test::between(table, "\ncapital ", "\n");
  BOOST_TEST(holds(line, "0.333 [" + with_decimals(wilson_share(1.0 / 3, 2).low, 3)));
  BOOST_TEST(line.ends_with("  0.500 [0.095, 0.905]"));
  const test::TemporaryFolder out;
  report.write(out.path());
  const std::string html = slurp(out / "report.html");
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(holds(html, "Accuracy (first wins)"));
  BOOST_TEST(holds(html, "Warning: 2 of 2 answers (100.0%) are ties"));
  const Json all = Json::parse(slurp(out / "metrics.json")).at("all_templates").at("overall");
  BOOST_TEST(all.at("accuracy_first_wins").at("value") == 0.5);
  BOOST_TEST(all.at("ties_for_best") == 2);
  BOOST_TEST(all.at("answers") == 2);
}

BOOST_AUTO_TEST_CASE(without_ties_the_first_wins_is_not_shown) {
  test::ResultsFolder clear;
  clear.add("capital", {"Paris", "Rome"}, templates, Json::object(),
            {row("France", 0, 0, 0, {-1, -2})});
  const ProbeReport report = probe_report(clear.path());
  BOOST_TEST(report.notes().empty());
  BOOST_TEST(!holds(report.table(), "first wins"));
  const test::TemporaryFolder out;
  report.write(out.path());
  BOOST_TEST(!holds(slurp(out / "report.html"), "irst wins"));
}

BOOST_FIXTURE_TEST_CASE(weighted_templates_have_numbers_of_their_own, Results) {
  BOOST_TEST(!holds(probe_report(folder.path()).table(), "weighted"));
  // The model knows France under template 0 but not under template 1, which has a higher weight.
  folder.add("capital", {"Paris", "Rome", "Cairo"}, templates, Json::object(),
             {row("France", 0, 0, 0, {-1, -2, -3}), row("France", 0, 1, 0, {-4, -2, -3})});
  folder.set("capital", "template_weights", {0.25, 0.75});
  const ProbeReport report = probe_report(folder.path());
  report.write(out.path());
  const Json metrics = Json::parse(slurp(out / "metrics.json"));
  BOOST_TEST(metrics["all_templates"]["relations"]["capital"]["accuracy"]["value"] == 0.5);
  BOOST_TEST(metrics["weighted_templates"]["relations"]["capital"]["accuracy"]["value"] == 0.0);
  BOOST_TEST(metrics["weighted_templates"]["overall"]["facts"] == 1);  // river has no weights
  BOOST_TEST(holds(slurp(out / "metrics.csv"), "relation,capital,weighted,accuracy,"));
  BOOST_TEST(holds(slurp(out / "accuracy.csv"), "overall,all facts,weighted,1,"));
  BOOST_TEST(holds(report.table(), "weighted templates"));
  BOOST_TEST(holds(slurp(out / "report.html"), "weighted templates"));
}

BOOST_FIXTURE_TEST_CASE(facts_with_several_right_options_have_numbers_of_their_own, Results) {
  BOOST_TEST(!holds(probe_report(folder.path()).table(), "several right options"));
  folder.add("capital", {"Sucre", "La Paz", "Lima"}, templates, Json::object(),
             {row("Bolivia", 0, 0, 0, {-1, -3, -2}), row("Peru", 1, 0, 2, {-1, -2, -3}),
              row("Bolivia", 2, 0, 1, {-1, -3, -2})});
  const ProbeReport report = probe_report(folder.path());
  report.write(out.path());
  const Json several = Json::parse(slurp(out / "metrics.json")).at("several_right");
  BOOST_REQUIRE(several.size() == 2U);
  BOOST_TEST(several[0]["name"] == "capital");
  BOOST_TEST(several[1]["facts"] == 1);
  BOOST_TEST(several[1]["precision_at_n"]["value"] == 0.5);
  BOOST_TEST(holds(report.table(), "several right options"));
  BOOST_TEST(holds(slurp(out / "report.html"), "Facts with several right options"));
}

BOOST_AUTO_TEST_SUITE_END()
