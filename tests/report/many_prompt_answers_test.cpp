// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/many_prompt_answers.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/markup.hpp"
#include "support/small_calibration.hpp"
#include "support/small_many_prompts.hpp"

using namespace plumb::detail;
using test::between;
using test::count_of;
using test::holds;
using test::in_order;
using test::row_of;

BOOST_AUTO_TEST_SUITE(many_prompt_answers)

namespace {

const ManyPromptResults& made() {
  static const ManyPromptResults results = test::small_many_prompts();
  return results;
}

/// A row of a heat map.
std::string map_row(const std::string& map, const std::string& name) {
  return between(map, "<th scope=\"row\"><bdi>" + name + "</bdi></th>", "</tr>");
}

/// The text from a subheading to the next one.
std::string part(const std::string& html, const std::string& heading) {
  return between(html, "<h3>" + heading + "</h3>", "<h3>");
}

}  // namespace

BOOST_AUTO_TEST_CASE(sharing_has_a_map_for_each_reading) {
  const std::string html = sharing_section(made());
  BOOST_TEST(test::markup_fault(html) == "");
  const std::string by_template = part(html, "By template");
  BOOST_TEST(in_order(map_row(by_template, "zero-shot"), {"<td>–</td>", ">1.00<", ">0.67<"}));
  BOOST_TEST(in_order(map_row(by_template, "4-template"), {">0.53<", "<td>–</td>"}));
  const std::string oracle = part(html, "Oracle");
  BOOST_TEST(in_order(map_row(oracle, "4-template"), {">0.80<", "<td>–</td>", ">0.67<"}));
  BOOST_TEST(in_order(
      html, {"the share that the column's setting also answers correctly", "By template:"}));
}

BOOST_AUTO_TEST_CASE(relations_and_templates_of_only_one_setting_are_reported) {
  const std::string html = sharing_section(made());
  BOOST_TEST(count_of(html, "<li>") == 2U);
  BOOST_TEST(holds(html,
                   "<bdi>zero-shot</bdi> and <bdi>zero-shot-question</bdi>: 1 relation and 2 "
                   "templates</li>"));
  const ManyPromptResults two =
      many_prompt_results({test::small_zero_shot(), test::small_few_shot()}, test::small_options());
  BOOST_TEST(!holds(sharing_section(two), "Left out"));
}

BOOST_AUTO_TEST_CASE(each_pair_has_its_intervals) {
  const std::string html = sharing_section(made());
  const std::string pairs = between(html, "<details>", "</details>");
  BOOST_TEST(count_of(pairs, "<tr><td>") == 6U);
  BOOST_TEST(
      in_order(row_of(pairs, "4-template"), {"<bdi>zero-shot</bdi>", "0.528<small>", "data-v=\"6\"",
                                             "data-v=\"0\"", "0.800<small>", "data-v=\"5\""}));
}

BOOST_AUTO_TEST_CASE(lists_of_counts_are_sentences) {
  BOOST_TEST(unshared_text({{0, "relation"}, {0, "fact"}}) == "");
  BOOST_TEST(unshared_text({{0, "relation"}, {1, "fact"}}) == "1 fact");
  BOOST_TEST(unshared_text({{2, "relation"}, {1, "fact"}}) == "2 relations and 1 fact");
  BOOST_TEST(unshared_text({{1, "a"}, {2, "b"}, {3, "c"}}) == "1 a, 2 bs and 3 cs");
}

BOOST_AUTO_TEST_CASE(consistency_has_all_kinds_of_pairs) {
  const std::string html = consistency_section(made());
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(in_order(html, {">All pairs<", ">Inner group<", ">Inter group<",
                             ">Only the subject differs<", ">Only the template differs<"}));
  BOOST_TEST(in_order(row_of(html, "zero-shot"), {"0.626<small>", "<small>2 left out</small>",
                                                  "0.750<small>", "<small>4 left out</small>"}));
  BOOST_TEST(holds(html, "Generated answers match if"));
  BOOST_TEST(!holds(html, "closed sets"));
}

