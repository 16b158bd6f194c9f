// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/compared_facts_section.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/markup.hpp"
#include "support/small_calibration.hpp"
#include "support/small_comparison.hpp"

using namespace plumb::detail;
using test::by_seed;
using test::count_of;
using test::holds;
using test::in_order;
using test::three_models;
using test::three_options;

BOOST_AUTO_TEST_SUITE(compared_facts_section_suite)

namespace {

Comparison compared(const std::vector<ModelAnswers>& models) {
  return compare_answers(models, {.bootstrap = {.seed = 1, .resamples = 20}});
}

}  // namespace

// Every model answers o0 in every row; only bee has answers in P4.
BOOST_AUTO_TEST_CASE(a_file_has_every_fact_with_each_models_answer) {
  const std::string csv = facts_csv(compare_answers(three_models(), three_options()));
  BOOST_TEST(
      csv.starts_with("relation,instance,subject,answer,known_by,asked,answer:cat,known:cat,"
                      "answer:ant,known:ant,change:ant,answer:bee,known:bee,change:bee\n"
                      "P1,0,s0,o0,2,3,o0,0,o0,1,gained,o0,1,gained\n"));
  BOOST_TEST(holds(csv, "\nP2,3,s3,o3,1,3,o0,1,o0,0,lost,o0,0,lost\n"));
  BOOST_TEST(holds(csv, "\nP3,0,s0,o0,3,3,o0,1,o0,1,,o0,1,\n"));
  BOOST_TEST(count_of(csv, "\n") == 13U);
}

BOOST_AUTO_TEST_CASE(a_model_that_was_not_asked_has_empty_cells) {
  const std::string csv = facts_csv(compared({{"a", {by_seed("P1", {"10"})}},
                                              {"b", {by_seed("P1", {"01"})}},
                                              {"c", {by_seed("P1", {"1"})}}}));
  BOOST_TEST(holds(csv, "\nP1,1,s1,o1,1,2,o0,0,o0,1,gained,,,\n"));
}

BOOST_AUTO_TEST_CASE(a_page_lists_the_facts_that_models_know_apart) {
  const Comparison made = compare_answers(three_models(), three_options());
  const std::string html = compared_facts_section(made);
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(in_order(html, {"<h2>Facts</h2>", "id=\"fact-words\"", "id=\"fact-known\"",
                             "<option value=\"1\">ant</option>", "id=\"fact-unknown\"",
                             "all others</option>", "<span id=\"fact-count\">9</span>"}));
  BOOST_TEST(count_of(html, " data-known=\"") == 9U);
  BOOST_TEST(holds(html,
                   "<tr id=\"fact-p2-3\" data-known=\"100\"><td><bdi>P2</bdi></td><td><a "
                   "href=\"#fact-p2-3\"><bdi>s3</bdi></a></td>"));
  BOOST_TEST(!holds(html, "more fact"));
}

BOOST_AUTO_TEST_CASE(long_list_is_truncated_and_shows_the_number_of_omitted_facts) {
  const std::size_t facts = most_listed_facts + 2;
  const Comparison made = compared({{"a", {by_seed("P1", {std::string(facts, '1')})}},
                                    {"b", {by_seed("P1", {std::string(facts, '0')})}}});
  const std::string html = compared_facts_section(made);
  BOOST_TEST(count_of(html, " data-known=\"") == most_listed_facts);
  BOOST_TEST(holds(html, "2 more facts on which models differ"));
  BOOST_TEST(holds(html, "<span id=\"fact-count\">1000</span>"));
  BOOST_TEST(count_of(facts_csv(made), "\n") == facts + 1);
}

BOOST_AUTO_TEST_CASE(without_a_difference_there_is_no_list_and_without_a_shared_fact_no_section) {
  const std::string same = compared_facts_section(
      compared({{"a", {by_seed("P1", {"10"})}}, {"b", {by_seed("P1", {"10"})}}}));
  BOOST_TEST(holds(same, "<h2>Facts</h2>"));
  BOOST_TEST(!holds(same, "fact-words"));
  BOOST_TEST(compared_facts_section(compared({{"a", {by_seed("P1", {"10"})}}})) == "");
}

BOOST_AUTO_TEST_CASE(texts_may_hold_anything) {
  auto models = three_models();
  models[0].name = "<a>";
  models[0].relations[0].relation.facts[0].subject = "<i>";
  models[1].relations[0].relation.facts[0].subject = "<i>";
  models[2].relations[0].relation.facts[0].subject = "<i>";
  const std::string html = compared_facts_section(compared(models));
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(!holds(html, "<a>"));
  BOOST_TEST(!holds(html, "<i>"));
}

BOOST_AUTO_TEST_SUITE_END()
