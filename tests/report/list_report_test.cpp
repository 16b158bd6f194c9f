// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/list_report.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/errors.hpp"
#include "support/markup.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::holds;
using test::slurp;

BOOST_AUTO_TEST_SUITE(list_report_suite)

namespace {

/// A handwritten run: one subject has two objects, and the answer contains only the first.
struct Lists : test::TemporaryFolder {
  Lists() {
    write("asked/facts.jsonl",
          "{\"relation\": \"P190\", \"sub_id\": \"test-1\", \"sub_label\": \"Elek <i>\", "
          "\"objects\": [{\"obj_id\": \"Q1\", \"obj_label\": \"Rome\"}, "
          "{\"obj_id\": \"Q2\", \"obj_label\": \"Kiel\"}]}\n");
    write("asked/templates.jsonl",
          "{\"relation\": \"P190\", \"template\": \"Twins of [X]: [Y]\"}\n");
    write("0-kamel_answers.jsonl",
          row_line(RecordedAnswer{"P190", {0, 0, 0}, "Elek <i>", " rome; Oslo", 4, -1, 0}));
    write("metadata_generate.json",
          "{\"settings\": [\"0-kamel\"], \"answers\": \"lists\", \"max_new_tokens\": 9, "
          "\"rows\": {\"0-kamel_answers.jsonl\": 1}, \"remarks\": [\"a < b\"]}\n");
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(numbers_stand_in_the_table_the_page_and_the_files, Lists) {
  const ListReport report = list_report(path());
  BOOST_TEST(holds(report.table(), "script's precision"));
  BOOST_TEST(holds(report.table(), "P190"));
  BOOST_TEST(report.notes() == std::vector<std::string>{"a < b"});
  report.write(path());
  const Json metrics = Json::parse(slurp(*this / "metrics.json"));
  BOOST_TEST(metrics.at("setting") == "0-kamel");
  BOOST_REQUIRE(metrics.at("lists").size() == 1U);
  BOOST_TEST(metrics["lists"][0]["precision"]["value"] == 0.5);
  BOOST_TEST(metrics["lists"][0]["recall"]["value"] == 0.5);
  BOOST_TEST(
      slurp(*this / "answers.csv") ==
      "relation,fact,subject,objects,answer,precision,recall,f1,main_label_f1,script_f1,cut\n"
      "P190,0,Elek <i>,Rome; Kiel, rome; Oslo,0.50000000,0.50000000,0.50000000,0.50000000,"
      "0.50000000,no\n");
  BOOST_TEST(holds(slurp(*this / "metrics.csv"), "P190,f1,0.5"));
  const std::string page = slurp(*this / "report.html");
  BOOST_TEST(test::markup_fault(page) == "");
  BOOST_TEST(holds(page, "F1 by relation"));
  BOOST_TEST(holds(page, "a &lt; b"));
}

BOOST_AUTO_TEST_CASE(a_folder_without_lists_is_refused) {
  const test::TemporaryFolder folder;
  BOOST_CHECK_EXCEPTION((void)list_report(folder.path()), Error,
                        test::says(Fault::user, "contains no finished generation"));
}

BOOST_AUTO_TEST_SUITE_END()
