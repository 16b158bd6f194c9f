// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/many_prompt_report.hpp"

#include <boost/test/unit_test.hpp>
#include <set>
#include <string>

#include "plumb/detail/core/utf8.hpp"
#include "support/errors.hpp"
#include "support/markup.hpp"
#include "support/small_calibration.hpp"
#include "support/small_many_prompts.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::between;
using test::holds;
using test::in_order;
using test::names_in;
using test::slurp;
using test::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(many_prompt_report_suite)

namespace {

ManyPromptReport report(ManyPromptResults made = test::small_many_prompts()) {
  return many_prompt_report(std::move(made), {.settings = {{"model", "m.gguf"}}},
                            "m.gguf on small");
}

}  // namespace

BOOST_AUTO_TEST_CASE(report_writes_the_expected_files_and_nothing_else) {
  const TemporaryFolder out;
  report().write(out.path());
  BOOST_TEST((names_in(out.path()) ==
              std::set<std::string>{"accuracy.csv", "answers_of_several.csv", "consistency.csv",
                                    "coverage.csv", "figures", "metrics.csv", "metrics.json",
                                    "overconfidence.csv", "reliability.csv", "report.html",
                                    "samplings.csv", "sharing.csv", "templates.csv"}));
  for (const ReportFile& file : many_prompt_csvs(report().results())) {
    if (file.is_absent) continue;
    BOOST_TEST(slurp(out / file.name) == file.text, file.name);
  }
}

BOOST_AUTO_TEST_CASE(metrics_json_begins_with_how_numbers_were_drawn) {
  const TemporaryFolder out;
  const ManyPromptReport made = report();
  made.write(out.path());
  const std::string text = slurp(out / "metrics.json");
  BOOST_TEST(text.starts_with("{\n  \"bootstrap\": {"));
  Json json = Json::parse(text);
  BOOST_TEST(json.at("bootstrap").at("seed") == 3);
  BOOST_TEST(json.at("bootstrap").at("resamples") == 50);
  BOOST_TEST(json.at("interval") == 0.95);
  BOOST_TEST(json.at("samplings").at("samplings") == 400);
  BOOST_TEST(json.at("samplings").at("seed") == 5);
  BOOST_TEST(json.at("samplings").at("headline_by") == "relation");
  for (const char* name : {"bootstrap", "interval", "samplings", "notes"}) json.erase(name);
  BOOST_TEST(json == to_json(made.results()));
}

BOOST_AUTO_TEST_CASE(the_page_has_the_title_and_the_settings) {
  const TemporaryFolder out;
  const ManyPromptReport made = report();
  made.write(out.path());
  const std::string html = slurp(out / "report.html");
  const std::string sections = many_prompt_sections(made.results());
  for (std::size_t at = 0; at != sections.npos;) {
    const std::size_t next = sections.find("<h2>", at + 1);
    BOOST_TEST((html.find(sections.substr(at, next - at)) != std::string::npos));
    at = next;
  }
  BOOST_TEST(html.find("<td>model</td><td><bdi>m.gguf</bdi></td>") != std::string::npos);
  BOOST_TEST(between(html, "<title>", "</title>") == "m.gguf on small");
}

BOOST_AUTO_TEST_CASE(writing_again_gives_the_same_bytes) {
  const TemporaryFolder one, two;
  report().write(one.path());
  report().write(two.path());
  BOOST_TEST((test::all_contents(one.path()) == test::all_contents(two.path())));
}

BOOST_AUTO_TEST_CASE(a_folder_that_is_not_there_is_refused) {
  BOOST_CHECK_EXCEPTION(report().write("/nowhere/at/all"), Error,
                        test::says(Fault::user, "metrics.json.part: cannot be created"));
}

