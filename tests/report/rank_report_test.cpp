// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/rank_report.hpp"

#include <boost/test/unit_test.hpp>
#include <set>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/markup.hpp"
#include "support/small_calibration.hpp"
#include "support/small_graph.hpp"

using namespace plumb::detail;
using test::between;
using test::count_of;
using test::holds;
using test::in_order;
using test::names_in;
using test::ranked;
using test::RankFolder;
using test::says;
using test::slurp;
using test::SmallRanking;
using test::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(rank_report_suite)

namespace {

RankReport report(const RankFolder& folder, std::uint64_t seed = 7) {
  return rank_report(folder.path(), {.seed = seed, .resamples = 50});
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(report_writes_the_expected_files_and_nothing_else, SmallRanking) {
  const TemporaryFolder out;
  report(*this).write(out.path());
  BOOST_TEST(
      (names_in(out.path()) == std::set<std::string>{"figures", "metrics.csv", "metrics.json",
                                                     "ranks.csv", "report.html"}));
}

BOOST_FIXTURE_TEST_CASE(metrics_json_records_bootstrap_and_interval, SmallRanking) {
  const TemporaryFolder out;
  const RankReport made = report(*this);
  made.write(out.path());
  Json json = Json::parse(slurp(out / "metrics.json"));
  BOOST_TEST(json.at("bootstrap").at("seed") == 7);
  BOOST_TEST(json.at("bootstrap").at("resamples") == 50);
  BOOST_TEST(json.at("interval") == 0.95);
  json.erase("bootstrap");
  json.erase("interval");
  json.erase("notes");
  BOOST_TEST(json == to_json(made.results()));
}

BOOST_FIXTURE_TEST_CASE(writing_again_gives_the_same_bytes, SmallRanking) {
  const TemporaryFolder one, two;
  report(*this).write(one.path());
  report(*this).write(two.path());
  BOOST_TEST((test::all_contents(one.path()) == test::all_contents(two.path())));
  report(*this, 8).write(two.path());
  BOOST_TEST(slurp(one / "metrics.json") != slurp(two / "metrics.json"));
  BOOST_TEST(slurp(one / "ranks.csv") == slurp(two / "ranks.csv"));
}

BOOST_FIXTURE_TEST_CASE(the_csv_has_a_row_for_each_method_and_query, SmallRanking) {
  const TemporaryFolder out;
  report(*this).write(out.path());
  const std::string csv = slurp(out / "ranks.csv");
  BOOST_TEST(
      csv.starts_with("method,part,line,asks,head,relation,tail,tokens,rank,filtered_rank,"
                      "undecided,rank_at_most\n"));
  BOOST_TEST(count_of(csv, "\n") == 1U + 6U + 6U + 3U + 3U);
  BOOST_TEST(holds(csv, "\ndeer,test,1,tail,h1,next,t1,1,1.0,1.0,0,1.0\n"));
  BOOST_TEST(holds(csv, "\ndeer,test,5,tail,h5,<symbol>,t5,5,10.0,6.0,0,10.0\n"));
  BOOST_TEST(holds(csv, "\nlikelihood,test,3,tail,h3,next,t3,2,2.5,2.5,0,2.5\n"));
  BOOST_TEST(holds(csv, "\nlm-head,test,2,tail,h2,next,t2,1,5.0,5.0,0,5.0\n"));
}

BOOST_AUTO_TEST_CASE(ranks_csv_includes_head_queries_parts_and_undecided_searches) {
  auto head = ranked(4, "a, \"b\"", 2, 3);
  head.asks_head = true;
  head.part = "valid";
  head.undecided = 6;
  RankFolder folder;
  folder.method("likelihood", {head});
  const TemporaryFolder out;
  report(folder).write(out.path());
  BOOST_TEST(holds(slurp(out / "ranks.csv"),
                   "\nlikelihood,valid,4,head,h4,\"a, \"\"b\"\"\",t4,3,3.0,3.0,6,9.0\n"));
}

BOOST_FIXTURE_TEST_CASE(the_page_has_the_settings_of_the_run, SmallRanking) {
  const TemporaryFolder out;
  report(*this).write(out.path());
  BOOST_TEST(!holds(slurp(out / "report.html"), "<h2>Settings</h2>"));
  settings({{"model", "m.gguf"}, {"dataset", "wn18rr"}, {"shots", 8}, {"weights", nullptr}});
  report(*this).write(out.path());
  const std::string html = slurp(out / "report.html");
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(between(html, "<title>", "</title>") == "m.gguf on wn18rr");
  BOOST_TEST(holds(html, "<tr><td>shots</td><td><bdi>8</bdi></td></tr>"));
  BOOST_TEST(!holds(html, "<td>weights</td>"));
}

BOOST_FIXTURE_TEST_CASE(the_terminal_table_has_rows_for_methods_and_for_pairs, SmallRanking) {
  const std::string table = report(*this).table();
  BOOST_TEST(table.starts_with("method "));
  BOOST_TEST(in_order(table, {"queries", "candidates", "MR", "MRR [95%]", "AMRI", "Hit@1", "Hit@3",
                              "Hit@10", "Hit@100"}));
  const auto row = [&](const std::string& begin) { return between(table, "\n" + begin, "\n"); };
  BOOST_TEST(in_order(row("deer "),
                      {"6", "20", "7.0", "0.350 [", "0.368", "0.167", "0.333", "0.833", "–"}));
  BOOST_TEST(in_order(row("deer, filtered "), {"6", "20", "6.3", "0.361 ["}));
  BOOST_TEST(in_order(row("lm-head "), {"3", "5", "2.7", "0.567 [", "–", "–"}));
  BOOST_TEST(
      in_order(table, {"agreement", "queries", "r of log ranks [95%]", "p", "deer and likelihood",
                       "6", "0.969 [", "0.001", "deer-single-token and lm-head", "3"}));
  RankFolder alone;
  alone.method("deer", {ranked(1, "a", 0, 1)});
  BOOST_TEST(!holds(report(alone).table(), "agreement"));
}

BOOST_AUTO_TEST_CASE(relations_with_candidates_of_their_own_have_a_span_of_candidates) {
  RankFolder folder;
  folder.method("deer", {ranked(1, "holds", 0, 1, 9), ranked(1, "in", 0, 1, 4),
                         ranked(1, "symbol", 2, 1, 36)});
  folder.method("lm-head", {ranked(1, "symbol", 2, 1, 10)});
  const RankReport made = report(folder);
  BOOST_TEST(made.results().methods[0].candidates == 36U);
  BOOST_TEST(in_order(between(made.table(), "\ndeer ", "\n"), {" 3 ", " 4–36 ", " 1.7 "}));
  BOOST_TEST(in_order(between(made.table(), "\ndeer, filtered ", "\n"), {" 4–36 "}));
  BOOST_TEST(in_order(between(made.table(), "\nlm-head ", "\n"), {" 1 ", " 10 ", " 3.0 "}));
}

BOOST_FIXTURE_TEST_CASE(remarks_of_the_run_come_first, SmallRanking) {
  remark("of the run");
  auto cut = ranked(2, "next", 5, 1);
  cut.undecided = 9;
  method("cut", {cut});
  const RankReport made = report(*this);
  BOOST_REQUIRE(made.notes().size() == 3U);
  BOOST_TEST(made.notes()[0] == "of the run");
  BOOST_TEST(made.notes()[1].starts_with("likelihood: Warning: the true entities of 1 of 6"));
  BOOST_TEST(made.notes()[2].starts_with("cut: 1 of 1 searches"));
  const TemporaryFolder out;
  made.write(out.path());
  BOOST_TEST(count_of(slurp(out / "report.html"), "class=\"note\"") == 3U);
}

BOOST_AUTO_TEST_CASE(a_folder_that_is_no_finished_ranking_is_refused) {
  const TemporaryFolder folder;
  BOOST_CHECK_EXCEPTION(
      (void)rank_report(folder.path()), Error,
      says(Fault::user,
           "contains no finished ranking (no metadata_rank.json); specify a finished run folder, "
           "or finish its run first (plumb rank, `resume`)"));
  folder.write("metadata_rank.json", "{}");
  BOOST_CHECK_EXCEPTION((void)rank_report(folder.path()), Error,
                        says(Fault::user, "metadata_rank.json: methods: is empty; rank again"));
  for (const char* metadata :
       {R"({"methods": ["deer"]})", R"({"methods": ["deer"], "narrowed": "no"})"}) {
    folder.write("metadata_rank.json", metadata);
    BOOST_CHECK_EXCEPTION((void)rank_report(folder.path()), Error,
                          says(Fault::user, "deer_ranks.jsonl: cannot be read"));
  }
  folder.write("metadata_rank.json", "{\"methods\": [\"../deer\"]}");
  BOOST_CHECK_EXCEPTION(
      (void)rank_report(folder.path()), Error,
      says(Fault::user,
           "metadata_rank.json: \"../deer\": is not a valid file name in this folder"));
  folder.write("metadata_rank.json", "{\"methods\": [\"deer\"]}");
  BOOST_CHECK_EXCEPTION((void)rank_report(folder.path()), Error,
                        says(Fault::user, "deer_ranks.jsonl: cannot be read"));
}

BOOST_AUTO_TEST_CASE(a_ranking_of_nothing_is_refused) {
  const TemporaryFolder folder;
  folder.write("metadata_rank.json", "{\"methods\": []}");
  BOOST_CHECK_EXCEPTION((void)rank_report(folder.path()), Error,
                        says(Fault::user, "metadata_rank.json: methods: is empty; rank again"));
  folder.write("metadata_rank.json", "{\"methods\": [\"deer\"]}");
  folder.write("deer_ranks.jsonl", "");
  BOOST_CHECK_EXCEPTION((void)rank_report(folder.path()), Error,
                        says(Fault::user, "deer_ranks.jsonl"));
}

// Two of three true entities are tied.
BOOST_AUTO_TEST_CASE(ties_are_counted_and_warned_of) {
  RankFolder folder;
  folder.method("deer", {ranked(1, "a", 0, 1), ranked(2, "a", 1, 1), ranked(3, "a", 0, 1)});
  BOOST_TEST(report(folder).notes().empty());
  std::vector<EntityRank> tied{ranked(1, "a", 0, 1), ranked(2, "a", 1, 1), ranked(3, "a", 0, 1)};
  for (const std::size_t i : {0U, 1U}) tied[i].raw.equal = 1;
  RankFolder other;
  other.method("deer", tied);
  const RankReport made = report(other);
  BOOST_REQUIRE(made.notes().size() == 1U);
  BOOST_TEST(made.notes()[0].starts_with(
      "deer: Warning: the true entities of 2 of 3 queries (66.7%) tie"));
  BOOST_TEST(in_order(made.table(), {"Hit@100", "ties"}));
  BOOST_TEST(between(made.table(), "\ndeer ", "\n").ends_with(" 2"));
  BOOST_TEST(between(made.table(), "\ndeer, filtered ", "\n").ends_with(" 0"));
}

BOOST_AUTO_TEST_SUITE_END()
