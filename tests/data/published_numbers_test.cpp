// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/published_numbers.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(published_numbers)

namespace {

struct File : test::TemporaryFolder {
  std::vector<PublishedNumber> read(const std::string& text) const {
    return read_published_numbers(write("t.csv", text));
  }
  void refuses(const std::string& text, const std::string& with) const {
    BOOST_CHECK_EXCEPTION((void)read(text), Error, says(Fault::user, with));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_row_is_a_number_under_its_name_in_metrics_json, File) {
  const auto numbers = read(
      "table,model,dataset,setting,relation,metric,value,note\n"
      "4,OPT-1.3B,WN18RR,methods.deer.raw.realistic,,hits_at_10,0.14,of 596\n"
      "8,\"35 models\",T-REx-MC,,\"languages spoken, written or signed\",accuracy,0.8650,\n"
      "5,a,,settings.ic/50,capital,accuracy,-1,\n");
  BOOST_REQUIRE(numbers.size() == 3U);
  BOOST_TEST(numbers[0].table == "4");
  BOOST_TEST(numbers[0].model == "OPT-1.3B");
  BOOST_TEST(numbers[0].dataset == "WN18RR");
  BOOST_TEST(numbers[0].name == "methods.deer.raw.realistic.hits_at_10");
  BOOST_TEST(numbers[0].value == 0.14);
  BOOST_TEST(numbers[0].printed == "0.14");
  BOOST_TEST(numbers[0].decimals == 2);
  BOOST_TEST(numbers[0].note == "of 596");
  BOOST_TEST(numbers[0].line == 2U);
  BOOST_TEST(numbers[1].name == "relations.languages spoken, written or signed.accuracy");
  BOOST_TEST(numbers[1].decimals == 4);
  BOOST_TEST(numbers[2].name == "settings.ic/50.relations.capital.accuracy");
  BOOST_TEST(numbers[2].decimals == 0);
  BOOST_TEST(numbers[2].rounding() == 0.5);
}

BOOST_FIXTURE_TEST_CASE(model_metric_and_value_are_enough_in_any_order, File) {
  const auto numbers =
      read("value,colour,metric,model\n0.5,red,all_templates.overall.accuracy,m\n");
  BOOST_REQUIRE(numbers.size() == 1U);
  BOOST_TEST(numbers[0].name == "all_templates.overall.accuracy");
  BOOST_TEST(numbers[0].table.empty());
  BOOST_TEST(numbers[0].note.empty());
}

BOOST_FIXTURE_TEST_CASE(decimals_go_by_the_power_of_ten, File) {
  const auto numbers = read("model,metric,value\nm,p,2.41e-38\nm,n,1.5E2\nm,q,12e+3\n");
  BOOST_TEST(numbers[0].value == 2.41e-38);
  BOOST_TEST(numbers[0].decimals == 40);
  BOOST_TEST(numbers[1].value == 150.0);
  BOOST_TEST(numbers[1].decimals == -1);  // rounded to the nearest ten
  BOOST_TEST(numbers[1].rounding() == 5.0);
  BOOST_TEST(numbers[2].decimals == -3);
}

BOOST_FIXTURE_TEST_CASE(errors_name_file_line_and_column, File) {
  refuses("model,metric\nm,x\n", "t.csv:1: value: is not among the header's fields");
  refuses("model,metric,value\nm,x,0.5\n\nm,x,14%\n",
          "t.csv:4: value: '14%' is not a number; write it like 0.14, without a percent sign");
  for (const char* wrong : {"", "nan", "inf", "0,5", "+0.5", " 0.5", "0.5 ", "≤1e-6"}) {
    refuses("model,metric,value\nm,x,\"" + std::string(wrong) + "\"\n",
            "t.csv:2: value: '" + std::string(wrong) + "' is not a number");
  }
  refuses("model,metric,value\n,x,0.5\n",
          "t.csv:2: model: is empty; add one, because every number needs it");
  refuses("model,metric,value\nm,,0.5\n", "t.csv:2: metric: is empty");
  refuses("model,metric,value\nm,x,0.5,more\n", "t.csv:2: 4 fields instead of 3");
  refuses("model,metric,value\n", "t.csv: contains no published numbers");
  BOOST_CHECK_EXCEPTION((void)read_published_numbers(*this / "none.csv"), Error,
                        says(Fault::user, "none.csv"));
}

BOOST_FIXTURE_TEST_CASE(a_folder_is_all_its_tables, File) {
  write("many/b.csv", "model,metric,value\nm,x,2\n");
  write("many/a.csv", "model,metric,value\nm,x,1\nm,y,3\n");
  write("many/c.txt", "no table");
  const auto numbers = read_published_numbers(*this / "many");
  BOOST_REQUIRE(numbers.size() == 3U);
  BOOST_TEST(numbers[0].value == 1.0);
  BOOST_TEST(numbers[2].value == 2.0);
  BOOST_TEST(numbers[2].file.name() == "b.csv");
  write("empty/c.txt", "");
  BOOST_CHECK_EXCEPTION((void)read_published_numbers(*this / "empty"), Error,
                        says(Fault::user, "empty: contains no published numbers; pass a .csv"));
}

BOOST_FIXTURE_TEST_CASE(candidates_and_queries_are_read_if_present, File) {
  const auto said = read("model,candidates,queries,metric,value\nm,of-queries,500 of test,x,0.1\n");
  BOOST_TEST(said.at(0).candidates == "of-queries");
  BOOST_TEST(said.at(0).queries == "500 of test");
  const auto unsaid = read("model,metric,value\nm,x,0.1\n");
  BOOST_TEST(unsaid.at(0).candidates == "");
  BOOST_TEST(unsaid.at(0).queries == "");
}

BOOST_AUTO_TEST_SUITE_END()