// Among the questions, there is no pair of prompts from different groups.
BOOST_AUTO_TEST_CASE(groups_of_templates_have_bars_side_by_side) {
  const std::string bars = group_chart(made());
  BOOST_TEST(in_order(bars, {">zero-shot, inner</text>", ">zero-shot, inter</text>", ">0.600 [",
                             ">4-template, inner</text>", ">4-template, inter</text>"}));
  BOOST_TEST(count_of(bars, "class=\"bar\"") == 4U);
  BOOST_TEST(!holds(bars, "question"));
  BOOST_TEST(group_chart(test::one_closed_set()).empty());
}

BOOST_AUTO_TEST_CASE(relations_have_their_consistency) {
  const std::string html = relation_consistency(made());
  BOOST_TEST(count_of(html, "<tr><td>") == 5U);
  BOOST_TEST(in_order(row_of(html, "P&lt;36&gt;"),
                      {"<bdi>zero-shot</bdi>", "1.000<small>", ">–<", "1.000<small>", ">–<"}));
}

BOOST_AUTO_TEST_CASE(accuracy_moves_with_names_and_with_templates) {
  const std::string table = part(consistency_section(made()), "What changes accuracy");
  BOOST_TEST(in_order(row_of(table, "zero-shot"),
                      {"0.417<small>", "0.467<small>", "0.200<small>", "0.800<small>"}));
}

BOOST_AUTO_TEST_CASE(manual_templates_have_a_rank_where_there_are_others) {
  const std::string table = manual_table(made());
  BOOST_TEST(test::markup_fault(table) == "");
  BOOST_TEST(in_order(row_of(table, "zero-shot"), {"data-v=\"1.500000\">1.50<small>", ">2.00<",
                                                   "data-v=\"4\"", "data-v=\"2\""}));
  BOOST_TEST(manual_table(test::one_closed_set()).empty());
}

BOOST_AUTO_TEST_CASE(closed_sets_agree_by_their_options) {
  const std::string html = consistency_section(test::one_closed_set());
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(holds(html, "Answers to closed sets match if they are the same option."));
  BOOST_TEST(!holds(html, "Generated"));
  BOOST_TEST(in_order(row_of(html, "model &lt;m&gt; &amp; &quot;q&quot;"),
                      {"0.667<small>", "<td data-v=\"-1\">–</td>"}));
}

BOOST_AUTO_TEST_CASE(answers_of_several_objects_are_listed) {
  const std::string html = several_section(made());
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(holds(
      html,
      "2 answers named more than one object of the fact; each counts as one correct answer.</p>"));
  BOOST_TEST(in_order(
      html, {"<bdi>&lt;Ann&gt; &amp; Bob</bdi>", "<bdi>&quot;Paris&quot;, or &lt;Lyon&gt;</bdi>",
             "data-v=\"2\"", "<bdi>Ann</bdi>", "data-v=\"3\""}));
}

BOOST_AUTO_TEST_CASE(many_answers_of_several_objects_are_shown_in_part) {
  ManyPromptResults results = test::small_many_prompts();
  const auto shown = [&] { return count_of(several_section(results), "<tr><td>"); };
  results.ways[0].of_several.assign(50, {"P19", "Ann", "Paris and Lyon", 2});
  BOOST_TEST(shown() == 20U);
  results.ways[1].of_several.assign(50, {"P19", "Ann", "Paris and Lyon", 2});
  BOOST_TEST(shown() == 20U);
  BOOST_TEST(holds(
      several_section(results),
      "100 answers named more than one object of the fact; each counts as one correct answer. "
      "20 are shown; all are in answers_of_several.csv."));
  results.ways[1].of_several.resize(1);
  BOOST_TEST(shown() == 11U);
}

BOOST_AUTO_TEST_CASE(sections_without_anything_to_show_are_empty) {
  BOOST_TEST(sharing_section(test::one_closed_set()).empty());
  BOOST_TEST(several_section(test::one_closed_set()).empty());
  for (const ManyPromptResults& nothing : {test::nothing_asked(), ManyPromptResults{}}) {
    BOOST_TEST(sharing_section(nothing).empty());
    BOOST_TEST(consistency_section(nothing).empty());
    BOOST_TEST(several_section(nothing).empty());
  }
}

BOOST_AUTO_TEST_SUITE_END()