BOOST_AUTO_TEST_CASE(the_terminal_table_has_a_row_for_each_way_of_asking) {
  const ManyPromptReport made = report();
  const std::string table = made.table();
  BOOST_TEST(table.starts_with("setting "));
  BOOST_TEST(in_order(table, {"facts", "prompts", "Acc@1 [95%]", "range", "SD", "Consist",
                              "Overconf", "max", "oracle", "answers", "one word, facts [95%]",
                              "one word, prompts", "without a word", "empty", "cut"}));
  const auto row = [&](const std::string& begin) { return between(table, "\n" + begin, "\n"); };
  const SampledAccuracy& sampled = made.results().ways[0].by_relation;
  BOOST_TEST(in_order(row("zero-shot "),
                      {" 5 ", " 19 ", "0.442 [", with_decimals(sampled.range(), 3),
                       with_decimals(*sampled.sd, 4), "0.626", "0.317", "0.800", "0.800"}));
  BOOST_TEST(in_order(row("4-template "), {" 5 ", "0.758 [", " – ", "1.000"}));
  BOOST_TEST(in_order(row("zero-shot-question "), {" 3 ", " 7 ", "0.583 [", "0.667"}));
}

BOOST_AUTO_TEST_CASE(the_terminal_table_leaves_out_what_no_way_of_asking_has) {
  const std::string closed = report(test::one_closed_set()).table();
  BOOST_TEST(holds(closed, "Overconf"));
  BOOST_TEST(holds(closed, " ties\n"));
  BOOST_TEST(!holds(report().table(), "ties"));
  BOOST_TEST(!holds(closed, "one word"));
  ManyPromptResults results = test::small_many_prompts();
  results.ways[0].one_word_answers = 4;  // of 19
  results.ways[0].empty = 17;
  const std::string table = report(results).table();
  BOOST_TEST(
      in_order(table, {"one word, prompts", "\nzero-shot ", "1.000 [", "0.211", " 1 ", " 17 ", " 3",
                       "\n4-template ", "1.000 [", " 1.000 ", " 0 ", " 0 ", " –\n"}));
  const std::string nothing = report(test::nothing_asked()).table();
  BOOST_TEST(!holds(nothing, "Overconf"));
  BOOST_TEST(in_order(between(nothing, "\nnothing ", "\n"), {" 0 ", " 0 ", "–", "–"}));
}

BOOST_AUTO_TEST_CASE(the_terminal_table_is_not_wider_than_a_terminal) {
  ManyPromptResults made = test::small_many_prompts();
  made.ways[0].name = std::string(80, 'x');
  made.ways[0].prompts = 65'000'000;
  made.ways[0].facts = 340'000;
  const std::string table = report(made).table();
  for (std::size_t at = 0; at < table.size(); at = table.find('\n', at) + 1) {
    const std::string line = table.substr(at, table.find('\n', at) - at);
    BOOST_TEST(count_code_points(line) <= 130U);
  }
}

BOOST_AUTO_TEST_CASE(notes_are_the_remarks) {
  ManyPromptResults made = test::small_many_prompts();
  made.remarks.insert(made.remarks.begin(), "of the run");
  BOOST_TEST(report(made).notes() == made.remarks, boost::test_tools::per_element());
}

// Paired tests exist only if there are several runs.
BOOST_AUTO_TEST_CASE(paired_tests_of_several_runs_are_shown) {
  ManyPromptResults made = many_prompt_results({test::small_zero_shot(), test::small_closed_set()},
                                               test::small_options());
  BOOST_TEST(!many_prompt_report(made, {}, "t").metrics().contains("paired_tests"));
  PairedComparison& pair = made.paired.emplace_back();
  pair.second = 1;
  pair.overall.counts = {3, 2, 1, 0};
  pair.overall.p = pair.overall.p_holm = 1;
  const auto report = many_prompt_report(made, {}, "t");
  const Json json = report.metrics().at("paired_tests").at(0);
  BOOST_TEST((json.at("models") == Json(made.names())));
  BOOST_TEST(json.at("only_first") == 2);
  BOOST_TEST(report.table().find("p (Holm)") != std::string::npos);
  const test::TemporaryFolder out;
  report.write(out.path());
  BOOST_TEST(test::slurp(out / "paired_tests.csv").find(made.names()[0]) != std::string::npos);
  BOOST_TEST(test::slurp(out / "report.html").find("<h2>Paired tests") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
