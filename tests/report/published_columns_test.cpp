// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/published_columns.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(published_columns_of)

namespace {

PublishedComparison small() {
  PublishedNumber first, second, third;
  first.table = "4";
  first.model = "OPT-1.3B";
  first.dataset = "WN18RR";
  first.name = "methods.deer.hits_at_10";
  first.value = 0.14;
  first.printed = "0.14";
  first.decimals = 2;
  first.file = "tables/table-4.csv";
  first.line = 2;
  second = first;
  second.name = "agreement.deer+lm-head.p";
  second.value = 2.5e-38;
  second.printed = "2.5e-38";
  second.decimals = 39;
  second.note = "=a \"note\"";
  second.line = 3;
  third = first;
  third.name = "nowhere";
  third.line = 4;
  return compare_with_published(
      {first, second, third},
      {{"opt-1.3b",
        "wn18rr",
        {{first.name, {0.25, 0.125, 0.5, 40}}, {second.name, {0.5, {}, {}, 0}}}}});
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_terminal_has_both_numbers_and_their_difference) {
  const std::string text = text_table(published_columns(), small().pairs);
  BOOST_TEST(text.find("published           run's [95%]  difference  in interval       run  ") !=
             std::string::npos);
  BOOST_TEST(text.find("     0.14  0.250 [0.125, 0.500]       0.110          yes  opt-1.3b  ") !=
             std::string::npos);
  BOOST_TEST(text.find("  2.5e-38                 0.500       0.500            –  opt-1.3b  ") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(page_explains_the_columns) {
  const std::string html = html_table(published_columns(), small().pairs);
  BOOST_TEST(html.find(">Published model</button>") != std::string::npos);
  BOOST_TEST(html.find("<td data-v=\"0.250000\">0.250<small>0.125–0.500</small></td>") !=
             std::string::npos);
  BOOST_TEST(html.find("=a &quot;note&quot;") != std::string::npos);
  BOOST_TEST(meanings(published_columns()).find("Difference: the run") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(files_have_every_digit) {
  const PublishedComparison made = small();
  BOOST_TEST(published_csv(made) ==
             "table,model,dataset,candidates,queries,number,published,run,same_model,same_question,"
             "value,low,high,count,difference,in_interval,note\n"
             "4,OPT-1.3B,WN18RR,,,methods.deer.hits_at_10,0.14,opt-1.3b,yes,unknown,0.25000000,"
             "0.12500000,0.50000000,40,0.11000000,yes,\n"
             "4,OPT-1.3B,WN18RR,,,agreement.deer+lm-head.p,2.5e-38,opt-1.3b,yes,unknown,"
             "0.50000000,,,,0.50000000,,\"'=a \"\"note\"\"\"\n");
  BOOST_TEST(unmatched_csv(made) ==
             "table,model,dataset,candidates,queries,number,published,file,line,note\n"
             "4,OPT-1.3B,WN18RR,,,nowhere,0.14,table-4.csv,4,\n");
  const Json json = to_json(made);
  BOOST_TEST((json.at("runs") == Json{"opt-1.3b"}));
  const Json& first = json.at("numbers").at(0);
  BOOST_TEST(first.at("published") == 0.14);
  BOOST_TEST(first.at("value") == 0.25);
  BOOST_TEST(first.at("low") == 0.125);
  BOOST_TEST(first.at("in_interval") == true);
  const Json& second = json.at("numbers").at(1);
  BOOST_TEST(second.at("low").is_null());
  BOOST_TEST(second.at("in_interval").is_null());
  BOOST_TEST(json.at("without_counterpart").at(0).at("number") == "nowhere");
}

BOOST_AUTO_TEST_CASE(column_shows_how_the_questions_differ) {
  PublishedPair pair;
  pair.published.candidates = "single-token";
  pair.published.queries = "test";
  const auto word = [&](const char* candidates, const char* queries) {
    pair.number.candidates = candidates;
    pair.number.queries = queries;
    return same_question_word(pair);
  };
  BOOST_TEST(word("single-token", "test") == "yes");
  BOOST_TEST(word("all", "test") == "other candidates");
  BOOST_TEST(word("single-token", "500 of test") == "other queries");
  BOOST_TEST(word("of-queries", "500 of test") == "other candidates and queries");
  BOOST_TEST(word("", "") == "unknown");
  BOOST_TEST(word("single-token", "") == "unknown");
  const PublishedComparison made{.runs = {"m"}, .pairs = {pair}, .unmatched = {}, .remarks = {}};
  BOOST_TEST(to_json(made).at("numbers").at(0).at("candidates") == "single-token");
  BOOST_TEST(to_json(made).at("numbers").at(0).at("same_question") == "unknown");
}

BOOST_AUTO_TEST_SUITE_END()
